import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { DroppingProxy } from "../../tools/support/DroppingProxy.ts";
import { copyMadeDatabase, temporaryDirectory } from "../../tools/support/dataDirectory.ts";
import { post } from "../../tools/support/post.ts";
import { ServiceProcess } from "../../tools/support/ServiceProcess.ts";
import { useDatabase } from "../support/database.ts";
import { RawSocket } from "../support/RawSocket.ts";
import { startHere } from "../support/startHere.ts";

/* WEB_CONCURRENCY: several processes share the port, and are one service for clients and operators. */
const started: ServiceProcess[] = [];

afterAll(async () => {
  for (const service of started) await service.end("SIGKILL");
});

function start(environment: Record<string, string>): ServiceProcess {
  const settings = { WEB_CONCURRENCY: "2", DATABASE_POOL_SIZE: "2", LOG_LEVEL: "info", MAINTENANCE_MINUTES: "0" };
  const service = new ServiceProcess({ ...settings, ...environment });
  started.push(service);
  return service;
}

/** Waits until so many processes have logged the message. @returns their ids */
const loggedBy = (service: ServiceProcess, message: string, count: number): Promise<number[]> =>
  service.until((output) => {
    const lines = output.split("\n").filter((line) => line.includes(message) && line.endsWith("}"));
    const found = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message);
    const pids = [...new Set<number>(found.map(({ pid }) => pid))];
    return pids.length < count ? undefined : pids;
  });

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Asks again until it is so. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(10);
}

/** A request on a connection of its own. The connections go to the processes in turn. */
async function ask(url: string, query: string): Promise<unknown> {
  const headers = { "content-type": "application/json", connection: "close" };
  return (await fetch(url, { method: "POST", headers, body: JSON.stringify({ query }) })).json();
}

async function get(url: string, path: string): Promise<[number | undefined, string | undefined]> {
  const response = await fetch(new URL(path, url), { headers: { connection: "close" } }).catch(() => undefined);
  return [response?.status, await response?.text()];
}

/** Sockets to all processes of a service. */
const openSockets = (url: string) =>
  Promise.all(Array.from({ length: 4 }, () => RawSocket.open(url, { protocol: "graphql-transport-ws" })));

describe("an instance of two processes", () => {
  const database = useDatabase();
  let proxy: DroppingProxy;
  let service: ServiceProcess;
  let url: string;
  let workers: number[];

  beforeAll(async () => {
    proxy = await DroppingProxy.start(database.ownerUrl);
    await proxy.stop();
    service = start({ DATABASE_URL: proxy.url });
  });
  afterAll(() => proxy.stop());

  test("opens its port before the database answers", async () => {
    const early = await service.printed(/"url":"(http[^"]+)","msg":"listening/);
    await service.printed(/(Trying again)/);
    expect((await get(early, "/healthz"))[0]).toBe(200);
    await until(async () => !(await get(early, "/readyz"))[1]?.includes('"starting"'));
    expect((await get(early, "/readyz"))[1]).toContain('"reason":"the database cannot be reached yet: ');
    await proxy.accept();
    url = await service.url();
    // The log of a worker may come later than what the primary process prints.
    workers = await loggedBy(service, "ready", 2);
    expect(workers).not.toContain(service.child.pid);
  });

  test("answers at one port, and adds up in /metrics", async () => {
    for (let i = 0; i < 4; i++)
      expect(await ask(url, "query Counted { __typename }")).toEqual({ data: { __typename: "Query" } });
    expect(await loggedBy(service, "request", 2)).toEqual(expect.arrayContaining(workers));
    const [, metrics] = await get(url, "/metrics");
    expect(metrics).toContain(
      'graphql_requests_total{operation="Counted",type="query",transport="http",status="200"} 4\n',
    );
    expect(metrics).toContain('database_connections{state="idle"} 4\n');
    expect(metrics).toContain("messages_listening 1\n");
  });

  test("follows a migration", async () => {
    await database.query("alter table app_public.users add column shoe_size int; notify schema_changed");
    await loggedBy(service, "the schema has been rebuilt from the database", 2);
    const shoeSize = { data: { user: { shoeSize: null } } };
    for (let i = 0; i < 2; i++) expect(await ask(url, `{ user(id: "1") { shoeSize } }`)).toEqual(shoeSize);
  });

  test("replaces a process that dies, says so in the log, and is not ready until then", async () => {
    const [killed = 0, other] = workers;
    expect((await get(url, "/readyz"))[0]).toBe(200);
    process.kill(killed, "SIGKILL");
    await service.printed(new RegExp(`("worker":${killed},"reason":"SIGKILL".*a worker ended; another one starts)`));
    expect(await get(url, "/readyz")).toEqual([
      503,
      '{"status":"not ready","reason":"another process of the service is starting"}',
    ]);
    expect(await ask(url, "{ __typename }")).toEqual({ data: { __typename: "Query" } });
    workers = await loggedBy(service, "ready", 3);
    expect(workers.slice(0, 2)).toEqual([killed, other]);
    await until(async () => (await get(url, "/readyz"))[0] === 200);
  });

  test("stops alone: SIGTERM closes its WebSockets, lets requests in flight finish, and ends all its processes", async () => {
    await using other = await startHere({ DATABASE_URL: database.ownerUrl });
    const sockets = await openSockets(url);
    const otherSockets = await openSockets(other.url);
    const lock = await database.hold("lock app_public.posts in access exclusive mode");
    const inFlight = post(url, "{ postsCount }");
    await lock.somebodyWaits();
    service.child.kill("SIGTERM");
    expect(await Promise.all(sockets.map(({ closed }) => closed))).toEqual([1012, 1012, 1012, 1012]);
    await lock.release();
    expect(await inFlight).toEqual({ data: { postsCount: 0 } });
    expect(await service.end()).toBe(0);
    expect(workers.filter(isRunning)).toEqual([]);
    for (const socket of otherSockets) socket.say({ type: "connection_init" });
    expect(await Promise.all(otherSockets.map(({ messages }) => messages.next()))).toEqual(
      Array.from({ length: 4 }, () => ({ type: "connection_ack" })),
    );
  });

  test("that cannot start says the reason once, and leaves no process", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    const refused = start({ DATABASE_URL: database.ownerUrl, PORT: String(port) });
    expect(await refused.end()).toBe(1);
    expect(refused.output.match(/Port \d+ is taken by another program/g)).toHaveLength(1);
    expect(refused.output).not.toContain("    at ");
    taken.close();
  });
});

test("a process ends without the primary process, which nothing can ask any more", async () => {
  const service = start({ DATABASE_URL: "postgres://postgres@127.0.0.1:1/nobody" });
  const [worker = 0] = await loggedBy(service, "listening; not ready yet", 1);
  await service.end("SIGKILL");
  expect(worker).not.toBe(service.child.pid);
  await until(() => !isRunning(worker));
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
