import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import CachePolicy from "http-cache-semantics";
import { sendRaw } from "../support/rawHttp.ts";
import { useService } from "../support/service.ts";

const service = useService({ graphiql: false, introspection: false });
const cached = useService({ cacheSeconds: 60, rateLimitAddress: 1_000, corsOrigins: ["https://app.example"] });
const withPage = useService({ graphiql: true });

const get = (url: string, parameters: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${url}?${new URLSearchParams(parameters)}`, { headers });
/** fetch() would unpack the answer, and ask caches not to help. */
async function getRaw(url: string, query: string, headers: Record<string, string>) {
  const sent = request(`${url}?${new URLSearchParams({ query })}`, { headers, agent: false }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, bytes: await buffer(response) };
}
const name = `{ user(id: "1") { name } }`;
const longQuery = `{ users { id name createdAt } ${Array.from({ length: 15 }, (_, index) => `a${index}: users { name bio avatar }`).join(" ")} }`;
const ada = { data: { user: { name: "Ada" } } };

describe("a query by GET", () => {
  test("is answered, with variables and an operation's name", async () => {
    const query = `query Other { postsCount } query One($id: ID!) { user(id: $id) { name } }`;
    const response = await get(service.url, { query, variables: '{"id":"1"}', operationName: "One" });
    expect([response.status, await response.json()]).toEqual([200, ada]);
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  test("reads as the user of its token", async () => {
    const response = await get(service.url, { query: "{ me { name } }" }, await service.headersOf("ada"));
    expect(await response.json()).toEqual({ data: { me: { name: "Ada" } } });
  });

  test.each([
    ["without a query", {}, "query is missing, or is not a string."],
    ["with variables that are no JSON", { query: name, variables: "{" }, "variables is not JSON."],
    ["with variables that are no object", { query: name, variables: "[1]" }, "variables is not an object."],
    ["with extensions that are no JSON", { query: name, extensions: "x" }, "extensions is not JSON."],
  ])("%s is refused", async (_, parameters, message) => {
    const response = await get(service.url, parameters);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ message, extensions: { code: "VALIDATION_ERROR" } }] });
  });

  test("with a slash at the end of the path is answered", async () => {
    expect(await (await get(`${service.url}/`, { query: name })).json()).toEqual(ada);
  });
});

describe("HEAD", () => {
  // Node counts the bytes of short bodies itself, and of a HEAD it has none (RFC 9110, 9.3.2, allows it).
  const ofOneRequest = /^(date|content-length|connection|keep-alive|x-request-id|x-ratelimit-.*)$/;
  const ask = async (method: string, url: string, parameters: object, accept: string) => {
    const response = await fetch(`${url}?${new URLSearchParams({ ...parameters })}`, { method, headers: { accept } });
    const headers = [...response.headers].filter(([name]) => !ofOneRequest.test(name));
    return { status: response.status, headers, text: await response.text() };
  };

  test.each([
    ["a query", { query: name }],
    ["a long query", { query: longQuery }],
    ["no query", {}],
    ["a mutation", { query: "mutation { signOut { success } }" }],
    ["an unknown type", { query: name }, "image/png"],
    ["a query as an event", { query: name }, "text/event-stream"],
    ["a browser's page", {}, "text/html"],
  ])("has the status and the headers of GET, and no content, for %s", async (_, parameters, accept = "*/*") => {
    for (const { url } of [service, cached, withPage]) {
      const { text, ...rest } = await ask("GET", url, parameters, accept);
      expect(text).not.toBe("");
      expect(await ask("HEAD", url, parameters, accept)).toEqual({ ...rest, text: "" });
    }
  });

  test("opens no stream", async () => {
    const query = "subscription { postPublished { id } }";
    const { text } = await ask("HEAD", service.url, { query }, "text/event-stream");
    expect([text, service.app.subscriptions]).toEqual(["", 0]);
  });
});

test("a mutation by GET is refused, and has no effect", async () => {
  const query = `mutation { createUser(name: "Eve", email: "eve@example.com") { id } }`;
  const response = await get(service.url, { query });
  expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  expect(await response.json()).toMatchObject({ errors: [{ message: "A mutation is sent as a POST." }] });
  const eve = await service.database.query("select from app_public.users where name = 'Eve'");
  expect(eve).toHaveLength(0);
});

describe("a page of another site", () => {
  const image = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" };

  test.each([
    ["an image", image],
    ["a link", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }],
    ["a script of a sibling", { "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" }],
  ])("cannot send a query as %s", async (_, headers) => {
    // fetch() of Node refuses to send these headers.
    const { hostname, port, pathname, search } = new URL(`${service.url}?${new URLSearchParams({ query: name })}`);
    const lines = Object.entries(headers).map(([key, value]) => `${key}: ${value}\r\n`);
    const text = `GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${lines.join("")}Connection: close\r\n\r\n`;
    const { status, body } = await sendRaw(service.url, text);
    expect(status).toBe(403);
    expect(body).toContain("apollo-require-preflight");
    const asked = await sendRaw(
      service.url,
      text.replace("Connection", "Apollo-Require-Preflight: true\r\nConnection"),
    );
    expect(asked.status).toBe(200);
  });
});

describe("caches", () => {
  const sent = { "accept-encoding": "br", origin: "https://app.example" };
  /** The headers of a response that are not of this one request. */
  const lasting = ({ date, "x-request-id": id, ...headers }: IncomingMessage["headers"]) => headers;

  test("read the same in the headers of a 304 as in those of the 200", async () => {
    const first = await getRaw(cached.url, longQuery, sent);
    const second = await getRaw(cached.url, longQuery, { ...sent, "if-none-match": first.headers.etag ?? "" });
    // They describe the content, which a 304 does not have (RFC 9110, 15.4.5).
    const { "content-encoding": encoding, "content-length": length, ...headers } = lasting(first.headers);
    expect([second.status, encoding, Number(length)]).toEqual([304, "br", first.bytes.length]);
    expect(lasting(second.headers)).toEqual(headers);
  });

  test("give a client nothing that belongs to another one", async () => {
    const names = (headers: object) => Object.keys(headers).filter((name) => /^x-ratelimit-|^set-cookie$/.test(name));
    const ofOne = await getRaw(cached.url, `{ user(id: "404") { id } }`, {});
    expect(names(ofOne.headers)).toHaveLength(4);
    const first = await getRaw(cached.url, name, {});
    const again = await getRaw(cached.url, name, { "if-none-match": first.headers.etag ?? "" });
    expect([names(first.headers), names(again.headers)]).toEqual([[], []]);
  });

  test("as one of another project reads them, keep encodings, users and types apart, also after a 304", async () => {
    const asked = (headers: IncomingMessage["headers"]) => ({ url: "/graphql", method: "GET", headers });
    const first = await getRaw(cached.url, longQuery, sent);
    const kept = new CachePolicy(asked(sent), { status: 200, headers: first.headers });
    const revalidation = kept.revalidationHeaders(asked(sent)) as Record<string, string>;
    const answer = await getRaw(cached.url, longQuery, revalidation);
    const { policy, modified } = kept.revalidatedPolicy(asked(sent), { status: 304, headers: answer.headers });
    expect([answer.status, modified, policy.storable()]).toEqual([304, false, true]);
    expect(Math.ceil(policy.timeToLive() / 1_000)).toBe(60);
    for (const one of [kept, policy]) {
      expect(one.satisfiesWithoutRevalidation(asked(sent))).toBe(true);
      for (const other of [
        { "accept-encoding": "identity" },
        { authorization: "Bearer x" },
        { accept: "application/graphql-response+json" },
        { origin: "https://other.example" },
      ]) {
        expect(one.satisfiesWithoutRevalidation(asked({ ...sent, ...other }))).toBe(false);
      }
    }
  });

  test("may keep the answer to an anonymous GET, and ask whether it has changed", async () => {
    const first = await get(cached.url, { query: name });
    expect(first.headers.get("cache-control")).toBe("public, max-age=60");
    expect(first.headers.get("vary")).toMatch(/Authorization/);
    const etag = first.headers.get("etag") ?? "";
    const second = await getRaw(cached.url, name, { "if-none-match": etag });
    expect([second.status, second.bytes.length]).toEqual([304, 0]);
    expect(second.headers.vary).toBe(first.headers.get("vary"));
    await cached.database.query("update app_public.users set name = 'Ada L.' where id = 1");
    const third = await getRaw(cached.url, name, { "if-none-match": etag });
    expect([third.status, JSON.parse(third.bytes.toString())]).toEqual([200, { data: { user: { name: "Ada L." } } }]);
  });

  test.each([
    ["a signed-in user's answer", { query: name }, true],
    ["an error", { query: `{ user(id: "404") { id } }` }, false],
  ])("do not keep %s", async (_, parameters, isSignedIn) => {
    const headers = isSignedIn ? await cached.headersOf("ada") : {};
    const response = await get(cached.url, parameters, headers);
    expect([response.headers.get("cache-control"), response.headers.get("etag")]).toEqual(["no-store", null]);
  });
});

describe("compression", () => {
  const raw = async (encodings: string, asked = longQuery) => {
    const { headers, bytes } = await getRaw(service.url, asked, { "accept-encoding": encodings });
    return { encoding: headers["content-encoding"] ?? null, bytes };
  };

  test("follows what the client accepts", async () => {
    const plain = await raw("identity");
    expect(plain.encoding).toBeNull();
    for (const [accepted, encoding, unpack] of [
      ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
      ["gzip", "gzip", gunzipSync],
    ] as const) {
      const packed = await raw(accepted);
      expect(packed.encoding).toBe(encoding);
      expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 3);
      expect(unpack(packed.bytes).toString()).toBe(plain.bytes.toString());
    }
    expect((await raw("br;q=0")).encoding).toBeNull();
  });

  test.each([
    ["gzip;q=1, br;q=0.1", "gzip"],
    ["gzip;q=0.1, br;q=0.2", "br"],
    ["*", "br"],
    ["br;q=0, *", "gzip"],
    ["gzip, identity;q=0.5", "gzip"],
    ["gzip;q=0.5, identity", null],
    ["gzip;q=0, br;q=0", null],
    ["identity;q=0, deflate", null],
  ])("ranks encodings as the client does: %s", async (accepted, encoding) => {
    expect((await raw(accepted)).encoding).toBe(encoding);
  });

  test("leaves short answers as they are", async () => {
    expect((await raw("gzip, br", name)).encoding).toBeNull();
  });
});

describe("the front page", () => {
  const ask = (url: string, path: string, accept: string) => fetch(new URL(path, url), { headers: { accept } });
  const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
  const linksOf = (page: string) => [...page.matchAll(/href="([^"]+)"/g)].map(([, path = ""]) => path);

  test("tells a browser what runs here; its links work, and it may run nothing", async () => {
    const response = await ask(withPage.url, "/", browser);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(response.headers.get("content-security-policy")).toMatch(
      /^default-src 'none';style-src 'sha256-[^;]+;base-uri/,
    );
    const links = linksOf(await response.text());
    expect(links).toEqual(["/graphql", "/schema.graphql", "/healthz", "/readyz"]);
    for (const path of links) expect((await ask(withPage.url, path, browser)).status).toBe(200);
  });

  test("names neither GraphiQL nor the schema where they are not served", async () => {
    expect(linksOf(await (await ask(service.url, "/", browser)).text())).toEqual(["/healthz", "/readyz"]);
    expect((await ask(service.url, "/schema.graphql", "*/*")).status).toBe(404);
  });

  test("has two lines for curl: what it is, and a command that works", async () => {
    const response = await ask(service.url, "/", "*/*");
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const [words, command = "", end] = (await response.text()).split("\n");
    expect([words, end]).toEqual([expect.stringMatching(/^content-service \d+\.\d+\.\d+: .*GraphQL/), ""]);
    const [, url = "", type = "", body = ""] = /^curl (\S+) -H '(.+): .+' -d '(.+)'$/.exec(command) ?? [];
    const answer = await fetch(url, { method: "POST", headers: { [type]: "application/json" }, body });
    expect([url, await answer.json()]).toEqual([service.url, { data: { feed: [] } }]);
  });

  test("puts no Host into the command that a shell would read otherwise", async () => {
    const { body } = await sendRaw(service.url, "GET / HTTP/1.1\r\nHost: x;reboot\r\nConnection: close\r\n\r\n");
    expect(body).toContain("curl http://localhost/graphql ");
  });

  test("the schema is the one of schema.graphql", async () => {
    const file = readFileSync(new URL("../../schema.graphql", import.meta.url), "utf8");
    expect(await (await ask(withPage.url, "/schema.graphql", "*/*")).text()).toBe(file);
  });
});

test("401 names the scheme", async () => {
  const headers = { authorization: "Bearer x", accept: "application/graphql-response+json" };
  const response = await get(service.url, { query: name }, headers);
  expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, 'Bearer error="invalid_token"']);
});
