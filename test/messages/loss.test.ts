import pg from "pg";
import { DroppingProxy } from "../../tools/support/DroppingProxy.ts";
import { useDatabase } from "../support/database.ts";
import { people } from "../support/service.ts";
import { until } from "../support/until.ts";
import { killListeners, makeChat, numbersOf, ofChat, say, sayMany } from "./support/chats.ts";
import { Reader } from "./support/Reader.ts";
import { read, useStreams } from "./support/stream.ts";
import { Writers } from "./support/Writers.ts";

const { ada, bob, admin } = people;
const database = useDatabase();
const streams = useStreams(database);
/** Short, so that tests are quick; long enough for a machine that is busy with other tests. */
const quick = { heartbeatMs: 50, respondWithinMs: 1_000 };
const proxies: DroppingProxy[] = [];
let chatId: string;

beforeEach(async () => {
  chatId = await makeChat(database, ada, bob, admin);
});
afterEach(async () => {
  await Promise.all(proxies.splice(0).map((proxy) => proxy.stop()));
});

/** A connection to the database that can be cut. */
async function startProxy(port?: number): Promise<DroppingProxy> {
  const proxy = await DroppingProxy.start(database.apiUrl, port);
  proxies.push(proxy);
  return proxy;
}

test("nothing is lost, doubled or out of order while the listening backend is killed again and again", async () => {
  const stream = await streams.start();
  const readers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => read(stream, chatId, [ada, bob, admin][index % 3] as string)),
  );
  const writers = new Writers(database, chatId, 3);
  let kills = 0;
  while (kills < 4) {
    const reached = readers[0]?.received.length ?? 0;
    kills += await killListeners(database);
    // The next kill waits until messages written since have arrived.
    await readers[0]?.upTo(reached + 3);
  }
  await writers.stop();
  const written = await numbersOf(database, chatId);
  await Promise.all(readers.map((reader) => reader.upTo(written.length)));
  for (const reader of readers) expect(reader.numbers).toEqual(written);
  expect(stream.status.losses).toBeGreaterThanOrEqual(2);
  expect(stream.status.state).toBe("listening");
});

test("edits are neither lost, doubled nor out of order while the listening backend is killed again and again", async () => {
  const stream = await streams.start();
  await sayMany(database, chatId, 3);
  const readers = await Promise.all(
    [ada, bob].map(async (viewerId) => new Reader(await stream.subscribe({ ...ofChat(chatId, "updated"), viewerId }))),
  );
  const edited: string[] = [];
  for (let count = 1; count <= 12; count++) {
    const rows = await database.query<{ id: string }>(
      "update app_public.messages set text = $2 where chat_id = $1 and number = $3 returning id",
      [chatId, `Edit ${count}`, (count % 3) + 1],
    );
    edited.push(rows[0]?.id as string);
    if (count % 3 === 0) await killListeners(database);
    if (count % 4 === 0) await readers[0]?.upTo(count);
  }
  await Promise.all(readers.map((reader) => reader.upTo(12)));
  for (const { received } of readers) expect(received.map(({ rowId }) => rowId)).toEqual(edited);
});

test("a half-open connection is noticed by the heartbeat, and nothing is lost meanwhile", async () => {
  const proxy = await startProxy();
  const stream = await streams.start({ connectionString: proxy.url, ...quick });
  const reader = await read(stream, chatId, ada);
  for (let turn = 1; turn <= 2; turn++) {
    // A connection that is lost while it opens counts as no loss.
    await until(() => stream.status.state === "listening");
    proxy.drop();
    await say(database, chatId);
    await reader.upTo(turn);
  }
  expect(reader.numbers).toEqual([1, 2]);
  expect(stream.status.losses).toBeGreaterThanOrEqual(2);
});

test("messages committed during a loss are read as soon as a new connection listens, without a notification", async () => {
  const proxy = await startProxy();
  const stream = await streams.start({ connectionString: proxy.url, heartbeatMs: 600_000 });
  const reader = await read(stream, chatId, ada);
  await proxy.stop();
  await sayMany(database, chatId, 250);
  await startProxy(Number(new URL(proxy.url).port));
  await reader.upTo(250);
  expect(reader.numbers).toEqual(await numbersOf(database, chatId));
});

test("a subscription requested while the connection is half-open or lost misses nothing", async () => {
  const proxy = await startProxy();
  const stream = await streams.start({ connectionString: proxy.url, ...quick });
  await sayMany(database, chatId, 5);
  for (let turn = 0; turn < 2; turn++) {
    const before = await numbersOf(database, chatId);
    proxy.drop();
    const openings = [ada, bob].map((viewerId) => stream.subscribe({ ...ofChat(chatId), viewerId }));
    await sayMany(database, chatId, 5);
    const readers = (await Promise.all(openings)).map((subscription) => new Reader(subscription));
    await Promise.all(readers.map((reader) => reader.upTo(before.length + 5)));
    for (const { numbers } of readers) {
      expect(numbers).toEqual(await numbersOf(database, chatId, (numbers[0] as number) - 1));
      expect(numbers[0]).toBeLessThanOrEqual(before.length + 1);
    }
  }
});

test("messages that others had received before do not arrive, though an older transaction is still open", async () => {
  const proxy = await startProxy();
  const stream = await streams.start({ connectionString: proxy.url, ...quick });
  const old = new pg.Client({ connectionString: database.ownerUrl });
  await old.connect();
  // This transaction holds the horizon back.
  await old.query("begin; select pg_current_xact_id()");
  const first = await read(stream, chatId, bob);
  await sayMany(database, chatId, 5);
  await first.upTo(5);
  proxy.drop();
  const opening = stream.subscribe({ ...ofChat(chatId), viewerId: ada });
  await say(database, chatId);
  const reader = new Reader(await opening);
  await reader.upTo(6);
  await old.end();
  expect(reader.numbers).toEqual([6]);
});

test("a transaction that was under way when the connection broke, with savepoints, is not missed", async () => {
  const stream = await streams.start();
  const writer = new pg.Client({ connectionString: database.ownerUrl });
  await writer.connect();
  await writer.query("begin; savepoint one");
  await writer.query("insert into app_public.messages (chat_id, text) values ($1, 'Before the loss')", [chatId]);
  await writer.query("release one; savepoint two");
  // After this answer, the horizon is one of a moment when the transaction was under way.
  await (await stream.subscribe({ ...ofChat(await makeChat(database, ada)), viewerId: ada })).return();
  await killListeners(database);
  const opening = stream.subscribe({ ...ofChat(chatId), viewerId: ada });
  await writer.query("insert into app_public.messages (chat_id, text) values ($1, 'After the loss')", [chatId]);
  await writer.query("commit");
  await writer.end();
  const reader = new Reader(await opening);
  await reader.upTo(2);
  expect(reader.numbers).toEqual([1, 2]);
});

test("subscriptions end as unavailable when the database stays away too long; later ones work again", async () => {
  const proxy = await startProxy();
  const stream = await streams.start({ connectionString: proxy.url, restoreWithinMs: 50 });
  const subscription = await stream.subscribe({ ...ofChat(chatId), viewerId: ada });
  await proxy.stop();
  await expect(stream.subscribe({ ...ofChat(chatId), viewerId: bob })).rejects.toMatchObject({
    code: "SERVICE_UNAVAILABLE",
  });
  expect(await subscription.ended).toBe("unavailable");
  expect(stream.status).toMatchObject({ state: "unavailable", subscriptions: 0 });
  await expect(stream.subscribe({ ...ofChat(chatId), viewerId: bob })).rejects.toMatchObject({
    code: "SERVICE_UNAVAILABLE",
  });
  await startProxy(Number(new URL(proxy.url).port));
  await until(() => stream.status.state === "listening");
  const reader = await read(stream, chatId, ada);
  await say(database, chatId);
  await reader.upTo(1);
});

test("messages arrive once a statement to read them works again, on the same connection", async () => {
  const stream = await streams.start({ heartbeatMs: 600_000 });
  const reader = await read(stream, chatId, ada);
  const signature = "(int[], text[], bigint[], int[], int)";
  await database.query(`alter function change_feed.read_streams${signature} rename to renamed`);
  const opening = stream.subscribe({ ...ofChat(chatId), viewerId: bob });
  await say(database, chatId);
  await until(() => stream.status.state !== "listening");
  await sayMany(database, chatId, 3);
  await database.query(`alter function change_feed.renamed${signature} rename to read_streams`);
  const late = new Reader(await opening);
  await Promise.all([reader, late].map((each) => each.upTo(4)));
  expect([reader.numbers, late.numbers]).toEqual([
    [1, 2, 3, 4],
    [1, 2, 3, 4],
  ]);
  expect(await killListeners(database)).toBe(1);
});

test("start() says so when the database cannot be reached", async () => {
  const nowhere = Object.assign(new URL(database.apiUrl), { port: "1" }).href;
  await expect(streams.start({ connectionString: nowhere })).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

test("stop() ends all, and refuses what comes after", async () => {
  const stream = await streams.start();
  const subscription = await stream.subscribe({ ...ofChat(chatId), viewerId: ada });
  const opening = stream.subscribe({ ...ofChat(chatId), viewerId: bob });
  stream.stop();
  const [refusal] = await Promise.allSettled([opening]);
  expect(refusal).toMatchObject({ status: "rejected", reason: { code: "SERVICE_UNAVAILABLE" } });
  expect(await subscription.ended).toBe("stopping");
  await expect(stream.subscribe({ ...ofChat(chatId), viewerId: ada })).rejects.toMatchObject({
    code: "SERVICE_UNAVAILABLE",
  });
  expect(stream.status).toMatchObject({ state: "stopped", subscriptions: 0, groups: 0 });
});
