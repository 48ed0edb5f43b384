import pg from "pg";
import type { Feed, FeedReader, FeedRequest } from "postgraphile-change-feed";
import { makeChat, ofChat, say } from "../messages/support/chats.ts";
import { Reader } from "../messages/support/Reader.ts";
import { read, useStreams } from "../messages/support/stream.ts";
import { useDatabase } from "../support/database.ts";
import { people } from "../support/service.ts";
import { until } from "../support/until.ts";

/* What goes wrong with one stream, or one key of it, is seen by its subscribers and by nobody else. */
const { ada, bob } = people;
const database = useDatabase();
const streams = useStreams(database);
const name = "app_public.notes room_id added";

let stream: FeedReader;
let chat: Reader;
let chatId: string;
let said = 0;
let logged: Record<string, unknown>[];

beforeEach(async () => {
  await database.query(`
    drop table if exists app_public.notes, app_public.rooms cascade;
    drop function if exists app_public.note_reading, app_public.note_reading_now cascade;
    delete from change_feed.streams where relation not in (select oid from pg_class) or key_column = 'room_id';
    create table app_public.rooms (id bigint primary key);
    create table app_public.notes (id bigint generated always as identity primary key, room_id bigint not null references app_public.rooms);
    insert into app_public.rooms select generate_series(1, 20);
    create function app_public.note_reading(key bigint, viewer_id bigint, out may_read boolean) language sql stable
      as 'select 1 / (key - 13) is not null';
    select change_feed.stream('app_public.notes', 'room_id', kinds => '{added}', may_read => 'app_public.note_reading');
    insert into app_public.notes (room_id) select generate_series(1, 20)`);
  logged = [];
  const log = (details: Record<string, unknown>, message: string) => void logged.push({ ...details, message });
  stream = await streams.start({
    heartbeatMs: 100,
    restoreWithinMs: 60_000,
    log: { info: log, warn: log, error: log } as never,
  });
  chatId = await makeChat(database, ada, bob);
  said = 0;
  chat = await read(stream, chatId, ada);
});

const waitsForRooms = `
  create or replace function app_public.note_reading(key bigint, viewer_id bigint, out may_read boolean)
    language sql stable as 'select exists (select from app_public.rooms where id = key)'`;

async function wish(key: string, viewerId: string = bob): Promise<FeedRequest> {
  const [found] = await database.query<Feed & pg.QueryResultRow>(
    `select id, name, kind, 'bigint' as "keyType", 'bigint' as "idType", false as "asksPolicies", false as "hasNumbers"
       from change_feed.streams join change_feed.stream_names using (id) where name = $1`,
    [name],
  );
  return { feed: found as Feed, key, viewerId, unknownAfter: "Gone." };
}

const follow = async (key: string, viewerId?: string) => new Reader(await stream.subscribe(await wish(key, viewerId)));
const write = (key: string) => database.query("insert into app_public.notes (room_id) values ($1)", [key]);
const troubled = () => stream.status.troubled[name];

/** Says something in the chat, and waits until it has arrived. */
async function chatGoesOn(): Promise<void> {
  await say(database, chatId);
  said += 1;
  await chat.upTo(said);
  expect(chat.numbers).toEqual(Array.from({ length: said }, (_, index) => index + 1));
}

test("a key for which the stream’s function raises refuses its subscriber, whose error is ours, and the stream’s other keys go on", async () => {
  const good = await follow("1");
  await expect(stream.subscribe(await wish("13"))).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  // Refused without asking the database again, which others would pay for.
  const { statements } = stream.status;
  await expect(stream.subscribe(await wish("13"))).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  expect(stream.status.statements - statements).toBeLessThan(5);
  await chatGoesOn();
  await write("1");
  await good.upTo(2);
  expect(stream.status).toMatchObject({ state: "listening", losses: 0, troubled: {}, subscriptions: 2 });
  expect(logged).toEqual([
    expect.objectContaining({
      stream: name,
      key: "13",
      userId: bob,
      err: expect.objectContaining({ message: "division by zero" }),
    }),
  ]);
});

test("when the function begins to raise for a key, or for one viewer, those alone are ended", async () => {
  const [others, one, admin] = [await follow("1"), await stream.subscribe(await wish("2")), await follow("2", ada)];
  await database.query(`create or replace function app_public.note_reading(key bigint, viewer_id bigint, out may_read boolean)
    language sql stable as 'select 1 / case when key = 2 and viewer_id = ${bob} then 0 else 1 end is not null'`);
  await write("2");
  expect(await one.ended).toBe("failed");
  await chatGoesOn();
  for (const reader of [others, admin]) {
    await write("1");
    await write("2");
    await reader.upTo(reader === others ? 2 : 4);
  }
  expect(stream.status.subscriptions).toBe(3);
});

test("a key of the table’s first row that fails is no broken stream", async () => {
  const other = await follow("2");
  await database.query(`create or replace function app_public.note_reading(key bigint, viewer_id bigint, out may_read boolean)
    language sql stable as 'select 1 / (key - 1) is not null'`);
  await expect(stream.subscribe(await wish("1"))).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  await write("2");
  await other.upTo(2);
  // On a busy machine it may wait for a moment.
  expect(Object.values(stream.status.troubled)).not.toContain("broken");
});

const breaks: Record<string, [harm: string, repair: string]> = {
  "its function is dropped": [
    "alter function app_public.note_reading rename to note_reading_now",
    "alter function app_public.note_reading_now rename to note_reading",
  ],
  "its function may not be called": [
    `create or replace function app_public.note_reading(key bigint, viewer_id bigint, out may_read boolean)
       language plpgsql stable as 'begin raise insufficient_privilege; end'`,
    `create or replace function app_public.note_reading(key bigint, viewer_id bigint, out may_read boolean)
       language sql stable as 'select true'`,
  ],
  "its key column is renamed": [
    "alter table app_public.notes rename column room_id to place_id",
    "alter table app_public.notes rename column place_id to room_id",
  ],
  "its primary key is dropped": [
    "alter table app_public.notes drop constraint notes_pkey",
    "alter table app_public.notes add primary key (id)",
  ],
};

test.each(Object.entries(breaks))(
  "when %s, its subscribers are told, a chat goes on, and a repair is noticed",
  async (_, [harm, repair]) => {
    const subscription = await stream.subscribe(await wish("1"));
    await database.query(harm);
    await until(() => troubled() === "broken");
    expect(["failed", "forbidden"]).toContain(await subscription.ended);
    await expect(stream.subscribe(await wish("1"))).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    await chatGoesOn();
    expect(stream.status).toMatchObject({ state: "listening", losses: 0 });
    expect(logged.filter(({ message }) => String(message).includes("broken"))).toHaveLength(1);
    await database.query(repair);
    await until(() => troubled() === undefined);
    const again = await follow("1");
    await write("1");
    await again.upTo(2);
  },
);

describe.each([
  ["is locked", "lock table app_public.notes in access exclusive mode"],
  ["has a function that waits", "lock table app_public.rooms in access exclusive mode"],
])("while the table of a stream %s", (_, lock) => {
  test("its subscribers wait, a chat does not, and nothing is lost", async () => {
    await database.query(waitsForRooms);
    const follower = await follow("1");
    const locking = new pg.Client({ connectionString: database.ownerUrl });
    await locking.connect();
    await locking.query("begin");
    await locking.query("insert into app_public.notes (room_id) values (1)");
    await locking.query(lock);
    for (let turn = 0; turn < 3; turn++) await chatGoesOn();
    await until(() => troubled() === "waiting");
    const opening = stream.subscribe(await wish("2"));
    for (let turn = 0; turn < 3; turn++) await chatGoesOn();
    expect(stream.status.waits).toBeGreaterThan(0);
    await locking.query("commit");
    await locking.end();
    await follower.upTo(2);
    await (await opening).return();
    await until(() => troubled() === undefined);
  });
});

test("a stream read aside waits as well while the feed’s own function is gone, and its subscriptions go on", async () => {
  await database.query(waitsForRooms);
  // A check of the foreign key would wait for the lock as well.
  await database.query("alter table app_public.notes drop constraint notes_room_id_fkey");
  const patient = await streams.start({ heartbeatMs: 600_000 });
  const follower = new Reader(await patient.subscribe(await wish("1")));
  const signature = "(int[], text[], bigint[], int[], int)";
  const locking = new pg.Client({ connectionString: database.ownerUrl });
  await locking.connect();
  await locking.query("begin; lock table app_public.rooms in access exclusive mode");
  await write("1");
  await until(() => patient.status.troubled[name] === "waiting");
  await locking.query(`alter function change_feed.read_streams${signature} rename to renamed; commit`);
  await until(() => patient.status.state === "reconnecting");
  await locking.query(`alter function change_feed.renamed${signature} rename to read_streams`);
  await locking.end();
  await follower.upTo(2);
});

test("a function that takes long for one key refuses this one in the end, and a chat and the other keys do not wait for it", async () => {
  const other = await follow("1");
  await database.query(`create or replace function app_public.note_reading(key bigint, viewer_id bigint, out may_read boolean)
    language sql stable as 'select pg_sleep(case when key = 2 then 60 else 0 end) is not null'`);
  const slow = stream.subscribe(await wish("2"));
  const refused = expect(slow).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  for (let turn = 0; turn < 3; turn++) await chatGoesOn();
  await refused;
  await write("1");
  await other.upTo(2);
});

test("an opening leaves with its client, also while its table is locked", async () => {
  const locking = new pg.Client({ connectionString: database.ownerUrl });
  await locking.connect();
  await locking.query("begin");
  await locking.query("lock table change_feed.stream_heads in access exclusive mode");
  const client = new AbortController();
  const opening = stream.subscribe({ ...(await wish("1")), signal: client.signal });
  await until(() => stream.status.waits > 0);
  client.abort();
  await expect(opening).rejects.toMatchObject({ name: "AbortError" });
  await locking.end();
  await until(() => troubled() === undefined);
  expect(stream.status).toMatchObject({ subscriptions: 1, groups: 1 });
});

test("a stream that cannot be read for too long ends its own subscriptions only", async () => {
  const impatient = await streams.start({ heartbeatMs: 100, restoreWithinMs: 300 });
  const chat = await read(impatient, chatId, bob);
  const subscription = await impatient.subscribe(await wish("1"));
  const locking = new pg.Client({ connectionString: database.ownerUrl });
  await locking.connect();
  await locking.query("begin; lock table app_public.notes in access exclusive mode");
  expect(await subscription.ended).toBe("failed");
  await say(database, chatId);
  await chat.upTo(1);
  await locking.end();
});

test("nobody can subscribe before the start", async () => {
  const { Listener } = await import("postgraphile-change-feed");
  const { FeedReader } = await import("postgraphile-change-feed");
  const log = { info() {}, warn() {}, error() {} };
  const idle = new FeedReader(new Listener({ connectionString: database.apiUrl, log }), { log });
  await expect(idle.subscribe({ ...ofChat(chatId), viewerId: ada })).rejects.toMatchObject({
    code: "SERVICE_UNAVAILABLE",
  });
});

test("followers of a feed that is emptied are told within a heartbeat, though nothing is written, and so is the operator", async () => {
  const follower = await follow("1");
  await write("1");
  await follower.upTo(2);
  await database.query("truncate change_feed.stream_heads, change_feed.stream_events");
  await follower.finished;
  expect(logged.map(({ stream: about, key, number }) => ({ stream: about, key, number }))).toContainEqual({
    stream: name,
    key: "1",
    number: 2,
  });
  const problems = () => database.query<{ stream: string }>("select stream from change_feed.problems()");
  await until(async () => (await problems()).length === 2);
  expect(await problems()).toEqual([{ stream: "all" }, { stream: name }]);
  expect(stream.status.lostHistories).toBe(1);
  await chatGoesOn();
  await database.query("update change_feed.streams set emptied_at = null; delete from change_feed.lost_histories");
});

test.each(["streams", "pending_events", "stream_heads", "stream_events", "notification_channels", "server_runs"])(
  "a writer waits for a moment while %s is locked, as by an upgrade",
  async (table) => {
    const locking = new pg.Client({ connectionString: database.ownerUrl });
    await locking.connect();
    await locking.query(`begin; lock table change_feed.${table} in access exclusive mode`);
    const writer = await database.owner.connect();
    try {
      // Less than the service gives to a lock.
      await writer.query("set lock_timeout = '50ms'");
      const written = writer.query("insert into app_public.notes (room_id) values (1)");
      const said = writer.query(
        "insert into app_public.messages (chat_id, sender_id, text) values ($1, 1, 'Waited for')",
        [chatId],
      );
      await until(
        async () =>
          (
            await locking.query(
              "select from pg_stat_activity where wait_event_type = 'Lock' and state_change < clock_timestamp() - interval '100 ms'",
            )
          ).rows.length > 0,
      );
      await locking.query("commit");
      await Promise.all([written, said]);
      await chat.upTo(1);
    } finally {
      await writer.query("reset lock_timeout");
      writer.release();
      await locking.end();
    }
  },
);
