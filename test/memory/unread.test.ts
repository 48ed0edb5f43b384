import { type IncomingMessage, request } from "node:http";
import { RawSocket } from "../support/RawSocket.ts";
import { untilListening, useService } from "../support/service.ts";
import { until } from "../support/until.ts";

/* Clients that do not read their events share one bound, on WebSockets and event streams. No connection reaches a bound of its own here. */
const service = useService({
  trustProxy: "loopback",
  clientBytes: 4_000_000,
  socketLimits: { bufferBytes: 1_000_000_000, pingIntervalMs: 600_000 },
});
const query = "subscription { messageAdded(chatId: 1) { id text } }";

async function openSocket(from: string, subscriptions = [query]): Promise<RawSocket> {
  const headers = { "X-Forwarded-For": from };
  const socket = await RawSocket.open(service.url, { protocol: "graphql-transport-ws", headers });
  socket.say({ type: "connection_init", payload: { authToken: await service.tokenOf("ada") } });
  await socket.messages.next();
  for (const [id, query] of subscriptions.entries()) {
    socket.say({ type: "subscribe", id: String(id), payload: { query } });
  }
  return socket;
}

async function openStream(from: string): Promise<IncomingMessage> {
  const more = { "content-type": "application/json", accept: "text/event-stream", "x-forwarded-for": from };
  const headers = { ...(await service.headersOf("ada")), ...more };
  const sent = request(service.url, { method: "POST", headers, agent: false });
  sent.on("error", () => {});
  sent.end(JSON.stringify({ query }));
  const stream = await new Promise<IncomingMessage>((resolve) => sent.once("response", resolve));
  return stream.on("error", () => {});
}

beforeAll(() =>
  service.database.query(`
    insert into app_public.chats default values;
    insert into app_public.chat_members (chat_id, user_id) values (1, 1)`),
);

test("clients that read nothing are closed, and the others get every message", async () => {
  const reader = await openSocket("192.0.2.1");
  const stream = await openStream("192.0.2.2");
  const socket = await openSocket("192.0.2.3");
  await untilListening(3, service.app);
  stream.socket.pause();
  socket.socket.pause();
  // At once: the service waits two seconds for the client to read the close frame.
  const resumed = until(() => service.app.subscriptions === 1).then(() => socket.socket.resume());
  // Both fill the buffers of the operating system first, and then half of the bytes.
  while (service.app.subscriptions > 1) {
    await service.database.query(
      "insert into app_public.messages (chat_id, sender_id, text) select 1, 1, $1 from generate_series(1, 10)",
      ["📣".repeat(5_000)],
    );
    await reader.messages.take(10);
  }
  await resumed;
  expect(await socket.closed).toBe(1013);
  expect(service.app.subscriptions).toBe(1);
  reader.destroy();
  stream.destroy();
});

test("a client that reads stays, though its subscriptions get more of one event than it may leave unread", async () => {
  const texts = Array.from({ length: 100 }, (_, index) => `t${index}: text`).join(" ");
  const subscriptions = Array<string>(20).fill(`subscription { messageAdded(chatId: 1) { ${texts} } }`);
  const socket = await openSocket("192.0.2.4", subscriptions);
  await untilListening(20, service.app);
  await service.database.query("insert into app_public.messages (chat_id, sender_id, text) values (1, 1, $1)", [
    "x".repeat(5_000),
  ]);
  await socket.messages.take(20);
  expect(service.app.subscriptions).toBe(20);
  socket.destroy();
});
