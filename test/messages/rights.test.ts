import pg from "pg";
import type { FeedReader } from "postgraphile-change-feed";
import { useDatabase } from "../support/database.ts";
import { people } from "../support/service.ts";
import { makeChat, ofChat, say } from "./support/chats.ts";
import { hearAll, read, useStreams } from "./support/stream.ts";

const { ada, bob, admin, mallory } = people;
const database = useDatabase();
const streams = useStreams(database);
let stream: FeedReader;
let chatId: string;

beforeEach(async () => {
  // The heartbeat never comes, so that only a notification can tell that a viewer has lost the right to read.
  stream = await streams.start({ heartbeatMs: 600_000 });
  chatId = await makeChat(database, ada, bob, mallory);
});

/** A user of this test's own. */
async function makeUser(): Promise<string> {
  const [user] = await database.query<{ id: string }>(
    "insert into app_public.users (name) values ('Eve') returning id",
  );
  await database.query(
    "insert into app_private.accounts (user_id, email) values ($1, gen_random_uuid() || '@example.com')",
    [user?.id],
  );
  return user?.id as string;
}

describe("who may subscribe", () => {
  test.each([
    ["a member", ada, true],
    ["an admin who is no member", admin, false],
    ["a banned member", mallory, false],
    ["somebody who is not there", "999999", false],
    ["nobody", "", false],
  ])("%s", async (_, viewerId, may) => {
    const outcome = stream.subscribe({ ...ofChat(chatId), viewerId });
    if (may) await expect(outcome).resolves.toMatchObject({ key: chatId, viewerId });
    else await expect(outcome).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("a chat of others answers exactly as one that is not there", async () => {
    const [stranger, { id }] = [await makeUser(), await say(database, chatId)];
    const refusals = await Promise.allSettled(
      [chatId, "999999", "abc"].flatMap((chat) => [
        stream.subscribe({ ...ofChat(chat), viewerId: stranger }),
        stream.subscribe({ ...ofChat(chat), viewerId: stranger, after: id }),
        stream.subscribe({ ...ofChat(chat), viewerId: stranger, after: "abc" }),
      ]),
    );
    const reasons = refusals.map((refusal) => refusal.status === "rejected" && refusal.reason);
    expect(
      new Set(reasons.map(({ code, message, extensions }) => JSON.stringify([code, message, extensions]))),
    ).toEqual(new Set([JSON.stringify(["NOT_FOUND", reasons[0].message, { code: "NOT_FOUND" }])]));
  });
});

test("what a stream lets a viewer read is what the policies let them read", async () => {
  await makeUser();
  await makeChat(database, bob);
  await makeChat(database);
  await database.query("insert into app_public.messages (chat_id, text) select id, 'Hello' from app_public.chats");
  const pairs = await database.query<{ chat_id: string; viewer_id: string; may_read: boolean }>(
    `select c.id as chat_id, u.id as viewer_id, r.may_read
       from app_public.chats c cross join app_public.users u, app_private.chat_reading(c.id, u.id) r`,
  );
  expect(new Set(pairs.map(({ may_read }) => may_read))).toEqual(new Set([true, false]));
  for (const { chat_id, viewer_id, may_read } of pairs) {
    expect([chat_id, viewer_id, await policiesLetRead(chat_id, viewer_id)]).toEqual([chat_id, viewer_id, may_read]);
  }
});

/** Asks the table itself, as that viewer's request does: see src/database/requestAccess.ts. */
async function policiesLetRead(chatId: string, viewerId: string): Promise<boolean> {
  const login = new pg.Client({ connectionString: database.apiUrl });
  await login.connect();
  try {
    await login.query("begin");
    await login.query(
      "select set_config('role', role, true), set_config('app.viewer_id', viewer_id, true) from app_hidden.identify($1)",
      [viewerId],
    );
    const { rowCount } = await login.query("select from app_public.messages where chat_id = $1 limit 1", [chatId]);
    return rowCount === 1;
  } catch (error) {
    // Users that are gone or banned are refused before the policies apply.
    expect(error).toMatchObject({ code: "TOKEN" });
    return false;
  } finally {
    await login.end();
  }
}

describe.each([
  [
    "removed from the chat",
    makeUser,
    (id: string) => database.query("delete from app_public.chat_members where user_id = $1", [id]),
  ],
  [
    "banned",
    makeUser,
    (id: string) => database.query("update app_private.accounts set banned_at = now() where user_id = $1", [id]),
  ],
  ["deleted", makeUser, (id: string) => database.query("delete from app_public.users where id = $1", [id])],
])("a member who is %s", (_, make, act) => {
  test("is given nothing more, and the subscription says why it ends; the others go on", async () => {
    const eve = await make();
    await database.query("insert into app_public.chat_members (chat_id, user_id) values ($1, $2)", [chatId, eve]);
    const [hers, bobs] = [
      await stream.subscribe({ ...ofChat(chatId), viewerId: eve }),
      await read(stream, chatId, bob),
    ];
    await say(database, chatId);
    await bobs.upTo(1);
    await act(eve);
    expect(await hers.ended).toBe("forbidden");
    // Waiting messages are dropped too.
    expect(await hers.next()).toEqual({ done: true, value: undefined });
    await say(database, chatId);
    await bobs.upTo(2);
    expect(bobs.numbers).toEqual([1, 2]);
  });

  test("is given no message that is committed after it", async () => {
    const eve = await make();
    await database.query("insert into app_public.chat_members (chat_id, user_id) values ($1, $2)", [chatId, eve]);
    const hers = await read(stream, chatId, eve);
    await say(database, chatId);
    await hers.upTo(1);
    await Promise.all([act(eve).then(() => say(database, chatId)), hers.finished]);
    expect(hers.numbers).toEqual([1]);
  });
});

test("a chat that is deleted ends for all who follow it", async () => {
  const subscriptions = await Promise.all(
    [ada, bob].map((viewerId) => stream.subscribe({ ...ofChat(chatId), viewerId })),
  );
  await database.query("delete from app_public.chats where id = $1", [chatId]);
  expect(await Promise.all(subscriptions.map(({ ended }) => ended))).toEqual(["forbidden", "forbidden"]);
  expect(stream.status).toMatchObject({ groups: 0, subscriptions: 0 });
});

test("what no notification tells is found by the heartbeat", async () => {
  const quick = await streams.start({ heartbeatMs: 20 });
  const [ended, reader] = [await quick.subscribe({ ...ofChat(chatId), viewerId: bob }), await read(quick, chatId, ada)];
  // Without triggers, as a restore or replication writes.
  await database.query(`begin; set local session_replication_role = replica;
    delete from app_public.chat_members where chat_id = ${chatId} and user_id = ${bob};
    insert into app_public.messages (chat_id, number, text) values (${chatId}, 1, 'Replicated'); commit`);
  expect(await ended.ended).toBe("forbidden");
  await reader.upTo(1);
});

test("those who read page by page are asked about, too", async () => {
  for (let count = 0; count < 5; count++) await say(database, chatId);
  const [first] = await database.query<{ id: string }>(
    "select id from app_public.messages where chat_id = $1 and number = 1",
    [chatId],
  );
  const small = await streams.start({ pageSize: 1, heartbeatMs: 600_000 });
  const subscription = await small.subscribe({ ...ofChat(chatId), viewerId: bob, after: first?.id as string });
  expect((await subscription.next()).value?.number).toBe(2);
  await hearAll(small, chatId, ada);
  await database.query("delete from app_public.chat_members where chat_id = $1 and user_id = $2", [chatId, bob]);
  expect(await subscription.ended).toBe("forbidden");
  expect(await subscription.next()).toEqual({ done: true, value: undefined });
});
