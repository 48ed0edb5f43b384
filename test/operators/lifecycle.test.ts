import { Agent } from "node:http";
import { setImmediate } from "node:timers/promises";
import { DroppingProxy } from "../../tools/support/DroppingProxy.ts";
import { post, postJson } from "../../tools/support/post.ts";
import { ServiceProcess } from "../../tools/support/ServiceProcess.ts";
import { useDatabase } from "../support/database.ts";

/* The service as a process: it starts before its database, and signals stop it during requests. */
const database = useDatabase();
const started: ServiceProcess[] = [];

afterEach(async () => {
  for (const service of started.splice(0)) await service.end("SIGKILL");
});

function start(environment: Record<string, string> = {}): ServiceProcess {
  const service = new ServiceProcess({ DATABASE_URL: database.ownerUrl, LOG_LEVEL: "info", ...environment });
  started.push(service);
  return service;
}

const listening = /"url":"(http[^"]+)","msg":"listening/;
const statusOf = async (url: string, init: RequestInit = {}) => (await fetch(url, init)).status;

const lockPosts = () => database.hold("lock app_public.posts in access exclusive mode");

describe("a start", () => {
  test("waits for a missing database, logs it, and is alive but not ready meanwhile", async () => {
    const proxy = await DroppingProxy.start(database.ownerUrl);
    await proxy.stop();
    const service = start({ DATABASE_URL: proxy.url });
    const url = await service.printed(listening);
    await service.printed(/(cannot be reached yet \([^)]+\)\. Trying again in 0\.5 s)/);
    expect(await statusOf(`${url}/healthz`)).toBe(200);
    expect(await statusOf(`${url}/readyz`)).toBe(503);
    const response = await fetch(`${url}/graphql`, { method: "POST", body: "{}" });
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: "SERVICE_UNAVAILABLE" } }] });

    await proxy.accept();
    expect(await post(await service.url(), "{ postsCount }")).toEqual({ data: { postsCount: 0 } });
    expect(await statusOf(`${url}/readyz`)).toBe(200);
    expect(await service.end("SIGTERM")).toBe(0);
    await proxy.stop();
  });

  test("opens no port before it is ready, if LISTEN_AT_START is off", async () => {
    const service = start({ LISTEN_AT_START: "false", STOP_DELAY_MS: "2000" });
    const url = await service.url();
    expect(service.output).not.toContain("listening; not ready yet");
    expect(await post(url, "{ postsCount }")).toEqual({ data: { postsCount: 0 } });
    const { port } = new URL(url);
    const second = start({ LISTEN_AT_START: "false", PORT: port });
    expect(await second.end()).toBe(1);
    expect(second.output).toContain(`Port ${port} is taken by another program`);
  });

  test("does not wait for a database that refuses the connection", async () => {
    const service = start({ DATABASE_URL: Object.assign(new URL(database.ownerUrl), { pathname: "/nowhere" }).href });
    expect(await service.end()).toBe(1);
    expect(service.output).toMatch(/The database at \S+ refuses the connection: database "nowhere" does not exist\n/);
    expect(service.output).not.toContain("    at ");
  });
});

describe("SIGTERM", () => {
  test("lets requests in flight finish and accepts no new ones; a second SIGTERM does no harm", async () => {
    const service = start();
    const url = await service.url();
    const lock = await lockPosts();
    const inFlight = post(url, "{ postsCount }");
    await lock.somebodyWaits();
    service.child.kill("SIGTERM");
    for (;;) {
      const isClosed = await statusOf(url).then(
        () => false,
        () => true,
      );
      if (isClosed) break;
    }
    service.child.kill("SIGTERM");
    await lock.release();
    expect(await inFlight).toEqual({ data: { postsCount: 0 } });
    expect(await service.end()).toBe(0);
  });

  test("cancels requests that do not finish in time, and still exits with 0", async () => {
    const service = start({ DRAIN_TIMEOUT_MS: "100", STATEMENT_TIMEOUT_MS: "20000" });
    const url = await service.url();
    const lock = await lockPosts();
    const inFlight = post(url, "{ postsCount }").catch(() => "cut off");
    await lock.somebodyWaits();
    const askedAt = Date.now();
    expect(await service.end("SIGTERM")).toBe(0);
    expect(Date.now() - askedAt).toBeLessThan(10_000);
    expect(await inFlight).toBe("cut off");
    await lock.release();
  });

  test("first makes the service not ready, while it still serves until proxies have noticed", async () => {
    const service = start({ STOP_DELAY_MS: "2000" });
    const url = await service.url();
    service.child.kill("SIGTERM");
    const ready = new URL("/readyz", url).href;
    let response = await fetch(ready);
    while (response.status === 200) response = await fetch(ready);
    expect(await response.json()).toEqual({ status: "not ready", reason: "stopping" });
    expect(await post(url, "{ postsCount }")).toEqual({ data: { postsCount: 0 } });
    expect(await service.end()).toBe(0);
  });
});

test("SIGTERM closes idle connections and ends the service at once, and a log whose reader is behind loses no line", async () => {
  const service = start();
  const url = await service.url();
  service.child.stdout?.pause();
  // More than a pipe holds.
  const paths = Array.from({ length: 1_000 }, (_, n) => `${url}?${"x".repeat(200)}${n}`);
  // fetch keeps idle connections open.
  const statuses = await Promise.all(paths.map((path) => statusOf(path, { method: "POST" })));
  expect(new Set(statuses)).toEqual(new Set([415]));
  service.child.stdout?.resume();
  const askedAt = Date.now();
  expect(await service.end("SIGTERM")).toBe(0);
  expect(Date.now() - askedAt).toBeLessThan(5_000);
  expect(service.output.match(/"status":415/g)).toHaveLength(paths.length);
});

/**
 * Sends writes one after the other over keep-alive connections to the ready upstreams, as a proxy does. It tries
 * another upstream only when a connection is refused, because any other request may have arrived.
 */
async function write(upstreams: URL[], agent: Agent, isOver: () => boolean) {
  const outcome = { done: 0, failed: [] as string[] };
  for (let turn = 0; !isOver(); turn++) {
    const body = JSON.stringify({
      query: `mutation { createUser(name: "Roll", email: "roll-${crypto.randomUUID()}@example.com") { id } }`,
    });
    let text = "ECONNREFUSED";
    for (let attempt = 0; text === "ECONNREFUSED" && attempt <= upstreams.length; attempt++) {
      const upstream = upstreams[(turn + attempt) % upstreams.length] as URL;
      text = await postJson(upstream.href, agent, body).then(
        (answer) => answer.text,
        (error: NodeJS.ErrnoException) => error.code ?? "",
      );
    }
    if (/^\{"data":\{"createUser":\{"id"/.test(text)) outcome.done++;
    else outcome.failed.push(text);
  }
  return outcome;
}

test("a rolling restart of two instances under writes: no write fails, none is executed twice", async () => {
  const upstreams: URL[] = [];
  const before = await database.query<{ count: number }>("select count(*)::int from app_public.users");
  let isOver = false;
  // The health check of a proxy: it removes an instance that is not ready, well before STOP_DELAY_MS is over.
  const checkHealth = async () => {
    while (!isOver) {
      for (const url of [...upstreams]) {
        const isReady = (await statusOf(new URL("/readyz", url).href).catch(() => 0)) === 200;
        if (!isReady && upstreams.includes(url)) upstreams.splice(upstreams.indexOf(url), 1);
      }
      await setImmediate();
    }
  };
  const add = async () => {
    const service = start({ STOP_DELAY_MS: "1000", DATABASE_POOL_SIZE: "4", LOG_LEVEL: "warn" });
    upstreams.push(new URL(await service.url()));
    return service;
  };
  const [first, second] = [await add(), await add()];
  const health = checkHealth();
  const agent = new Agent({ keepAlive: true });
  const writers = Array.from({ length: 4 }, () => write(upstreams, agent, () => isOver));
  for (const old of [first, second]) {
    await add();
    expect(await old.end("SIGTERM")).toBe(0);
  }
  isOver = true;
  const outcomes = await Promise.all(writers);
  await health;
  agent.destroy();
  const done = outcomes.reduce((sum, outcome) => sum + outcome.done, 0);
  expect(outcomes.flatMap(({ failed }) => failed)).toEqual([]);
  expect(done).toBeGreaterThan(20);
  const after = await database.query<{ count: number }>("select count(*)::int from app_public.users");
  expect((after[0]?.count ?? 0) - (before[0]?.count ?? 0)).toBe(done);
}, 60_000);
