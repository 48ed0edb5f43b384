import pg from "pg";
import { pino } from "pino";
import { createTokenSigner } from "../../src/identity/signToken.ts";
import { RateLimits } from "../../src/rateLimits/RateLimits.ts";
import { type Answer, testSecret, useService } from "../support/service.ts";

const limits = { rateLimitAddress: 5, rateLimitUser: 7, rateLimitSignIn: 3 };
const service = useService({ ...limits, trustProxy: "loopback" });

/** Each test has an address of its own: counts last for longer than a test. */
let address = "";
let next = 1;
beforeEach(() => {
  address = `192.0.2.${next++}`;
});

/** Each of these is what one instance of the service has. */
const pools: pg.Pool[] = [];
const warnings: string[] = [];
const log = pino({ level: "warn" }, { write: (line) => void warnings.push(JSON.parse(line).msg) });
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.end()));
  warnings.length = 0;
});

function instance(connectionString = service.database.apiUrl): RateLimits {
  const pool = new pg.Pool({ connectionString, max: 1 });
  pools.push(pool);
  return new RateLimits(limits, pool, log);
}

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
      errors: [
        {
          message: `This is allowed 5 times in 60 seconds. Try again in ${wait} seconds.`,
          extensions: { code: "RATE_LIMITED", limit: { name: "requests", max: 5, asked: 6 }, retryAfter: wait },
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

describe("a user who is not verified", () => {
  const sign = createTokenSigner({ secret: testSecret });

  /** A new account, as createUser makes it. */
  async function newUser(): Promise<{ id: string; headers: Record<string, string> }> {
    const [user] = await service.database.query<{ id: string }>(`
      with made as (insert into app_public.users (name) values ('New') returning id)
      insert into app_private.accounts (user_id, email) select id, id || '@example.com' from made returning user_id as id`);
    const id = user?.id as string;
    return { id, headers: { authorization: `Bearer ${(await sign?.(id))?.token}` } };
  }

  test("shares the limit of the address with all others there", async () => {
    const statuses = [];
    for (let n = 1; n <= 6; n++) statuses.push((await ask("{ postsCount }", (await newUser()).headers)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await ask("{ postsCount }")).status).toBe(429);
    expect((await ask("{ postsCount }", await service.headersOf("admin"))).status).toBe(200);
  });

  test("has the own limit as well, and is told the nearer one", async () => {
    const { headers } = await newUser();
    await ask("{ postsCount }");
    expect((await ask("{ postsCount }", headers)).limits.slice(0, 3)).toEqual([5, 3, 2]);
    const elsewhere = (n: number) => ({ ...headers, "x-forwarded-for": `203.0.113.${n}` });
    const statuses = [];
    for (let n = 1; n <= 7; n++) statuses.push((await ask("{ postsCount }", elsewhere(n))).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429]);
  });

  test("is asked for once, and counts as unverified while the database cannot say", async () => {
    const { id } = await newUser();
    await service.database.query("update app_private.accounts set verified_at = now() where user_id = $1", [id]);
    const one = instance();
    expect(await one.countRequest(id, address)).toMatchObject({ quotaKey: `user ${id}`, standing: { limit: 7 } });
    await Promise.all(pools.splice(0).map((pool) => pool.end()));
    expect(await one.countRequest(id, address)).toMatchObject({ quotaKey: `user ${id}`, standing: { used: 2 } });
    const alone = instance("postgres://nobody@127.0.0.1:1/none");
    expect(await alone.countRequest(id, address)).toMatchObject({ quotaKey: address, standing: { limit: 5 } });
    expect(warnings).toEqual(["the database could not say whether a user is verified"]);
  });
});

describe("signIn and createUser, whose functions are tagged @rateLimited,", () => {
  const guess = (n: number) => `a${n}: signIn(email: "ada@example.com", password: "guess ${n}") { userId }`;

  test("are counted by themselves, each call of them", async () => {
    const answers = [
      await ask(`mutation { ${guess(1)} ${guess(2)} }`),
      await ask(`mutation { ${guess(3)} ${guess(4)} }`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 429]);
    expect((answers[1]?.body as Answer | undefined)?.errors?.[0]?.extensions).toMatchObject({
      code: "RATE_LIMITED",
      limit: { name: "requests", max: 3 },
    });
    expect((await ask("{ postsCount }")).status).toBe(200);
  });

  test("are counted for the address when the token is bad, which they do not need", async () => {
    const bad = { authorization: "Bearer x.y.z" };
    const answers = await askTimes(4, `mutation { ${guess(1)} }`, bad);
    expect(answers.map(({ limits }) => limits.slice(0, 3))).toEqual([
      [5, 4, 1],
      [5, 3, 2],
      [5, 2, 3],
      [5, 1, 4],
    ]);
    expect(answers.map(({ body }) => (body as Answer).errors?.[0]?.extensions.code)).toEqual([
      ...Array(3).fill("UNAUTHORIZED"),
      "RATE_LIMITED",
    ]);
    expect((await ask("{ postsCount }", bad)).body).toMatchObject({
      errors: [{ extensions: { reason: "TOKEN_INVALID" } }],
    });
    expect((await ask("{ postsCount }")).status).toBe(429);
  });

  test("a request that is refused does none of it", async () => {
    const create = (n: number) => `a${n}: createUser(name: "A", email: "limited-${n}@example.com") { id }`;
    await ask(`mutation { ${[1, 2, 3, 4].map(create).join(" ")} }`);
    expect(await service.database.query("select from app_private.accounts where email like 'limited-%'")).toEqual([]);
  });
});

describe("of several instances", () => {
  const refused = {
    code: "RATE_LIMITED",
    extensions: { limit: { name: "requests", max: 3 }, retryAfter: expect.any(Number) },
  };
  const stored = () =>
    service.database.query("select points from app_private.rate_limited_calls where key = $1", [address]);

  test("each counts requests for itself", async () => {
    const [one, other] = [instance(), instance()];
    for (let i = 0; i < 5; i++) await one.countRequest(undefined, address);
    expect(await one.countRequest(undefined, address)).toMatchObject({
      standing: { used: 5, remaining: 0 },
      refusal: { code: "RATE_LIMITED" },
    });
    const counted = await other.countRequest(undefined, address);
    expect(counted).toMatchObject({ standing: { used: 1, remaining: 4 }, refusal: undefined });
  });

  test("guarded calls are counted together", async () => {
    const [one, other] = [instance(), instance()];
    await one.countGuarded(2, address);
    await other.countGuarded(1, address);
    await expect(one.countGuarded(1, address)).rejects.toMatchObject(refused);
    await expect(other.countGuarded(1, address)).rejects.toMatchObject(refused);
  });

  test("the count of guarded calls starts again when its time is over", async () => {
    await instance().countGuarded(3, address);
    await service.database.query("update app_private.rate_limited_calls set expires_at = '-infinity' where key = $1", [
      address,
    ]);
    await instance().countGuarded(1, address);
    expect(await stored()).toEqual([{ points: 1 }]);
  });

  test("one without a database limits guarded calls by its own count, and logs a warning", async () => {
    const alone = instance("postgres://nobody@127.0.0.1:1/none");
    await alone.countGuarded(3, address);
    expect(warnings).toEqual(["rate-limited calls could not be counted in the database"]);
    await expect(alone.countGuarded(1, address)).rejects.toMatchObject(refused);
  });

  test("calls that an instance refuses by its own count do not reach the database", async () => {
    const one = instance();
    for (const calls of [4, 2 ** 40, 1e21]) {
      await expect(one.countGuarded(calls, address)).rejects.toMatchObject(refused);
    }
    expect(await stored()).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test.each([
    "delete from app_private.rate_limited_calls",
    "truncate app_private.rate_limited_calls",
    "select from app_private.rate_limited_calls",
    "update app_private.rate_limited_calls set points = 0",
    "insert into app_private.rate_limited_calls values ('x', 1, now())",
  ])("the service’s login may not %s", async (statement) => {
    instance();
    await expect(pools[0]?.query(statement)).rejects.toThrow("permission denied");
  });

  test("the service’s login can only raise a count", async () => {
    await instance().countGuarded(3, address);
    const count = "select points from app_private.count_rate_limited_calls($1, $2)";
    await expect(pools[0]?.query(count, [address, -3])).rejects.toThrow("Not a number of calls");
    expect((await pools[0]?.query(count, [address, 2 ** 31 - 1]))?.rows).toEqual([{ points: 2 ** 31 - 1 }]);
  });
});

describe("X-Forwarded-For", () => {
  const hops = useService({ trustProxy: 1 });
  const none = useService({});
  const network = useService({ trustProxy: "10.0.0.0/8, 192.0.2.7" });
  const send = (url: string, forwarded: string) =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-for": forwarded },
      body: '{"query":"{ postsCount }"}',
    });
  const disbelieved = async ({ app }: typeof service) => {
    const text = await (await fetch(`${app.url}/metrics`)).text();
    return Number(/^forwarded_for_disbelieved_total (\d+)$/m.exec(text)?.[1]);
  };

  test("is counted in a metric where no trusted proxy has written an address of it", async () => {
    for (const forwarded of ["192.0.2.1", "198.51.100.1, 192.0.2.1"]) await send(hops.url, forwarded);
    await send(none.url, "192.0.2.1");
    expect([await disbelieved(hops), await disbelieved(none)]).toEqual([1, 1]);
  });

  test("a start warns of networks that are trusted, and of nothing else", () => {
    const warned = ({ logged }: typeof service) =>
      logged.find(({ msg }) => String(msg).startsWith("TRUST_PROXY"))?.["networks"];
    expect([hops, none, network].map(warned)).toEqual([undefined, undefined, ["10.0.0.0/8"]]);
  });
});
