import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { createTokenSigner } from "../../src/identity/signToken.ts";
import { frame, opcodes, RawSocket } from "../support/RawSocket.ts";
import { testSecret, untilListening, useService } from "../support/service.ts";

/* Faults and attacks of clients on a WebSocket. After each, the service answers as before. */
const service = useService({
  corsOrigins: ["https://app.example"],
  socketLimits: { initTimeoutMs: 2_000, unitsPerSecond: 5_000 },
});
const modern = "graphql-transport-ws";
const legacy = "graphql-ws";
const added = "subscription ($chatId: ID!) { messageAdded(chatId: $chatId) { text } }";
const sockets: RawSocket[] = [];

beforeAll(() => service.database.query(readFileSync(new URL("chats.sql", import.meta.url), "utf8")));
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  expect(await service.ask("{ me { name } }", { as: "ada" })).toEqual({ data: { me: { name: "Ada" } } });
  expect(service.logged.filter(({ msg }) => msg === "unforeseen error")).toEqual([]);
});

async function open(protocol: string | undefined = modern, handshake = {}): Promise<RawSocket> {
  const socket = await RawSocket.open(service.url, { protocol, ...handshake });
  sockets.push(socket);
  return socket;
}

/** Opens a socket with a token of Ada and waits for connection_ack. */
async function openAsAda(protocol = modern): Promise<RawSocket> {
  const socket = await open(protocol);
  socket.say({ type: "connection_init", payload: { authToken: await service.tokenOf("ada") } });
  expect(await socket.messages.next()).toEqual({ type: "connection_ack" });
  if (protocol === legacy) expect(await socket.messages.next()).toEqual({ type: "ka" });
  return socket;
}

const subscribe = (id: string, chatId = "1") => ({
  type: "subscribe",
  id,
  payload: { query: added, variables: { chatId } },
});

describe("a malformed frame closes its socket with the code of RFC 6455", () => {
  const hello = '{"type":"ping"}';
  test.each<[string, number, Buffer[]]>([
    ["without a mask", 1002, [frame(hello, { isMasked: false })]],
    ["a first reserved bit", 1002, [frame(hello, { reserved: 4 })]],
    ["a second reserved bit", 1002, [frame(hello, { reserved: 2 })]],
    ["a third reserved bit", 1002, [frame(hello, { reserved: 1 })]],
    ["a reserved opcode for data", 1002, [frame(hello, { opcode: 3 })]],
    ["a reserved opcode for control", 1002, [frame("", { opcode: 11 })]],
    ["a ping in fragments", 1002, [frame("", { opcode: opcodes.ping, isLast: false })]],
    ["a ping of more than 125 bytes", 1002, [frame("x".repeat(126), { opcode: opcodes.ping })]],
    ["a continuation without a start", 1002, [frame(hello, { opcode: opcodes.continuation })]],
    ["a second start of a message", 1002, [frame("{", { isLast: false }), frame("}")]],
    ["a close with one byte", 1002, [frame("x", { opcode: opcodes.close })]],
    ["a close with a code that is none", 1002, [frame(Buffer.from([0, 5]), { opcode: opcodes.close })]],
    ["a close whose reason is not UTF-8", 1007, [frame(Buffer.from([3, 232, 255]), { opcode: opcodes.close })]],
    ["text that is not UTF-8", 1007, [frame(Buffer.from([0x22, 0xc3, 0x28, 0x22]))]],
    ["half a surrogate pair in UTF-8", 1007, [frame(Buffer.from([0xed, 0xa0, 0x80]))]],
    ["UTF-8 that breaks off", 1007, [frame(Buffer.from([0xe6, 0x97]))]],
    ["an announced length of 200 MB", 1009, [frame("", { announced: 200_000_000n })]],
    ["an announced length of 2^63", 1009, [frame("", { announced: 2n ** 63n })]],
    ["a message of more than 64 KB", 1009, [frame("x".repeat(65_537))]],
    [
      "fragments of more than 64 KB together",
      1009,
      [
        frame("x".repeat(40_000), { isLast: false }),
        frame("x".repeat(40_000), { isLast: false, opcode: opcodes.continuation }),
      ],
    ],
  ])("%s: %i", async (_, code, frames) => {
    const socket = await openAsAda();
    for (const bytes of frames) socket.write(bytes);
    expect(await socket.closed).toBe(code);
  });

  test("closes with 1008 during a million tiny fragments", async () => {
    const socket = await openAsAda();
    const fragment = frame("", { isLast: false, opcode: opcodes.continuation });
    const thousand = Buffer.concat(Array.from({ length: 1_000 }, () => fragment));
    socket.write(frame("{", { isLast: false }));
    for (let sent = 0; sent < 1_000 && !socket.socket.destroyed; sent++) await socket.pour(thousand);
    expect(await socket.closed).toBe(1008);
  });

  test("closes with 1002 after bytes that are not a frame", async () => {
    const socket = await openAsAda();
    socket.write(Buffer.from("GET / HTTP/1.1\r\n\r\n"));
    expect(await socket.closed).toBe(1002);
  });

  test("reads a frame that arrives byte by byte, and a fragmented message with a ping in between", async () => {
    const socket = await openAsAda();
    for (const byte of frame('{"type":"ping"}')) socket.write(Buffer.from([byte]));
    expect(await socket.messages.next()).toEqual({ type: "pong" });
    socket.write(frame('{"type":', { isLast: false }));
    socket.write(frame("", { opcode: opcodes.ping }));
    socket.write(frame('"ping"}', { opcode: opcodes.continuation }));
    expect(await socket.messages.next()).toEqual({ type: "pong" });
  });
});

describe("a message that the sub-protocol does not allow closes the socket", () => {
  test.each<[string, number, Buffer]>([
    ["binary", 4400, frame('{"type":"ping"}', { opcode: opcodes.binary })],
    ["empty", 4400, frame("")],
    ["no JSON", 4400, frame("{type: ping}")],
    ["a JSON string", 4400, frame('"ping"')],
    ["null", 4400, frame("null")],
    ["without a type", 4400, frame("{}")],
    ["a type that is a number", 4400, frame('{"type":1}')],
    ["an unknown type", 4400, frame('{"type":"publish"}')],
    ["a type of the service’s own", 4400, frame('{"type":"next","id":"1","payload":{}}')],
    ["a type of the other sub-protocol", 4400, frame('{"type":"start","id":"1","payload":{"query":"{ me { id } }"}}')],
    ["subscribe without an id", 4400, frame('{"type":"subscribe","payload":{"query":"{ me { id } }"}}')],
    ["an empty id", 4400, frame('{"type":"subscribe","id":"","payload":{"query":"{ me { id } }"}}')],
    ["an id that is a number", 4400, frame('{"type":"subscribe","id":1,"payload":{"query":"{ me { id } }"}}')],
    ["subscribe without a payload", 4400, frame('{"type":"subscribe","id":"1"}')],
    ["a query that is not a string", 4400, frame('{"type":"subscribe","id":"1","payload":{"query":{}}}')],
    [
      "variables in a list",
      4400,
      frame('{"type":"subscribe","id":"1","payload":{"query":"{ me { id } }","variables":[]}}'),
    ],
    ["complete without an id", 4400, frame('{"type":"complete"}')],
    ["a second connection_init", 4429, frame('{"type":"connection_init"}')],
  ])("%s: %i", async (_, code, bytes) => {
    const socket = await openAsAda();
    socket.write(bytes);
    expect(await socket.closed).toBe(code);
  });

  describe.each(["connection_init", "ping", "pong"])("the payload of %s, if there is one, is an object", (type) => {
    test.each([[[]], ["text"], [""], [1], [0], [true], [false]])("not %j", async (payload) => {
      const socket = await open();
      socket.say({ type, payload });
      expect(await socket.closed).toBe(4400);
      expect(socket.messages.all).toEqual([]);
    });

    test.each([[null], [undefined], [{}]])("%j is allowed", async (payload) => {
      const socket = await open();
      socket.say({ type, payload });
      socket.say({ type: "ping", payload: { last: true } });
      const { messages } = socket;
      const expected =
        type === "ping" ? { type: "pong", ...(payload ? { payload } : null) } : { type: "connection_ack" };
      if (type !== "pong") expect(await messages.next()).toEqual(expected);
      expect(await messages.next()).toEqual({ type: "pong", payload: { last: true } });
    });
  });

  test("subscribe before connection_init closes the socket with 4401", async () => {
    const early = await open();
    early.say(subscribe("1"));
    expect(await early.closed).toBe(4401);
  });

  test("an id that is in use closes the socket with 4409, also a long id of multi-byte characters", async () => {
    for (const id of ["1", "日".repeat(100)]) {
      const socket = await openAsAda();
      socket.say(subscribe(id));
      socket.say(subscribe(id));
      expect(await socket.closed).toBe(4409);
      expect(socket.reason).toBe(`Subscriber for ${id === "1" ? id : "this id"} already exists`);
    }
  });

  test("a payload with 30,000 levels does no harm", async () => {
    const deep = `${"[".repeat(30_000)}${"]".repeat(30_000)}`;
    const socket = await openAsAda();
    // Too deep to be repeated in a pong.
    socket.write(frame(`{"type":"ping","payload":{"deep":${deep}}}`));
    expect(await socket.closed).toBe(4400);
    const variables = await openAsAda();
    variables.write(
      frame(
        `{"type":"subscribe","id":"1","payload":{"query":"query ($id: ID!) { user(id: $id) { id } }","variables":{"id":${deep}}}}`,
      ),
    );
    expect(await variables.messages.next()).toMatchObject({ type: "error", id: "1" });
  });
});

const say = (text: string, chatId = 1) =>
  service.database.query("insert into app_public.messages (chat_id, sender_id, text) values ($1, 2, $2)", [
    chatId,
    text,
  ]);

describe("operations", () => {
  test("refuses the 21st operation on a socket while the other 20 go on", async () => {
    const socket = await openAsAda();
    for (let id = 1; id <= 20; id++) socket.say(subscribe(String(id)));
    socket.say(subscribe("21"));
    expect(await socket.messages.next()).toMatchObject({
      type: "error",
      id: "21",
      payload: [{ extensions: { code: "VALIDATION_ERROR" } }],
    });
    await untilListening(20, service.app);
    await say("To twenty");
    const ids = (await socket.messages.take(20)).map(({ id }) => Number(id));
    expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  test("refuses operations beyond 20 that are stopped at once: a stopped query still counts until it ends", async () => {
    const socket = await openAsAda();
    const lock = await service.database.hold("lock app_public.users in access exclusive mode");
    for (let turn = 0; turn < 1_000; turn++) {
      const id = String(turn);
      const payload = { query: "{ users { id posts(limit: 1) { id } } }" };
      socket.say({ type: "subscribe", id, payload }, { type: "complete", id });
    }
    socket.say({ type: "ping" });
    let refused = 0;
    for (;;) {
      const message = await socket.messages.next();
      if (message.type === "pong") break;
      if (message.type === "error") refused += 1;
    }
    await lock.release();
    expect(refused).toBe(980);
  });

  test("answers only the second operation when an id is reused at once", async () => {
    const socket = await openAsAda();
    const lock = await service.database.hold("lock app_public.users in access exclusive mode");
    socket.say(
      { type: "subscribe", id: "1", payload: { query: "{ first: me { name } }" } },
      { type: "complete", id: "1" },
      { type: "subscribe", id: "1", payload: { query: "{ second: me { name } }" } },
      { type: "ping" },
    );
    expect(await socket.messages.next()).toEqual({ type: "pong" });
    await lock.release();
    const [result, complete] = await socket.messages.take(2);
    expect(result).toEqual({ type: "next", id: "1", payload: { data: { second: { name: "Ada" } } } });
    expect(complete).toEqual({ type: "complete", id: "1" });
    expect(socket.messages.all).toHaveLength(4);
  });
});

describe("the handshake", () => {
  test.each<[string, number, Record<string, unknown>]>([
    ["another path", 404, { path: "/" }],
    ["a path that is not a URL", 404, { path: "//" }],
    ["another origin", 403, { headers: { Origin: "https://evil.example" } }],
    ["an origin that is not a URL", 403, { headers: { Origin: "null" } }],
    ["an allowed origin", 101, { headers: { Origin: "https://app.example" } }],
    ["an older version", 400, { headers: { "Sec-WebSocket-Version": "7" } }],
    ["no key", 400, { headers: { "Sec-WebSocket-Key": "" } }],
  ])("%s: %i", async (_, status, handshake) => {
    const socket = await open(modern, handshake);
    expect(await socket.status).toBe(status);
  });

  test("accepts the service’s own origin", async () => {
    const socket = await open(modern, { headers: { Origin: service.app.url } });
    expect(await socket.status).toBe(101);
  });

  test("answers a request to upgrade to HTTP/2, which Java's client sends first, in HTTP/1.1", async () => {
    const body = JSON.stringify({ query: "{ __typename }" });
    const headers = {
      Connection: "Upgrade, HTTP2-Settings",
      Upgrade: "h2c",
      "HTTP2-Settings": "AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA",
      "Content-Type": "application/json",
    };
    const request = httpRequest(service.url, { method: "POST", headers });
    request.end(body);
    const [response] = await once(request, "response");
    expect(response.statusCode).toBe(200);
    expect(JSON.parse(Buffer.concat(await response.toArray()).toString())).toEqual({ data: { __typename: "Query" } });
  });

  test("closes with 4406 without a known sub-protocol", async () => {
    for (const protocol of [undefined, "mqtt"]) {
      const socket = await RawSocket.open(service.url, { protocol });
      sockets.push(socket);
      expect(await socket.closed).toBe(4406);
    }
  });

  test.each([`${modern}, ${legacy}`, `${legacy}, ${modern}`, `mqtt, ${legacy}, ${modern}`])(
    "chooses the newer sub-protocol when the client offers %s",
    async (offer) => {
      const socket = await open(offer);
      socket.say({ type: "connection_init" });
      socket.say({ type: "ping", payload: { at: 1 } });
      await socket.messages.next();
      expect(await socket.messages.next()).toEqual({ type: "pong", payload: { at: 1 } });
    },
  );
});

describe("authentication", () => {
  const outcome = async (protocol: string, payload: unknown) => {
    const socket = await open(protocol);
    socket.say({ type: "connection_init", payload });
    const code = await socket.closed;
    return { code, messages: socket.messages.all };
  };

  test.each([
    ["a forged token", { authToken: "a.b.c" }],
    ["an empty token", { authToken: "" }],
    ["a token that is a number", { authToken: 1 }],
    ["two tokens", { authToken: "a.b.c", Authorization: "Bearer d.e.f" }],
  ])("%s closes with 4403, in the older protocol after connection_error", async (_, payload) => {
    expect(await outcome(modern, payload)).toEqual({ code: 4403, messages: [] });
    expect(await outcome(legacy, payload)).toMatchObject({
      code: 4403,
      messages: [
        { type: "connection_error", payload: { extensions: { code: "UNAUTHORIZED", reason: "TOKEN_INVALID" } } },
      ],
    });
  });

  test("an expired token closes with 4403, in the older protocol after TOKEN_EXPIRED", async () => {
    const sign = createTokenSigner({ secret: testSecret });
    const expired = await sign?.("1", -60);
    expect(await outcome(modern, { authToken: expired?.token })).toEqual({ code: 4403, messages: [] });
    expect((await outcome(legacy, { authToken: expired?.token })).messages).toMatchObject([
      { payload: { extensions: { reason: "TOKEN_EXPIRED" } } },
    ]);
  });

  test("closes 400 sockets without connection_init with 4408, and keeps the one with it", async () => {
    const silent: RawSocket[] = [];
    // In parts, because the operating system delays larger numbers of connections.
    while (silent.length < 400) silent.push(...(await Promise.all(Array.from({ length: 200 }, () => open()))));
    const ada = await openAsAda();
    const codes = await Promise.all(silent.map((socket) => socket.closed));
    expect(new Set(codes)).toEqual(new Set([4408]));
    ada.say({ type: "ping" });
    expect(await ada.messages.next()).toEqual({ type: "pong" });
  });
});
