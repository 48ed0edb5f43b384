import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startDatabase } from "@content-service/testing/database.ts";
import { changeFeedSql, type Feed, FeedReader, installChangeFeed, Listener, type Log } from "../index.ts";

/* The SQL on two tables of its own: installed, upgraded, twice in one database, and followed. */
const database = await startDatabase(`
  create role feed_login login noinherit;
  create role visitor;
  create role member;
  grant visitor, member to feed_login;
  create table rooms (id int primary key, is_open boolean not null);
  create table notes (id uuid primary key default gen_random_uuid(), room_id int not null references rooms, text text not null);
  insert into rooms values (1, true), (2, false);
  grant select on rooms, notes to visitor, member;
  alter table rooms enable row level security;
  create policy open on rooms to visitor using (is_open);
  create policy of_member on rooms to member using (is_open or current_setting('shop.user_id') = '00000000-0000-0000-0000-000000000007');
`);
after(() => database[Symbol.asyncDispose]());
const roles = { login: "feed_login", anonymous: "visitor", member: "member" };
const owner = await database.connect();
const user = "00000000-0000-0000-0000-000000000007";
const log: Log = { info() {}, warn() {}, error() {} };

const write = (room: number, ...texts: string[]) =>
  database.query("insert into notes (room_id, text) select $1, unnest($2::text[])", [room, texts]);

async function streamOf(schema: string): Promise<Feed> {
  const [stream] = await database.query<Record<string, never>>(
    `select id, name, kind, key_type as "keyType", id_type as "idType", may_read is null as "asksPolicies",
            number_column is not null as "hasNumbers"
       from ${schema}.stream_sources join ${schema}.stream_names using (id) where kind = 'added'`,
  );
  return stream as unknown as Feed;
}

async function open(schema: string): Promise<{ reader: FeedReader } & AsyncDisposable> {
  const listener = new Listener({ connectionString: database.urlOf("feed_login"), log });
  const reader = new FeedReader(listener, { log, schema });
  await reader.start(await listener.start());
  return {
    reader,
    async [Symbol.asyncDispose]() {
      reader.stop();
      await listener.close();
    },
  };
}

const textOf = async (id: string) =>
  (await database.query<{ text: string }>("select text from notes where id = $1", [id]))[0]?.text;

test("is installed, and is there the second time", async () => {
  const names = { roles, viewerSetting: "shop.user_id" };
  assert.deepEqual(await installChangeFeed(owner, names), { from: 0, to: 13 });
  assert.deepEqual(await installChangeFeed(owner, names), { from: 13, to: 13 });
});

test("a subscriber receives what its policies show, with ids of users that are uuids, and continues after a position", async () => {
  await database.query("select change_feed.stream('notes', 'room_id', kinds => '{added}')");
  await using feed = await open("change_feed");
  const wish = { feed: await streamOf("change_feed"), unknownAfter: "Gone." };
  await assert.rejects(feed.reader.subscribe({ ...wish, key: "2", viewerId: "" }), { code: "NOT_FOUND" });
  const member = await feed.reader.subscribe({ ...wish, key: "2", viewerId: user });
  const visitor = await feed.reader.subscribe({ ...wish, key: "1", viewerId: "" });
  await write(2, "secret");
  await write(1, "first", "second");
  assert.equal(await textOf((await member.next()).value?.rowId as string), "secret");
  const [one, two] = [(await visitor.next()).value, (await visitor.next()).value];
  assert.deepEqual([one?.number, two?.number], [1, 2]);
  const rest = await feed.reader.subscribe({ ...wish, key: "1", viewerId: "", after: one?.position as string });
  assert.equal((await rest.next()).value?.rowId, two?.rowId);
  const all = await feed.reader.subscribe({ ...wish, key: "1", viewerId: "", after: "0" });
  assert.equal((await all.next()).value?.rowId, one?.rowId);
});

test("two feeds of one database do not see each other, on one table too", async () => {
  const names = { roles, schema: "other_feed", viewerSetting: "shop.user_id" };
  assert.deepEqual(await installChangeFeed(owner, names), { from: 0, to: 13 });
  await database.query("select other_feed.stream('notes', 'room_id', kinds => '{added}')");
  await using one = await open("change_feed");
  await using other = await open("other_feed");
  const followed = await Promise.all(
    [one, other].map(async ({ reader }, index) =>
      reader.subscribe({
        feed: await streamOf(index === 0 ? "change_feed" : "other_feed"),
        key: "1",
        viewerId: "",
        unknownAfter: "",
      }),
    ),
  );
  await write(1, "to both");
  const events = await Promise.all(followed.map(async (subscription) => (await subscription.next()).value));
  assert.equal(events[0]?.rowId, events[1]?.rowId);
  assert.deepEqual([events[0]?.number, events[1]?.number], [3, 1]);
  await database.query("select other_feed.stream('notes', 'room_id', kinds => '{}')");
  await write(1, "to one");
  assert.equal((await followed[0]?.next())?.value?.number, 4);
  await database.query("drop schema other_feed cascade");
});

test("a schema of version 1, as a migration made it, is upgraded in place, and positions go on", async () => {
  const names = { roles, schema: "old_feed", viewerSetting: "shop.user_id" };
  const both = changeFeedSql(names);
  await owner.query(both.slice(0, both.length - changeFeedSql(names, { from: 1 }).length));
  await owner.query("select old_feed.stream('notes', 'room_id', kinds => '{added}')");
  await write(1, "before");
  await write(1, "between");
  assert.deepEqual(await installChangeFeed(owner, names), { from: 1, to: 13 });
  await write(1, "after");
  await using feed = await open("old_feed");
  const wish = { feed: await streamOf("old_feed"), key: "1", viewerId: "", unknownAfter: "Gone." };
  const subscription = await feed.reader.subscribe({ ...wish, after: "01" });
  const texts = [];
  for (let count = 0; count < 2; count++) texts.push(await textOf((await subscription.next()).value?.rowId as string));
  assert.deepEqual(texts, ["between", "after"]);
  assert.deepEqual(await database.query("select * from old_feed.problems()"), []);
});

test("what cannot be a name is refused before anything runs, and an error undoes all", async () => {
  for (const names of [
    { roles: { ...roles, login: "x; drop table notes" } },
    { roles, schema: 'a"b' },
    { roles, viewerSetting: "user_id" },
  ]) {
    assert.throws(() => changeFeedSql(names), /must be/);
    await assert.rejects(installChangeFeed(owner, names), /must be/);
  }
  await assert.rejects(
    installChangeFeed(owner, { roles: { ...roles, member: "nobody_knows" }, schema: "never" }),
    /does not exist/,
  );
  await database.query("create role hermit");
  await assert.rejects(
    installChangeFeed(owner, { roles: { ...roles, member: "hermit" }, schema: "never" }),
    /grant hermit to feed_login/,
  );
  assert.deepEqual(await database.query("select to_regnamespace('never') as it"), [{ it: null }]);
});
