import pg from "pg";
import { useAnalyst } from "../support/analyst.ts";
import { useDatabase } from "../support/database.ts";

const database = useDatabase();
const jane = useAnalyst(database);

/** An analyst's session can change these settings itself. */
const withoutSettings = "set default_transaction_read_only = off; set statement_timeout = 0";

/** A privilege is missing, or the transaction is read-only. */
const refusals = ["42501", "25006"];

/** The view reads from a function, so no right could write through it. */
const notWritable = "55000";

describe.each`
  statement                                                              | outcome
  ${"select * from analytics.totals_by_day"}                             | ${"done"}
  ${"select * from analytics.engagement_by_post"}                        | ${"done"}
  ${"select * from analytics.changes_by_day"}                            | ${"done"}
  ${"select * from totals_by_month"}                                     | ${"done"}
  ${"select * from app_public.posts"}                                    | ${"refused"}
  ${"select * from app_public.users"}                                    | ${"refused"}
  ${"select * from app_public.messages"}                                 | ${"refused"}
  ${"select * from app_public.audit_trail"}                              | ${"refused"}
  ${"select * from app_private.accounts"}                                | ${"refused"}
  ${"select app_hidden.viewer_id()"}                                     | ${"refused"}
  ${"select app_public.create_user('x', 'x@example.com')"}               | ${"refused"}
  ${"select app_hidden.identify(1)"}                                     | ${"refused"}
  ${"select app_private.admit_analyst('postgres')"}                      | ${"refused"}
  ${"call app_private.maintain(audit_retention_days => 90)"}             | ${"refused"}
  ${"insert into analytics.engagement_by_post (author_id) values (1)"}   | ${notWritable}
  ${"update analytics.engagement_by_post set author_id = 1"}             | ${notWritable}
  ${"delete from analytics.engagement_by_post"}                          | ${notWritable}
  ${"insert into app_public.posts (title) values ('x')"}                 | ${"refused"}
  ${"create table analytics.mine ()"}                                    | ${"refused"}
  ${"create table public.mine ()"}                                       | ${"refused"}
  ${"create temporary table mine ()"}                                    | ${"refused"}
  ${"create schema mine"}                                                | ${"refused"}
  ${"create function analytics.mine() returns int return 1"}             | ${"refused"}
  ${"select * from app_private.rate_limited_calls"}                      | ${"refused"}
  ${"update app_private.rate_limited_calls set points = 0"}              | ${"refused"}
  ${"truncate app_private.rate_limited_calls"}                           | ${"refused"}
  ${"select rollups.published_posts()"}                                  | ${"refused"}
  ${"select pg_advisory_lock(1)"}                                        | ${"refused"}
  ${"select pg_advisory_lock(1, 1)"}                                     | ${"refused"}
  ${"select pg_advisory_lock_shared(1)"}                                 | ${"refused"}
  ${"select pg_advisory_xact_lock(1)"}                                   | ${"refused"}
  ${"select pg_advisory_xact_lock_shared(1, 1)"}                         | ${"refused"}
  ${"select pg_try_advisory_lock(1)"}                                    | ${"refused"}
  ${"select pg_try_advisory_lock_shared(1, 1)"}                          | ${"refused"}
  ${"select pg_try_advisory_xact_lock(1, 1)"}                            | ${"refused"}
  ${"select pg_try_advisory_xact_lock_shared(1)"}                        | ${"refused"}
  ${"set temp_file_limit = '1TB'"}                                       | ${"refused"}
  ${"select lo_create(0)"}                                               | ${"refused"}
  ${"select lo_from_bytea(0, 'x')"}                                      | ${"refused"}
  ${"copy (select 1) to '/tmp/mine'"}                                    | ${"refused"}
  ${"select pg_read_file('PG_VERSION')"}                                 | ${"refused"}
  ${"set role api_member"}                                               | ${"refused"}
  ${"set role api_login"}                                                | ${"refused"}
  ${"alter view analytics.totals_by_day set (security_barrier = false)"} | ${"refused"}
  ${"select pg_sleep(0)"}                                                | ${"done"}
`("$statement", ({ statement = "", outcome }) => {
  test.each([
    { session: "as admitted", before: "select" },
    { session: "without the settings", before: withoutSettings },
  ])("$session", async ({ before }) => {
    const seen = await jane.ask(statement, before).then(
      () => "done",
      ({ code }) => (refusals.includes(code) ? "refused" : code),
    );
    expect(seen).toBe(outcome);
  });
});

test("a login that was only granted the role cannot write either", async () => {
  const granted = await database.query<{ privileges: number }>(`
    select count(*)::int as privileges
      from pg_class cross join unnest(array['insert', 'update', 'delete', 'truncate']) as privilege
     where relkind in ('r', 'p', 'v', 'm', 'f', 'S')
       and relnamespace::regnamespace::text ~ '^(app_|analytics|public|graphile)'
       and has_table_privilege('analyst', pg_class.oid, privilege)`);
  expect(granted).toEqual([{ privileges: 0 }]);
});

test("a condition of the reader never sees a draft that the view leaves out", async () => {
  await database.query("insert into app_public.posts (author_id, title, content) values (1, 'Telling draft', 'Text.')");
  const cast = await jane.ask("select title from engagement_by_post where title::int = 1");
  expect(cast.rows).toEqual([]);
});

test("no view shows an email, a user’s name, or the text of a draft, comment or message", async () => {
  await database.query(`
    insert into app_public.posts (author_id, title, content, excerpt) values (1, 'Canary', 'Canary', 'Canary');
    insert into app_public.tags (name) values ('canary');
    insert into app_public.post_tags (post_id, tag_id, position) select posts.id, tags.id, 1
      from app_public.posts, app_public.tags where title = 'Canary' and name = 'canary';
    insert into app_public.posts (author_id, title, content, status) values (1, 'Shown', 'Canary', 'PUBLISHED');
    insert into app_public.comments (post_id, author_id, text) select id, 2, 'Canary' from app_public.posts;
    insert into app_public.chats (title) values ('Canary');
    insert into app_public.messages (chat_id, sender_id, text) values (1, 1, 'Canary');
    insert into app_public.users (name, bio) values ('Canary', 'Canary');
    insert into app_private.accounts (user_id, email) select id, 'canary@example.com' from app_public.users where name = 'Canary'`);
  const views = await database.query<{ view: string }>(
    "select oid::regclass::text as view from pg_class where relnamespace = 'analytics'::regnamespace",
  );
  expect(views.length).toBeGreaterThan(15);
  for (const { view } of views) {
    const { rows } = await jane.ask(`select seen::text from ${view} as seen where seen::text ~* '(canary|@|Ada|Bob)'`);
    expect({ view, rows }).toEqual({ view, rows: [] });
  }
});

test("a DBA admits an analyst, reads the analyst’s settings, and changes the time-out", async () => {
  const shown = await jane.ask("select current_setting('statement_timeout'), current_setting('transaction_read_only')");
  expect(shown.rows).toEqual([["1min", "on"]]);
  await database.query("select app_private.admit_analyst($1, '5 seconds')", [jane.login]);
  expect((await jane.ask("show statement_timeout")).rows).toEqual([["5s"]]);
  const held = "select is_read_only, statement_timeout::text from app_private.analysts where login = $1";
  expect(await database.query(held, [jane.login])).toEqual([{ is_read_only: true, statement_timeout: "00:00:05" }]);
  await expect(database.query("select app_private.admit_analyst($1, '0')", [jane.login])).rejects.toThrow("above zero");
});

test("an analyst has five connections and no more", async () => {
  const clients = Array.from({ length: 6 }, () => new pg.Client({ connectionString: jane.url }));
  try {
    for (const client of clients.slice(0, 5)) await client.connect();
    await expect(clients[5]?.connect()).rejects.toMatchObject({ code: "53300" });
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
  const [analyst] = await database.query("select connection_limit from app_private.analysts where login = $1", [
    jane.login,
  ]);
  expect(analyst).toEqual({ connection_limit: 5 });
});

test("a statement that takes longer than its time-out is stopped", async () => {
  await database.query("select app_private.admit_analyst($1, '20 milliseconds')", [jane.login]);
  await expect(jane.ask("select pg_sleep(5)")).rejects.toMatchObject({ code: "57014" });
  await database.query("select app_private.admit_analyst($1, '1 minute')", [jane.login]);
});

test("analysts can read a view as soon as a migration adds it", async () => {
  await database.query("create view analytics.answers with (security_barrier) as select 42 as answer");
  expect((await jane.ask("select * from answers")).rows).toEqual([["42"]]);
  await database.query("drop view analytics.answers");
});

test("a job ends the session of an analyst whose transaction stays open, whatever its settings are", async () => {
  const client = new pg.Client({ connectionString: jane.url });
  const ended = new Promise((resolve) => client.on("error", resolve));
  await client.connect();
  await client.query("set idle_in_transaction_session_timeout = 0; begin");
  await database.query("call app_private.maintain()");
  await client.query("select 1");
  expect(await database.query("select rows from app_private.end_analysts(idle => '0')")).toEqual([{ rows: 1 }]);
  expect(await ended).toMatchObject({ code: "57P01" });
});

test("what a DBA has set stays when an analyst is admitted again, unless the call names it", async () => {
  const settings = async () =>
    (
      await database.query(
        "select statement_timeout::text as timeout, connection_limit as connections from app_private.analysts where login = $1",
        [jane.login],
      )
    )[0];
  await database.query(`alter role ${jane.login} connection limit 20`);
  await database.query("select app_private.admit_analyst($1, '10 minutes')", [jane.login]);
  expect(await settings()).toEqual({ timeout: "00:10:00", connections: 20 });
  await database.query("select app_private.admit_analyst($1, connections => 15)", [jane.login]);
  expect(await settings()).toEqual({ timeout: "00:10:00", connections: 15 });
  await database.query("select app_private.admit_analyst($1)", [jane.login]);
  expect(await settings()).toEqual({ timeout: "00:10:00", connections: 15 });
  await expect(database.query("select app_private.admit_analyst($1, connections => 0)", [jane.login])).rejects.toThrow(
    "above zero",
  );
});
