import { connect, type Socket } from "node:net";
import { rawPost } from "../support/rawHttp.ts";
import { type TestService, useService } from "../support/service.ts";

/* Clients that do not read their answers. An answer of 7 MB does not fit into the buffers of the operating system. */
const impatient = useService({ trustProxy: "loopback", responseTimeoutMs: 200 });
const frugal = useService({ trustProxy: "loopback", responseTimeoutMs: 600_000, clientBytes: 60_000_000 });
const sockets: Socket[] = [];
// Ten times 700 KB.
const wide = `{ ${[..."abcdefghij"].map((alias) => `${alias}: posts(limit: 7) { content }`).join(" ")} }`;
const query = JSON.stringify({ query: wide });
const responseBytes = 7_000_000;

beforeAll(async () => {
  for (const { database } of [impatient, frugal]) {
    await database.query(`insert into app_public.posts (author_id, title, content, status, published_at)
      select 1, 'Post ' || i, repeat('x', 100000), 'PUBLISHED', now() from generate_series(1, 7) as i`);
  }
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Sends a request and waits for the first bytes of its answer, and reads no others. */
async function askWithoutReading({ url }: TestService, requestId: string, address: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.on("error", () => {});
  socket.write(rawPost(query, [`X-Request-Id: ${requestId}`, `X-Forwarded-For: ${address}`]));
  await new Promise((resolve) => socket.once("readable", resolve));
  return socket;
}

/** The ids of the requests whose connections were closed before the end of the answer. */
const cut = ({ logged }: TestService) =>
  logged.filter(({ status }) => status === 499).map(({ requestId }) => requestId);

async function untilCut(service: TestService, count: number): Promise<unknown[]> {
  while (cut(service).length < count) await service.told("request");
  return cut(service);
}

async function bytesLeft(socket: Socket): Promise<number> {
  let bytes = 0;
  socket.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await new Promise((resolve) => socket.once("close", resolve));
  return bytes;
}

test("a connection is cut when its client reads nothing of the answer for a while", async () => {
  const socket = await askWithoutReading(impatient, "slow", "192.0.2.1");
  expect(await untilCut(impatient, 1)).toEqual(["slow"]);
  expect(await bytesLeft(socket)).toBeLessThan(responseBytes);
});

test("when a client’s next answer finds no room, its oldest unread one is cut", async () => {
  await askWithoutReading(frugal, "first", "192.0.2.1");
  await askWithoutReading(frugal, "second", "192.0.2.1");
  expect(await untilCut(frugal, 1)).toEqual(["first"]);
});

test("when another client’s response finds no room, one that is not read is cut, of the client that holds most", async () => {
  const names = ["one", "two", "three", "four", "five", "six"];
  for (const [index, name] of names.entries()) await askWithoutReading(frugal, name, `192.0.2.${10 + index}`);
  // The first two are those of the test before.
  const [first, second, third] = await untilCut(frugal, 3);
  expect([first, second]).toEqual(["first", "second"]);
  expect(names).toContain(third);
});

test("a client that reads gets all of its answer", async () => {
  const { data } = await frugal.ask(wide);
  expect(JSON.stringify(data).length).toBeGreaterThan(responseBytes);
});
