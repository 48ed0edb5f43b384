import { beforeEach, describe, expect, jest, test } from "@jest/globals";
import pg from "pg";
import { pino } from "pino";
import { RequestCounts } from "../../src/rateLimits/RequestCounts.ts";
import { type Answer, useService } from "../support/service.ts";

const service = useService({ rateLimitAddress: 5, rateLimitUser: 7, rateLimitSignIn: 3, trustProxy: "loopback" });
const silent = pino({ level: "silent" });

/** Each test has an address of its own: counts last for longer than a test. */
let address = "";
let next = 1;
beforeEach(() => {
  address = `192.0.2.${next++}`;
});

async function ask(query: string, headers: Record<string, string> = {}) {
  const response = await fetch(service.url, {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": address, ...headers },
    body: JSON.stringify({ query }),
  });
  const limits = ["limit", "remaining", "used", "reset"].map((name) =>
    Number(response.headers.get(`x-ratelimit-${name}`)),
  );
  return { status: response.status, headers: response.headers, limits, body: await response.json() };
}

async function askTimes(times: number, ...rest: Parameters<typeof ask>) {
  const answers = [];
  for (let i = 0; i < times; i++) answers.push(await ask(...rest));
  return answers;
}

describe("one address", () => {
  test("is told where it stands, and from the sixth request on when to come again", async () => {
    const answers = await askTimes(6, "{ postsCount }");
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
    expect(answers.map(({ limits }) => limits.slice(0, 3))).toEqual([
      [5, 4, 1],
      [5, 3, 2],
      [5, 2, 3],
      [5, 1, 4],
      [5, 0, 5],
      [5, 0, 5],
    ]);
    const last = answers.at(-1);
    const reset = last?.limits[3] ?? 0;
    expect(reset * 1_000 - Date.now()).toBeGreaterThan(50_000);
    const wait = Number(last?.headers.get("retry-after"));
    expect(wait).toBeGreaterThan(50);
    expect(wait).toBeLessThanOrEqual(60);
    expect(last?.body).toEqual({
      data: null,
      errors: [
        {
          message: `This is allowed 5 times in 60 seconds. Try again in ${wait} seconds.`,
          extensions: { code: "RATE_LIMITED", limit: 5, retryAfter: wait },
        },
      ],
    });
  });

  test("is not another one", async () => {
    await askTimes(6, "{ postsCount }");
    expect((await ask("{ postsCount }", { "x-forwarded-for": "192.0.2.200" })).status).toBe(200);
  });

  test("is the one that the trusted proxy has seen, whatever the client says", async () => {
    const forged = (n: number) => ({ "x-forwarded-for": `10.0.0.${n}, ${address}` });
    const statuses = [];
    for (let n = 1; n <= 6; n++) statuses.push((await ask("{ postsCount }", forged(n))).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });

  test("is counted for bad tokens, and for what is no GraphQL", async () => {
    await askTimes(3, "{ postsCount }", { authorization: "Bearer x.y.z" });
    await askTimes(2, "{");
    expect((await ask("{ postsCount }")).status).toBe(429);
  });
});

describe("a user", () => {
  test("is counted, wherever the requests come from, and has nothing to do with the address", async () => {
    const headers = await service.headersOf("ada");
    const answers = [];
    for (let n = 1; n <= 8; n++)
      answers.push(await ask("{ postsCount }", { ...headers, "x-forwarded-for": `198.51.100.${n}` }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 200, 429]);
    expect(answers[0]?.limits[0]).toBe(7);
    expect((await ask("{ postsCount }", await service.headersOf("bob"))).status).toBe(200);
    expect((await ask("{ postsCount }")).limits[2]).toBe(1);
  });
});

describe("signIn and createUser", () => {
  const guess = (n: number) => `a${n}: signIn(email: "ada@example.com", password: "guess ${n}") { userId }`;

  test("are counted by themselves, each call of them", async () => {
    const answers = [
      await ask(`mutation { ${guess(1)} ${guess(2)} }`),
      await ask(`mutation { ${guess(3)} ${guess(4)} }`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 429]);
    expect((answers[1]?.body as Answer).errors?.[0]?.extensions).toMatchObject({ code: "RATE_LIMITED", limit: 3 });
    expect((await ask("{ postsCount }")).status).toBe(200);
  });

  test("a request that is refused does none of it", async () => {
    const create = (n: number) => `a${n}: createUser(name: "A", email: "limited-${n}@example.com") { id }`;
    await ask(`mutation { ${[1, 2, 3, 4].map(create).join(" ")} }`);
    expect(await service.database.query("select from app_private.accounts where email like 'limited-%'")).toEqual([]);
  });
});

describe("the count", () => {
  const open = () => new pg.Pool({ connectionString: service.database.apiUrl, max: 1 });

  test("is one for all instances", async () => {
    const pools = [open(), open()];
    const [one, other] = pools.map((pool) => new RequestCounts(pool, silent, 60)) as [RequestCounts, RequestCounts];
    one.add("shared", 3);
    await one.settle();
    other.add("shared", 4);
    await other.settle();
    one.add("shared", 1);
    await one.settle();
    await other.settle();
    expect(one.peek("shared").used).toBe(8);
    expect(other.peek("shared").used).toBe(7);
    await Promise.all(pools.map((pool) => pool.end()));
  });

  test("begins anew when its time is over, in the database too", async () => {
    const pool = open();
    const counts = new RequestCounts(pool, silent, 60);
    counts.add("over", 3);
    await counts.settle();
    await service.database.query("update app_private.request_counts set expires_at = now() where key = 'over'");
    counts.add("over", 1);
    await counts.settle();
    expect(counts.peek("over").used).toBe(1);
    await pool.end();
  });

  test("goes on without a database, and is told to it afterwards", async () => {
    const broken = new pg.Pool({ connectionString: "postgres://nobody@127.0.0.1:1/none" });
    const counts = new RequestCounts(broken, silent, 60);
    counts.add("alone", 2);
    await counts.settle();
    counts.add("alone", 1);
    expect(counts.peek("alone")).toMatchObject({ used: 3, untold: 3 });
    await counts.settle();
    await broken.end();
  });

  test("of a thousand requests reaches the database in a few statements", async () => {
    const pool = open();
    const counts = new RequestCounts(pool, silent, 60);
    // Of this pool alone: the services of the other tests tell of theirs at any time.
    const query = jest.spyOn(pool, "query");
    for (let i = 0; i < 1_000; i++) counts.add(`many ${i % 100}`, 1);
    await counts.settle();
    expect(query).toHaveBeenCalledTimes(1);
    expect(counts.peek("many 7").used).toBe(10);
    await pool.end();
  });

  test("can be read or reset by nobody else", async () => {
    const pool = open();
    for (const statement of ["select from app_private.request_counts", "delete from app_private.request_counts"]) {
      await expect(pool.query(statement)).rejects.toThrow("permission denied");
    }
    await pool.end();
  });
});
