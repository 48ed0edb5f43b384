import pg from "pg";
import type { FeedReader } from "postgraphile-change-feed";
import { useDatabase } from "../support/database.ts";
import { people } from "../support/service.ts";
import { statementsOf } from "../support/statements.ts";
import { makeChat, numbersOf, ofChat, say, sayMany } from "./support/chats.ts";
import { Reader } from "./support/Reader.ts";
import { hearAll, read, useStreams } from "./support/stream.ts";

const { ada, bob, admin } = people;
const database = useDatabase();
const streams = useStreams(database);
let stream: FeedReader;
let chatId: string;

beforeEach(async () => {
  stream = await streams.start({ heartbeatMs: 600_000 });
  chatId = await makeChat(database, ada, bob, admin);
});

test("of 200 inserts in 10 concurrent transactions, with rollbacks and savepoints, each committed one arrives once, in order", async () => {
  const readers = await Promise.all([ada, bob, admin].map((viewer) => read(stream, chatId, viewer)));
  await Promise.all(Array.from({ length: 10 }, (_, index) => transact(index)));
  const written = await numbersOf(database, chatId);
  // Of 10 transactions every fifth rolls back; of the 20 inserts of each other one, five are undone by a savepoint.
  expect(written).toEqual(Array.from({ length: 8 * 15 }, (_, index) => index + 1));
  await Promise.all(readers.map((reader) => reader.upTo(written.length)));
  for (const reader of readers) expect(reader.numbers).toEqual(written);
  const [{ ids }] = (await database.query<{ ids: string[] }>(
    "select array_agg(id order by number) as ids from app_public.messages where chat_id = $1",
    [chatId],
  )) as [{ ids: string[] }];
  expect(readers[0]?.received.map(({ rowId }) => rowId)).toEqual(ids);
});

/** One transaction of twenty inserts. */
async function transact(index: number): Promise<void> {
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  await client.query("begin");
  for (let turn = 0; turn < 20; turn++) {
    await client.query("savepoint turn");
    await client.query("insert into app_public.messages (chat_id, sender_id, text) values ($1, 1, 'Hello')", [chatId]);
    await client.query(turn % 4 === 3 ? "rollback to turn" : "release turn");
  }
  await client.query(index % 5 === 4 ? "rollback" : "commit");
  await client.end();
}

test("2,000 subscribers cost as many statements as one", async () => {
  let readers: Reader[] = [];
  const opening = await statementsOf(async () => {
    const subscriptions = await Promise.all(
      Array.from({ length: 2_000 }, (_, index) =>
        stream.subscribe({ ...ofChat(chatId), viewerId: [ada, bob, admin][index % 3] as string }),
      ),
    );
    readers = subscriptions.map((subscription) => new Reader(subscription));
    await hearAll(stream, chatId, ada);
  });
  expect(ofTheStream(opening).length).toBeLessThan(10);

  const one = await statementsOf(async () => {
    await say(database, chatId);
    await Promise.all(readers.map((reader) => reader.upTo(1)));
  });
  expect(ofTheStream(one)).toHaveLength(1);

  const burst = await statementsOf(async () => {
    await sayMany(database, chatId, 50);
    await Promise.all(readers.map((reader) => reader.upTo(51)));
  });
  expect(ofTheStream(burst)).toHaveLength(1);
  expect(new Set(readers.map(({ numbers }) => JSON.stringify(numbers)))).toEqual(
    new Set([JSON.stringify(await numbersOf(database, chatId))]),
  );
  expect(stream.status.deliveries).toBe(2_000 * 51);
});

test("chats that wake up together are read with one statement", async () => {
  const chatIds = await Promise.all(Array.from({ length: 50 }, () => makeChat(database, ada)));
  const readers = await Promise.all(chatIds.map((id) => read(stream, id, ada)));
  await hearAll(stream, chatId, ada);
  const statements = await statementsOf(async () => {
    await database.query(
      "insert into app_public.messages (chat_id, sender_id, text) select unnest($1::bigint[]), 1, 'Hello to all'",
      [chatIds],
    );
    await Promise.all(readers.map((reader) => reader.upTo(1)));
  });
  // The notifications may arrive in more than one packet.
  expect(ofTheStream(statements).length).toBeLessThan(5);
});

function ofTheStream(statements: string[]): string[] {
  return statements.filter((text) => text.includes("_streams"));
}

test("for a subscriber that takes nothing, no more than two pages are read, and it receives the rest when it takes them", async () => {
  const small = await streams.start({ pageSize: 10 });
  const slow = await small.subscribe({ ...ofChat(chatId), viewerId: ada });
  const reader = await read(small, chatId, bob);
  for (let count = 1; count <= 30; count++) {
    await say(database, chatId);
    await reader.upTo(count);
  }
  expect(small.status.deliveries - 30).toBeLessThan(20);
  await sayMany(database, chatId, 30);
  await reader.upTo(60);
  expect(small.status.deliveries - 60).toBeLessThan(20);
  const late = new Reader(slow);
  await late.upTo(60);
  expect(late.numbers).toEqual(reader.numbers);
  expect(small.status).toMatchObject({ subscriptions: 2, deliveries: 120 });
});

test("a subscription that its consumer ends, in any way, is forgotten", async () => {
  const [returned, disposed, broken] = await Promise.all(
    [ada, ada, ada].map((viewerId) => stream.subscribe({ ...ofChat(chatId), viewerId })),
  );
  const asked = returned?.next();
  await returned?.return();
  expect(await asked).toEqual({ done: true, value: undefined });
  await disposed?.[Symbol.asyncDispose]();
  await say(database, chatId);
  for await (const message of broken ?? []) {
    expect(message.number).toBe(1);
    break;
  }
  expect(await Promise.all([returned, disposed, broken].map((subscription) => subscription?.ended))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(stream.status).toMatchObject({ subscriptions: 0, groups: 0 });
});
