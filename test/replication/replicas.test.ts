import { createClient } from "graphql-ws";
import { WebSocket } from "ws";
import { temporaryDirectory } from "../../tools/support/dataDirectory.ts";
import { PgBouncer, untracked } from "../../tools/support/PgBouncer.ts";
import type { ReplicatedServer } from "../../tools/support/ReplicatedServers.ts";
import { readContent, readOperations } from "../../tools/support/readOperations.ts";
import { startThrowAwayPostgres } from "../../tools/support/throwAwayPostgres.ts";
import { describeWithPgBouncer } from "../support/pooler.ts";
import { ReplicatedService, useReplicatedContent } from "../support/replicated.ts";
import type { Person } from "../support/service.ts";
import { until } from "../support/until.ts";

/*
 * Standbys answer queries. While none of them replays, an answer shows where it comes from: an old one from a standby, a new one
 * from the primary.
 */
const content = useReplicatedContent(
  2,
  `create table app_private.visits (at timestamptz default now());
   create function app_private.count_visit() returns void language sql volatile set search_path = pg_catalog, pg_temp
   as $$ insert into app_private.visits default values $$;
   create function app_public.visits() returns int language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
   begin perform app_private.count_visit(); return 1; end $$;
   create function app_public.slow_on_standbys() returns int language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
   begin
     perform from app_public.tags;
     if pg_is_in_recovery() then perform pg_sleep(60); end if;
     return 1;
   end $$;
   grant execute on function app_public.visits(), app_public.slow_on_standbys() to api_anonymous;`,
);
let service: ReplicatedService;
let first: ReplicatedServer;
let second: ReplicatedServer;

beforeAll(async () => {
  [first, second] = content.standbys as [ReplicatedServer, ReplicatedServer];
  // A standby that does not replay stays in the rotation, however slow this machine is.
  service = content.ends.use(await ReplicatedService.start(content, { replicaMaxLagMs: 600_000, cacheSeconds: 60 }));
  await inRotation();
});

const inRotation = () => Promise.all(content.standbys.map((standby) => service.until(standby, /in the rotation/)));
const pause = () => Promise.all(content.standbys.map((standby) => standby.pauseReplay()));
const resume = () => Promise.all(content.standbys.map((standby) => standby.resumeReplay()));

/** Waits until both standbys have replayed what the primary has written. */
async function caughtUp(): Promise<void> {
  const [{ lsn }] = (await content.primary.query("select pg_current_wal_lsn() as lsn")) as [{ lsn: string }];
  for (const standby of content.standbys) {
    await until(
      async () => (await standby.query("select where pg_last_wal_replay_lsn() >= $1::pg_lsn", [lsn])).length > 0,
    );
  }
}

/** @returns how many queries the primary has answered meanwhile */
async function answeredByPrimary(act: () => Promise<unknown>): Promise<number> {
  const { primary: before = 0 } = await service.answered();
  await act();
  const { primary: after = 0 } = await service.answered();
  return after - before;
}

const users = "{ users(limit: 100) { name } }";
const signUp = (name: string) => `mutation { createUser(name: "${name}", email: "${name}@example.com") { id } }`;
const rename = (name: string) => `mutation { updateProfile(input: {name: "${name}"}) { name } }`;
const namesIn = ({ data }: { data?: unknown }) => (data as { users: { name: string }[] }).users.map(({ name }) => name);

describe("each operation of the specification", () => {
  const queries = readOperations().filter(({ isMutation }) => !isMutation);

  test("is answered as on the primary, for its caller; by a standby, unless it has errors", async () => {
    await content.primary.query(readContent());
    await caughtUp();
    await using plain = await ReplicatedService.start({ ...content, standbys: [] });
    const failed: unknown[] = [];
    const passedOn = await answeredByPrimary(async () => {
      for (const { query, variables, as } of queries) {
        const person = as as Person;
        const answer = await service.ask(query, person, {}, variables);
        expect(answer).toEqual(await plain.ask(query, person, {}, variables));
        if (answer.errors) failed.push(query);
      }
    });
    expect(passedOn).toBe(failed.length);
  });
});

describe("while no standby replays", () => {
  beforeAll(pause);
  afterAll(resume);

  test("a query gets an old answer, from a standby", async () => {
    await content.primary.query("update app_public.users set name = 'Robert' where id = 2");
    const passedOn = await answeredByPrimary(async () => {
      expect(await service.ask('{ user(id: "2") { name } }')).toEqual({ data: { user: { name: "Bob" } } });
    });
    expect(passedOn).toBe(0);
  });

  test("a user reads what the same user has written; others get an old answer", async () => {
    await service.ask(rename("Adele"), "ada");
    expect(await service.ask("{ me { name } }", "ada")).toEqual({ data: { me: { name: "Adele" } } });
    expect(await service.ask('{ user(id: "1") { name } }', "bob")).toEqual({ data: { user: { name: "Ada" } } });
  });

  test("another instance reads what is written, by the header or the cookie of the mutation's answer", async () => {
    const { headers } = await service.send(signUp("Carol"));
    const readAfter = headers.get("read-after") as string;
    const [cookie, ...attributes] = (headers.get("set-cookie") as string).split("; ");
    expect(readAfter).toMatch(/^0{7}1\/0\/[0-9A-F]+$/);
    expect(attributes).toEqual(["Max-Age=605", "Path=/graphql", "HttpOnly", "SameSite=Lax"]);
    await using other = await ReplicatedService.start(content, { replicaMaxLagMs: 600_000, compileQueries: false });
    // A standby that has replayed nothing since the start of a service answers none of its queries.
    await resume();
    await Promise.all(content.standbys.map((standby) => other.until(standby, /in the rotation/)));
    await pause();
    const later = await service.send(signUp("Dave"));
    expect(namesIn(await other.ask(users))).not.toContain("Dave");
    expect(namesIn(await other.ask(users, "nobody", { "read-after": readAfter }))).not.toContain("Dave");
    expect(namesIn(await other.ask(users, "nobody", { cookie: cookie as string }))).not.toContain("Dave");
    const position = { "read-after": later.headers.get("read-after") as string };
    expect(namesIn(await other.ask(users, "nobody", position))).toContain("Dave");
    const stored = (later.headers.get("set-cookie") as string).split(";")[0] as string;
    expect(namesIn(await other.ask(users, "nobody", { cookie: `theme=dark; ${stored}` }))).toContain("Dave");
  });

  test("an anonymous client reads its own writes on its WebSocket", async () => {
    const url = `${service.app.url.replace("http", "ws")}/graphql`;
    const client = createClient({ url, webSocketImpl: WebSocket, lazy: false });
    const ask = async (query: string) => (await client.iterate({ query }).next()).value as { data?: unknown };
    expect(namesIn(await ask(users))).not.toContain("Erin");
    await ask(signUp("Erin"));
    expect(namesIn(await ask(users))).toContain("Erin");
    await client.dispose();
    expect(namesIn(await service.ask(users))).not.toContain("Erin");
  });

  test("a missing row, and a user who is not there yet, are looked for on the primary", async () => {
    const { data } = await service.ask(signUp("Frank"));
    const { id } = (data as { createUser: { id: string } }).createUser;
    expect(await service.ask(`{ user(id: "${id}") { name } }`)).toEqual({ data: { user: { name: "Frank" } } });
    expect(await service.askAs(id, "{ me { name } }")).toEqual({ data: { me: { name: "Frank" } } });
  });
});

describe("the primary answers", () => {
  test("a query whose function writes", async () => {
    const before = await content.primary.query("select from app_private.visits");
    expect(await service.ask("{ visits }")).toEqual({ data: { visits: 1 } });
    expect(await content.primary.query("select from app_private.visits")).toHaveLength(before.length + 1);
  });

  test("a query that the standby cancels because replay has to go on", async () => {
    for (const standby of content.standbys) {
      await standby.query("alter system set max_standby_streaming_delay = 0");
      await standby.query("select pg_reload_conf()");
    }
    const answer = service.ask("{ slowOnStandbys }");
    const sleeping = "select from pg_stat_activity where wait_event = 'PgSleep'";
    await until(
      async () => (await Promise.all(content.standbys.map((standby) => standby.query(sleeping)))).flat().length > 0,
    );
    await content.primary.query("begin; lock app_public.tags in access exclusive mode; commit");
    expect(await answer).toEqual({ data: { slowOnStandbys: 1 } });
  });

  test.each([
    ["that no standby reaches", "00000001/FFFFFF/0"],
    ["of another timeline, after a promotion", "00000002/0/1"],
  ])("a query after a position %s", async (_what, position) => {
    const headers = { "read-after": position };
    expect(await answeredByPrimary(() => service.ask(users, "nobody", headers))).toBe(1);
  });
});

test.each(["", "5", "0/16B3748", "00000001/0/16B3748, 00000001/0/16B3748"])("refuses Read-After: %s", async (given) => {
  const response = await service.send(users, "nobody", { "read-after": given });
  expect(response.status).toBe(400);
  const message = "Read-After is the value of that header in the response to a mutation, as it was.";
  expect(await response.json()).toMatchObject({ errors: [{ message, extensions: { code: "VALIDATION_ERROR" } }] });
});

test("ignores a cookie that it has not set", async () => {
  expect(await service.ask("{ __typename }", "nobody", { cookie: "read_after=5" })).toEqual({
    data: { __typename: "Query" },
  });
});

test("a cache does not give an answer to a request that names a position", async () => {
  const { headers } = await fetch(`${service.app.url}/graphql?query=${encodeURIComponent("{ postsCount }")}`);
  expect(headers.get("vary")).toMatch(/\bRead-After\b/);
  expect(headers.get("cache-control")).toBe("public, max-age=60");
});

describe("a standby leaves the rotation, no query fails, and it comes back:", () => {
  test("stopped, and started again", async () => {
    await first.stop("immediate");
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.ask(users)));
    expect(answers.flatMap(({ errors = [] }) => errors)).toEqual([]);
    await service.until(first, /does not answer/);
    expect(await answeredByPrimary(() => service.ask(users))).toBe(0);
    await first.start();
    await service.until(first, /in the rotation/);
  });

  test("silent, while queries wait for it", async () => {
    first.freeze();
    const answers = Array.from({ length: 8 }, () => service.ask(users));
    await service.until(first, /no response/);
    expect((await Promise.all(answers)).flatMap(({ errors = [] }) => errors)).toEqual([]);
    first.thaw();
    await service.until(first, /in the rotation/);
  });

  test("too far behind; but neither the primary nor a server of another cluster ever enters it", async () => {
    // Made by initdb: a copy of the run's cluster would have the same identifier.
    const other = await startThrowAwayPostgres(temporaryDirectory("other"));
    const replicaUrls = [`postgres://127.0.0.1:${second.port}`, content.primary.url, other.url];
    await using strict = await ReplicatedService.start(content, { replicaMaxLagMs: 2_000, replicaUrls });
    await strict.until(content.primary, /no standby/);
    await strict.until(other, /no copy of the primary/);
    await strict.until(second, /in the rotation/);
    await second.pauseReplay();
    await content.primary.query("update app_public.users set name = 'Berta' where id = 2");
    await strict.until(second, /lags/);
    expect(await strict.ask("{ postsCount }")).not.toHaveProperty("errors");
    await second.resumeReplay();
    await strict.until(second, /in the rotation/);
    await other.stop();
  });

  test("promoted, and made a standby again", async () => {
    await second.promote();
    await second.query("update app_public.users set name = 'Wrong'");
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.ask(users)));
    expect(answers.flatMap(namesIn)).not.toContain("Wrong");
    await service.until(second, /no standby/);
    await second.follow(content.primary);
    await service.until(second, /in the rotation/);
  });
});

describeWithPgBouncer("behind PgBouncer in transaction mode", () => {
  test("a standby answers queries, and those who have written wait for it", async () => {
    const standbyUrl = Object.assign(new URL(content.apiUrl), { port: first.port }).href;
    await using pooler = await PgBouncer.start([standbyUrl], { default_pool_size: 3, ...untracked });
    const { host } = new URL(pooler.through(standbyUrl));
    const replicaUrls = [`postgres://${host}`];
    await using pooled = await ReplicatedService.start(content, { replicaUrls });
    await pooled.until(new URL(`postgres://${host}`), /in the rotation/);
    for (const name of ["Once", "Twice", "Thrice"]) {
      await pooled.ask(rename(name), "ada");
      expect(await pooled.ask("{ me { name } }", "ada")).toEqual({ data: { me: { name } } });
      expect(namesIn(await pooled.ask(users, "ada"))).toContain(name);
    }
    expect((await pooled.answered())[host]).toBeGreaterThan(0);
  });
});

test("while the primary is away, reads go on, writes are refused, and the service is ready", async () => {
  await content.primary.stop("fast");
  expect((await fetch(`${service.app.url}/readyz`)).status).toBe(200);
  const { data } = await service.ask(users);
  expect(namesIn({ data })).toContain("Admin");
  expect((await service.ask(rename("Ida"), "ada")).errors).toMatchObject([
    { extensions: { code: "SERVICE_UNAVAILABLE" } },
  ]);
  await content.primary.start();
});
