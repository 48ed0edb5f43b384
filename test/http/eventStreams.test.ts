import { readFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { pino } from "pino";
import { startApp } from "../../src/app.ts";
import { createTokenSigner } from "../../src/identity/signToken.ts";
import { clockSkewSeconds } from "../../src/identity/verifyJwt.ts";
import { type EventStream, readEvents } from "../support/readEvents.ts";
import { type Person, reuseSchema, testSecret, testSettings, untilListening, useService } from "../support/service.ts";

/* Subscriptions by GraphQL over SSE, and every other operation that asks for an event stream. */
const service = useService({ socketLimits: { bufferBytes: 100_000, pingIntervalMs: 100 }, trustProxy: "loopback" });
const strict = useService({ socketLimits: { socketsPerAddress: 2 }, rateLimitAddress: 5, trustProxy: "loopback" });
const sign = createTokenSigner({ secret: testSecret });
const streams: Pick<EventStream, "close">[] = [];
const query = `subscription Added($chatId: ID!, $after: ID) { messageAdded(chatId: $chatId, after: $after) { id text } }`;
let chatId: string;

beforeAll(() => service.database.query(readFileSync(new URL("../subscriptions/chats.sql", import.meta.url), "utf8")));
beforeEach(async () => {
  const [chat] = await service.database.query("insert into app_public.chats default values returning id");
  chatId = chat?.["id"];
  await service.database.query("insert into app_public.chat_members (chat_id, user_id) values ($1, 1), ($1, 2)", [
    chatId,
  ]);
});
afterEach(async () => {
  for (const stream of streams.splice(0)) stream.close();
  await untilListening(0, service.app);
});

async function post(body: object, headers: Record<string, string> = {}, url = service.url): Promise<EventStream> {
  const stream = await readEvents(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  streams.push(stream);
  return stream;
}

const listen = async (person: Person, variables: object = {}) =>
  post({ query, variables: { chatId, ...variables } }, await service.headersOf(person));
/** The next event that is no comment. */
async function nextOf({ events }: EventStream): Promise<string> {
  for (;;) {
    const event = await events.next();
    if (event !== ":") return event;
  }
}
const resultOf = async (stream: EventStream) => JSON.parse((await nextOf(stream)).replace(/^next /, ""));
const say = (text: string) =>
  service.database.query("insert into app_public.messages (chat_id, sender_id, text) values ($1, 2, $2) returning id", [
    chatId,
    text,
  ]);

describe("a subscription", () => {
  test("receives each message in order, and the service forgets it when the client disconnects", async () => {
    const stream = await listen("ada");
    const { status, headers } = stream.response;
    expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
    expect([headers.get("cache-control"), headers.get("x-accel-buffering")]).toEqual(["no-store", "no"]);
    await untilListening(1, service.app);
    await say("One");
    await say("Two\nlines");
    expect(await resultOf(stream)).toMatchObject({ data: { messageAdded: { id: expect.any(String), text: "One" } } });
    expect(await resultOf(stream)).toMatchObject({ data: { messageAdded: { text: "Two\nlines" } } });
    const over = service.told("subscription over");
    stream.close();
    await over;
    expect(service.app.subscriptions).toBe(0);
  });

  test("continues after the message that the client names", async () => {
    const [first] = await say("First");
    await say("Second");
    const stream = await listen("ada", { after: first?.["id"] });
    expect(await resultOf(stream)).toMatchObject({ data: { messageAdded: { text: "Second" } } });
  });

  test("may catch up on more than the bytes that are kept for a client that does not read", async () => {
    const [first] = await say("First");
    await service.database.query(
      "insert into app_public.messages (chat_id, sender_id, text) select $1, 2, $2 from generate_series(1, 50)",
      [chatId, "x".repeat(5_000)],
    );
    const stream = await listen("ada", { after: first?.["id"] });
    for (let turn = 0; turn < 50; turn++) expect(await resultOf(stream)).toHaveProperty("data.messageAdded.text");
  });

  test("can be a GET, which carries nothing more than a query", async () => {
    const variables = JSON.stringify({ chatId });
    const stream = await readEvents(`${service.url}?${new URLSearchParams({ query, variables })}`, {
      headers: await service.headersOf("bob"),
    });
    streams.push(stream);
    await untilListening(1, service.app);
    await say("By GET");
    expect(await resultOf(stream)).toMatchObject({ data: { messageAdded: { text: "By GET" } } });
  });

  test("is kept alive by comments", async () => {
    const stream = await listen("ada");
    expect(await stream.events.take(2)).toEqual([":", ":"]);
  });

  test("has no compression", async () => {
    const stream = await post(
      { query, variables: { chatId } },
      {
        ...(await service.headersOf("ada")),
        "accept-encoding": "br, gzip",
      },
    );
    expect(stream.response.headers.get("content-encoding")).toBeNull();
  });

  test("is in the log and the metrics, as one over WebSocket is", async () => {
    const before = service.logged.length;
    const told = service.told("operation");
    const stream = await post(
      { query, variables: { chatId } },
      {
        ...(await service.headersOf("ada")),
        "x-request-id": "its-own-id",
      },
    );
    await told;
    const metrics = await (await fetch(new URL("/metrics", service.url))).text();
    expect(metrics).toContain('graphql_subscriptions{transport="sse"} 1');
    expect(metrics).toMatch(
      /graphql_requests_total\{operation="Added",type="subscription",transport="sse",status="none"\}/,
    );
    const ended = service.told("subscription over");
    stream.close();
    await ended;
    const lines = service.logged.slice(before).filter(({ requestId }) => requestId === "its-own-id");
    expect(lines.map(({ msg, operation, userId }) => [msg, operation, userId])).toEqual([
      ["operation", "Added", "1"],
      ["request", "Added", "1"],
      ["subscription over", "Added", "1"],
    ]);
  });
});

describe("other operations over an event stream", () => {
  test.each([
    ["a query", { query: "{ user(id: 1) { name } }" }, { data: { user: { name: "Ada" } } }],
    [
      "an invalid document",
      { query: "{ nothing }" },
      { errors: [{ extensions: { code: "GRAPHQL_VALIDATION_FAILED" } }] },
    ],
    [
      "a subscription that is refused",
      { query, variables: { chatId: 1 } },
      { errors: [{ extensions: { code: "UNAUTHORIZED" } }] },
    ],
  ])("%s is answered by one result", async (_, body, result) => {
    const stream = await post(body);
    expect(stream.response.status).toBe(200);
    expect(await resultOf(stream)).toMatchObject(result);
    expect(await nextOf(stream)).toBe("complete");
    expect(await stream.ended).toBe(true);
  });

  test("a result of several lines is one line of data", async () => {
    const stream = await post({ query: "{ users(limit: 3) { id name } }" });
    expect((await resultOf(stream)).data.users).toHaveLength(3);
  });

  test("a bad token is refused in the result", async () => {
    const stream = await post({ query, variables: { chatId } }, { authorization: "Bearer no.such.token" });
    expect(await resultOf(stream)).toMatchObject({
      errors: [{ extensions: { code: "UNAUTHORIZED", reason: "TOKEN_INVALID" } }],
    });
  });

  test("what is no GraphQL request has its status", async () => {
    expect((await post({ nothing: 1 })).response.status).toBe(400);
    expect((await post([{ query: "{ __typename }" }])).response.status).toBe(400);
  });

  test.each([
    "text/event-stream; charset=utf-8",
    "Text/Event-Stream;charset=UTF8",
    'application/json; q=0.5, text/event-stream; charset="utf-8"; q=0.6',
  ])("%s is an event stream", async (accept) => {
    const { response } = await post({ query: "{ __typename }" }, { accept });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  });

  test("a client that ranks JSON higher gets JSON", async () => {
    const accept = "application/graphql-response+json, application/json, text/event-stream, multipart/mixed";
    const { response } = await post({ query: "{ __typename }" }, { accept });
    expect(response.headers.get("content-type")).toBe("application/graphql-response+json; charset=utf-8");
  });
});

describe("limits", () => {
  const small = { query: "{ __typename }" };
  const subscription = { query: 'subscription { messageAdded(chatId: "1") { id } }' };
  const from = (address: string) => ({ "x-forwarded-for": address });

  test("an IP address, or a network of IPv6, has so many streams, and a place becomes free again", async () => {
    await strict.database.query(
      "insert into app_public.chats default values; insert into app_public.chat_members (chat_id, user_id) values (1, 3)",
    );
    const admin = await strict.headersOf("admin");
    const open = (address: string) => post(subscription, { ...admin, ...from(address) }, strict.url);
    const first = await open("2001:db8::1");
    await open("2001:db8::2");
    await untilListening(2, strict.app);
    const refused = await open("2001:db8::3");
    expect([refused.response.status, refused.response.headers.get("retry-after")]).toEqual([429, "5"]);
    expect(await resultOf(refused)).toMatchObject({
      errors: [{ extensions: { code: "RATE_LIMITED", limit: { name: "eventStreamsPerAddress", max: 2, asked: 3 } } }],
    });
    first.close();
    await untilListening(1, strict.app);
    expect((await open("2001:db8::3")).response.status).toBe(200);
    for (const stream of streams) stream.close();
    await untilListening(0, strict.app);
  });

  test("each counts as a request", async () => {
    const statuses: number[] = [];
    for (let turn = 0; turn < 6; turn++) {
      const { response, ended } = await post(small, from("192.0.2.1"), strict.url);
      statuses.push(response.status);
      await ended;
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });
});

describe("ends", () => {
  test("with UNAUTHORIZED when the user is removed from the chat, and sends no further message", async () => {
    const stream = await listen("ada");
    await untilListening(1, service.app);
    await service.database.query("delete from app_public.chat_members where user_id = 1 and chat_id = $1", [chatId]);
    await say("Secret");
    expect(await resultOf(stream)).toMatchObject({ errors: [{ extensions: { code: "UNAUTHORIZED" } }] });
    expect(await nextOf(stream)).toBe("complete");
    expect(await stream.ended).toBe(true);
  });

  test("with TOKEN_EXPIRED when its token expires", async () => {
    // The token has expired already and is accepted for one to two seconds more, because clocks may differ.
    const token = (await sign?.("1", 2 - clockSkewSeconds))?.token;
    const stream = await post({ query, variables: { chatId } }, { authorization: `Bearer ${token}` });
    expect(await resultOf(stream)).toMatchObject({
      errors: [{ extensions: { code: "UNAUTHORIZED", reason: "TOKEN_EXPIRED" } }],
    });
    expect(await nextOf(stream)).toBe("complete");
    await untilListening(0, service.app);
  });

  test("with SERVICE_UNAVAILABLE when the service stops, which then ends", async () => {
    const second = await startApp(
      // Far longer than the test may take: the service must not wait for its streams.
      { ...testSettings, apiDatabaseUrl: service.database.apiUrl, drainTimeoutMs: 60_000, reuseSchema },
      pino({ level: "silent" }),
    );
    const headers = await service.headersOf("ada");
    const stream = await post({ query, variables: { chatId } }, headers, `${second.url}/graphql`);
    await untilListening(1, second);
    const closed = second.close();
    expect(await resultOf(stream)).toMatchObject({ errors: [{ extensions: { code: "SERVICE_UNAVAILABLE" } }] });
    expect(await nextOf(stream)).toBe("complete");
    expect(await stream.ended).toBe(true);
    await closed;
  });

  test("without `complete` when the client does not read, while the others get every message", async () => {
    const headers = {
      ...(await service.headersOf("ada")),
      "content-type": "application/json",
      accept: "text/event-stream",
      "x-request-id": "a-slow-reader",
    };
    const slow = request(service.url, { method: "POST", headers, agent: false });
    streams.push({ close: () => slow.destroy() });
    // 80 KB a message fill the buffers of the operating system soon.
    const wide = query.replace("text }", "text b: text c: text d: text }");
    slow.end(JSON.stringify({ query: wide, variables: { chatId } }));
    const answer = await new Promise<IncomingMessage>((resolve) => slow.once("response", resolve));
    answer.on("error", () => {});
    slow.on("error", () => {});
    const other = await listen("bob");
    await untilListening(2, service.app);
    answer.socket.pause();
    const text = "📣".repeat(5_000);
    while (service.app.subscriptions === 2) {
      await service.database.query(
        "insert into app_public.messages (chat_id, sender_id, text) select $1, 2, $2 from generate_series(1, 10)",
        [chatId, text],
      );
      for (let turn = 0; turn < 10; turn++) await nextOf(other);
    }
    // nginx's status for a connection that was closed before the answer's end.
    expect(service.logged).toContainEqual(
      expect.objectContaining({ msg: "request", requestId: "a-slow-reader", status: 499 }),
    );
    expect(service.app.subscriptions).toBe(1);
  });
});

describe("what is not supported says what to do", () => {
  const json = { "content-type": "application/json" };
  const ask = (body: unknown, headers = {}) =>
    fetch(service.url, { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(body) });

  test("a batch", async () => {
    const response = await ask([{ query: "{ __typename }" }]);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      errors: [
        {
          message: "A batch is not supported. Send each operation as a request of its own.",
          extensions: { code: "VALIDATION_ERROR", reason: "BATCH_NOT_SUPPORTED" },
        },
      ],
    });
  });

  test.each(["defer", "stream"])("@%s", async (directive) => {
    const body = { query: `{ users { ... @${directive} { name } } }` };
    const { errors } = (await (await ask(body)).json()) as { errors: unknown[] };
    expect(errors).toMatchObject([
      {
        message: `@${directive} is not supported: a response comes as a whole. Remove it, or send the slow part as a query of its own.`,
        extensions: { code: "GRAPHQL_VALIDATION_FAILED", reason: "INCREMENTAL_DELIVERY_NOT_SUPPORTED" },
      },
    ]);
  });

  test("a multipart answer", async () => {
    const response = await ask({ query: "{ __typename }" }, { accept: "multipart/mixed;deferSpec=20220824" });
    expect(response.status).toBe(406);
    expect(JSON.stringify(await response.json())).toContain("multipart responses are not supported");
  });

  test("a subscription that accepts only JSON", async () => {
    const { errors } = (await (await ask({ query, variables: { chatId } })).json()) as {
      errors: { message: string }[];
    };
    expect(errors[0]?.message).toBe("A subscription needs WebSocket, or the header Accept: text/event-stream.");
  });
});
