import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { pino } from "pino";
import { type App, startApp } from "../../src/app.ts";
import { createTokenSigner } from "../../src/identity/signToken.ts";
import { DroppingProxy } from "../../tools/support/DroppingProxy.ts";
import { useDatabase } from "../support/database.ts";
import { people, reuseSchema, testSecret, testSettings } from "../support/service.ts";
import { until } from "../support/until.ts";

/*
 * Faults of the database. While one lasts, requests are refused quickly with a code. One second after its end, all
 * requests succeed again. No promise rejection is left unhandled.
 */
const database = useDatabase();
let proxy: DroppingProxy;
const poolSize = 3;
let app: App;
let tokens: Record<"ada" | "bob", string>;

beforeAll(async () => {
  const sign = createTokenSigner({ secret: testSecret });
  const tokenOf = async (id: string) => (await sign?.(id))?.token ?? "";
  tokens = { ada: await tokenOf(people.ada), bob: await tokenOf(people.bob) };
});

/** Roles belong to the server, which other test files use at the same time: the setting holds in one database only. */
const inThisDatabase = (statement: string) =>
  `do $$ begin execute format('${statement.replace("%s", "in database %I")}', current_database()); end $$`;

const uncaught: unknown[] = [];
const note = (error: unknown) => void uncaught.push(error);

/** Starts a service for the surrounding block, which begins without what callers have used before. */
function useApp(): void {
  beforeAll(async () => {
    process.on("unhandledRejection", note);
    proxy = await DroppingProxy.start(database.apiUrl);
    const settings = { ...testSettings, poolSize, statementTimeoutMs: 1_500, drainTimeoutMs: 500, reuseSchema };
    app = await startApp({ ...settings, apiDatabaseUrl: proxy.url }, pino({ level: "silent" }));
  });
  afterEach(() => expect(uncaught.splice(0)).toEqual([]));
  afterAll(async () => {
    await app.close();
    await proxy.stop();
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(uncaught).toEqual([]);
  });
}

async function ask(query: string, as?: "ada" | "bob", signal: AbortSignal | null = null) {
  const askedAt = performance.now();
  const response = await fetch(`${app.url}/graphql`, {
    method: "POST",
    signal,
    headers: { "content-type": "application/json", ...(as ? { authorization: `Bearer ${tokens[as]}` } : null) },
    body: JSON.stringify({ query }),
  });
  const { data, errors = [] } = (await response.json()) as { data: any; errors?: any[] };
  return {
    status: response.status,
    data,
    codes: errors.map(({ extensions }) => extensions.code),
    ms: performance.now() - askedAt,
    retryAfter: response.headers.get("retry-after"),
  };
}

/** Requests of several callers for several things, because one caller does not get all connections, nor does one thing. */
const holdAll = () => [ask("{ postsCount }"), ask("{ postsCount }"), ask("{ posts(limit: 1) { id } }", "bob")];
const createPost = (title: string) => `mutation { createPost(input: {title: "${title}", content: "Content."}) { id } }`;
const titles = async () =>
  (await database.query<{ title: string }>("select title from app_public.posts order by id")).map(({ title }) => title);

/** Opens a transaction that blocks others. */
async function blocker(statement: string) {
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  await client.query(`begin; ${statement}`);
  return client;
}

/** Waits until `count` statements of the service, or of the test, wait for a lock. @returns the ids of their backends */
async function waiting(count: number, ofService = true): Promise<number[]> {
  const sql =
    "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and (usename = 'api_login') = $1";
  for (; ; await delay(5)) {
    const rows = await database.query<{ pid: number }>(sql, [ofService]);
    if (rows.length >= count) return rows.map(({ pid }) => pid);
  }
}

/** Sends requests until one succeeds. @returns the time in ms */
async function msUntilWell(): Promise<number> {
  const from = performance.now();
  while ((await ask("{ postsCount }")).codes.length > 0);
  return performance.now() - from;
}

const lockPosts = "lock app_public.posts in access exclusive mode";

describe("a statement that takes too long", () => {
  useApp();

  test("is cancelled, and its connection can be used again", async () => {
    const lock = await blocker(lockPosts);
    const answers = await Promise.all([ask("{ postsCount }"), ask("{ postsCount }", "ada")]);
    await lock.end();
    expect(answers.map(({ codes }) => codes)).toEqual([["TIMEOUT"], ["TIMEOUT"]]);
    for (const { ms } of answers) expect(ms).toBeLessThan(4_000);
    expect(await ask("{ me { id } postsCount }", "bob")).toMatchObject({ data: { me: { id: "2" } } });
  });
});

describe("when all connections are busy", () => {
  useApp();

  test("requests wait for a connection, and are served when the others have timed out", async () => {
    const lock = await blocker(lockPosts);
    const held = holdAll();
    await waiting(poolSize);
    const late = Array.from({ length: 20 }, () => ask(`{ user(id: "1") { name } }`));
    expect((await Promise.all(held)).flatMap(({ codes }) => codes)).toEqual(["TIMEOUT", "TIMEOUT", "TIMEOUT"]);
    await lock.end();
    for (const { status, codes, data } of await Promise.all(late)) {
      expect([status, codes, data]).toEqual([200, [], { user: { name: "Ada" } }]);
    }
  });
});

describe("a request that needs all connections", () => {
  useApp();

  test("gets a few at a time, so that other requests are served meanwhile", async () => {
    const lock = await blocker(lockPosts);
    const fields = Array.from({ length: 10 }, (_, index) => `p${index}: posts(limit: ${index + 1}) { id }`);
    // An email leaves the operation to the engine, which runs a statement for each root field.
    const greedy = ask(`{ me { email } ${fields.join(" ")} }`);
    const taken = await waiting(2);
    const other = await ask(`{ user(id: "1") { name } }`, "bob");
    expect(other).toMatchObject({ codes: [], data: { user: { name: "Ada" } } });
    // The same backends as before: none had to be cancelled for the other request.
    expect(await waiting(2)).toEqual(taken);
    await lock.end();
    expect(await greedy).toMatchObject({ status: 200 });
  });
});

describe("a client that disconnects", () => {
  useApp();

  const isWaitedFor = async (count: number) => {
    const awaited = `database_connections_awaited ${count}\n`;
    await until(async () => (await (await fetch(`${app.url}/metrics`)).text()).includes(awaited));
  };

  test("while its request waits for a connection: the request is not started", async () => {
    const lock = await blocker(lockPosts);
    const held = holdAll();
    await waiting(poolSize);
    const hangUp = new AbortController();
    const givenUp = ask(createPost("Given up"), "ada", hangUp.signal).catch(({ name }) => name);
    await isWaitedFor(1);
    hangUp.abort();
    expect(await givenUp).toBe("AbortError");
    await isWaitedFor(0);
    const next = ask("{ postsCount }");
    await isWaitedFor(1);
    await lock.end();
    await Promise.all(held);
    expect(await next).toMatchObject({ codes: [] });
    expect(await titles()).toEqual([]);
  });
});

describe("a service that had other faults before:", () => {
  useApp();
  // Its connections keep no setting of the test before.
  beforeEach(async () => {
    proxy.breakAll();
    await msUntilWell();
  });

  describe("a backend that is killed", () => {
    test("during a query: 503 with Retry-After; other requests are not affected", async () => {
      const lock = await blocker(lockPosts);
      const victim = ask("{ postsCount }");
      const [pid] = await waiting(1);
      await database.query("select pg_terminate_backend($1)", [pid]);
      expect(await victim).toMatchObject({ status: 503, codes: ["SERVICE_UNAVAILABLE"], retryAfter: "1" });
      await lock.end();
      expect(await ask("{ postsCount }")).toMatchObject({ codes: [] });
    });

    test("during a mutation: it is rolled back and not retried", async () => {
      const lock = await blocker(lockPosts);
      const victim = ask(createPost("Killed"), "ada");
      const [pid] = await waiting(1);
      await database.query("select pg_terminate_backend($1)", [pid]);
      expect(await victim).toMatchObject({ status: 503, codes: ["SERVICE_UNAVAILABLE"] });
      await lock.end();
      expect(await ask(createPost("After"), "ada")).toMatchObject({ codes: [] });
      expect(await titles()).toEqual(["After"]);
    });

    test("while all are idle: the next request gets a new connection", async () => {
      await database.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'api_login' and datname = current_database()",
      );
      expect(await msUntilWell()).toBeLessThan(1_000);
    });
  });

  describe("a database that is down", () => {
    test("makes requests fail at once and /readyz report it, and one second after its return requests succeed", async () => {
      await proxy.stop();
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask("{ postsCount }")));
      for (const { status, codes, retryAfter, ms } of answers) {
        expect([status, codes, retryAfter]).toEqual([503, ["SERVICE_UNAVAILABLE"], "1"]);
        expect(ms).toBeLessThan(1_000);
      }
      expect((await fetch(`${app.url}/readyz`)).status).toBe(503);
      expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
      await proxy.accept();
      expect(await msUntilWell()).toBeLessThan(1_000);
      expect((await fetch(`${app.url}/readyz`)).status).toBe(200);
    });

    test("again and again during requests: each request succeeds or is refused with a code", async () => {
      let isOver = false;
      const seen = new Map<string, number>();
      const callers = (["ada", "bob"] as const).map(async (person) => {
        while (!isOver) {
          const { codes, data } = await ask("{ me { id name } }", person);
          const outcome = codes[0] ?? (data.me.id === people[person] ? "own" : "ANOTHER USER");
          seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
        }
      });
      for (let round = 0; round < 5; round++) {
        await proxy.stop();
        await ask("{ postsCount }");
        await proxy.accept();
        await msUntilWell();
        proxy.breakAll();
      }
      await msUntilWell();
      isOver = true;
      await Promise.all(callers);
      expect([...seen.keys()].filter((outcome) => !["own", "SERVICE_UNAVAILABLE"].includes(outcome))).toEqual([]);
      expect(seen.get("own")).toBeGreaterThan(0);
    });
  });

  describe("a database that refuses writes", () => {
    // First, because the service cuts its connections for that once a second at most.
    test("serves writes at once when new connections accept them, although its own do not", async () => {
      await database.query(inThisDatabase("alter role api_login %s set default_transaction_read_only = on"));
      proxy.breakAll();
      await msUntilWell();
      await Promise.all(holdAll());
      await database.query(inThisDatabase("alter role api_login %s reset default_transaction_read_only"));
      expect(await ask(createPost("Writable again"), "ada")).toMatchObject({ codes: [] });
      expect(await titles()).toContain("Writable again");
    });

    test("serves reads, and refuses writes with SERVICE_UNAVAILABLE", async () => {
      await database.query(inThisDatabase("alter role api_login %s set default_transaction_read_only = on"));
      try {
        proxy.breakAll();
        await msUntilWell();
        expect(await ask(createPost("Read-only"), "ada")).toMatchObject({
          status: 503,
          codes: ["SERVICE_UNAVAILABLE"],
        });
        expect(await ask("{ me { name } }", "ada")).toMatchObject({ data: { me: { name: "Ada" } } });
      } finally {
        await database.query(inThisDatabase("alter role api_login %s reset default_transaction_read_only"));
      }
      expect(await titles()).not.toContain("Read-only");
    });
  });

  describe("two writes in a deadlock", () => {
    let id: string;
    const update = () => ask(`mutation { updatePost(id: "${id}", input: {content: "Mine."}) { content } }`, "ada");
    const afterUpdate = async (body: string) => {
      await database.query(`create or replace function app_hidden.tg_torn() returns trigger language plpgsql security definer as $$
        begin ${body} return new; end $$`);
      await database.query(
        "create or replace trigger _999_torn after update on app_public.posts for each row execute function app_hidden.tg_torn()",
      );
    };
    beforeEach(async () => {
      const [post] = await database.query<{ id: string }>(
        "insert into app_public.posts (author_id, title, slug, content, excerpt) values (1, 'Torn', gen_random_uuid(), 'x', 'x') returning id",
      );
      id = post?.id ?? "";
    });
    afterEach(() => database.query("drop function app_hidden.tg_torn cascade"));

    test("the one that PostgreSQL cancels is run again", async () => {
      // The service writes the post, passes a gate, and locks the user's row. The test locks the user's row and then all posts.
      await afterUpdate(
        "perform pg_advisory_xact_lock_shared(999); perform from app_public.users where id = 2 for update;",
      );
      // Only the service looks for deadlocks, and each time that it waits.
      await database.query(inThisDatabase("alter role api_login %s set deadlock_timeout = 10"));
      try {
        proxy.breakAll();
        await msUntilWell();
        const gate = await blocker("select pg_advisory_xact_lock(999)");
        const other = await blocker(
          "set local deadlock_timeout = '1h'; select from app_public.users where id = 2 for update",
        );
        const torn = update();
        await waiting(1);
        const theirs = other.query("lock app_public.posts in share row exclusive mode");
        await waiting(1, false);
        await gate.end();
        await theirs;
        await other.end();
        expect(await torn).toMatchObject({ data: { updatePost: { content: "Mine." } }, codes: [] });
      } finally {
        await database.query(inThisDatabase("alter role api_login %s reset deadlock_timeout"));
      }
    });

    test("is run again a second time, because it may lock its row once more before the other awakes", async () => {
      await database.query("create sequence app_hidden.attempts");
      const failAttempts = (count: number) =>
        afterUpdate(`if nextval('app_hidden.attempts') <= ${count} then raise sqlstate '40P01'; end if;`);
      await failAttempts(2);
      expect(await update()).toMatchObject({ data: { updatePost: { content: "Mine." } }, codes: [] });
      await failAttempts(6);
      expect(await update()).toMatchObject({ codes: ["CONFLICT"] });
      expect(await database.query("select last_value::int from app_hidden.attempts")).toEqual([{ last_value: 6 }]);
    });
  });

  test("a connection keeps nothing of its previous caller", async () => {
    const people = ["ada", "bob", undefined] as const;
    const answers = await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const person = people[i % 3];
        const { data } = await ask("{ me { name } }", person);
        return [person, data.me?.name.toLowerCase()];
      }),
    );
    for (const [person, name] of answers) expect(name).toBe(person);
  });
});
