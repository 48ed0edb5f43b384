import pg from "pg";
import { useDatabase } from "../support/database.ts";

/* The kept counts are those of the rows, whatever transactions do at the same time. */
const database = useDatabase();

async function expectRightCounts(): Promise<void> {
  expect(await database.query("select * from conventions.check_counters()")).toEqual([]);
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  return client;
}

/** Titles of their own: transactions that do not see each other may give posts of one title the same slug, which is refused. */
const insertPostsOf = (authorId: string) => `insert into app_public.posts (author_id, title, content, status)
  select ${authorId}, 'Post ' || gen_random_uuid(), 'Text', (array['DRAFT', 'PUBLISHED'])[1 + n % 2]::app_public.post_status from generate_series(1, 3) n`;
const insertPosts = insertPostsOf("1 + n % 3");
const somePosts = "id in (select id from app_public.posts order by random() limit 2 for update skip locked)";
const statements = [
  insertPosts,
  `update app_public.posts set status = (case status when 'DRAFT' then 'PUBLISHED' else 'DRAFT' end)::app_public.post_status where ${somePosts}`,
  `delete from app_public.posts where ${somePosts}`,
  `insert into app_public.follows (follower_id, followed_id)
    select * from (values (1, 2), (2, 3), (3, 1), (1, 3)) as follows order by random() limit 1 on conflict do nothing`,
  "delete from app_public.follows where follower_id = (select 1 + floor(random() * 3)::int)",
  `insert into app_public.comments (post_id, author_id, text)
    select id, 2, 'Text' from app_public.posts order by random() limit 2 for key share skip locked`,
  `insert into app_public.comments (post_id, author_id, text, reply_to_id)
    select post_id, 1, 'Text', id from app_public.comments where reply_to_id is null order by random() limit 2 for key share skip locked`,
  "delete from app_public.comments where id in (select id from app_public.comments order by random() limit 1 for update skip locked)",
  `insert into app_public.post_tags (post_id, tag_id, position)
    select posts.id, tags.id, 1 from app_public.posts, app_public.tags where posts.${somePosts} on conflict on constraint post_tags_pkey do nothing`,
  "select conventions.merge_shards()",
  "savepoint before; insert into app_public.posts (author_id, title, content) values (1, gen_random_uuid(), 'Text'); rollback to before",
];

/** Any number of these statements in a transaction that may fail. */
async function writeAtRandom(client: pg.Client): Promise<void> {
  const pick = <T>(from: readonly T[]) => from[Math.floor(Math.random() * from.length)] as T;
  for (let round = 0; round < 15; round++) {
    const isolation = pick(["read committed", "read committed", "repeatable read"]);
    try {
      await client.query(`begin isolation level ${isolation}`);
      for (let step = pick([1, 2, 3]); step > 0; step--) await client.query(pick(statements));
      await client.query(pick(["commit", "commit", "rollback"]));
    } catch (error) {
      // Rows that others hold, and rows that have changed since the transaction began.
      expect((error as pg.DatabaseError).code).toMatch(/^(40001|40P01)$/);
      await client.query("rollback");
    }
  }
}

test("counts stay right while transactions insert, update, delete and roll back", async () => {
  await database.query("insert into app_public.tags (name) values ('one')");
  const clients = await Promise.all(Array.from({ length: 6 }, connect));
  await Promise.all(clients.map(writeAtRandom));
  await Promise.all(clients.map((client) => client.end()));
  await expectRightCounts();
  await database.query("select conventions.merge_shards()");
  await expectRightCounts();
  expect(
    await database.query("select from conventions.counter_shards group by counter, key having count(*) > 1"),
  ).toEqual([]);
});

test.each([99, 100, 250])("statements that write %i rows count each", async (count) => {
  const steps = [
    `insert into app_public.posts (author_id, title, content, status)
      select 1 + n % 3, 'Bulk ' || gen_random_uuid(), 'Text', (array['DRAFT', 'PUBLISHED'])[1 + n % 2]::app_public.post_status from generate_series(1, ${count}) n`,
    `insert into app_public.comments (post_id, author_id, text) select id, 2, 'Text' from app_public.posts where title like 'Bulk%'`,
    `insert into app_public.comments (post_id, author_id, text, reply_to_id) select post_id, 1, 'Text', id from app_public.comments where reply_to_id is null`,
    `update app_public.posts set status = 'DRAFT' where title like 'Bulk%'`,
    `update app_public.posts set author_id = 1 + author_id % 3, status = 'PUBLISHED' where title like 'Bulk%'`,
    `create table if not exists app_public.labels (id int primary key, a text, b text);
     select conventions.count_rows('app_public.labels', 'a', 'b'), conventions.count_rows('app_public.labels', 'b');
     insert into app_public.labels select n, case when n % 3 > 0 then 'x,' || n % 3 end, (array['1,2', '\\'])[1 + n % 2] from generate_series(1, ${count}) n`,
    "update app_public.labels set a = b",
    "delete from app_public.labels",
    "truncate app_public.labels",
    `delete from app_public.posts where title like 'Bulk%'`,
  ];
  for (const step of steps) {
    await database.query(step);
    await expectRightCounts();
  }
});

test("writers do not wait for each other", async () => {
  const clients = await Promise.all(Array.from({ length: 3 }, connect));
  // Publications of one author are numbered for subscriptions, so they take turns.
  for (const [index, client] of clients.entries()) {
    await client.query("begin; set local lock_timeout = '1s'");
    await client.query(insertPostsOf(String(1 + index)));
  }
  for (const client of clients) {
    await client.query("commit");
    await client.end();
  }
  await expectRightCounts();
});

test("counts of rows that were written without triggers are made anew", async () => {
  await database.query(`
    set session_replication_role = replica;
    delete from app_public.posts where status = 'DRAFT';
    set session_replication_role = origin`);
  const wrong = await database.query<{ counter: string; key: string }>(
    "select counter, key from conventions.check_counters() order by 1",
  );
  expect(wrong.map(({ counter, key }) => [counter, key])).toContainEqual(["posts.status", "DRAFT"]);
  expect(await database.query("select * from conventions.repair_counters() as name order by 1")).toEqual([
    { name: "posts.author_id,status" },
    { name: "posts.status" },
  ]);
  await expectRightCounts();
});

test("an enum's value can be renamed", async () => {
  await database.query("insert into app_public.posts (author_id, title, content) values (1, 'Before', 'Text')");
  await database.query(`
    begin;
    alter type app_public.post_status rename value 'DRAFT' to 'UNFINISHED';
    insert into app_public.posts (author_id, title, content, status) values (1, 'Between', 'Text', 'UNFINISHED');
    commit`);
  expect(await database.query("select from conventions.check_counters()")).not.toEqual([]);
  // The hook of each migration.
  await database.query("select conventions.follow_renamed_values()");
  await expectRightCounts();
  await database.query("delete from app_public.posts where status = 'UNFINISHED'");
  await expectRightCounts();
  await database.query(
    "alter type app_public.post_status rename value 'UNFINISHED' to 'DRAFT'; select conventions.follow_renamed_values()",
  );
  await expectRightCounts();
});

test("values with commas have keys of their own, in counters and in the audit trail", async () => {
  await database.query(`
    create table app_public.pairs (a text, b text, note text, primary key (a, b));
    select conventions.apply_to('app_public.pairs', omitted_columns => '{note}'), conventions.count_rows('app_public.pairs', 'a', 'b');
    insert into app_public.pairs values ('1,2', '3', 'Long'), ('1', '2,3', 'Long'), ('1\\', '2', 'Long');
    update app_public.pairs set note = 'Longer' where a = '1'`);
  expect(
    await database.query(
      "select key, value::int from conventions.counter_shards where counter = 'pairs.a,b' order by key",
    ),
  ).toEqual([
    { key: "1,2\\,3", value: 1 },
    { key: "1\\,2,3", value: 1 },
    { key: "1\\\\,2", value: 1 },
  ]);
  expect(
    await database.query(
      "select action, row_key, changes from app_public.audit_trail where table_name = 'pairs' order by id",
    ),
  ).toEqual([
    { action: "INSERT", row_key: "1\\,2,3", changes: { a: { new: "1,2" }, b: { new: "3" }, note: {} } },
    { action: "INSERT", row_key: "1,2\\,3", changes: { a: { new: "1" }, b: { new: "2,3" }, note: {} } },
    { action: "INSERT", row_key: "1\\\\,2", changes: { a: { new: "1\\" }, b: { new: "2" }, note: {} } },
    { action: "UPDATE", row_key: "1,2\\,3", changes: { note: {} } },
  ]);
});

test("a truncated table counts nothing", async () => {
  await database.query(
    "set local app.is_import = on; truncate app_public.users cascade; set local app.is_import = off",
  );
  expect(await database.query("select from conventions.counter_shards where counter not like 'pairs%'")).toEqual([]);
  await expectRightCounts();
});
