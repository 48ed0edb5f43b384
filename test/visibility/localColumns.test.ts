import pg from "pg";
import { useDatabase } from "../support/database.ts";

/* Columns from which policies read who may see a row agree with the row that decides, whatever transactions do at the same time. */
const database = useDatabase();

const wrong = "select * from app_private.wrongly_shown()";
const revealed = `${wrong} where is_revealed`;
const unsettled = "select relation::text, key from app_hidden.unsettled";
/** What the policies said before the columns were there. */
const rules = {
  comments: "exists (select from app_public.posts where posts.id = comments.post_id)",
  post_tags: "exists (select from app_public.posts where posts.id = post_tags.post_id)",
  tags: `exists (select from app_public.post_tags join app_public.posts on posts.id = post_id where tag_id = tags.id)`,
};

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  return client;
}

/** Resolves when that connection waits for a lock. */
async function untilWaiting(pid: number): Promise<void> {
  const waiting = "select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'";
  while ((await database.query(waiting, [pid])).length === 0);
}

async function expectRulesHold(): Promise<void> {
  const client = await connect();
  for (const [role, viewer] of [
    ["api_anonymous", ""],
    ["api_member", "2"],
    ["api_member", "3"],
  ]) {
    await client.query("select set_config('app.viewer_id', $1, false)", [viewer]);
    for (const [table, rule] of Object.entries(rules)) {
      await client.query(`set role ${role}`);
      const { rows: seen } = await client.query(`select * from app_public.${table} order by 1, 2`);
      // The owner sees all rows, and the posts that the viewer sees are the rule.
      const { rows: posts } = await client.query("select id from app_public.posts");
      await client.query("reset role");
      const { rows: expected } = await client.query(
        `with posts as (select * from app_public.posts where id = any ($1))
         select * from app_public.${table} where ${rule.replaceAll("app_public.posts", "posts")} order by 1, 2`,
        [posts.map(({ id }) => id)],
      );
      expect(seen).toEqual(expected);
    }
  }
  await client.end();
}

const somePosts = "id in (select id from app_public.posts order by random() limit 2 for update skip locked)";
const onePost = "select id from app_public.posts order by random() limit 1 for update";
const statements = [
  `insert into app_public.posts (author_id, title, content, status)
    select 1 + n % 3, 'Post ' || gen_random_uuid(), 'Text', (array['DRAFT', 'PUBLISHED'])[1 + n % 2]::app_public.post_status from generate_series(1, 2) n`,
  `update app_public.posts set status = (case status when 'DRAFT' then 'PUBLISHED' else 'DRAFT' end)::app_public.post_status where ${somePosts}`,
  `update app_public.posts set status = (case status when 'DRAFT' then 'PUBLISHED' else 'DRAFT' end)::app_public.post_status where ${somePosts}`,
  `delete from app_public.posts where id in (select id from app_public.posts order by random() limit 1 for update skip locked)`,
  `insert into app_public.comments (post_id, author_id, text) select id, 1, 'Text' from app_public.posts order by random() limit 2`,
  `insert into app_public.comments (post_id, author_id, text) select id, 1, 'Text' from app_public.posts order by random() limit 2`,
  `update app_public.comments set post_id = (select id from app_public.posts order by random() limit 1)
    where id in (select id from app_public.comments order by random() limit 1 for update skip locked)`,
  // The post is locked first, as updatePost does.
  `select app_hidden.set_post_tags(id, (select array_agg(name) from (select 'tag ' || n as name from generate_series(1, 5) n order by random() limit 2) as few))
     from (${onePost}) as post`,
  `select app_hidden.set_post_tags(id, '{}') from (${onePost}) as post`,
  "select app_private.settle_rows(10)",
];

/** Any number of these statements in a transaction that may fail. */
async function writeAtRandom(client: pg.Client): Promise<void> {
  const pick = <T>(from: readonly T[]) => from[Math.floor(Math.random() * from.length)] as T;
  for (let round = 0; round < 25; round++) {
    const isolation = pick(["read committed", "read committed", "repeatable read"]);
    try {
      await client.query(`begin isolation level ${isolation}`);
      for (let step = pick([1, 1, 2]); step > 0; step--) await client.query(pick(statements));
      await client.query(pick(["commit", "commit", "rollback"]));
    } catch (error) {
      // Rows that have changed since the transaction began, that others hold in another order, or that are gone.
      expect((error as pg.DatabaseError).code).toMatch(/^(40001|40P01|23503)$/);
      await client.query("rollback");
    }
  }
}

test("no row is shown by mistake while transactions write posts, comments and tags", async () => {
  const clients = await Promise.all(Array.from({ length: 6 }, connect));
  await Promise.all(clients.map(writeAtRandom));
  await Promise.all(clients.map((client) => client.end()));
  expect(await database.query(revealed)).toEqual([]);
  await expectRulesHold();
  await database.query("select app_private.maintain()");
  expect(await database.query(wrong)).toEqual([]);
  expect(await database.query(unsettled)).toEqual([]);
  await expectRulesHold();
});

async function post(status: "DRAFT" | "PUBLISHED"): Promise<string> {
  const [row] = await database.query<{ id: string }>(
    `insert into app_public.posts (author_id, title, content, status) values (1, gen_random_uuid()::text, 'Text', '${status}') returning id`,
  );
  return row?.id as string;
}

const comment = "insert into app_public.comments (post_id, author_id, text) values ($1, 2, 'Text')";
const hide = "update app_public.posts set status = 'DRAFT' where id = $1";

test.each(["read committed", "repeatable read"])(
  "a comment that is not committed yet is hidden with its post, and nobody waits (%s)",
  async (isolation) => {
    const [id, writer, author] = [await post("PUBLISHED"), await connect(), await connect()];
    await writer.query("begin");
    await writer.query(comment, [id]);
    await author.query(`begin isolation level ${isolation}; set local lock_timeout = '1s'`);
    await author.query(hide, [id]);
    await author.query("commit");
    await writer.query("commit");
    await expectRulesHold();
    await database.query("select app_private.settle_rows(10)");
    expect(await database.query(wrong)).toEqual([]);
    expect(await database.query(unsettled)).toEqual([]);
    await Promise.all([writer.end(), author.end()]);
  },
);

test("a comment that is added while its post is being hidden is hidden", async () => {
  const [id, writer, author] = [await post("PUBLISHED"), await connect(), await connect()];
  await author.query("begin");
  await author.query(hide, [id]);
  const { rows } = await writer.query("select pg_backend_pid() as pid");
  const added = writer.query(comment, [id]);
  await untilWaiting(rows[0].pid);
  await author.query("commit");
  await added;
  expect(await database.query("select is_public from app_public.comments where post_id = $1", [id])).toEqual([
    { is_public: false },
  ]);
  expect(await database.query(wrong)).toEqual([]);
  await Promise.all([writer.end(), author.end()]);
});

test("a comment that the author's transaction cannot see is hidden with its post", async () => {
  const [id, author] = [await post("PUBLISHED"), await connect()];
  await author.query("begin isolation level repeatable read");
  await author.query("select from app_public.posts");
  await database.query(comment, [id]);
  await author.query(hide, [id]);
  await author.query("commit");
  expect(await database.query(revealed)).toEqual([]);
  await expectRulesHold();
  await database.query("select app_private.settle_rows(10)");
  expect(await database.query(wrong)).toEqual([]);
  await author.end();
});

test("a comment of a transaction that cannot see that its post is hidden is hidden", async () => {
  const [id, writer] = [await post("PUBLISHED"), await connect()];
  await writer.query("begin isolation level repeatable read");
  await writer.query("select from app_public.posts");
  await database.query(hide, [id]);
  await writer.query(comment, [id]);
  await writer.query("commit");
  expect(await database.query(revealed)).toEqual([]);
  await expectRulesHold();
  await database.query("select app_private.settle_rows(10)");
  expect(await database.query(wrong)).toEqual([]);
  await writer.end();
});

test("a transaction that changes the visibility of a post with many comments writes none of them", async () => {
  const id = await post("PUBLISHED");
  await database.query(
    "insert into app_public.comments (post_id, author_id, text) select $1, 1, 'Text ' || n from generate_series(1, 1000) n",
    [id],
  );
  const written = async (sql: string) => {
    const client = await connect();
    await client.query("begin");
    await client.query(sql, [id]);
    const { rows } = await client.query(
      "select n_tup_upd::int as rows from pg_stat_xact_user_tables where relid = 'app_public.comments'::regclass",
    );
    await client.query("commit");
    await client.end();
    return rows[0].rows;
  };
  expect(await written(hide)).toBe(0);
  await expectRulesHold();
  let settled = 0;
  for (let count = -1; count !== 0; settled += count) {
    [{ count }] = (await database.query("select app_private.settle_rows(300) as count")) as [{ count: number }];
  }
  expect(settled).toBe(1000);
  expect(await database.query(unsettled)).toEqual([]);
  expect(await written("update app_public.posts set status = 'PUBLISHED' where id = $1")).toBe(0);
  await expectRulesHold();
  await database.query("select app_private.settle_rows(1000), app_private.settle_rows(1000)");
  expect(await database.query(wrong)).toEqual([]);
});

test("rows that were written without triggers are corrected by another call", async () => {
  await database.query(`
    set session_replication_role = replica;
    update app_public.posts set status = 'DRAFT', published_at = null;
    set session_replication_role = origin`);
  expect(await database.query(revealed)).not.toEqual([]);
  await database.query(`
    select app_hidden.show_with_parent('app_public.comments', 'post_id');
    select app_hidden.show_with_parent('app_public.notifications', 'post_id');
    select app_hidden.show_with_parent('app_public.post_tags', 'post_id', '{listed_at}')`);
  expect(await database.query(wrong)).toEqual([]);
  await expectRulesHold();
});

test("neither the audit trail nor a stream has changes of these columns", async () => {
  const id = await post("PUBLISHED");
  await database.query("select change_feed.stream('app_public.comments', 'post_id')");
  await database.query(comment, [id]);
  const recorded = () =>
    database.query<{ entries: number; events: number }>(`
      select (select count(*)::int from app_public.audit_trail where table_name = 'comments') as entries,
             (select count(*)::int from change_feed.stream_events) as events`);
  const before = await recorded();
  await database.query(hide, [id]);
  expect(await recorded()).toEqual(before);
  expect(
    await database.query("select from app_public.audit_trail where table_name = 'comments' and changes ? 'is_public'"),
  ).toEqual([]);
  await database.query("update app_public.comments set text = 'Another' where post_id = $1", [id]);
  expect((await recorded())[0]?.events).toBe((before[0]?.events as number) + 1);
});

test("two transactions that hide the last two posts of a tag hide the tag", async () => {
  const [one, other, first, second] = [
    await post("PUBLISHED"),
    await post("PUBLISHED"),
    await connect(),
    await connect(),
  ];
  await database.query("select app_hidden.set_post_tags($1, '{last}'), app_hidden.set_post_tags($2, '{last}')", [
    one,
    other,
  ]);
  await first.query("begin");
  await first.query(hide, [one]);
  const { rows } = await second.query("select pg_backend_pid() as pid");
  const hidden = second.query(hide, [other]);
  await untilWaiting(rows[0].pid);
  await first.query("commit");
  await hidden;
  expect(await database.query("select is_public from app_public.tags where name = 'last'")).toEqual([
    { is_public: false },
  ]);
  await expectRulesHold();
  await Promise.all([first.end(), second.end()]);
});

test("a table of a DBA's own has rows that are visible with their posts, by one call", async () => {
  await database.query(`
    create table app_public.notes (
      id bigint generated always as identity primary key,
      post_id bigint not null references app_public.posts on delete cascade,
      text text not null
    );
    create index on app_public.notes (post_id);
    grant select on app_public.notes to api_anonymous, api_member;
  `);
  const [shown, hidden] = [await post("PUBLISHED"), await post("DRAFT")];
  await database.query("insert into app_public.notes (post_id, text) values ($1, 'Shown'), ($2, 'Hidden')", [
    shown,
    hidden,
  ]);
  await database.query(
    "select conventions.apply_to('app_public.notes'), app_hidden.show_with_parent('app_public.notes', 'post_id')",
  );
  const seenAs = async (role: string, viewer: string) => {
    const client = await connect();
    await client.query("select set_config('app.viewer_id', $1, false)", [viewer]);
    await client.query(`set role ${role}`);
    const { rows } = await client.query("select text from app_public.notes order by id");
    await client.end();
    return rows.map(({ text }) => text);
  };
  expect(await seenAs("api_anonymous", "")).toEqual(["Shown"]);
  expect(await seenAs("api_member", "1")).toEqual(["Shown", "Hidden"]);
  expect(await seenAs("api_member", "2")).toEqual(["Shown"]);
  await database.query(hide, [shown]);
  expect(await seenAs("api_anonymous", "")).toEqual([]);
  expect(await database.query(wrong)).toEqual([]);
  await database.query("update app_public.posts set status = 'PUBLISHED' where id = any ($1)", [[shown, hidden]]);
  expect(await seenAs("api_anonymous", "")).toEqual(["Shown", "Hidden"]);
  expect(await database.query("select text, is_public from app_public.notes where not is_public")).toEqual([]);
  await expect(database.query("select app_hidden.show_with_parent('app_public.notes', 'text')")).rejects.toThrow(
    "app_public.notes.text is not a foreign key of one column",
  );
});

test("a tag that has no visible post any more is hidden at once, in any isolation level", async () => {
  for (const isolation of ["read committed", "repeatable read"]) {
    const [id, author] = [await post("PUBLISHED"), await connect()];
    await author.query("select app_hidden.set_post_tags($1, array[$2])", [id, `only ${isolation}`]);
    await author.query(`begin isolation level ${isolation}`);
    await author.query(hide, [id]);
    await author.query("commit");
    const seen = "select name from app_public.tags where name like 'only%'";
    await author.query("set role api_anonymous");
    expect((await author.query(seen)).rows).toEqual([]);
    await author.query("reset role");
    expect((await author.query(seen)).rows).toHaveLength(1);
    await author.query("delete from app_public.tags where name like 'only%'");
    await author.end();
  }
});
