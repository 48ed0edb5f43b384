import { readFileSync } from "node:fs";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { pino } from "pino";
import { startApp } from "../../src/app.ts";
import { createTokenSigner } from "../../src/identity/signToken.ts";
import { clockSkewSeconds } from "../../src/identity/verifyToken.ts";
import { frame, opcodes, RawSocket } from "../support/RawSocket.ts";
import { testSecret, testSettings, useService } from "../support/service.ts";

/* How a subscription ends without its client's doing: each in time, and told why. */
const service = useService({ socketLimits: { bufferBytes: 100_000 } });
const sign = createTokenSigner({ secret: testSecret });
const sockets: RawSocket[] = [];
let chatId: string;

beforeAll(() => service.database.query(readFileSync(new URL("chats.sql", import.meta.url), "utf8")));
beforeEach(async () => {
  const [chat] = await service.database.query("insert into app_public.chats default values returning id");
  chatId = chat?.["id"];
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Someone new, a member of the chat. */
async function join(): Promise<string> {
  const [user] = await service.database.query("insert into app_public.users (name) values ('Eve') returning id");
  const values = [user?.["id"]];
  await service.database.query(
    "insert into app_private.accounts (user_id, email) values ($1, 'eve' || $1::bigint || '@example.com')",
    values,
  );
  await service.database.query("insert into app_public.chat_members (user_id, chat_id) values ($1, $2)", [
    ...values,
    chatId,
  ]);
  return user?.["id"];
}

/** A socket of that user's that listens to the chat. */
async function listen(userId: string, ttlSeconds = 600, url = service.url): Promise<RawSocket> {
  const socket = await RawSocket.open(url, { protocol: "graphql-transport-ws" });
  sockets.push(socket);
  const authToken = (await sign?.(userId, ttlSeconds))?.token;
  socket.say({ type: "connection_init", payload: { authToken } });
  await socket.messages.next();
  const query = "subscription ($chatId: ID!) { messageAdded(chatId: $chatId) { text } }";
  socket.say({ type: "subscribe", id: "1", payload: { query, variables: { chatId } } });
  return socket;
}

async function untilListening(count: number, app = service.app): Promise<void> {
  while (app.subscriptions !== count) await new Promise((resolve) => setTimeout(resolve, 5));
}

const say = (text: string) =>
  service.database.query("insert into app_public.messages (chat_id, sender_id, text) values ($1, 2, $2)", [
    chatId,
    text,
  ]);

test("the token expires: 4403", async () => {
  // It is good for the clocks' difference still: for a second or two.
  const socket = await listen(await join(), 2 - clockSkewSeconds);
  await untilListening(1);
  await say("In time");
  expect(await socket.messages.next()).toMatchObject({ type: "next" });
  expect(await socket.closed).toBe(4403);
  await untilListening(0);
});

describe.each([
  ["banned", "update app_private.accounts set banned_at = now() where user_id = $1"],
  ["deleted", "delete from app_public.users where id = $1"],
  ["removed from the chat", "delete from app_public.chat_members where user_id = $1"],
])("the user is %s", (_, sql) => {
  test("the subscription ends with UNAUTHORIZED, and another’s goes on", async () => {
    const eve = await join();
    const socket = await listen(eve);
    const other = await listen(await join());
    await untilListening(2);
    await service.database.query(sql, [eve]);
    await say("Not for Eve");
    expect(await socket.messages.next()).toMatchObject({
      type: "error",
      id: "1",
      payload: [{ extensions: { code: "UNAUTHORIZED" } }],
    });
    expect(await other.messages.next()).toMatchObject({ payload: { data: { messageAdded: { text: "Not for Eve" } } } });
  });
});

test("the service stops: 1012 for everyone, and it ends", async () => {
  const second = await startApp(
    // Nobody is to be waited for as long.
    { ...testSettings, apiDatabaseUrl: service.database.apiUrl, drainTimeoutMs: 60_000 },
    pino({ level: "silent" }),
  );
  const user = await join();
  const listening = await listen(user, 600, `${second.url}/graphql`);
  const silent = await RawSocket.open(`${second.url}/graphql`, { protocol: "graphql-ws" });
  const refused = await RawSocket.open(`${second.url}/graphql`, { path: "/elsewhere" });
  sockets.push(silent, refused);
  await untilListening(1, second);
  const closed = second.close();
  expect(await listening.closed).toBe(1012);
  expect(await silent.closed).toBe(1012);
  await closed;
});

describe("who does not read", () => {
  test("is closed with 1013, and everyone else gets everything", async () => {
    const slow = await listen(await join());
    const other = await listen(await join());
    await untilListening(2);
    slow.socket.pause();
    const text = "📣".repeat(5_000);
    let said = 0;
    while (service.app.subscriptions === 2) {
      await service.database.query(
        "insert into app_public.messages (chat_id, sender_id, text) select $1, 2, $2 from generate_series(1, 50)",
        [chatId, text],
      );
      said += 50;
      // The other one keeps up; the slow one has only what the system keeps for it, and the limit.
      await other.messages.take(50);
    }
    expect(other.messages.all.filter(({ type }) => type === "next")).toHaveLength(said);
    slow.socket.resume();
    expect(await slow.closed).toBe(1013);
    expect(slow.messages.all.length).toBeLessThan(said);
  });

  test("is closed, too, when all it wants are pongs", async () => {
    const socket = await listen(await join());
    await untilListening(1);
    socket.socket.pause();
    const pings = Buffer.concat(Array.from({ length: 1_000 }, () => frame("x".repeat(125), { opcode: opcodes.ping })));
    const until = performance.now() + 20_000;
    while (service.app.subscriptions === 1 && performance.now() < until) await socket.pour(pings);
    expect(service.app.subscriptions).toBe(0);
  });
});
