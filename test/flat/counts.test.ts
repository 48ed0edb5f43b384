import pg from "pg";
import { useDatabase } from "../support/database.ts";

/* The kept counts are those of the rows, whatever transactions do at the same time. */
const database = useDatabase();

const kept = "select name, key, sum(rows)::int as rows from app_hidden.counts group by name, key having sum(rows) <> 0";
const counted = `
  select 'posts.status' as name, status::text collate "C" as key, count(*)::int as rows from app_public.posts group by status
   union all
  select 'comments.post_id', post_id::text, count(*)::int from app_public.comments group by post_id
   union all
  select 'comments.reply_to_id', reply_to_id::text, count(*)::int from app_public.comments where reply_to_id is not null group by reply_to_id
   union all
  select 'reports.status', status::text, count(*)::int from app_public.reports group by status
   union all
  select 'posts.author_id,status', author_id || ',' || status, count(*)::int from app_public.posts group by author_id, status
   union all
  select 'post_tags.tag_id,is_public', tag_id || ',' || is_public, count(*)::int from app_public.post_tags group by tag_id, is_public
   union all
  select 'follows.followed_id', followed_id::text, count(*)::int from app_public.follows group by followed_id
   union all
  select 'follows.follower_id', follower_id::text, count(*)::int from app_public.follows group by follower_id`;

async function expectRightCounts(): Promise<void> {
  expect(await database.query(`${kept} order by name, key`)).toEqual(
    await database.query(`select * from (${counted}) as counted order by name collate "C", key`),
  );
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
  expect(await database.query("select from app_hidden.counts group by name, key having count(*) > 1")).toEqual([]);
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
  await database.query("select conventions.count_rows('app_public.posts', 'status')");
  await database.query("select conventions.count_rows('app_public.posts', 'author_id', 'status')");
  await expectRightCounts();
});

test("a truncated table counts nothing", async () => {
  await database.query("truncate app_public.users cascade");
  expect(await database.query(kept)).toEqual([]);
});
