import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import { RawSocket } from "../support/RawSocket.ts";
import { useService } from "../support/service.ts";

/* Each handshake, operation and end of a subscription on a WebSocket has a line in the log. Metrics count them. */
const service = useService();
const sockets: RawSocket[] = [];
const query = "query Count { postsCount }";
const subscription = 'subscription Listen { messageAdded(chatId: "1") { text } }';
let chatId: string;

beforeAll(async () => {
  const [chat] = await service.database.query<{ id: string }>(
    "insert into app_public.chats default values returning id",
  );
  chatId = chat?.id as string;
  await service.database.query("insert into app_public.chat_members (chat_id, user_id) values ($1, 1)", [chatId]);
});
beforeEach(() => {
  service.logged.length = 0;
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function open(authToken?: string): Promise<RawSocket> {
  const socket = await RawSocket.open(service.url, {
    protocol: "graphql-transport-ws",
    headers: { "X-Request-Id": "mine" },
  });
  sockets.push(socket);
  socket.say({ type: "connection_init", payload: { authToken } });
  await socket.messages.next();
  return socket;
}

async function run(socket: RawSocket, text: string, id = "1"): Promise<void> {
  socket.say({ type: "subscribe", id, payload: { query: text, variables: { secret: "s3cret" } } });
  await socket.messages.next();
}

const lines = (words: string) =>
  service.logged
    .filter(({ msg }) => msg === words)
    .map(({ level: _level, time: _time, pid: _pid, hostname: _hostname, msg: _msg, ...line }) => line);

async function metrics(): Promise<string[]> {
  return (await (await fetch(`${service.app.url}/metrics`)).text()).split("\n");
}

test("a handshake returns its request id and has a line with it", async () => {
  const socket = new WebSocket(service.url, "graphql-transport-ws", { headers: { "X-Request-Id": "mine" } });
  const [[answer]] = (await Promise.all([once(socket, "upgrade"), once(socket, "open")])) as [[IncomingMessage], []];
  expect(answer.headers["x-request-id"]).toBe("mine");
  socket.terminate();
  sockets.push(await RawSocket.open(service.url, { path: "/elsewhere?authToken=s3cret" }));
  sockets.push(await RawSocket.open(service.url, { headers: { "Sec-WebSocket-Version": "99" } }));
  const line = { requestId: expect.stringMatching(/^[\da-f-]{36}$/), method: "GET", path: "/graphql" };
  expect(lines("request")).toEqual([
    { ...line, requestId: "mine", status: 101 },
    { ...line, path: "/elsewhere", status: 404 },
    { ...line, status: 400 },
  ]);
});

test("an operation has a line with the ids of its handshake and its user, and without variables", async () => {
  const socket = await open(await service.tokenOf("ada"));
  await run(socket, query);
  const line = { requestId: "mine", ms: expect.any(Number), userId: "1" };
  expect(lines("operation")).toEqual([{ ...line, operation: "Count", type: "query" }]);
  await socket.messages.next();
  await run(socket, "mutation Gone { deletePost(id: 1) { success } }");
  await socket.messages.next();
  await run(socket, "{ nothing }");
  expect(lines("operation").slice(1)).toEqual([
    { ...line, operation: "Gone", type: "mutation", codes: ["NOT_FOUND"] },
    { ...line, codes: ["GRAPHQL_VALIDATION_FAILED"] },
  ]);
  expect(JSON.stringify(service.logged)).not.toContain("s3cret");
});

test("a subscription has a line when it opens, and one with the reason when it ends", async () => {
  const socket = await open(await service.tokenOf("ada"));
  const isOpen = service.told("operation");
  socket.say({ type: "subscribe", id: "1", payload: { query: subscription } });
  await isOpen;
  const line = { requestId: "mine", ms: expect.any(Number), operation: "Listen", type: "subscription", userId: "1" };
  expect(lines("operation")).toEqual([line]);
  const isOver = service.told("subscription over");
  await service.database.query("delete from app_public.chat_members where chat_id = $1", [chatId]);
  await isOver;
  expect(lines("subscription over")).toEqual([{ ...line, reason: "forbidden" }]);
});

test("metrics count operations like requests, and errors by their code", async () => {
  const socket = await open();
  await run(socket, "query OnSocket { postsCount }");
  await socket.messages.next();
  await run(socket, 'subscription OnSocket { messageAdded(chatId: "1") { text } }');
  const counted = await metrics();
  for (const type of ["query", "subscription"]) {
    expect(counted).toContain(
      `graphql_requests_total{operation="OnSocket",type="${type}",transport="websocket",status="none"} 1`,
    );
  }
  expect(counted).toContain('graphql_errors_total{operation="OnSocket",code="UNAUTHORIZED"} 1');
  expect(counted).toContain('graphql_request_duration_seconds_count{operation="OnSocket",transport="websocket"} 2');
  expect(counted).toContain("websocket_connections 1");
});
