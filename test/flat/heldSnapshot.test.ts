import type pg from "pg";
import { useDatabase } from "../support/database.ts";

/*
 * While an analyst’s transaction holds its snapshot, PostgreSQL keeps each version of a row, and whoever reads the row goes through them. So a message
 * updates no row: its price does not grow with the messages since.
 */
const database = useDatabase();
let analyst: pg.PoolClient;

beforeEach(async () => {
  await database.query(`
    delete from app_public.chats;
    insert into app_public.chats (id, title) overriding system value values (1, 'Bread'), (2, 'Maps');
    insert into app_public.chat_members (chat_id, user_id) select chats.id, users.id from app_public.chats, app_public.users`);
  await database.query("vacuum analyze");
  analyst = await database.owner.connect();
  await analyst.query("begin isolation level repeatable read; select count(*) from app_public.posts");
});
afterEach(async () => {
  await analyst.query("commit");
  analyst.release();
});

/** The pages that a statement of a member touches, with its triggers. */
async function buffersOf(viewerId: number, statement: string): Promise<number> {
  const client = await database.owner.connect();
  await client.query("begin; set local role api_member");
  await client.query("select set_config('app.viewer_id', $1, true)", [viewerId]);
  const { rows } = await client.query(`explain (analyze, buffers, timing off, format json) ${statement}`);
  await client.query("commit");
  client.release();
  const { Plan: plan } = rows[0]["QUERY PLAN"][0];
  return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
}

/** Of some messages of members. Few of them move a chat in the inboxes, and cost more: see app_hidden.tg_messages__prepare(). */
async function buffersOfMessages(): Promise<number> {
  const buffers: number[] = [];
  for (let n = 0; n < 31; n++)
    buffers.push(await buffersOf(1 + (n % 3), `select app_public.send_message(${1 + (n % 2)}, 'Message ${n}')`));
  return buffers.toSorted((a, b) => a - b)[15] as number;
}

test("a message costs the same, however many were sent to its chat since the snapshot", async () => {
  const before = await buffersOfMessages();
  await database.query(`
    do $$ begin
      for n in 1 .. 800 loop
        insert into app_public.messages (chat_id, sender_id, text) values (1 + n % 2, 1 + n % 3, 'Message ' || n);
      end loop;
    end $$`);
  // The indexes have one more level.
  expect((await buffersOfMessages()) - before).toBeLessThanOrEqual(12);
});

test("a message updates no row", async () => {
  await database.query(
    "insert into app_public.messages (chat_id, sender_id, text) select 1, 1, 'Text' from generate_series(1, 20)",
  );
  const held = await database.hold("insert into app_public.messages (chat_id, sender_id, text) values (1, 2, 'Hello')");
  const updated = await held.run(
    "select relid::regclass::text as name from pg_stat_xact_user_tables where n_tup_upd + n_tup_del > 0",
  );
  await held.release();
  expect((updated as { rows: unknown[] }).rows).toEqual([]);
});
