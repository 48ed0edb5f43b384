import pg from "pg";
import { rolledBack } from "../../tools/support/rolledBack.ts";
import { useDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";

/* Copies of a post's visibility agree with the post at any depth, whatever transactions do at the same time. */
const database = useDatabase();

const wrong = "select * from app_private.check_derived_data()";
/** What the policies mean, without copies. */
const rules = {
  comments: "exists (select from app_public.posts where posts.id = comments.post_id)",
  post_tags: "exists (select from app_public.posts where posts.id = post_tags.post_id)",
  tags: "exists (select from app_public.post_tags join app_public.posts on posts.id = post_id where tag_id = tags.id)",
  reactions:
    "exists (select from app_public.comments c join app_public.posts on posts.id = c.post_id where c.id = reactions.comment_id)",
};

/** Further connections: a new one reads the catalogue again. */
let sessions: pg.Pool;
beforeAll(() => {
  sessions = new pg.Pool({ connectionString: database.ownerUrl, max: 8 });
  database.ends.defer(() => sessions.end());
});
const connect = () => sessions.connect();

/** A DBA's table at the second level, as migrations/README.md describes it. */
beforeAll(() =>
  database.query(`
    create unique index comments_id_is_public_idx on app_public.comments (id, is_public);
    create table app_public.reactions (
      id         bigint generated always as identity primary key,
      comment_id bigint not null references app_public.comments on delete cascade,
      is_public  boolean not null,
      constraint reactions_inherited_fkey foreign key (comment_id, is_public)
        references app_public.comments (id, is_public) on update cascade on delete cascade
    );
    create index reactions_comment_id_idx on app_public.reactions (comment_id);
    create function app_hidden.tg_reactions__inherit_visibility() returns trigger
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
    begin
      if tg_op = 'INSERT' or new.comment_id <> old.comment_id then
        select is_public into new.is_public from app_public.comments where id = new.comment_id for key share;
        new.is_public := coalesce(new.is_public, false);
      end if;
      return new;
    end $$;
    create trigger _110_inherit_visibility before insert or update of comment_id on app_public.reactions
      for each row execute function app_hidden.tg_reactions__inherit_visibility();
    alter table app_public.reactions enable row level security;
    create policy select_visible on app_public.reactions for select to api_anonymous, api_member
      using (is_public or exists (select from app_public.comments where comments.id = comment_id offset 0));
    grant select on app_public.reactions to api_anonymous, api_member`),
);

/** Resolves when that connection waits for a lock. */
async function untilWaiting(client: pg.PoolClient): Promise<void> {
  const waiting = "select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'";
  const pid = (client as unknown as { processID: number }).processID;
  await until(async () => (await database.query(waiting, [pid])).length > 0);
}

async function expectRulesHold(): Promise<void> {
  await rolledBack(sessions, async (client) => {
    for (const [role, viewer] of [
      ["api_anonymous", ""],
      ["api_member", "2"],
      ["api_member", "3"],
    ]) {
      await client.query("select set_config('app.viewer_id', $1, true)", [viewer]);
      for (const [table, rule] of Object.entries(rules)) {
        await client.query(`set local role ${role}`);
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
  });
}

const somePosts = "id in (select id from app_public.posts order by random() limit 2 for update skip locked)";
const onePost = "select id from app_public.posts order by random() limit 1";
const toggle = `update app_public.posts set status = (case status when 'DRAFT' then 'PUBLISHED' else 'DRAFT' end)::app_public.post_status where ${somePosts}`;
const addComments =
  "insert into app_public.comments (post_id, author_id, text) select id, 1, 'Text' from app_public.posts order by random() limit 2";
const statements = [
  `insert into app_public.posts (author_id, title, content, status)
    select 1 + n % 3, 'Post ' || gen_random_uuid(), 'Text', (array['DRAFT', 'PUBLISHED'])[1 + n % 2]::app_public.post_status from generate_series(1, 2) n`,
  toggle,
  toggle,
  `delete from app_public.posts where id in (select id from app_public.posts order by random() limit 1 for update skip locked)`,
  addComments,
  addComments,
  `update app_public.comments set post_id = (${onePost})
    where id in (select id from app_public.comments order by random() limit 1 for update skip locked)`,
  `insert into app_public.reactions (comment_id) select id from app_public.comments order by random() limit 2`,
  `update app_public.reactions set comment_id = (select id from app_public.comments order by random() limit 1)
    where id in (select id from app_public.reactions order by random() limit 1 for update skip locked)`,
  `select app_hidden.set_post_tags(id, (select array_agg(name) from (select 'tag ' || n as name from generate_series(1, 5) n order by random() limit 2) as few))
     from (${onePost}) as post`,
  `select app_hidden.set_post_tags(id, '{}') from (${onePost}) as post`,
  "select app_private.run_job('tags')",
];

/** Any number of these statements in a transaction that may fail. */
async function writeAtRandom(client: pg.PoolClient): Promise<number> {
  const pick = <T>(from: readonly T[]) => from[Math.floor(Math.random() * from.length)] as T;
  let committed = 0;
  for (let round = 0; round < 25; round++) {
    const isolation = pick(["read committed", "read committed", "repeatable read", "serializable"]);
    try {
      await client.query(`begin isolation level ${isolation}`);
      for (let step = pick([1, 1, 2]); step > 0; step--) await client.query(pick(statements));
      await client.query(pick(["commit", "commit", "rollback"]));
      committed++;
    } catch (error) {
      // Rows that have changed since the transaction began, that others hold in another order, or that are gone.
      expect((error as pg.DatabaseError).code).toMatch(/^(40001|40P01|23503|42501)$/);
      await client.query("rollback");
    }
  }
  return committed;
}

test("no copy is wrong while transactions write posts, comments, reactions and tags", async () => {
  const clients = await Promise.all(Array.from({ length: 6 }, connect));
  const committed = await Promise.all(clients.map(writeAtRandom));
  for (const client of clients) client.release();
  expect(Math.min(...committed)).toBeGreaterThan(5);
  expect(await database.query(wrong)).toEqual([]);
  await expectRulesHold();
});

async function post(status: "DRAFT" | "PUBLISHED"): Promise<string> {
  const [row] = await database.query<{ id: string }>(
    `insert into app_public.posts (author_id, title, content, status) values (1, gen_random_uuid()::text, 'Text', '${status}') returning id`,
  );
  return row?.id as string;
}

const comment = "insert into app_public.comments (post_id, author_id, text) values ($1, 2, 'Text')";
const setStatus = (status: string) => `update app_public.posts set status = '${status}' where id = $1`;
const hide = setStatus("DRAFT");
const isolations = ["read committed", "repeatable read", "serializable"];

/** @returns the SQLSTATE of the error, if there is one */
const codeOf = (result: Promise<unknown>): Promise<string | undefined> =>
  result.then(
    () => undefined,
    ({ code }: pg.DatabaseError) => code,
  );

describe.each(isolations)("with %s", (isolation) => {
  test.each(["DRAFT", "PUBLISHED"])(
    "a post that becomes %s waits for a comment that is not committed yet",
    async (to) => {
      const id = await post(to === "DRAFT" ? "PUBLISHED" : "DRAFT");
      const [writer, author] = [await connect(), await connect()];
      await writer.query("begin");
      await writer.query(comment, [id]);
      await author.query(`begin isolation level ${isolation}`);
      const changed = codeOf(author.query(setStatus(to), [id]));
      await untilWaiting(author);
      await writer.query("commit");
      // The snapshot of a stricter level does not have the comment.
      expect(await changed).toBe(isolation === "read committed" ? undefined : "40001");
      await author.query("commit");
      expect(await database.query(wrong)).toEqual([]);
      await expectRulesHold();
      for (const client of [writer, author]) client.release();
    },
  );

  test("a comment that is added while its post is being hidden is hidden, or refused", async () => {
    const [id, writer, author] = [await post("PUBLISHED"), await connect(), await connect()];
    await author.query("begin");
    await author.query(hide, [id]);
    await writer.query(`begin isolation level ${isolation}`);
    const added = codeOf(writer.query(comment, [id]));
    await untilWaiting(writer);
    await author.query("commit");
    expect(await added).toBe(isolation === "read committed" ? undefined : "40001");
    await writer.query("commit");
    expect(await database.query(wrong)).toEqual([]);
    for (const client of [writer, author]) client.release();
  });

  test("a comment that the author’s transaction cannot see is hidden with its post, or the post is not", async () => {
    const [id, author] = [await post("PUBLISHED"), await connect()];
    await author.query(`begin isolation level ${isolation}`);
    await author.query("select from app_public.posts");
    await database.query(comment, [id]);
    expect(await codeOf(author.query(hide, [id]))).toBe(isolation === "read committed" ? undefined : "40001");
    await author.query("commit");
    expect(await database.query(wrong)).toEqual([]);
    author.release();
  });

  test("a comment of a transaction that cannot see that its post is hidden is hidden, or refused", async () => {
    const [id, writer] = [await post("PUBLISHED"), await connect()];
    await writer.query(`begin isolation level ${isolation}`);
    await writer.query("select from app_public.posts");
    await database.query(hide, [id]);
    expect(await codeOf(writer.query(comment, [id]))).toBe(isolation === "read committed" ? undefined : "40001");
    await writer.query("commit");
    expect(await database.query(wrong)).toEqual([]);
    writer.release();
  });

  test("a tag that has no visible post any more is hidden at once", async () => {
    const [id, author] = [await post("PUBLISHED"), await connect()];
    await author.query("select app_hidden.set_post_tags($1, '{only}')", [id]);
    await author.query("select app_private.run_job('tags')");
    expect(await database.query("select is_public from app_public.tags where name = 'only'")).toEqual([
      { is_public: true },
    ]);
    await author.query(`begin isolation level ${isolation}`);
    await author.query(hide, [id]);
    await author.query("commit");
    const seen = "select name from app_public.tags where name = 'only'";
    await author.query("set role api_anonymous");
    expect((await author.query(seen)).rows).toEqual([]);
    await author.query("reset role");
    expect((await author.query(seen)).rows).toHaveLength(1);
    author.release();
  });
});

test("a reaction to a comment follows the post, and a comment that moves takes its reactions along", async () => {
  const [one, other] = [await post("PUBLISHED"), await post("DRAFT")];
  await database.query(
    "with c as (insert into app_public.comments (post_id, author_id, text) values ($1, 2, 'Text') returning id) select from c",
    [one],
  );
  await database.query(
    "insert into app_public.reactions (comment_id) select id from app_public.comments where post_id = $1",
    [one],
  );
  const copies = (id: string) =>
    database.query(
      "select c.is_public as comment, r.is_public as reaction from app_public.reactions r join app_public.comments c on c.id = comment_id where post_id = $1",
      [id],
    );
  expect(await copies(one)).toEqual([{ comment: true, reaction: true }]);
  await database.query(hide, [one]);
  expect(await copies(one)).toEqual([{ comment: false, reaction: false }]);
  await database.query(setStatus("PUBLISHED"), [one]);
  expect(await copies(one)).toEqual([{ comment: true, reaction: true }]);
  await database.query("update app_public.comments set post_id = $2 where post_id = $1", [one, other]);
  expect(await copies(other)).toEqual([{ comment: false, reaction: false }]);
  await expectRulesHold();
});

test("a copy cannot be written by hand", async () => {
  const id = await post("DRAFT");
  await database.query(comment, [id]);
  const update = "update app_public.comments set is_public = true where post_id = $1";
  await expect(database.query(update, [id])).rejects.toThrow("comments_inherited_fkey");
});

test("rows that were written without triggers are found, and repaired by one call", async () => {
  const [shown] = [await post("PUBLISHED"), await post("PUBLISHED")];
  await database.query(comment, [shown]);
  await database.query("select app_hidden.set_post_tags($1, '{repair,stale}')", [shown]);
  await database.query("select app_private.run_job('tags')");
  await database.query(`
    set session_replication_role = replica;
    update app_public.posts set status = 'DRAFT', published_at = null, publish_at = now() + interval '1 day';
    insert into app_public.posts (author_id, title, slug, excerpt, content) values (1, 'Without words', 'without-words', '', 'x');
    insert into app_public.follows (follower_id, followed_id) values (1, 2);
    update app_public.post_tags set is_public = false where tag_id = (select id from app_public.tags where name = 'repair');
    set session_replication_role = origin`);
  const kinds = await database.query<{ derived: string }>(
    "select distinct derived from app_private.check_derived_data() order by 1",
  );
  expect(kinds.map(({ derived }) => derived)).toEqual([
    "app_private.post_words",
    "comments_inherited_fkey",
    "conventions.counter_shards",
    "post_tags_inherited_fkey",
    "tags_public_post_fkey",
  ]);
  await database.query("select app_private.repair_derived_data()");
  expect(await database.query(wrong)).toEqual([]);
  await database.query("update app_public.posts set publish_at = null");
  await expectRulesHold();
});

test("neither the audit trail nor a stream has changes of copies", async () => {
  const id = await post("PUBLISHED");
  await database.query(comment, [id]);
  const recorded = () =>
    database.query<{ entries: number; events: number }>(`
      select (select count(*)::int from app_public.audit_trail where table_name = 'comments') as entries,
             (select count(*)::int from change_feed.stream_events join change_feed.streams on id = stream_id
               where relation = 'app_public.comments'::regclass) as events`);
  const before = await recorded();
  await database.query(hide, [id]);
  expect(await recorded()).toEqual(before);
  expect(
    await database.query("select from app_public.audit_trail where table_name = 'comments' and changes ? 'is_public'"),
  ).toEqual([]);
  await database.query("update app_public.comments set text = 'Another' where post_id = $1", [id]);
  expect((await recorded())[0]?.events).toBe((before[0]?.events as number) + 1);
});

test("of many copies nothing is recorded, of a change among many rows one entry", async () => {
  const id = await post("PUBLISHED");
  await database.query(
    `insert into app_public.comments (post_id, author_id, text) select ${id}, 1, 'Text' from generate_series(1, 150)`,
  );
  const entries = `select count(*)::int from app_public.audit_trail where table_name = 'comments' and action = 'UPDATE'
    and row_key in (select id::text from app_public.comments where post_id = $1)`;
  await database.query(hide, [id]);
  expect(await database.query(entries, [id])).toEqual([{ count: 0 }]);
  await database.query(
    `update app_public.comments set text = case id when (select min(id) from app_public.comments where post_id = $1) then 'New' else text end
      where post_id = $1`,
    [id],
  );
  expect(await database.query(entries, [id])).toEqual([{ count: 1 }]);
});

test("two transactions that hide the last two posts of a tag hide the tag, and neither waits", async () => {
  const [one, other, first] = [await post("PUBLISHED"), await post("PUBLISHED"), await connect()];
  await database.query("select app_hidden.set_post_tags($1, '{last}'), app_hidden.set_post_tags($2, '{last}')", [
    one,
    other,
  ]);
  await first.query("begin");
  await first.query(hide, [one]);
  await database.query(hide, [other]);
  await first.query("commit");
  await expectRulesHold();
  first.release();
});

test("a tag whose only post is hidden during maintenance does not become public", async () => {
  const [id, author] = [await post("PUBLISHED"), await connect()];
  await database.query("select app_hidden.set_post_tags($1, '{secret}')", [id]);
  await author.query("begin");
  await author.query(hide, [id]);
  // The job waits for the author, as any writer of a foreign key does.
  const maintained = codeOf(database.query("select app_private.run_job('tags')"));
  await author.query("select pg_sleep(0.2)");
  await author.query("commit");
  await maintained;
  await author.query("set role api_anonymous");
  expect((await author.query("select from app_public.tags where name = 'secret'")).rows).toEqual([]);
  // Its role is another one.
  author.release(true);
  await expectRulesHold();
});

test("the id of a tag does not tell whether the tag is older than others, as that of a draft", async () => {
  const tags = await database.query<{ id: string }>(
    "insert into app_public.tags (name) select 'in turn ' || i from generate_series(1, 20) as i order by i returning id",
  );
  const ids = tags.map(({ id }) => Number(id));
  expect(ids).not.toEqual(ids.toSorted((one, other) => one - other));
  expect(ids.every(Number.isSafeInteger)).toBe(true);
  await database.query("delete from app_public.tags where name like 'in turn %'");
});

test("two authors who take tags from posts of theirs in another order do not deadlock", async () => {
  const posts = await Promise.all(Array.from({ length: 6 }, () => post("PUBLISHED")));
  for (const id of posts) await database.query("select app_hidden.set_post_tags($1, '{apple,pear}')", [id]);
  const keep = (tags: string) => `select app_hidden.set_post_tags($1, '${tags}')`;
  const [first, second] = [await connect(), await connect()];
  for (const author of [first, second]) await author.query("begin; set local statement_timeout = '5s'");
  await first.query(keep("{apple}"), [posts[0]]);
  await second.query(keep("{pear}"), [posts[1]]);
  await Promise.all([first.query(keep("{pear}"), [posts[2]]), second.query(keep("{apple}"), [posts[3]])]);
  await Promise.all([first.query("commit"), second.query("commit")]);
  for (const client of [first, second]) client.release();
});

test("tags of another author’s post cannot be written, whatever the login is called", async () => {
  const id = await post("PUBLISHED");
  await database.query("create role other_service login in role api_member, api_anonymous");
  const client = await connect();
  await client.query("set session authorization other_service");
  await client.query("set role api_member");
  await client.query("select set_config('app.viewer_id', '2', false)");
  const write = () => client.query("select app_hidden.set_post_tags($1, '{stolen}')", [id]);
  await expect(write()).rejects.toThrow();
  await client.query("select set_config('app.viewer_id', '1', false)");
  await write();
  await client.query("reset session authorization");
  client.release(true);
  await database.query("drop role other_service");
});
