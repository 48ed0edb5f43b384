import type { Change, FeedReader, FeedSubscription } from "postgraphile-change-feed";
import { useDatabase } from "../support/database.ts";
import { people } from "../support/service.ts";
import { makeChat, numbersOf, ofChat, say, sayMany } from "./support/chats.ts";
import { Reader } from "./support/Reader.ts";
import { hearAll, read, useStreams } from "./support/stream.ts";

const { ada, bob, admin } = people;
const database = useDatabase();
const streams = useStreams(database);
let stream: FeedReader;
let chatId: string;

beforeEach(async () => {
  stream = await streams.start();
  chatId = await makeChat(database, ada, bob, admin);
});

test("a message inserted by plain SQL arrives, with its id, chat and number", async () => {
  const reader = await read(stream, chatId, ada);
  const { id } = await say(database, chatId);
  await reader.upTo(1);
  const [{ mark = 0, ...message } = {}] = reader.received as Partial<Change>[];
  expect(message).toEqual({ rowId: id, key: chatId, number: 1, position: `${id}.${(mark >>> 0).toString(36)}` });
});

test("all subscribers of a chat are given the same object", async () => {
  const readers = await Promise.all([ada, bob, admin, ada].map((viewer) => read(stream, chatId, viewer)));
  await say(database, chatId);
  await Promise.all(readers.map((reader) => reader.upTo(1)));
  expect(new Set(readers.map(({ received }) => received[0])).size).toBe(1);
});

test("what was there before does not come, and other chats do not either", async () => {
  const otherId = await makeChat(database, ada);
  await sayMany(database, chatId, 3);
  await hearAll(stream, chatId, ada);
  const reader = await read(stream, chatId, ada);
  await say(database, otherId);
  await say(database, chatId);
  await reader.upTo(4);
  expect(reader.numbers).toEqual([4]);
});

test("a message committed right after the call of subscribe() arrives, in whatever order the two reach the database", async () => {
  // The opening query may well run after the commit: each insert is sent at the same time, on another connection.
  for (let turn = 1; turn <= 40; turn++) {
    const opening = stream.subscribe({ ...ofChat(chatId), viewerId: ada });
    const { number } = await say(database, chatId);
    const subscription = await opening;
    const reader = new Reader(subscription);
    await reader.upTo(number);
    // The message before may arrive as well: its notification may have been late.
    expect([[number], [number - 1, number]]).toContainEqual(reader.numbers);
    await subscription.return();
  }
});

test("it arrives although the opening query has to wait until long after the commit", async () => {
  const readers = [];
  for (let turn = 1; turn <= 20; turn++) {
    // This opening waits for the read that the turn before has caused.
    const opening = stream.subscribe({ ...ofChat(chatId), viewerId: bob });
    await sayMany(database, chatId, 50);
    readers.push(new Reader(await opening));
  }
  await Promise.all(readers.map((reader) => reader.upTo(1_000)));
  for (const [turn, reader] of readers.entries()) {
    const first = reader.numbers[0] as number;
    expect(first).toBeLessThanOrEqual(turn * 50 + 1);
    expect(reader.numbers).toEqual(await numbersOf(database, chatId, first - 1));
  }
});

describe("with a message to go on from", () => {
  let ids: string[];

  beforeEach(async () => {
    await sayMany(database, chatId, 350);
    ids = (
      await database.query<{ id: string }>("select id from app_public.messages where chat_id = $1 order by number", [
        chatId,
      ])
    ).map(({ id }) => id);
  });

  test("everything since comes first, then what is new, without a gap or a double", async () => {
    const reader = await read(stream, chatId, ada, ids[9]);
    await say(database, chatId);
    await reader.upTo(351);
    expect(reader.numbers).toEqual(await numbersOf(database, chatId, 10));
  });

  test("it joins those who are up to date, while somebody writes all the time", async () => {
    await hearAll(stream, chatId, bob);
    const present = await read(stream, chatId, bob);
    const late: Reader[] = [];
    for (let turn = 0; turn < 10; turn++) {
      late.push(await read(stream, chatId, ada, ids[turn]));
      await Promise.all([sayMany(database, chatId, 20), say(database, chatId)]);
    }
    await Promise.all([present, ...late].map((reader) => reader.upTo(350 + 10 * 21)));
    expect(present.numbers).toEqual(await numbersOf(database, chatId, 350));
    for (const [turn, reader] of late.entries()) {
      expect(reader.numbers).toEqual(await numbersOf(database, chatId, turn + 1));
    }
  });

  test("a consumer far behind reads page by page, at its own pace, with a buffer smaller than what it missed", async () => {
    const small = await streams.start({ pageSize: 7 });
    const subscription = await small.subscribe({ ...ofChat(chatId), viewerId: ada, after: ids[0] as string });
    const numbers: number[] = [];
    for (let count = 0; count < 349; count++) numbers.push((await subscription.next()).value?.number ?? 0);
    expect(numbers).toEqual(await numbersOf(database, chatId, 1));
    expect(subscription.reason).toBeUndefined();
  });
});

test("a message with more than 10,000 since is too long ago to go on from, and one with 10,000 is not", async () => {
  const ids = await database
    .query<{ id: string }>(`
    begin;
    set local session_replication_role = replica;
    insert into app_public.messages (chat_id, number, sender_id, text)
    select ${chatId}, n, 1, 'Message ' || n from generate_series(1, 10002) n;
    commit`)
    .then(() =>
      database.query<{ id: string }>("select id from app_public.messages where chat_id = $1 order by number limit 2", [
        chatId,
      ]),
    );
  const from = (after: string | undefined) =>
    stream.subscribe({ ...ofChat(chatId), viewerId: ada, after: after ?? "" });
  await expect(from(ids[0]?.id)).rejects.toMatchObject({ code: "POSITION_LOST" });
  expect((await (await from(ids[1]?.id)).next()).value?.number).toBe(3);
});

test.each([
  ["a message of another chat", async () => (await say(database, await makeChat(database, ada))).id],
  ["a message that is not there", async () => "999999999"],
])("%s to go on from is not in the history", async (_, after) => {
  const wish = { ...ofChat(chatId), viewerId: ada, after: await after() };
  await expect(stream.subscribe(wish)).rejects.toMatchObject({
    code: "POSITION_LOST",
    message: "There is no such message in this chat.",
  });
});

test.each([
  ["no id", "abc"],
  ["a mark without a number", ".abc"],
  ["a number with two marks", "1.a.b"],
  ["NUL", "\0"],
])("%s to go on from is a fault of the input, told by its name", async (_, after) => {
  await expect(stream.subscribe({ ...ofChat(chatId), viewerId: ada, after })).rejects.toMatchObject({
    code: "VALIDATION_ERROR",
    extensions: { validationErrors: [{ path: ["after"], code: "INVALID_REFERENCE" }] },
  });
});

test("chat ids that cannot be any touch nobody else", async () => {
  const reader = await read(stream, chatId, ada);
  const wrong = ["abc", "", "\0", "1\0", String(10n ** 30n), String(2n ** 63n), "-1", "0", "1; drop table x", "1.0"];
  const outcomes = await Promise.allSettled(wrong.map((id) => stream.subscribe({ ...ofChat(id), viewerId: ada })));
  for (const outcome of outcomes) expect(outcome).toMatchObject({ status: "rejected", reason: { code: "NOT_FOUND" } });
  await say(database, chatId);
  await reader.upTo(1);
  expect(stream.status).toMatchObject({ state: "listening", losses: 0, subscriptions: 1 });
});

test("payloads that are not ours are passed over", async () => {
  const reader = await read(stream, chatId, ada);
  for (const payload of ["", "abc", "1:x", `${"9".repeat(40)}:1`, "user:abc", "barrier:0", ":", `${chatId}:0:1`]) {
    await database.query("select change_feed.notify_services($1)", [payload]);
  }
  await say(database, chatId);
  await reader.upTo(1);
  expect(reader.numbers).toEqual([1]);
  expect(stream.status.losses).toBe(0);
});

test("a viewer catches up with few chats at a time, the others wait, and nobody else waits for them", async () => {
  const chatIds = await Promise.all(Array.from({ length: 12 }, () => makeChat(database, ada, bob)));
  const firsts = await Promise.all(chatIds.map((id) => say(database, id)));
  await Promise.all(chatIds.map((id) => sayMany(database, id, 250)));
  const wishes = chatIds.map((id, index) => ({ ...ofChat(id), after: firsts[index]?.id as string }));
  const opened: FeedSubscription[] = [];
  const openings = wishes.map(async (wish) => {
    const subscription = await stream.subscribe({ ...wish, viewerId: ada });
    opened.push(subscription);
    return subscription;
  });
  // Bob reads on to the end while none of Ada's subscriptions is read.
  for (const wish of wishes) await new Reader(await stream.subscribe({ ...wish, viewerId: bob })).upTo(251);
  expect(opened).toHaveLength(4);
  await (await stream.subscribe({ ...ofChat(chatId), viewerId: ada })).return();
  await Promise.all(openings.map(async (opening) => new Reader(await opening).upTo(251)));
});
