import { rmSync } from "node:fs";
import { entryFor, sqlStateOf } from "@content-service/errors/sqlStates.ts";
import pg from "pg";
import { ensureRoles } from "../../src/database/ensureRoles.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/embedded/embedded.ts";
import { copyMadeDatabase, temporaryDirectory } from "../../tools/support/dataDirectory.ts";
import { read, useStreams } from "./support/stream.ts";

const streams = useStreams({ apiUrl: "" });
const directory = temporaryDirectory("restart");
let server: EmbeddedPostgres;

afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

test("subscriptions go on through restarts of the database, each message once", async () => {
  copyMadeDatabase(directory);
  server = await startEmbeddedPostgres(directory);
  const apiUrl = await ensureRoles(server.url);
  await run(`
    insert into app_public.users (name, role) values ('Ada', 'USER');
    insert into app_private.accounts (user_id, email) values (1, 'ada@example.com');
    insert into app_public.chats default values;
    insert into app_public.chat_members (chat_id, user_id) values (1, 1)`);
  const losses: unknown[] = [];
  const log = { info: () => {}, warn: (loss: unknown) => losses.push(loss) } as never;
  const stream = await streams.start({ connectionString: apiUrl, log });
  const reader = await read(stream, "1", "1");
  for (let turn = 1; turn <= 3; turn++) {
    await server.stop();
    // Requested while the database is stopped.
    const opening = read(stream, "1", "1");
    server = await startEmbeddedPostgres(directory);
    await run("insert into app_public.messages (chat_id, sender_id, text) values (1, 1, 'Hello')");
    const late = await opening;
    await Promise.all([reader, late].map((each) => each.upTo(turn)));
    expect(late.numbers).toEqual([turn]);
  }
  expect(reader.numbers).toEqual([1, 2, 3]);
  expect(losses.length).toBeGreaterThanOrEqual(3);
});

test("a full queue of notifications makes a write SERVICE_UNAVAILABLE, not an internal error", async () => {
  await run("alter system set max_notify_queue_pages = 64");
  await server.stop();
  server = await startEmbeddedPostgres(directory);
  const listener = new pg.Client({ connectionString: server.url });
  await listener.connect();
  await listener.query("listen strangers");
  await listener.query("begin");
  await listener.query("select 1");
  const refusal = await run(
    "select pg_notify('strangers', n || repeat('x', 7000)) from generate_series(1, 100) n",
  ).catch((error) => error);
  expect(entryFor(sqlStateOf(refusal))?.code).toBe("SERVICE_UNAVAILABLE");
  await listener.end();
});

/** Runs SQL as the owner. */
async function run(sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}
