import { createHash } from "node:crypto";
import { once } from "node:events";
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { cases } from "./cases.ts";
import { service } from "./servers.ts";
import { median, table } from "./table.ts";

interface Sent {
  method: "GET" | "POST";
  path?: string;
  body?: string;
  headers?: Record<string, string>;
}

interface Exchange {
  status: number;
  headers: IncomingHttpHeaders;
  /** Bytes on the connection, with the headers. */
  sent: number;
  received: number;
  ms: number;
}

/** A mobile connection, in bytes a millisecond: 10 Mbit/s. */
const slowNetwork = 1_250;
const requests = 200;

/**
 * Measures compression, hashes and ETags, over one connection to a service of its own. Bytes are exact. Times are of this machine, and
 * those of a slow network are computed from the bytes.
 *
 * @returns a section in Markdown
 */
export async function measureTransport(ownerUrl: string): Promise<string> {
  const server = await service("service, cached", ownerUrl, { environment: { CACHE_SECONDS: "60" } }).start();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const rows: (string | number)[][] = [];
    for (const limit of [10, 50]) rows.push(...(await compareWays(new URL(server.url), agent, limit)));
    return table(
      ["posts", "way", "bytes sent", "bytes received", "bytes, ratio", "ms", "time, ratio", "time at 10 Mbit/s, ratio"],
      rows,
    );
  } finally {
    agent.destroy();
    await server.stop();
  }
}

async function compareWays(url: URL, agent: Agent, limit: number): Promise<(string | number)[][]> {
  const { query, operationName } = cases["feed"] as (typeof cases)[string];
  const variables = { limit };
  const extensions = { persistedQuery: { version: 1, sha256Hash: createHash("sha256").update(query).digest("hex") } };
  const whole: Sent = { method: "POST", body: JSON.stringify({ query, variables, operationName }) };
  const byHash: Sent = { method: "POST", body: JSON.stringify({ extensions, variables, operationName }) };
  const search = new URLSearchParams({
    extensions: JSON.stringify(extensions),
    variables: JSON.stringify(variables),
    operationName,
  });
  const get: Sent = { method: "GET", path: `${url.pathname}?${search}` };
  const accepting = (one: Sent, encoding: string, headers = {}): Sent => ({
    ...one,
    headers: { "accept-encoding": encoding, ...headers },
  });
  // The hash is registered before it is used alone.
  await exchange(url, agent, { method: "POST", body: JSON.stringify({ query, extensions, variables, operationName }) });
  const { headers } = await exchange(url, agent, accepting(get, "br"));
  const ways: [string, Sent, number][] = [
    ["POST", whole, 200],
    ["POST, gzip", accepting(whole, "gzip"), 200],
    ["POST, Brotli", accepting(whole, "br"), 200],
    ["POST by hash, Brotli", accepting(byHash, "br"), 200],
    ["GET by hash, Brotli", accepting(get, "br"), 200],
    ["GET by hash, known ETag", accepting(get, "br", { "if-none-match": headers.etag ?? "" }), 304],
  ];
  const measured: { name: string; sent: number; received: number; ms: number }[] = [];
  for (const [name, one, status] of ways) {
    const exchanges: Exchange[] = [];
    for (let count = 0; count < requests; count++) {
      const last = await exchange(url, agent, one);
      if (last.status !== status) throw new Error(`${name} has the status ${last.status}, and not ${status}.`);
      exchanges.push(last);
    }
    const middle = (key: "sent" | "received" | "ms") => median(exchanges.map((last) => last[key]));
    measured.push({ name, sent: middle("sent"), received: middle("received"), ms: middle("ms") });
  }
  const bytes = ({ sent, received }: { sent: number; received: number }) => sent + received;
  const slowly = (one: (typeof measured)[number]) => one.ms + bytes(one) / slowNetwork;
  const plain = measured[0] as (typeof measured)[number];
  const ratio = (value: number, base: number) => (value / base).toFixed(2);
  return measured.map((one) => [
    limit,
    one.name,
    one.sent,
    one.received,
    ratio(bytes(one), bytes(plain)),
    one.ms.toFixed(2),
    ratio(one.ms, plain.ms),
    ratio(slowly(one), slowly(plain)),
  ]);
}

/** The bytes of each connection so far. */
const counted = new WeakMap<Socket, { sent: number; received: number }>();

async function exchange(
  url: URL,
  agent: Agent,
  { method, path = url.pathname, body, headers }: Sent,
): Promise<Exchange> {
  const from = performance.now();
  const sending = request(url, { agent, method, path, headers: { "content-type": "application/json", ...headers } });
  sending.end(body);
  const [response] = (await once(sending, "response")) as [IncomingMessage];
  const { socket } = response;
  await once(response.resume(), "end");
  const before = counted.get(socket) ?? { sent: 0, received: 0 };
  const after = { sent: socket.bytesWritten, received: socket.bytesRead };
  counted.set(socket, after);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    sent: after.sent - before.sent,
    received: after.received - before.received,
    ms: performance.now() - from,
  };
}
