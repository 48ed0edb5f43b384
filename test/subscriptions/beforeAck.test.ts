import { readFileSync } from "node:fs";
import { forge, inSeconds } from "../identity/forge.ts";
import { useKeyServer } from "../identity/keyServer.ts";
import { makeKey, type TestKey } from "../identity/testKey.ts";
import { RawSocket } from "../support/RawSocket.ts";
import { untilListening, useService } from "../support/service.ts";

/* What a client may send while its token is verified. Here that takes as long as the test wants: the key server waits. */
const issuer = useKeyServer();
const settings = { jwksUrl: "" };
beforeAll(() => {
  settings.jwksUrl = issuer.url;
});
const service = useService({ token: settings });
const sockets: RawSocket[] = [];
let key: TestKey;
let release = () => {};

beforeAll(async () => {
  key = await makeKey("RS256", "rsa-1");
  await service.database.query(readFileSync(new URL("chats.sql", import.meta.url), "utf8"));
});
beforeEach(() => {
  issuer.keys = [key.publicJwk];
  issuer.held = new Promise((resolve) => {
    release = resolve;
  });
});
afterEach(() => {
  release();
  for (const socket of sockets.splice(0)) socket.destroy();
});

const init = () => {
  const authToken = forge({ alg: key.alg, kid: key.kid }, { sub: "1", exp: inSeconds(900) }, key.privateKey);
  return { type: "connection_init", payload: { authToken } };
};
const start = (type: string, id: number) => ({
  type,
  id: String(id),
  payload: { query: 'subscription { messageAdded(chatId: "1") { text } }' },
});

async function send(protocol: string, ...messages: unknown[]): Promise<RawSocket> {
  const socket = await RawSocket.open(service.url, { protocol });
  sockets.push(socket);
  socket.say(...messages);
  return socket;
}

test("subscribe before connection_ack closes the socket with 4401", async () => {
  const eager = await send("graphql-transport-ws", init(), start("subscribe", 1));
  expect(await eager.closed).toBe(4401);
});

test("a client of the older protocol may start and stop operations before connection_ack, up to a limit", async () => {
  const stop = { type: "stop", id: "1" };
  const eager = await send("graphql-ws", init(), start("start", 1), start("start", 2), stop, { type: "ping" });
  expect(await eager.messages.next()).toEqual({ type: "pong" });
  const greedy = await send("graphql-ws", init(), ...Array.from({ length: 21 }, (_, id) => start("start", id)));
  expect(await greedy.closed).toBe(4400);
  release();
  await untilListening(1, service.app);
  await service.database.query(
    "insert into app_public.messages (chat_id, sender_id, text) values (1, 2, 'To the second')",
  );
  expect(await eager.messages.take(2)).toEqual([{ type: "connection_ack" }, { type: "ka" }]);
  expect(await eager.messages.next()).toMatchObject({ type: "data", id: "2" });
});
