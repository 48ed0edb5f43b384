import { RawSocket } from "../support/RawSocket.ts";
import { type Answer, useService } from "../support/service.ts";
import { until } from "../support/until.ts";

/* Requests that are being read, that wait, or that are executed hold memory. It is bounded, for a client and for all. */
const clientBytes = 1_200_000;
const service = useService({
  drainTimeoutMs: 500,
  clientBytes,
  trustProxy: "loopback",
  poolSize: 4,
  statementTimeoutMs: 60_000,
  lockTimeoutMs: 0,
});

const query = "query ($t: String) { posts(limit: 1, tag: $t) { id } }";
const body = (bytes: number) => JSON.stringify({ query, variables: { t: "x".repeat(bytes) } });
const headers = (from: string) => ({ "content-type": "application/json", "x-forwarded-for": from });

interface Answered {
  status: number;
  retryAfter: string | null;
  code: unknown;
}

/** Posts a request with a variable of that many bytes. */
async function post(
  bytes: number,
  from: string,
): Promise<{ status: number; retryAfter: string | null; code: unknown }> {
  const response = await fetch(service.url, { method: "POST", headers: headers(from), body: body(bytes) });
  const { errors } = (await response.json()) as Answer;
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    code: errors?.[0]?.extensions["code"],
  };
}

const answered: Answered = { status: 200, retryAfter: null, code: undefined };
const refused: Answered = { status: 429, retryAfter: "1", code: "RATE_LIMITED" };

async function metric(name: string): Promise<number> {
  const metrics = await (await fetch(new URL("/metrics", service.url))).text();
  return Number(
    metrics
      .split("\n")
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length),
  );
}

/** The bytes that clients hold. */
function heldBytes(reason: string): Promise<number> {
  return metric(`client_bytes{reason="${reason}"}`);
}

async function untilWaiting(statements: number): Promise<void> {
  // Not the service's own, such as its look for what is wrong in the database.
  const waiting = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%row_to_json%'`;
  await until(async () => (await service.database.query(waiting)).length === statements);
}

test("requests that wait count, and those of others are taken", async () => {
  const lock = await service.database.hold("lock table app_public.posts in access exclusive mode");
  const first = post(190_000, "192.0.2.1");
  await untilWaiting(1);
  expect(await post(50_000, "192.0.2.1")).toEqual(refused);
  const other = post(90_000, "192.0.2.2");
  await untilWaiting(2);
  await lock.release();
  expect(await Promise.all([first, other])).toEqual([answered, answered]);
  expect(await post(190_000, "192.0.2.1")).toEqual(answered);
});

test("so do bodies that have not arrived yet", async () => {
  const text = body(700_000);
  const abandoned = new AbortController();
  const part = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(text.slice(0, 590_000))),
  });
  const init = { method: "POST", headers: headers("192.0.2.3"), body: part, duplex: "half", signal: abandoned.signal };
  const stalled = fetch(service.url, init as RequestInit).catch(() => "abandoned");
  await until(async () => (await heldBytes("requests")) === 590_000);
  expect(await post(50_000, "192.0.2.3")).toEqual(refused);
  abandoned.abort();
  expect(await stalled).toBe("abandoned");
  await until(async () => (await heldBytes("requests")) === 0);
  expect(await post(50_000, "192.0.2.3")).toEqual(answered);
});

test("messages on a WebSocket count with what they take when they are parsed", async () => {
  const lock = await service.database.hold("lock table app_public.posts in access exclusive mode");
  const socket = await RawSocket.open(service.url, {
    protocol: "graphql-transport-ws",
    headers: { "X-Forwarded-For": "192.0.2.4" },
  });
  socket.say({ type: "connection_init" });
  await socket.messages.next();
  const subscribe = (id: string) => socket.say({ type: "subscribe", id, payload: JSON.parse(body(30_000)) });
  subscribe("1");
  await untilWaiting(1);
  subscribe("2");
  expect(await socket.messages.next()).toMatchObject({
    id: "2",
    type: "error",
    payload: [{ extensions: { code: "RATE_LIMITED" } }],
  });
  await lock.release();
  expect(await socket.messages.next()).toMatchObject({ id: "1", type: "next" });
  expect(await socket.messages.next()).toMatchObject({ id: "1", type: "complete" });
  subscribe("2");
  expect(await socket.messages.next()).toMatchObject({ id: "2", type: "next" });
  socket.destroy();
});

test("open subscriptions count, so that one client cannot fill the memory with them", async () => {
  const from = "192.0.2.40";
  const [published] = await service.database.query(
    "insert into app_public.posts (author_id, title, content, status) values (1, 'One', 'One', 'PUBLISHED') returning id",
  );
  const payload = { query: `subscription { commentAdded(postId: "${published?.["id"]}") { id } }` };
  const sockets: RawSocket[] = [];
  const codes: unknown[] = [];
  const note = async ({ messages }: RawSocket) => {
    for (;;) {
      const { type, payload: errors } = await messages.next();
      if (type === "error") codes.push(errors[0].extensions.code);
    }
  };
  for (let opened = 0; opened < 7; opened++) {
    const socket = await RawSocket.open(service.url, {
      protocol: "graphql-transport-ws",
      headers: { "X-Forwarded-For": from },
    });
    sockets.push(socket);
    socket.say({ type: "connection_init" });
    await socket.messages.next();
    void note(socket);
  }
  expect(await heldBytes("connections")).toBe(7 * 14_336);
  for (const [index, socket] of sockets.entries()) {
    for (let id = 0; id < 20; id++) socket.say({ type: "subscribe", id: String(id), payload });
    await until(() => service.app.subscriptions + codes.length === (index + 1) * 20);
  }
  expect(new Set(codes)).toEqual(new Set(["RATE_LIMITED"]));
  expect(codes.length).toBeLessThan(100);
  expect(await heldBytes("subscriptions")).toBeGreaterThan(service.app.subscriptions * 4_608);
  expect(await post(10, "192.0.2.41")).toEqual(answered);
  for (const socket of sockets) socket.destroy();
  await until(async () => (await post(10, from)).status === 200);
});

test("results that find no room beside those of their client wait, and are complete", async () => {
  await service.database.query(
    `insert into app_public.posts (author_id, title, content, status, published_at)
       values (2, 'Large', repeat('x', 100000), 'PUBLISHED', now())`,
  );
  const ask = async (alias: string) => {
    const query = `{ ${alias}: posts(limit: 100, authorId: "2") { content } }`;
    const init = { method: "POST", headers: headers("192.0.2.70"), body: JSON.stringify({ query }) };
    const { data } = (await (await fetch(service.url, init)).json()) as Answer;
    return data[alias].reduce((sum: number, { content }: { content: string }) => sum + content.length, 0);
  };
  const sizes = await Promise.all(["a", "b", "c", "d", "e", "f"].map(ask));
  expect(sizes).toEqual(Array(6).fill(100_000));
});

test("a mutation waits for room before it is executed, though its result is larger than the last one", async () => {
  const from = "192.0.2.80";
  const query = 'mutation ($t: String!) { createPost(input: { title: $t, content: "c" }) { title } }';
  const given = { ...(await service.headersOf("ada")), ...headers(from) };
  const create = async (length: number) => {
    const body = JSON.stringify({ query, variables: { t: "t".repeat(length) } });
    const { errors } = (await (await fetch(service.url, { method: "POST", headers: given, body })).json()) as Answer;
    return errors?.[0]?.extensions["code"];
  };
  // Another request of the client takes the room, a few bytes at a time, until a mutation waits for it.
  const { readable, writable } = new TransformStream<Uint8Array>();
  const abandoned = new AbortController();
  const init = { method: "POST", headers: headers(from), body: readable, duplex: "half", signal: abandoned.signal };
  const stalled = fetch(service.url, init as RequestInit).catch(() => "abandoned");
  const writer = writable.getWriter();
  const codes: unknown[] = [await create(1)];
  let sent = 0;
  let isWaiting = false;
  for (let bytes = clientBytes / 2 - 30_000; !isWaiting; bytes = 800) {
    await writer.write(new Uint8Array(bytes));
    sent += bytes;
    await until(async () => (await heldBytes("requests")) === sent);
    const asked = codes.length + 2;
    const both = create(1).then(async (code) => codes.push(code, await create(150)));
    await until(async () => {
      isWaiting = (await metric("client_bytes_awaited")) > 0;
      return isWaiting || codes.length === asked;
    });
    if (isWaiting) abandoned.abort();
    await both;
  }
  expect(await stalled).toBe("abandoned");
  expect(new Set(codes)).toEqual(new Set([undefined]));
});

test("nothing is held when all requests are answered and all clients are gone", async () => {
  const pages = Array.from({ length: 5 }, (_, index) => post(1_000 * index, `192.0.2.${50 + index}`));
  const abandoned = new AbortController();
  const init = { method: "POST", headers: headers("192.0.2.60"), body: body(100_000), signal: abandoned.signal };
  const gone = fetch(service.url, init).catch(() => "gone");
  abandoned.abort();
  expect(await gone).toBe("gone");
  expect(await Promise.all(pages)).toEqual(pages.map(() => answered));
  for (const reason of ["requests", "results", "subscriptions", "unread"]) {
    await until(async () => (await heldBytes(reason)) === 0);
  }
});
