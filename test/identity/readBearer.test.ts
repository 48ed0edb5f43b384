import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { readBearer } from "../../src/identity/readToken.ts";
import { outcome, tokenInvalid } from "./outcome.ts";

/** Responds with the result of readBearer for the request, as Node’s HTTP parser has read it. */
let server: Server;
beforeAll(async () => {
  server = createServer(async (request, response) => {
    const found = await outcome(() => readBearer(request.headersDistinct.authorization) ?? "anonymous");
    response.end(JSON.stringify(found));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Sends raw headers, because fetch normalizes them. */
async function send(...headers: string[]): Promise<unknown> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.end(["GET / HTTP/1.1", "Host: x", "Connection: close", ...headers, "", ""].join("\r\n"), "latin1");
  const answer = Buffer.concat(await socket.toArray()).toString();
  return JSON.parse(/\r\n\r\n(?:[\da-f]+\r\n)?(.*)/.exec(answer)?.[1] ?? "null");
}

test.each([
  ["no header", [], "anonymous"],
  ["an empty header", ["Authorization:"], "anonymous"],
  ["a header of spaces", ["Authorization:   "], "anonymous"],
  ["a token", ["Authorization: Bearer a.b.c"], "a.b.c"],
  ["bearer in small letters", ["authorization: bearer a.b.c"], "a.b.c"],
  ["BEARER in capitals", ["AUTHORIZATION: BEARER a.b.c"], "a.b.c"],
  ["several spaces between", ["Authorization: Bearer    a.b.c"], "a.b.c"],
  ["trailing spaces, which HTTP removes", ["Authorization: Bearer a.b.c  "], "a.b.c"],
  ["a token in another header", ["X-Authorization: Bearer a.b.c", "Proxy-Authorization: Bearer a.b.c"], "anonymous"],
  ["a cookie", ["Cookie: authToken=a.b.c"], "anonymous"],
])("takes %s", async (_, headers, expected) => {
  expect(await send(...headers)).toBe(expected);
});

test.each([
  ["Bearer alone", ["Authorization: Bearer"]],
  ["Bearer and a space", ["Authorization: Bearer "]],
  ["a bare token", ["Authorization: a.b.c"]],
  ["no space between", ["Authorization: Bearera.b.c"]],
  ["a tab between", ["Authorization: Bearer\ta.b.c"]],
  ["a colon between", ["Authorization: Bearer: a.b.c"]],
  ["a space inside", ["Authorization: Bearer a.b c"]],
  ["two schemes", ["Authorization: Bearer Bearer a.b.c"]],
  ["a no-break space between", ["Authorization: Bearer\xa0a.b.c"]],
  ["Basic", ["Authorization: Basic YWRhOnNlY3JldA=="]],
  ["Digest", ['Authorization: Digest username="ada"']],
  ["Token", ["Authorization: Token a.b.c"]],
  ["several headers", ["Authorization: Bearer a.b.c", "Authorization: Bearer d.e.f"]],
  ["several headers that are the same", ["Authorization: Bearer a.b.c", "Authorization: Bearer a.b.c"]],
  ["several headers, spelt otherwise", ["Authorization: Bearer a.b.c", "aUTHORIZATION: Bearer d.e.f"]],
  ["several headers, the first empty", ["Authorization:", "Authorization: Bearer a.b.c"]],
  ["several headers, the second empty", ["Authorization: Bearer a.b.c", "Authorization:"]],
  ["several headers, joined by a proxy", ["Authorization: Bearer a.b.c, Bearer d.e.f"]],
])("refuses %s", async (_, headers) => {
  expect(await send(...headers)).toEqual(tokenInvalid);
});
