import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { startDatabase } from "@content-service/testing/database.ts";
import { installChangeFeed } from "../index.ts";

/* What stream() accepts, what problems() finds later, and what becomes of a streamed table that is truncated or dropped. */
const database = await startDatabase(`
  create role feed_login login noinherit;
  create role visitor;
  create role member;
  grant visitor, member to feed_login;
`);
after(() => database[Symbol.asyncDispose]());
const roles = { login: "feed_login", anonymous: "visitor", member: "member" };
await installChangeFeed(await database.connect(), { roles, viewerSetting: "shop.user_id" });
const { query } = database;

const stream = (more = "") => query(`select change_feed.stream('notes', 'room_id', kinds => '{added}'${more})`);
const problems = async () =>
  (await query<{ problem: string }>("select problem from change_feed.problems()")).map((one) => one.problem);
const untried = async () =>
  (await query<{ stream: string }>("select stream from change_feed.untried()")).map((one) => one.stream);

beforeEach(() =>
  query(`
    set client_min_messages = error;
    drop table if exists gone, notes, rooms cascade;
    drop function if exists may_read;
    select change_feed.renew_streams();
    delete from change_feed.lost_histories;
    create table rooms (id int primary key, last_number bigint not null default 0, title text);
    create table notes (
      id int generated always as identity primary key, room_id int not null references rooms, number bigint, numeral text,
      created_at timestamptz not null default now(), extra json);
    grant select on rooms, notes to visitor, member;
    create table gone (id int);
  `),
);

const rows =
  "insert into rooms (id) values (1), (2), (3); insert into notes (room_id, number, numeral) values (1, 1, 'one'), (2, 1, 'one')";
const whenGone = `create function may_read(key bigint, viewer_id bigint, out may_read boolean) language plpgsql stable as $$
  begin
    may_read := true;
    if exists (select from public.notes where room_id = key) then
      may_read := not exists (select from public.gone);
    end if;
  end $$`;

for (const [wrong, declaration, expected] of [
  [
    "a number that is a text",
    ", number_column => 'numeral', last_number_column => 'last_number'",
    /no column numeral that is an integer/,
  ],
  [
    "a last number that is a text",
    ", number_column => 'number', last_number_column => 'title'",
    /no column title that is an integer/,
  ],
  [
    "a last number that is not there",
    ", number_column => 'number', last_number_column => 'nope'",
    /no column nope that is an integer/,
  ],
  [
    "a mark that is not there",
    ", number_column => 'number', last_number_column => 'last_number', mark_column => 'nope'",
    /has no column nope/,
  ],
  [
    "a mark that cannot be compared",
    ", number_column => 'number', last_number_column => 'last_number', mark_column => 'extra'",
    /hash function for type json/,
  ],
] as const) {
  for (const isEmpty of [true, false]) {
    test(`${wrong} is refused${isEmpty ? ", also where there is no row" : ""}`, async () => {
      if (!isEmpty) await query(rows);
      await assert.rejects(stream(declaration), expected);
    });
  }
}

test("a function that fails for each key that a row has is refused, and found later", async () => {
  await query(`${rows}; ${whenGone}; drop table gone`);
  await assert.rejects(stream(", may_read => 'may_read'"), /relation "public.gone" does not exist/);
  await query("create table gone (id int)");
  await stream(", may_read => 'may_read'");
  assert.deepEqual(await problems(), []);
  await query("drop table gone");
  assert.deepEqual(await problems(), ['relation "public.gone" does not exist']);
});

test("a function that fails for one key of several is no problem of the stream", async () => {
  await query(rows);
  await query(`create function may_read(key bigint, viewer_id bigint, out may_read boolean) language sql immutable
    as 'select 1 / (key - 1) >= 0'`);
  await stream(", may_read => 'may_read'");
  assert.deepEqual([await problems(), await untried()], [[], []]);
});

test("where no row has a key, a stream is neither well nor wrong: it is not tried", async () => {
  await query(`${whenGone}`);
  await stream(", may_read => 'may_read'");
  assert.deepEqual([await problems(), await untried()], [[], ["public.notes room_id added"]]);
  await query(rows);
  assert.deepEqual(await untried(), []);
});

test("a streamed table is not truncated, by whatever way, unless in silence; another one is", async () => {
  await query(
    `${rows}; create table parts (id int, room_id int references rooms, primary key (id)) partition by range (id)`,
  );
  await query("create table part_1 partition of parts for values from (0) to (10)");
  await query("grant select on parts to visitor, member");
  await stream();
  await query("select change_feed.stream('parts', 'room_id', kinds => '{added}')");
  const refusal = {
    message: /Subscribers follow (public\.)?\w+, and truncate would tell nobody/,
    hint: /delete from (public\.)?\w+ tells them/,
  };
  for (const table of ["notes", "rooms cascade", "parts", "part_1"])
    await assert.rejects(query(`truncate ${table}`), refusal, table);
  await query("begin; set local app.is_import = 'on'; truncate notes; commit");
  assert.deepEqual(await query("select from notes"), []);
  await stream(", has_triggers => false");
  await assert.rejects(query("truncate notes"), refusal);
  await query("select change_feed.stream('notes', 'room_id', kinds => '{}')");
  await query("truncate notes; truncate gone; drop table parts");
});

test("a dropped table is named, and takes its streams and webhooks along", async () => {
  await query(rows);
  await stream();
  await query("select change_feed.webhook('hook', 'notes', '{added}', 'https://example.com', 'visitor', 'room_id')");
  await query("insert into notes (room_id) values (1)");
  await query("alter table notes rename to slips; select change_feed.renew_streams(); drop table slips");
  assert.deepEqual(await query("select stream, repair from change_feed.problems()"), [
    { stream: "public.slips room_id added", repair: "select change_feed.renew_streams()" },
  ]);
  assert.deepEqual(await query("select change_feed.renew_streams() as ended"), [{ ended: 1 }]);
  assert.deepEqual(await problems(), []);
  const left =
    "select (select count(*) from change_feed.streams) + (select count(*) from change_feed.stream_events) + (select count(*) from change_feed.webhooks) as left";
  assert.deepEqual(await query(left), [{ left: "0" }]);
});
