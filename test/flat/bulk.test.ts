import { startupOptions } from "@content-service/support/startupOptions.ts";
import pg from "pg";
import { useDatabase } from "../support/database.ts";

/*
 * A statement on many rows costs in proportion to their number, with all its triggers. The session has written single rows
 * before: PostgreSQL keeps the plans of functions, and a plan that was made for one row may compare each of many with each other.
 */
const database = useDatabase();
const few = 50;
const many = 4 * few;
let client: pg.Client;
/** Rows that the statements of the session have handled, those of triggers included. */
let handled = 0;

/** PostgreSQL sends the plan of each statement with its rows, also of those inside functions. */
const explaining = {
  session_preload_libraries: "auto_explain",
  "auto_explain.log_min_duration": "0",
  "auto_explain.log_analyze": "on",
  "auto_explain.log_timing": "off",
  "auto_explain.log_nested_statements": "on",
  "auto_explain.log_format": "json",
  "auto_explain.log_level": "notice",
};

interface PlanNode {
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Join Filter"?: number;
  Plans?: PlanNode[];
}

function rowsOf({ Plans = [], ...node }: PlanNode): number {
  const rows = node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Join Filter"] ?? 0);
  return rows * node["Actual Loops"] + Plans.reduce((sum, inner) => sum + rowsOf(inner), 0);
}

beforeAll(async () => {
  await database.query(`
    insert into app_public.users (name) select 'User ' || n from generate_series(1, ${2 * many}) n;
    insert into app_public.tags (name) values ('one'), ('two');
    insert into app_public.chats (title) select 'Chat ' || n from generate_series(1, ${many}) n;
    insert into app_public.chat_members (chat_id, user_id) select id, 1 from app_public.chats;
    insert into app_public.posts (author_id, title, content, status)
      select 1 + n % 2, 'Post ' || n, 'Text', 'PUBLISHED' from generate_series(1, ${2 * many}) n;
    insert into app_public.comments (post_id, author_id, text) select id, 3 - author_id, 'Text' from app_public.posts;
    insert into app_public.post_tags (post_id, tag_id, position) select posts.id, tags.id, 1 from app_public.posts, app_public.tags where tags.name = 'one';
    insert into app_public.follows (follower_id, followed_id) select id, 1 from app_public.users where id <> 1;
    analyze`);
});

beforeEach(async () => {
  client = new pg.Client({ connectionString: database.ownerUrl, options: startupOptions(explaining) });
  client.on("notice", ({ message = "" }) => {
    const plan = /^duration: .*?plan:\n(.*)$/s.exec(message)?.[1];
    if (plan) handled += rowsOf(JSON.parse(plan).Plan);
  });
  await client.connect();
  await client.query("begin");
});
afterEach(() => client.end());

const rows = (table: string) => `id in (select id from app_public.${table} order by id desc limit $1)`;

test.each`
  change                  | statement
  ${"comments added"}     | ${"insert into app_public.comments (post_id, author_id, text) select id, 3, 'Text' from app_public.posts order by id desc limit $1"}
  ${"comments changed"}   | ${`update app_public.comments set text = text || '.' where ${rows("comments")}`}
  ${"comments deleted"}   | ${`delete from app_public.comments where ${rows("comments")}`}
  ${"posts added"}        | ${"insert into app_public.posts (author_id, title, content, status) select 1, 'More ' || gen_random_uuid(), 'Text', 'PUBLISHED' from generate_series(1, $1)"}
  ${"posts changed"}      | ${`update app_public.posts set title = title || '.' where ${rows("posts")}`}
  ${"posts withdrawn"}    | ${`update app_public.posts set status = 'DRAFT' where ${rows("posts")}`}
  ${"posts deleted"}      | ${`delete from app_public.posts where ${rows("posts")}`}
  ${"tags of posts"}      | ${"insert into app_public.post_tags (post_id, tag_id, position) select posts.id, tags.id, 2 from app_public.tags, (select id from app_public.posts where id not in (select post_id from app_public.post_tags where position = 2) order by id desc limit $1) as posts where name = 'two'"}
  ${"tags taken away"}    | ${"delete from app_public.post_tags where post_id in (select post_id from app_public.post_tags order by post_id desc limit $1)"}
  ${"follows added"}      | ${"insert into app_public.follows (follower_id, followed_id) select id, 2 from app_public.users where id > 4 and id not in (select follower_id from app_public.follows where followed_id = 2) order by id desc limit $1"}
  ${"follows taken away"} | ${"delete from app_public.follows where follower_id in (select follower_id from app_public.follows order by follower_id desc limit $1)"}
  ${"messages sent"}      | ${"insert into app_public.messages (chat_id, sender_id, text) select id, 1, 'Text' from app_public.chats order by id desc limit $1"}
  ${"messages to one"}    | ${"insert into app_public.messages (chat_id, sender_id, text) select (select min(id) from app_public.chats), 1, 'Text' from generate_series(1, $1)"}
  ${"users changed"}      | ${`update app_public.users set bio = 'Text', created_at = created_at - interval '1 day' where ${rows("users")}`}
  ${"users deleted"}      | ${`delete from app_public.users where ${rows("users")}`}
`("$change", async ({ statement }: any) => {
  const costOf = async (count: number) => {
    handled = 0;
    await client.query("savepoint all_rows");
    expect((await client.query(statement, [count])).rowCount).toBeGreaterThanOrEqual(count);
    const cost = handled;
    // What a trigger leaves open costs something at each savepoint until the transaction ends.
    expect((await client.query("select name from pg_cursors")).rows).toEqual([]);
    await client.query("rollback to savepoint all_rows");
    return cost;
  };
  // From the sixth time on, PostgreSQL may keep a plan for all values.
  for (let i = 0; i < 8; i++) await costOf(1);
  const [cost, costOfMany] = [await costOf(few), await costOf(many)];
  expect(costOfMany / many).toBeLessThan(1.5 * (cost / few));
});

// The bound that a request's time sets is in docs/security.md.
test.each`
  change                           | statement
  ${"a post with its comments"}    | ${"delete from app_public.posts where id = (select max(id) from app_public.posts)"}
  ${"an account with its content"} | ${"select app_private.erase_user(4)"}
`("$change is deleted in proportion to them", async ({ statement }: any) => {
  const costOf = async (count: number) => {
    await client.query("savepoint all_rows");
    await client.query(
      "insert into app_public.posts (author_id, title, content, status) values (1, 'Post', 'Text', 'PUBLISHED')",
    );
    await client.query(
      `insert into app_public.comments (post_id, author_id, text)
       select max(id), 4, 'Text' from app_public.posts, generate_series(1, $1) n group by n`,
      [count],
    );
    handled = 0;
    await client.query(statement);
    const cost = handled;
    await client.query("rollback to savepoint all_rows");
    return cost;
  };
  for (let i = 0; i < 8; i++) await costOf(1);
  const [none, cost, costOfMany] = [await costOf(0), await costOf(few), await costOf(many)];
  expect((costOfMany - none) / many).toBeLessThan(1.5 * ((cost - none) / few));
});
