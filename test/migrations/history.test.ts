import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { withClient } from "@content-service/support/withClient.ts";
import { copyDatabase } from "../../packages/migration-review/cloneDatabase.ts";
import { ensureRoles } from "../../src/database/ensureRoles.ts";
import { createTokenSigner } from "../../src/identity/signToken.ts";
import { post } from "../../tools/support/post.ts";
import { useProject } from "../support/project.ts";
import { readEvents } from "../support/readEvents.ts";
import { testSecret } from "../support/service.ts";
import { startHere } from "../support/startHere.ts";
import { databaseUrl, onServer } from "../support/template.ts";

/* A database of an earlier commit, with content, goes on by migrations alone. test/README.md says how its dump was made. */
const dump = gunzipSync(readFileSync(new URL("history/73b50875.sql.gz", import.meta.url))).toString();

/** Tables whose rows migrations write. */
const ofMigrations = [
  "graphile_migrate.",
  "conventions.tables",
  "conventions.counters",
  "change_feed.streams",
  "app_private.jobs",
  // Rollups are filled again by the next refresh.
  "rollups.watermark",
];

/** Migration 56 notes who has scheduled a post. That writes the post, and is told to those who follow it. */
const notWritten: Record<string, string> = {
  "app_public.posts": "publish_at is null",
  "change_feed.stream_heads":
    "key not in (select id::text from app_public.posts where publish_at is not null) or stream_id not in (select id from change_feed.streams where relation = 'app_public.posts'::regclass)",
};

const project = useProject();
const before = `test_history_${process.pid}_${Date.now()}`;
let url: string;
const select = <Row>(at: string, sql: string): Promise<Row[]> =>
  withClient(at, async (client) => (await client.query(sql)).rows);

beforeAll(async () => {
  url = project.environment["DATABASE_URL"] as string;
  await ensureRoles(url);
  await onServer(url, dump);
  await withClient(process.env.TEST_SERVER_URL as string, (server) =>
    copyDatabase(server, new URL(url).pathname.slice(1), before),
  );
  expect(await project.db("migrate")).toMatchObject({ status: 0 });
});
afterAll(() => onServer(process.env.TEST_SERVER_URL as string, `drop database if exists ${before} with (force)`));

async function columnsOf(at: string): Promise<Map<string, string[]>> {
  const rows = await select<{ table: string; columns: string[] }>(
    at,
    `select attrelid::regclass::text as table, array_agg(quote_ident(attname) order by attname) as columns
       from pg_catalog.pg_attribute join pg_catalog.pg_class on pg_class.oid = attrelid
      where relkind = 'r' and attnum > 0 and not attisdropped and relnamespace::regnamespace::text !~ '^(pg_|information_schema)'
      group by 1`,
  );
  return new Map(rows.map(({ table, columns }) => [table, columns]));
}

test("every row is still there, with every column that there was and is", async () => {
  const former = databaseUrl(url, before);
  const [then, now] = [await columnsOf(former), await columnsOf(url)];
  const contents = [...then].filter(([table]) => !ofMigrations.some((name) => table.startsWith(name)));
  expect(contents.length).toBeGreaterThan(30);
  for (const [table, columns] of contents) {
    const both = columns.filter((column) => now.get(table)?.includes(column));
    const rows = `select md5(row(${both.join(", ")})::text) as row from ${table} where ${notWritten[table] ?? true} order by 1`;
    const [was, is] = [await select<{ row: string }>(former, rows), await select<{ row: string }>(url, rows)];
    expect({ table, rows: was.length }).not.toEqual({ table, rows: 0 });
    expect({ table, rows: is }).toEqual({ table, rows: expect.arrayContaining(was) });
  }
});

/**
 * PostgreSQL prints nested ands and ors of a restored expression with fewer parentheses, so these differ from those of a migration though
 * they say the same.
 */
const printedOtherwise = [
  "constraint accounts_email_shape_check",
  "trigger _500_keep_revision_update",
  "view analytics.activity_by_hour",
  "view analytics.writer_growth_by_month",
];

test("it does not differ from a new database", async () => {
  const { output } = await project.db("drift");
  expect(
    output
      .split("\n")
      .filter(
        (line) => !printedOtherwise.some((name) => line.startsWith(`The ${name} `) || line.startsWith(`The ${name}:`)),
      ),
  ).toEqual([""]);
});

test("a service starts on it, and subscriptions continue from positions that clients had", async () => {
  await using service = await startHere({ DATABASE_URL: url, JWT_SECRET: testSecret });
  const { token } = (await createTokenSigner({ secret: testSecret })?.("1")) ?? {};
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  expect(await post(service.url, "{ user(id: 1) { name } }")).toEqual({ data: { user: { name: "Ada Lindqvist" } } });

  /** What follows a position: the ids of what the statement selects, but for the first. */
  const continues = async (field: string, sql: string) => {
    const [position = { id: "" }, ...later] = await select<{ id: string }>(url, sql);
    const query = `subscription { events: ${field.replace("$after", `after: "${position.id}"`)} }`;
    const stream = await readEvents(service.url, { method: "POST", headers, body: JSON.stringify({ query }) });
    const events = await stream.events.take(later.length);
    stream.close();
    expect(events).toEqual(later.map(({ id }) => expect.stringContaining(`"id":"${id}"`)));
    expect(later).not.toEqual([]);
  };
  const newest = (rows: string) => `select id::text from (${rows} order by id desc limit 3) as newest order by id`;
  await continues(
    "messageAdded(chatId: 1, $after) { id }",
    newest("select id from app_public.messages where chat_id = 1"),
  );
  await continues(
    "commentAdded(postId: 37, $after) { id }",
    newest("select id from app_public.comments where post_id = 37"),
  );
  await continues(
    "notificationAdded($after) { id }",
    newest("select id from app_public.notifications where user_id = 1"),
  );
});
