import { afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { pino } from "pino";
import { type App, startApp } from "../../src/app.ts";
import { createTokenSigner } from "../../src/identity/signToken.ts";
import { useDatabase } from "../support/database.ts";
import { DatabaseProxy } from "../support/databaseProxy.ts";
import { people, testSecret, testSettings } from "../support/service.ts";

/*
 * A database in trouble: refusals are quick and have a code while it lasts, all is well within a second of its end, and
 * nothing that nobody has caught is left behind.
 */
const database = useDatabase();
const proxy = {} as { current: DatabaseProxy };
const poolSize = 3;
let app: App;
let tokens: Record<"ada" | "bob", string>;

beforeAll(async () => {
  const sign = createTokenSigner({ secret: testSecret });
  const tokenOf = async (id: string) => (await sign?.(id))?.token ?? "";
  tokens = { ada: await tokenOf(people.ada), bob: await tokenOf(people.bob) };
});

const uncaught: unknown[] = [];
const note = (error: unknown) => void uncaught.push(error);
beforeEach(async () => {
  process.on("unhandledRejection", note);
  proxy.current = new DatabaseProxy(database.apiUrl);
  await proxy.current.open();
  const settings = { ...testSettings, poolSize, statementTimeoutMs: 1_500, drainTimeoutMs: 500 };
  app = await startApp(
    { ...settings, apiDatabaseUrl: proxy.current.through(database.apiUrl) },
    pino({ level: "silent" }),
  );
});
afterEach(async () => {
  await app.close();
  await proxy.current.close();
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", note);
  expect(uncaught.splice(0)).toEqual([]);
});

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

const createPost = (title: string) => `mutation { createPost(input: {title: "${title}", content: "Content."}) { id } }`;
const titles = async () =>
  (await database.query<{ title: string }>("select title from app_public.posts order by id")).map(({ title }) => title);

/** Somebody else's transaction, in the way. */
async function blocker(statement: string) {
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  await client.query(`begin; ${statement}`);
  return client;
}

/** As soon as `count` statements of the service wait for a lock, which kind of backend they run in. */
async function waiting(count: number): Promise<number[]> {
  const sql = `select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and usename = 'api_login'`;
  for (;;) {
    const rows = await database.query<{ pid: number }>(sql);
    if (rows.length >= count) return rows.map(({ pid }) => pid);
  }
}

/** Asks until it is answered in full, and says how long that took. */
async function msUntilWell(): Promise<number> {
  const from = performance.now();
  while ((await ask("{ postsCount }")).codes.length > 0);
  return performance.now() - from;
}

const lockPosts = "lock app_public.posts in access exclusive mode";

describe("a statement that takes too long", () => {
  test("is stopped, and the connection is as good as before", async () => {
    const lock = await blocker(lockPosts);
    const answers = await Promise.all([ask("{ postsCount }"), ask("{ postsCount }", "ada")]);
    await lock.end();
    expect(answers.map(({ codes }) => codes)).toEqual([["TIMEOUT"], ["TIMEOUT"]]);
    for (const { ms } of answers) expect(ms).toBeLessThan(4_000);
    expect(await ask("{ me { id } postsCount }", "bob")).toMatchObject({ data: { me: { id: "2" } } });
  });
});

describe("when no connection is to be had", () => {
  test("who cannot wait any longer is told to come again, and the rest are served", async () => {
    const lock = await blocker(lockPosts);
    const held = Array.from({ length: poolSize }, () => ask("{ postsCount }"));
    await waiting(poolSize);
    const late = Array.from({ length: 20 }, () => ask(`{ user(id: "1") { name } }`));
    expect((await Promise.all(held)).flatMap(({ codes }) => codes)).toEqual(["TIMEOUT", "TIMEOUT", "TIMEOUT"]);
    await lock.end();
    for (const { status, codes, data } of await Promise.all(late)) {
      expect([status, codes, data]).toEqual([200, [], { user: { name: "Ada" } }]);
    }
  });
});

describe("a request that wants all connections", () => {
  test("gets some at a time, so that others are served beside it", async () => {
    const lock = await blocker(lockPosts);
    const fields = Array.from({ length: 10 }, (_, index) => `p${index}: posts(limit: ${index + 1}) { id }`);
    const greedy = ask(`{ ${fields.join(" ")} }`);
    const taken = await waiting(2);
    expect(await ask(`{ user(id: "1") { name } }`)).toMatchObject({ codes: [], data: { user: { name: "Ada" } } });
    // The same that there were: nobody had to be stopped first.
    expect(await waiting(2)).toEqual(taken);
    await lock.end();
    expect(await greedy).toMatchObject({ status: 200 });
  });
});

describe("a client that hangs up", () => {
  const isWaitedFor = async (count: number) => {
    const awaited = `database_connections_awaited ${count}\n`;
    while (!(await (await fetch(`${app.url}/metrics`)).text()).includes(awaited));
  };

  test("while it waits for a connection: nothing of it is begun", async () => {
    const lock = await blocker(lockPosts);
    const held = Array.from({ length: poolSize }, () => ask("{ postsCount }"));
    await waiting(poolSize);
    const hangUp = new AbortController();
    const givenUp = ask(createPost("Given up"), "ada", hangUp.signal).catch(({ name }) => name);
    await isWaitedFor(1);
    hangUp.abort();
    expect(await givenUp).toBe("AbortError");
    const next = ask("{ postsCount }");
    await isWaitedFor(2);
    await lock.end();
    await Promise.all(held);
    expect(await next).toMatchObject({ codes: [] });
    expect(await titles()).toEqual([]);
  });
});

describe("a backend that is killed", () => {
  test("in mid-query: 503, come again; the others notice nothing", async () => {
    const lock = await blocker(lockPosts);
    const victim = ask("{ postsCount }");
    const [pid] = await waiting(1);
    await database.query("select pg_terminate_backend($1)", [pid]);
    expect(await victim).toMatchObject({ status: 503, codes: ["SERVICE_UNAVAILABLE"], retryAfter: "1" });
    await lock.end();
    expect(await ask("{ postsCount }")).toMatchObject({ codes: [] });
  });

  test("in mid-mutation: nothing of it is done, and it is not done by itself later", async () => {
    const lock = await blocker(lockPosts);
    const victim = ask(createPost("Killed"), "ada");
    const [pid] = await waiting(1);
    await database.query("select pg_terminate_backend($1)", [pid]);
    expect(await victim).toMatchObject({ status: 503, codes: ["SERVICE_UNAVAILABLE"] });
    await lock.end();
    expect(await ask(createPost("After"), "ada")).toMatchObject({ codes: [] });
    expect(await titles()).toEqual(["After"]);
  });

  test("all of them while idle: the next request has a new one", async () => {
    await database.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'api_login' and datname = current_database()",
    );
    expect(await msUntilWell()).toBeLessThan(1_000);
  });
});

describe("a database that is gone", () => {
  test("is refused for at once, is told by /readyz, and full service is back within a second of its return", async () => {
    await proxy.current.close();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask("{ postsCount }")));
    for (const { status, codes, retryAfter, ms } of answers) {
      expect([status, codes, retryAfter]).toEqual([503, ["SERVICE_UNAVAILABLE"], "1"]);
      expect(ms).toBeLessThan(1_000);
    }
    expect((await fetch(`${app.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
    await proxy.current.open();
    expect(await msUntilWell()).toBeLessThan(1_000);
    expect((await fetch(`${app.url}/readyz`)).status).toBe(200);
  });

  test("and comes again and again, with requests all the while: each is answered in full or refused with a code", async () => {
    let isOver = false;
    const seen = new Map<string, number>();
    const callers = (["ada", "bob"] as const).map(async (person) => {
      while (!isOver) {
        const { codes, data } = await ask("{ me { id name } }", person);
        const outcome = codes[0] ?? (data.me.id === people[person] ? "own" : "SOMEBODY ELSE'S");
        seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
      }
    });
    for (let round = 0; round < 5; round++) {
      await proxy.current.close();
      await ask("{ postsCount }");
      await proxy.current.open();
      await msUntilWell();
      proxy.current.breakAll();
    }
    await msUntilWell();
    isOver = true;
    await Promise.all(callers);
    expect([...seen.keys()].filter((outcome) => !["own", "SERVICE_UNAVAILABLE"].includes(outcome))).toEqual([]);
    expect(seen.get("own")).toBeGreaterThan(0);
  });
});

describe("a database that refuses writes", () => {
  test("is read from, and writes are told to come again", async () => {
    await database.query("alter role api_login set default_transaction_read_only = on");
    try {
      proxy.current.breakAll();
      await msUntilWell();
      expect(await ask(createPost("Read-only"), "ada")).toMatchObject({ status: 503, codes: ["SERVICE_UNAVAILABLE"] });
      expect(await ask("{ me { name } }", "ada")).toMatchObject({ data: { me: { name: "Ada" } } });
    } finally {
      await database.query("alter role api_login reset default_transaction_read_only");
    }
    expect(await titles()).not.toContain("Read-only");
  });
});

describe("two writes in each other's way", () => {
  test("the one that PostgreSQL gives up is a CONFLICT", async () => {
    const [{ id } = { id: "" }] = await database.query<{ id: string }>(
      "insert into app_public.posts (author_id, title, slug, content, excerpt) values (1, 'Torn', 'torn', 'x', 'x') returning id",
    );
    // Ours holds the user's row and will want the post's; the service holds the post's and will want the user's.
    await database.query(`create or replace function app_hidden.tg_wants_user() returns trigger language plpgsql security definer as $$
      begin perform from app_public.users where id = 2 for update; return new; end $$`);
    await database.query(
      "create trigger _999_wants_user after update on app_public.posts for each row execute function app_hidden.tg_wants_user()",
    );
    const other = await blocker(
      "set local deadlock_timeout = '60s'; select from app_public.users where id = 2 for update",
    );
    const torn = ask(`mutation { updatePost(id: "${id}", input: {content: "Mine."}) { id } }`, "ada");
    await waiting(1);
    const theirs = other.query("update app_public.posts set content = 'Theirs.' where id = $1", [id]);
    expect(await torn).toMatchObject({ status: 200, data: { updatePost: null }, codes: ["CONFLICT"] });
    await theirs;
    await other.query("commit");
    await other.end();
    await database.query("drop trigger _999_wants_user on app_public.posts");
    expect(
      await ask(`mutation { updatePost(id: "${id}", input: {content: "Mine."}) { content } }`, "ada"),
    ).toMatchObject({
      data: { updatePost: { content: "Mine." } },
    });
  });
});

test("a connection never keeps anything of its last caller", async () => {
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
