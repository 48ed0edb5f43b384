import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { Agent } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { migrate } from "../../src/database/migrations.ts";
import { createTokenSigner } from "../../src/identity/signToken.ts";
import { DroppingProxy } from "../../tools/support/DroppingProxy.ts";
import { post, postJson } from "../../tools/support/post.ts";
import { ServiceProcess } from "../../tools/support/ServiceProcess.ts";
import { Listener } from "../../tools/torture/Listener.ts";
import { useDatabase } from "../support/database.ts";
import { useMigrationsFolder } from "../support/migrationsFolder.ts";
import { people, reuseSchema, testSecret } from "../support/service.ts";
import { startHere } from "../support/startHere.ts";
import { databaseUrl } from "../support/template.ts";
import { until } from "../support/until.ts";

/* A start waits for its database, and a stop for requests: of a process, which signals stop, and of several instances. */
const database = useDatabase();
const statusOf = async (url: string, init: RequestInit = {}) => (await fetch(url, init)).status;

/** Starts the service on this file's database. */
const start = (settings: Record<string, string>) =>
  startHere({ DATABASE_URL: database.ownerUrl, ...settings }, undefined, { reuseSchema });

const lockPosts = () => database.hold("lock app_public.posts in access exclusive mode");

describe("a process whose database is missing", () => {
  let proxy: DroppingProxy;
  let service: ServiceProcess;
  beforeAll(async () => {
    proxy = await DroppingProxy.start(database.ownerUrl);
    await proxy.stop();
    service = new ServiceProcess({ DATABASE_URL: proxy.url, LOG_LEVEL: "info", LOCK_TIMEOUT_MS: "0" });
  });
  afterAll(async () => {
    await service.end("SIGKILL");
    await proxy.stop();
  });

  test("waits for it, logs it, and is alive but not ready meanwhile", async () => {
    const url = await service.printed(/"url":"(http[^"]+)","msg":"listening/);
    await service.printed(/(cannot be reached yet \([^)]+\)\. Trying again in 0\.5 s)/);
    expect(await statusOf(`${url}/healthz`)).toBe(200);
    expect(await statusOf(`${url}/readyz`)).toBe(503);
    const response = await fetch(`${url}/graphql`, { method: "POST", body: "{}" });
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: "SERVICE_UNAVAILABLE" } }] });

    await proxy.accept();
    expect(await post(await service.url(), "{ postsCount }")).toEqual({ data: { postsCount: 0 } });
    expect(await statusOf(`${url}/readyz`)).toBe(200);
  });

  test("closes idle connections on SIGTERM, finishes requests in flight and ends; a second SIGTERM does no harm, and a log whose reader is behind loses no line", async () => {
    const url = await service.url();
    service.child.stdout?.pause();
    // More than a pipe holds.
    const paths = Array.from({ length: 200 }, (_, n) => `${url}?${"x".repeat(2_000)}${n}`);
    // fetch keeps idle connections open.
    const statuses = await Promise.all(paths.map((path) => statusOf(path, { method: "POST" })));
    expect(new Set(statuses)).toEqual(new Set([415]));
    const lock = await lockPosts();
    const inFlight = post(url, "{ postsCount }");
    await lock.somebodyWaits();
    service.child.stdout?.resume();
    const askedAt = Date.now();
    service.child.kill("SIGTERM");
    await until(() =>
      statusOf(url).then(
        () => false,
        () => true,
      ),
    );
    service.child.kill("SIGTERM");
    await lock.release();
    expect(await inFlight).toEqual({ data: { postsCount: 0 } });
    expect(await service.end()).toBe(0);
    expect(Date.now() - askedAt).toBeLessThan(5_000);
    expect(service.output.match(/"status":415/g)).toHaveLength(paths.length);
  });
});

test("a start does not wait for a database that refuses the connection", async () => {
  await expect(startHere({ DATABASE_URL: databaseUrl(database.ownerUrl, "nowhere") })).rejects.toThrow(
    /The database at \S+ refuses the connection: database "nowhere" does not exist$/,
  );
});

test("a start opens no port before it is ready, if LISTEN_AT_START is off", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const PORT = String((taken.address() as AddressInfo).port);
  const settings = { LISTEN_AT_START: "false", PORT };
  const migrated = await database.hold("lock graphile_migrate.migrations in access exclusive mode");
  const starting = start(settings);
  await migrated.somebodyWaits();
  // A start that had needed the port by now would have failed.
  taken.close();
  await migrated.release();
  await using service = await starting;
  expect(new URL(service.url).port).toBe(PORT);
  await expect(start(settings)).rejects.toThrow(`Port ${PORT} is taken by another program`);
});

test("a stop makes the service not ready, and it serves until proxies have noticed; then requests that do not finish in time are canceled", async () => {
  const limits = { LOCK_TIMEOUT_MS: "0", STATEMENT_TIMEOUT_MS: "20000" };
  const settings = { STOP_DELAY_MS: "2000", DRAIN_TIMEOUT_MS: "100", ...limits };
  const service = await start(settings);
  const lock = await lockPosts();
  const inFlight = post(service.url, "{ postsCount }").catch(() => "cut off");
  await lock.somebodyWaits();
  const askedAt = Date.now();
  const stopping = service[Symbol.asyncDispose]();
  const ready = new URL("/readyz", service.url).href;
  await until(async () => (await statusOf(ready)) !== 200);
  expect(await (await fetch(ready)).json()).toEqual({ status: "not ready", reason: "stopping" });
  expect(await post(service.url, `{ user(id: "1") { name } }`)).toEqual({ data: { user: { name: "Ada" } } });
  await stopping;
  expect(Date.now() - askedAt).toBeLessThan(10_000);
  expect(await inFlight).toBe("cut off");
  await lock.release();
});

/**
 * Sends writes one after the other over keep-alive connections to the ready upstreams, as a proxy does. It tries
 * another upstream only when a connection is refused, because any other request may have arrived.
 */
async function write(
  upstreams: URL[],
  agent: Agent,
  mutation: () => string,
  authorization: string,
  isOver: () => boolean,
) {
  const outcome = { done: 0, failed: [] as string[] };
  for (let turn = 0; !isOver(); turn++) {
    const body = JSON.stringify({ query: `mutation { written: ${mutation()} { id } }` });
    let text = "ECONNREFUSED";
    for (let attempt = 0; text === "ECONNREFUSED" && attempt <= upstreams.length; attempt++) {
      const upstream = upstreams[(turn + attempt) % upstreams.length] as URL;
      text = await postJson(upstream.href, agent, body, { authorization }).then(
        (answer) => answer.text,
        (error: NodeJS.ErrnoException) => error.code ?? "",
      );
    }
    if (/^\{"data":\{"written":\{"id"/.test(text)) outcome.done++;
    else outcome.failed.push(text);
    await delay(50);
  }
  return outcome;
}

describe("a rolling restart of two instances to a release that changes the database, with a chat open", () => {
  const folder = useMigrationsFolder();

  test("no write fails, none is executed twice, and each message arrives once; the old release starts on the new tables", async () => {
    await using running = new AsyncDisposableStack();
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
        await delay(100);
      }
    };
    const add = async () => {
      const settings = { STOP_DELAY_MS: "1000", DATABASE_POOL_SIZE: "4", JWT_SECRET: testSecret };
      const service = await start(settings);
      upstreams.push(new URL(service.url));
      return running.use(service);
    };
    const [first, second] = [await add(), await add()];
    const token = (await createTokenSigner({ secret: testSecret })?.(people.ada))?.token ?? "";
    const [chat] = await database.query<{ id: string }>(
      `with chat as (insert into app_public.chats default values returning id), member as (
         insert into app_public.chat_members (chat_id, user_id) select id, ${people.ada} from chat)
       select id from chat`,
    );
    const chatId = chat?.id as string;
    const listeners = [first, second].map((service) => {
      const choose = () => upstreams.find(({ href }) => href === service.url) ?? (upstreams[0] as URL);
      return running.adopt(
        new Listener(() => choose().href.replace("http", "ws"), token, chatId),
        // By then it may be connecting to an instance that has ended.
        (listener) => listener.stop().catch(() => {}),
      );
    });
    const health = checkHealth();
    const agent = new Agent({ keepAlive: true });
    const say = () => `sendMessage(chatId: "${chatId}", text: "Hello")`;
    await until(async () => {
      await post(first.url, `mutation { ${say()} { id } }`, { authorization: `Bearer ${token}` });
      return listeners.every(({ ids }) => ids.length > 0);
    });
    const signUp = () => `createUser(name: "Roll", email: "roll-${crypto.randomUUID()}@example.com")`;
    const writers = [
      ...[1, 2].map(() => write(upstreams, agent, signUp, "", () => isOver)),
      write(upstreams, agent, say, `Bearer ${token}`, () => isOver),
    ];
    for (const text of ["own", "harmless"]) {
      await folder.commit(await readFile(new URL(`../../tools/fuzz/migrations/${text}.sql`, import.meta.url), "utf8"));
    }
    await migrate(database.ownerUrl, folder.path);
    for (const old of [first, second]) {
      await add();
      await old[Symbol.asyncDispose]();
    }
    isOver = true;
    const outcomes = await Promise.all(writers);
    await health;
    agent.destroy();
    expect(outcomes.flatMap(({ failed }) => failed)).toEqual([]);
    const done = outcomes.slice(0, 2).reduce((sum, outcome) => sum + outcome.done, 0);
    expect(done).toBeGreaterThan(20);
    const after = await database.query<{ count: number }>("select count(*)::int from app_public.users");
    expect((after[0]?.count ?? 0) - (before[0]?.count ?? 0)).toBe(done);
    const written = (
      await database.query<{ id: string }>("select id from app_public.messages where chat_id = $1 order by number", [
        chatId,
      ])
    ).map(({ id }) => id);
    for (const { ids } of listeners) {
      const heard = written.slice(written.indexOf(ids[0] as string));
      await until(() => ids.length >= heard.length);
      expect(ids).toEqual(heard);
    }
  });
});
