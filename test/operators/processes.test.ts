import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { copyMadeDatabase, temporaryDirectory } from "../../tools/support/dataDirectory.ts";
import { post } from "../../tools/support/post.ts";
import { ServiceProcess } from "../../tools/support/ServiceProcess.ts";
import { useDatabase } from "../support/database.ts";
import { RawSocket } from "../support/RawSocket.ts";

/* WEB_CONCURRENCY: several processes share the port, and are one service for clients and operators. */
const database = useDatabase();
const started: ServiceProcess[] = [];

afterEach(async () => {
  for (const service of started.splice(0)) await service.end("SIGKILL");
});

function start(environment: Record<string, string> = {}): ServiceProcess {
  const settings = { WEB_CONCURRENCY: "2", DATABASE_POOL_SIZE: "2", LOG_LEVEL: "info", MAINTENANCE_MINUTES: "0" };
  const service = new ServiceProcess({ DATABASE_URL: database.ownerUrl, ...settings, ...environment });
  started.push(service);
  return service;
}

/** The processes that have logged the message. */
function loggedBy({ output }: ServiceProcess, message: string): number[] {
  const lines = output.split("\n").filter((line) => line.startsWith("{") && line.endsWith("}"));
  const found = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message);
  return [...new Set<number>(found.map(({ pid }) => pid))];
}

async function untilLoggedBy(service: ServiceProcess, message: string, count: number): Promise<number[]> {
  while (loggedBy(service, message).length < count && service.isRunning) await setImmediate();
  return loggedBy(service, message);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const statusOf = async (url: string) =>
  (await fetch(url, { headers: { connection: "close" } }).catch(() => undefined))?.status;

/** A request on a connection of its own. The connections go to the processes in turn. */
async function ask(url: string, query: string): Promise<unknown> {
  const headers = { "content-type": "application/json", connection: "close" };
  return (await fetch(url, { method: "POST", headers, body: JSON.stringify({ query }) })).json();
}

test("the port is open before the database answers", async () => {
  const service = start({ DATABASE_URL: "postgres://postgres@127.0.0.1:1/nobody" });
  const url = await service.printed(/"url":"(http[^"]+)","msg":"listening/);
  await service.printed(/(Trying again)/);
  expect(await statusOf(`${url}/healthz`)).toBe(200);
  const body = async () => ((await (await fetch(`${url}/readyz`)).json()) as { reason: string }).reason;
  while ((await body()) === "starting") await setImmediate();
  expect(await body()).toMatch(/^the database cannot be reached yet: /);
  expect(await service.end("SIGTERM")).toBe(0);
});

test("one that dies is replaced, the log says so, and the service is not ready until then", async () => {
  const service = start();
  const url = await service.url();
  const [killed = 0, other] = await untilLoggedBy(service, "ready", 2);
  const ready = new URL("/readyz", url).href;
  expect(await statusOf(ready)).toBe(200);
  process.kill(killed, "SIGKILL");
  await service.printed(new RegExp(`("worker":${killed},"reason":"SIGKILL".*a worker ended; another one starts)`));
  const response = await fetch(ready, { headers: { connection: "close" } });
  expect([response.status, await response.json()]).toEqual([
    503,
    { status: "not ready", reason: "another process of the service is starting" },
  ]);
  expect(await ask(url, "{ __typename }")).toEqual({ data: { __typename: "Query" } });
  const workers = await untilLoggedBy(service, "ready", 3);
  expect(workers.slice(0, 2)).toEqual([killed, other]);
  while ((await statusOf(ready)) !== 200) await setImmediate();
  expect(await service.end("SIGTERM")).toBe(0);
});

test("SIGTERM closes their WebSockets, lets requests in flight finish, and ends all of them", async () => {
  const service = start();
  const url = await service.url();
  const workers = await untilLoggedBy(service, "ready", 2);
  const sockets = await Promise.all(
    Array.from({ length: 4 }, () => RawSocket.open(url, { protocol: "graphql-transport-ws" })),
  );
  const lock = await database.hold("lock app_public.users in access exclusive mode");
  const inFlight = post(url, `{ user(id: "1") { name } }`);
  await lock.somebodyWaits();
  service.child.kill("SIGTERM");
  expect(await Promise.all(sockets.map(({ closed }) => closed))).toEqual([1012, 1012, 1012, 1012]);
  await lock.release();
  expect(await inFlight).toEqual({ data: { user: { name: "Ada" } } });
  expect(await service.end()).toBe(0);
  expect(workers.filter(isRunning)).toEqual([]);
});

test("two instances of two processes: each answers at one port, adds up in /metrics, follows a migration, and stops alone", async () => {
  const [first, second] = [start(), start()];
  const [url, otherUrl] = await Promise.all([first.url(), second.url()]);
  // The log of a worker may come later than what the primary process prints.
  const workers = await untilLoggedBy(first, "ready", 2);
  const others = await untilLoggedBy(second, "ready", 2);
  expect(workers).not.toContain(first.child.pid);
  for (let i = 0; i < 4; i++)
    expect(await ask(url, "query Counted { __typename }")).toEqual({ data: { __typename: "Query" } });
  expect(await untilLoggedBy(first, "request", 2)).toEqual(expect.arrayContaining(workers));
  const metrics = await (await fetch(new URL("/metrics", url))).text();
  expect(metrics).toContain(
    'graphql_requests_total{operation="Counted",type="query",transport="http",status="200"} 4\n',
  );
  expect(metrics).toContain('database_connections{state="idle"} 4\n');
  expect(metrics).toContain("messages_listening 1\n");

  await database.query("alter table app_public.users add column shoe_size int; notify schema_changed");
  for (const instance of [first, second]) {
    await untilLoggedBy(instance, "the schema has been rebuilt from the database", 2);
  }
  const shoeSize = { data: { user: { shoeSize: null } } };
  for (let i = 0; i < 2; i++) expect(await ask(url, `{ user(id: "1") { shoeSize } }`)).toEqual(shoeSize);
  const open = (to: string) =>
    Promise.all(Array.from({ length: 4 }, () => RawSocket.open(to, { protocol: "graphql-transport-ws" })));
  const [ofFirst, ofSecond] = await Promise.all([url, otherUrl].map(open));
  for (const instance of [first, second]) await untilLoggedBy(instance, "request", 2);
  expect(await first.end("SIGTERM")).toBe(0);
  expect(await Promise.all((ofFirst ?? []).map(({ closed }) => closed))).toEqual([1012, 1012, 1012, 1012]);
  expect(await ask(otherUrl, `{ user(id: "1") { shoeSize } }`)).toEqual(shoeSize);
  for (const socket of ofSecond ?? []) socket.say({ type: "connection_init" });
  expect(await Promise.all((ofSecond ?? []).map(({ messages }) => messages.next()))).toEqual(
    Array.from({ length: 4 }, () => ({ type: "connection_ack" })),
  );

  // Without the primary process, which nothing can ask any more, the others end by themselves.
  await second.end("SIGKILL");
  for (const pid of others) while (isRunning(pid)) await setImmediate();
}, 60_000);

test("a start that fails says the reason once, and leaves no process", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as { port: number };
  const service = start({ PORT: String(port) });
  expect(await service.end()).toBe(1);
  expect(service.output.match(/Port \d+ is taken by another program/g)).toHaveLength(1);
  expect(service.output).not.toContain("    at ");
  taken.close();
});

test("the embedded database is started once, and stopped after the last process", async () => {
  const dataDir = temporaryDirectory("processes");
  copyMadeDatabase(join(dataDir, "postgres"));
  const service = start({ DATABASE_URL: "", DATA_DIR: dataDir });
  const url = await service.url();
  for (let i = 0; i < 2; i++)
    expect(await ask(url, "{ feed(limit: 1) { id } }")).toMatchObject({ data: { feed: [{}] } });
  expect(await service.end("SIGINT")).toBe(0);
  expect(service.output).not.toMatch(/"level":[456]0/);
  expect(existsSync(join(dataDir, "postgres", "cluster", "data", "postmaster.pid"))).toBe(false);
  rmSync(dataDir, { recursive: true, force: true });
});
