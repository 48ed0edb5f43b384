import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { mock } from "node:test";
import { setImmediate } from "node:timers/promises";
import { pino } from "pino";
import { WebSocket } from "ws";
import { startApp } from "../../src/app.ts";
import { createTokenSigner } from "../../src/identity/signToken.ts";
import { clockSkewSeconds } from "../../src/identity/verifyJwt.ts";
import { holdLock } from "../../tools/support/holdLock.ts";
import { frame, opcodes, RawSocket } from "../support/RawSocket.ts";
import { reuseSchema, testSecret, testSettings, untilListening, useService } from "../support/service.ts";

/* The service ends a subscription in time and gives the reason. */
const service = useService({ socketLimits: { bufferBytes: 100_000, unitsPerSecond: 100_000 }, lockTimeoutMs: 300 });
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

/** Creates a user who is a member of the chat. */
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

/** Opens a socket of that user that subscribes to the chat. */
async function listen(userId: string, ttlSeconds = 600, url = service.url, fields = "text"): Promise<RawSocket> {
  const socket = await RawSocket.open(url, { protocol: "graphql-transport-ws" });
  sockets.push(socket);
  const authToken = (await sign?.(userId, ttlSeconds))?.token;
  socket.say({ type: "connection_init", payload: { authToken } });
  await socket.messages.next();
  const query = `subscription ($chatId: ID!) { messageAdded(chatId: $chatId) { ${fields} } }`;
  socket.say({ type: "subscribe", id: "1", payload: { query, variables: { chatId } } });
  return socket;
}

const say = (text: string) =>
  service.database.query("insert into app_public.messages (chat_id, sender_id, text) values ($1, 2, $2)", [
    chatId,
    text,
  ]);

test("an event whose operation waits for a lock for too long arrives after the lock", async () => {
  const socket = await RawSocket.open(service.url, { protocol: "graphql-transport-ws" });
  sockets.push(socket);
  socket.say({ type: "connection_init" });
  await socket.messages.next();
  const [post] = await service.database.query(
    "insert into app_public.posts (author_id, title, content, status, published_at) values (2, 'A', 'B', 'PUBLISHED', now()) returning id",
  );
  const query = `subscription { commentAdded(postId: ${post?.["id"]}) { post { tags { name } } } }`;
  socket.say({ type: "subscribe", id: "1", payload: { query } });
  await untilListening(1, service.app);
  await using rest = new AsyncDisposableStack();
  const lock = await holdLock(service.database.ownerUrl, "lock table app_public.tags in access exclusive mode");
  rest.defer(() => lock.release().catch(() => {}));
  await service.database.query("insert into app_public.comments (post_id, author_id, text) values ($1, 2, 'Hi')", [
    post?.["id"],
  ]);
  // Once for all subscribers, and once for this one.
  for (let attempt = 0; attempt < 2; attempt++) {
    await lock.somebodyWaits();
    await lock.nobodyWaits();
  }
  await lock.release();
  expect(await socket.messages.next()).toMatchObject({ type: "next", payload: { data: { commentAdded: {} } } });
});

test("closes the socket with 4403 when its token expires", async () => {
  // The token has expired already and is accepted for three to four seconds more, because clocks may differ.
  const socket = await listen(await join(), 4 - clockSkewSeconds);
  await untilListening(1, service.app);
  await say("In time");
  expect(await socket.messages.next()).toMatchObject({ type: "next" });
  expect(await socket.closed).toBe(4403);
  await untilListening(0, service.app);
});

test("ends the subscription with UNAUTHORIZED when the user is removed from the chat, while another user’s goes on", async () => {
  const eve = await join();
  const socket = await listen(eve);
  const other = await listen(await join());
  await untilListening(2, service.app);
  await service.database.query("delete from app_public.chat_members where user_id = $1", [eve]);
  await say("Not for Eve");
  expect(await socket.messages.next()).toMatchObject({
    type: "error",
    id: "1",
    payload: [{ extensions: { code: "UNAUTHORIZED", reason: "FORBIDDEN" } }],
  });
  expect(await other.messages.next()).toMatchObject({ payload: { data: { messageAdded: { text: "Not for Eve" } } } });
});

test.each([
  ["banned", "update app_private.accounts set banned_at = now() where user_id = $1"],
  ["deleted", "delete from app_public.users where id = $1"],
])("closes the socket with 4403 when the user is %s, while another user’s goes on", async (_, sql) => {
  const eve = await join();
  const socket = await listen(eve);
  const other = await listen(await join());
  await untilListening(2, service.app);
  await service.database.query(sql, [eve]);
  await say("Not for Eve");
  expect(await socket.closed).toBe(4403);
  expect(JSON.stringify(socket.messages.all)).not.toContain("Not for Eve");
  expect(await other.messages.next()).toMatchObject({ payload: { data: { messageAdded: { text: "Not for Eve" } } } });
});

test("closes every socket with 1012 when the service stops, and then ends", async () => {
  const second = await startApp(
    // Far longer than the test may take: the service must not wait for its sockets.
    { ...testSettings, apiDatabaseUrl: service.database.apiUrl, drainTimeoutMs: 60_000, reuseSchema },
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

describe("a client that does not read", () => {
  /** Listens to 80 KB a message, less than the service keeps for a client: so the buffers of the operating system are full soon. */
  const listenWide = async () => listen(await join(), 600, service.url, "text b: text c: text d: text");

  test("is closed with 1013, and the others get every message", async () => {
    const slow = await listenWide();
    const other = await listen(await join());
    await untilListening(2, service.app);
    slow.socket.pause();
    const text = "📣".repeat(5_000);
    let said = 0;
    while (service.app.subscriptions === 2) {
      await service.database.query(
        "insert into app_public.messages (chat_id, sender_id, text) select $1, 2, $2 from generate_series(1, 10)",
        [chatId, text],
      );
      said += 10;
      // The other socket keeps up. The slow one has only the buffers of the operating system and of the service.
      await other.messages.take(10);
    }
    // At once: the service waits two seconds for the client to read the close frame.
    slow.socket.resume();
    expect(await slow.closed).toBe(1013);
    expect(other.messages.all.filter(({ type }) => type === "next")).toHaveLength(said);
    expect(slow.messages.all.length).toBeLessThan(said);
  });

  test("is terminated, though it sends pongs; another one stays that answers the pings", async () => {
    mock.timers.enable({ apis: ["setInterval"] });
    try {
      const reader = new WebSocket(service.url.replace("http", "ws"), "graphql-transport-ws");
      const answer = () => once(reader, "message");
      await once(reader, "open");
      reader.send(JSON.stringify({ type: "connection_init" }));
      await answer();
      const mute = await RawSocket.open(service.url, { protocol: "graphql-transport-ws", answersPings: false });
      sockets.push(mute);
      mute.say({ type: "connection_init" });
      await mute.messages.next();

      const pinged = once(reader, "ping");
      mock.timers.tick(testSettings.socketLimits.pingIntervalMs);
      await pinged;
      mute.write(frame("", { opcode: opcodes.pong }));
      // Each answer shows that the service has read the pong before it.
      mute.say({ type: "ping" });
      reader.send(JSON.stringify({ type: "ping" }));
      await Promise.all([answer(), mute.messages.next()]);

      const pingedAgain = once(reader, "ping");
      mock.timers.tick(testSettings.socketLimits.pingIntervalMs);
      expect(await mute.closed).toBe(1006);
      await pingedAgain;
      reader.terminate();
    } finally {
      mock.timers.reset();
    }
  });

  test("is closed, too, when it only sends pings", async () => {
    const ours: Socket[] = [];
    const onSocket = (message: unknown) => ours.push((message as { socket: Socket }).socket);
    subscribe("net.server.socket", onSocket);
    const slow = await listenWide();
    const other = await listen(await join());
    unsubscribe("net.server.socket", onSocket);
    await untilListening(2, service.app);
    slow.socket.pause();
    // Messages fill the buffers of the operating system, which pings would take long to do.
    const itsSocket = ours.find(({ remotePort }) => remotePort === slow.socket.localPort) as Socket;
    while (itsSocket.writableLength === 0) {
      await say("📣".repeat(5_000));
      await other.messages.next();
    }
    const pings = Buffer.concat(Array.from({ length: 1_000 }, () => frame("x".repeat(125), { opcode: opcodes.ping })));
    while (service.app.subscriptions === 2) {
      await slow.pour(pings);
      await setImmediate();
    }
    expect(service.app.subscriptions).toBe(1);
  });
});
