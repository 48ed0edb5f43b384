import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { tableRows } from "@content-service/support/markdownTable.ts";
import { openServer } from "../../src/http/openServer.ts";
import { defaultSettings } from "../../src/settings.ts";
import { RawSocket } from "../support/RawSocket.ts";
import { rawPost, sendRaw } from "../support/rawHttp.ts";
import { useService } from "../support/service.ts";

/* The table in docs/errors.md, "Statuses", row by row. */
const service = useService({ headersTimeoutMs: 300, requestTimeoutMs: 600 });
const json = "application/json; charset=utf-8";
const graphqlJson = "application/graphql-response+json; charset=utf-8";
const query = JSON.stringify({ query: "{ postsCount }" });
const answered = { data: { postsCount: 0 } };

async function ask(body: string | Buffer, headers: Record<string, string> = {}, method = "POST") {
  const response = await fetch(service.url, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(method === "POST" ? { body: body as string } : null),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, type: response.headers.get("content-type"), text };
}

/** A refused request gets errors with a message and a code, like a GraphQL response, and no data. */
function expectRefusal(text: string, code = "VALIDATION_ERROR", reason?: string): void {
  expect(JSON.parse(text)).toEqual({
    errors: [{ message: expect.any(String), extensions: { code, ...(reason && { reason }) } }],
  });
}

describe("a well-formed request", () => {
  test.each([
    ["application/json", json],
    ["*/*", json],
    ["application/*", json],
    ["", json],
    ["Application/JSON", json],
    ["application/json;q=0.5, text/html", json],
    ["application/graphql-response+json", graphqlJson],
    ["application/graphql-response+json, application/json;q=0.9", graphqlJson],
    ["application/json;q=0.1, application/graphql-response+json", graphqlJson],
    ["application/json; charset=utf-8", json],
    ["application/json; charset=utf8", json],
    ['application/json;charset="UTF-8"', json],
    ["application/json; odata=verbose; q=0.9", json],
    ["application/json; q=0.5; charset=utf-8, application/graphql-response+json; charset=utf-8", graphqlJson],
    ['application/json;Q=0.5;a=",;q=1", application/graphql-response+json ; a="\\"" ; q=0.6', graphqlJson],
    ["text/html; charset=utf-8; q=0.1, application/json; charset=utf-8", json],
    ["application/json;", json],
    ["*/*; charset=utf-8", json],
  ])("is answered with 200 for Accept: %s", async (accept, type) => {
    const answer = await ask(query, { accept });
    expect([answer.status, answer.type, JSON.parse(answer.text)]).toEqual([200, type, answered]);
    expect(answer.headers.get("vary")).toBe("Accept, Accept-Encoding");
  });

  test("is answered with 200 for no Accept at all", async () => {
    const answer = await sendRaw(service.url, rawPost(query));
    expect([answer.status, answer.headers["content-type"], JSON.parse(answer.body)]).toEqual([200, json, answered]);
  });

  test.each([
    ["a syntax error", "{", 400, "GRAPHQL_PARSE_FAILED"],
    ["an unknown field", "{ nothing }", 400, "GRAPHQL_VALIDATION_FAILED"],
    ["a variable of the wrong type", "query A($a: Int!) { posts(limit: $a) { id } }", 400, "VALIDATION_ERROR"],
    ["a subscription", `subscription { messageAdded(chatId: "1") { id } }`, 400, "GRAPHQL_VALIDATION_FAILED"],
    ["a field that fails", `{ user(id: "404") { id } }`, 200, "NOT_FOUND"],
  ])(
    "with %s gets 200 as application/json, and the status of its error as application/graphql-response+json",
    async (_, text, status, code) => {
      const body = JSON.stringify({ query: text });
      const plain = await ask(body, { accept: "application/json" });
      const strict = await ask(body, { accept: "application/graphql-response+json" });
      expect([plain.status, strict.status]).toEqual([200, status]);
      expect(JSON.parse(plain.text).errors[0].extensions.code).toBe(code);
      expect(JSON.parse(strict.text).errors[0].extensions.code).toBe(code);
    },
  );

  test("with a bad token gets 200 as application/json, and 401 as application/graphql-response+json", async () => {
    const authorization = "Bearer x.y.z";
    const plain = await ask(query, { authorization });
    const strict = await ask(query, { authorization, accept: "application/graphql-response+json" });
    expect([plain.status, strict.status]).toEqual([200, 401]);
    expect(JSON.parse(plain.text)).toEqual({
      errors: [{ message: expect.any(String), extensions: { code: "UNAUTHORIZED", reason: "TOKEN_INVALID" } }],
    });
  });

  test("may have unknown keys and a BOM", async () => {
    const body = `\uFEFF${JSON.stringify({ ...JSON.parse(query), nonsense: { deep: [1] }, operationName: null })}`;
    expect(JSON.parse((await ask(body)).text)).toEqual(answered);
  });

  test.each([";", " ;", ";;", "; ", ";charset=utf-8;", "; ;charset=utf-8"])(
    "may have empty parameters: %s",
    async (end) => {
      expect((await ask(query, { "content-type": `application/json${end}` })).status).toBe(200);
    },
  );

  test.each(["utf-8", "UTF-8", '"utf-8"', "utf8"])("may name the charset %s", async (charset) => {
    expect((await ask(query, { "content-type": `application/json; charset=${charset}` })).status).toBe(200);
  });

  test("may come in chunks", async () => {
    const chunked = `${query.length.toString(16)}\r\n${query}\r\n0\r\n\r\n`;
    expect((await sendRaw(service.url, rawPost(chunked, ["Transfer-Encoding: chunked"]))).status).toBe(200);
  });
});

describe("400", () => {
  test.each([
    ["no body", ""],
    ["no JSON", "{query}"],
    ["JSON cut short", query.slice(0, -1)],
    ["a list", `[${query}]`, "BATCH_NOT_SUPPORTED"],
    ["text", '"{ postsCount }"'],
    ["null", "null"],
    ["no query", "{}"],
    ["a query that is a list", '{"query":["{ postsCount }"]}'],
    ["a query on the prototype", `{"__proto__":${query}}`],
    ["variables that are a list", '{"query":"{ postsCount }","variables":[]}'],
    ["variables that are text", '{"query":"{ postsCount }","variables":"{}"}'],
    ["extensions that are a number", '{"query":"{ postsCount }","extensions":1}'],
    ["an operationName that is a number", '{"query":"{ postsCount }","operationName":1}'],
    ["UTF-16", Buffer.from(query, "utf16le")],
    ["incomplete UTF-8", Buffer.from([0x7b, 0x22, 0xc3, 0x22, 0x7d])],
  ])("for %s", async (_, body, reason = "") => {
    const { status, type, text } = await ask(body, { accept: "application/graphql-response+json" });
    expect([status, type]).toEqual([400, json]);
    expectRefusal(text, "VALIDATION_ERROR", reason);
  });

  test.each([
    ["bytes that are not HTTP", "hello\r\n\r\n"],
    ["a length that is not a number", rawPost(query, ["Content-Length: x"])],
    ["two lengths", rawPost(query, [`Content-Length: ${query.length}`, "Content-Length: 3"])],
    ["a length and chunks, as smugglers send", rawPost(query, ["Content-Length: 3", "Transfer-Encoding: chunked"])],
    ["a broken chunk", rawPost("zz\r\n", ["Transfer-Encoding: chunked"])],
    ["a header without a colon", rawPost(query, ["X"])],
    ["NUL in a header", rawPost(query, ["X-A: \0"])],
  ])("from Node, for %s", async (_, raw) => {
    expect((await sendRaw(service.url, raw)).status).toBe(400);
  });

  test.each([
    ["no Host", rawPost(query).replace("Host: localhost\r\n", "")],
    ["two Hosts", rawPost(query, ["Host: localhost"])],
    ["a target that is no URL", rawPost(query).replace("/graphql", "http://[")],
    ["the same with another method", rawPost(query).replace("POST /graphql", "GET http://[")],
  ])("for %s", async (_, raw) => {
    const { status, body } = await sendRaw(service.url, raw);
    expect(status).toBe(400);
    expectRefusal(body);
  });

  test("not for what nests 100,000 levels deep: the limit of variables refuses it, and elsewhere it is ignored", async () => {
    const deep = `${"[".repeat(1e5)}${"]".repeat(1e5)}`;
    const { errors } = JSON.parse((await ask(`{"query":"{ postsCount }","variables":{"a":${deep}}}`)).text);
    expect(errors[0].extensions.limit).toMatchObject({ name: "variableDepth", max: 20 });
    expect(JSON.parse((await ask(`{"query":"{ postsCount }","x":${deep}}`)).text).errors).toBeUndefined();
  });

  test("for a WebSocket with two Hosts", async () => {
    const statusWith = async (headers: Record<string, string>) => {
      const socket = await RawSocket.open(service.url, { protocol: "graphql-transport-ws", headers });
      socket.destroy();
      return socket.status;
    };
    expect([await statusWith({}), await statusWith({ host: "other" })]).toEqual([101, 400]);
  });
});

describe("405, 406, 415, 404", () => {
  test.each(["PUT", "PATCH", "DELETE", "OPTIONS"])("refuses %s", async (method) => {
    const { status, headers, text } = await ask("", {}, method);
    expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
    expectRefusal(text);
  });

  test.each([
    "text/html",
    "image/png",
    ",;q",
    "application/json;q=0",
    "application/json; charset=utf-8; q=0",
    "application",
    "text/*",
    "application/xml",
  ])("406 for Accept: %s", async (accept) => {
    const { status, type, text } = await ask(query, { accept });
    expect([status, type]).toEqual([406, json]);
    expectRefusal(text);
  });

  test.each([
    "text/plain",
    "application/graphql",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json; charset=iso-8859-1",
    "application/json; charset=utf-16",
    "application/json; charset=",
    "application/jsonx",
    "json",
    ";",
  ])("415 for Content-Type: %s", async (contentType) => {
    const { status, text } = await ask(query, { "content-type": contentType });
    expect(status).toBe(415);
    expectRefusal(text);
  });

  test("415 without Content-Type, for two, and for a compressed body", async () => {
    const none = await sendRaw(service.url, rawPost(query).replace("Content-Type: application/json\r\n", ""));
    const two = ["Content-Type: application/json", "Content-Type: text/plain"];
    expect([none.status, (await sendRaw(service.url, rawPost(query, two))).status]).toEqual([415, 415]);
    const { status, headers } = await ask(gzipSync(query), { "content-encoding": "gzip" });
    expect([status, headers.get("accept-encoding")]).toEqual([415, "identity"]);
  });

  test.each(["/", "/GraphQL", "/graphql/x", "/graphql%00", "/%", "/favicon.ico", "/.env", "/graphql/../x"])(
    "404 for %s, without the name of the server",
    async (path) => {
      const answer = await sendRaw(service.url, rawPost(query).replace("/graphql", path));
      expect(answer.status).toBe(404);
      expectRefusal(answer.body, "NOT_FOUND");
      expect(answer.headers).not.toHaveProperty("x-powered-by");
      expect(answer.headers).not.toHaveProperty("server");
    },
  );
});

describe("413, 408, 431", () => {
  test("accepts a body of 1 MiB and refuses one byte more", async () => {
    const limit = 1_048_576;
    const exact = `{"query":"{ postsCount }","x":"${"x".repeat(limit - 33)}"}`;
    expect([Buffer.byteLength(exact), (await ask(exact)).status]).toEqual([limit, 200]);
    const { status, text } = await ask(`${exact} `);
    expect(status).toBe(413);
    expectRefusal(text);
  });

  test("refuses a chunked body without end", async () => {
    const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
    const parts = Array.from({ length: 40 }, () => chunk);
    // Without Connection: close, the connection stays open long enough for the client to read the response.
    const head = rawPost("", ["Transfer-Encoding: chunked"]).replace("Connection: close\r\n", "");
    expect((await sendRaw(service.url, head, ...parts)).status).toBe(413);
  });

  test.each([
    ["a body that does not come", rawPost("", ["Content-Length: 10"])],
    ["headers that do not end", "POST /graphql HTTP/1.1\r\nHost: localhost\r\n"],
  ])("408 for %s", async (_, raw) => {
    const { status, headers } = await sendRaw(service.url, raw);
    expect([status, headers.connection]).toEqual([408, "close"]);
  });

  test("431 for headers of 20 KB", async () => {
    const { status } = await sendRaw(service.url, rawPost(query, [`X-Long: ${"x".repeat(20_000)}`]));
    expect(status).toBe(431);
  });
});

describe("headers", () => {
  const cached = useService({ cacheSeconds: 60, rateLimitAddress: 1_000 });
  const limited = useService({ rateLimitAddress: 1 });
  const page = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");
  const [, , ...rows] = tableRows(page.slice(page.indexOf("| response | `Cache-Control` |")).split("\n\n")[0] ?? "");
  const text = JSON.stringify({ query: "{ postsCount }" });
  const post = (url: string, headers: object = {}, body = text) =>
    fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });
  const get = (headers: Record<string, string> = {}) =>
    fetch(`${cached.url}?${new URLSearchParams({ query: "{ postsCount }" })}`, { headers });
  const spec = { accept: "application/graphql-response+json" };

  const full = useService({ rateLimitAddress: 1_000, poolSize: 1, poolTimeoutMs: 200 });
  const withoutConnection = async () => {
    const lock = await full.database.hold("lock app_public.posts in access exclusive mode");
    const waiting = post(full.url);
    await lock.somebodyWaits();
    const response = await post(full.url);
    await lock.release();
    await waiting;
    return response;
  };
  const starting = { url: "" };
  beforeAll(async () => {
    const { server, close } = await openServer({ ...defaultSettings, port: 0 });
    const { port } = server.address() as AddressInfo;
    starting.url = `http://127.0.0.1:${port}/graphql`;
    service.database.ends.defer(() => close(0));
  });

  /** The requests whose responses have the headers of a row. */
  const requests: Record<string, () => Promise<Response>[]> = {
    "200": () => [post(cached.url), get({ authorization: "Bearer x" })],
    "200 for public caches, 304": () => [
      get(),
      get().then(({ headers }) => get({ "if-none-match": headers.get("etag") ?? "" })),
    ],
    "400, 401": () => [
      post(cached.url, spec, JSON.stringify({ query: "{ unknown }" })),
      post(cached.url, { ...spec, authorization: "Bearer x" }),
    ],
    "404, 405, 406, 413, 415": () => [
      fetch(`${cached.app.url}/nothing`),
      fetch(cached.url, { method: "PUT" }),
      post(cached.url, { accept: "text/html" }),
      post(cached.url, { "content-type": "text/plain" }),
    ],
    "429, 503": () => [post(limited.url).then(() => post(limited.url)), withoutConnection()],
    "503 at the start": () => [post(starting.url)],
  };

  test.each(rows)("of %s are those of docs/errors.md", async (statuses, cacheControl, vary, others) => {
    const responses = await Promise.all(requests[statuses]?.() ?? []);
    expect(responses).not.toEqual([]);
    for (const { status, headers } of responses) {
      expect(statuses).toContain(String(status));
      expect([headers.get("cache-control"), headers.get("vary")]).toEqual([cacheControl, vary || null]);
      const found = ["ETag", "X-RateLimit-Limit", "Retry-After"].filter((name) => headers.has(name));
      expect(found.join(", ")).toBe(others?.replaceAll("`", ""));
    }
  });
});
