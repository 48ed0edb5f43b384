import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RawSocket } from "../support/RawSocket.ts";
import { untilListening, useService } from "../support/service.ts";

/* The limits of HTTP apply to sockets as well. */
const persistedDir = mkdtempSync(join(tmpdir(), "content-service-persisted-"));
writeFileSync(join(persistedDir, "who.graphql"), "{ me { name } }");
const limited = useService({
  rateLimitUser: 3,
  rateLimitAddress: 2,
  trustProxy: "loopback",
  socketLimits: { socketsPerAddress: 2, operations: 2 },
});
const persisted = useService({ persistedDir, persistedOnly: true });
const sockets: RawSocket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => rmSync(persistedDir, { recursive: true }));

async function open(url: string, authToken?: string, from = "192.0.2.1"): Promise<RawSocket> {
  const socket = await RawSocket.open(url, {
    protocol: "graphql-transport-ws",
    headers: { "X-Forwarded-For": from },
  });
  sockets.push(socket);
  socket.say({ type: "connection_init", payload: { authToken } });
  if ((await socket.status) === 101) await socket.messages.next();
  return socket;
}

/** Runs `count` operations, one after the other. @returns "next" or the code of the error for each */
async function outcomes(socket: RawSocket, count: number, payload: object): Promise<string[]> {
  const found: string[] = [];
  for (let id = 0; id < count; id++) {
    socket.say({ type: "subscribe", id: String(id), payload });
    const message = await socket.messages.next();
    found.push(message.type === "error" ? message.payload[0].extensions.code : message.type);
    if (message.type === "next") await socket.messages.next();
  }
  return found;
}

test("counts a user's operations on sockets together with the user's requests over HTTP", async () => {
  const ada = await open(limited.url, await limited.tokenOf("ada"));
  expect(await limited.ask("{ me { name } }", { as: "ada" })).toEqual({ data: { me: { name: "Ada" } } });
  expect(await outcomes(ada, 3, { query: "{ me { name } }" })).toEqual(["next", "next", "RATE_LIMITED"]);
});

test("counts anonymous operations by the address that a trusted proxy gives", async () => {
  const query = "{ __typename }";
  const one = await open(limited.url, undefined, "198.51.100.1");
  expect(await outcomes(one, 3, { query })).toEqual(["next", "next", "RATE_LIMITED"]);
  const other = await open(limited.url, undefined, "198.51.100.1, 198.51.100.2");
  expect(await outcomes(other, 1, { query })).toEqual(["next"]);
});

test("refuses a further socket of an address with 429", async () => {
  const from = "203.0.113.7";
  const statuses: number[] = [];
  for (let turn = 0; turn < 3; turn++) statuses.push(await (await open(limited.url, undefined, from)).status);
  expect(statuses).toEqual([101, 101, 429]);
  expect(await (await open(limited.url, undefined, "203.0.113.8")).status).toBe(101);
});

test("counts the addresses of one IPv6 network as one", async () => {
  const statuses: number[] = [];
  for (const host of [1, 2, 3]) statuses.push(await (await open(limited.url, undefined, `2001:db8::${host}`)).status);
  expect(statuses).toEqual([101, 101, 429]);
});

test("answers only persisted operations, if so configured", async () => {
  const ada = await open(persisted.url, await persisted.tokenOf("ada"));
  expect(await outcomes(ada, 1, { query: "{ me { name } }" })).toEqual(["GRAPHQL_VALIDATION_FAILED"]);
  expect(await outcomes(ada, 1, { documentId: "nothing" })).toEqual(["PERSISTED_QUERY_NOT_FOUND"]);
  ada.say({ type: "subscribe", id: "1", payload: { documentId: "who" } });
  expect(await ada.messages.next()).toEqual({ type: "next", id: "1", payload: { data: { me: { name: "Ada" } } } });
});

test("refuses operations beyond the limit of a socket with the name of the limit, while the others go on", async () => {
  const socket = await open(limited.url, await limited.tokenOf("admin"), "203.0.113.1");
  await limited.database.query(
    "insert into app_public.chats default values; insert into app_public.chat_members values (1, 3)",
  );
  const subscription = "subscription { messageAdded(chatId: 1) { text } }";
  for (const id of ["1", "2", "3"]) socket.say({ type: "subscribe", id, payload: { query: subscription } });
  expect(await socket.messages.next()).toMatchObject({
    id: "3",
    type: "error",
    payload: [
      {
        message: "A socket carries at most 2 operations at once.",
        extensions: { code: "VALIDATION_ERROR", limit: { name: "socketOperations", max: 2, asked: 3 } },
      },
    ],
  });
  await untilListening(2, limited.app);
  await limited.database.query("insert into app_public.messages (chat_id, sender_id, text) values (1, 3, 'Both')");
  const heard = [await socket.messages.next(), await socket.messages.next()];
  expect(heard.map(({ id }) => id).sort()).toEqual(["1", "2"]);
});
