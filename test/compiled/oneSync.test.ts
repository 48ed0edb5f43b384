import type pg from "pg";
import { ByteBudget, waitingFor } from "pg-caller-pool";
import { pino } from "pino";
import {
  createRequestPool,
  makeRequestAccess,
  type RequestAccess,
  type RequestCaller,
} from "../../src/database/requestAccess.ts";
import { callerOf, whoAmI } from "../support/caller.ts";
import { useDatabase } from "../support/database.ts";
import { people } from "../support/service.ts";
import { recordStatements } from "../support/statements.ts";

/* A compiled query is one transaction without begin and commit: its identity and its statement under one Sync. */
const database = useDatabase();

function open(poolSize: number): { pool: pg.Pool; access: RequestAccess } {
  const times = { poolTimeoutMs: 5_000, statementTimeoutMs: 5_000 };
  const settings = { ...times, poolSize, apiDatabaseUrl: database.apiUrl, restingRole: "api_anonymous" };
  const pool = createRequestPool(settings, pino({ level: "silent" }));
  database.ends.defer(() => pool.end());
  return { pool, access: makeRequestAccess(pool) };
}

const isIdle = "select current_user as name, coalesce(current_setting('app.viewer_id', true), '') as viewer";

/** What node-postgres has but does not declare. */
type Internals = { connection: { on(event: string, act: () => void): void; stream: Record<string, any> } };

beforeAll(() =>
  database.query(`create table app_public.things (id int primary key);
    grant select on app_public.things to api_anonymous, api_member;`),
);

test("a read is one write and one answer", async () => {
  const { pool, access } = open(1);
  const counts = { writes: 0, answers: 0 };
  pool.on("connect", (client) => {
    const { connection } = client as unknown as Internals;
    connection.on("readyForQuery", () => counts.answers++);
    for (const name of ["_write", "_writev"]) {
      const write = connection.stream[name].bind(connection.stream);
      connection.stream[name] = (...args: unknown[]) => {
        counts.writes++;
        return write(...args);
      };
    }
  });
  // The third time, everything is prepared.
  for (let i = 0; i < 3; i++) {
    await access.atOnce(callerOf(people.ada), [whoAmI]);
    if (i === 0) continue;
    Object.assign(counts, { writes: 0, answers: 0 });
    await access.atOnce(callerOf(people.ada), [whoAmI]);
    expect(counts).toEqual({ writes: 1, answers: 1 });
  }
});

test("the identity holds for the statement and no longer", async () => {
  const { pool, access } = open(1);
  for (const [viewer, seen] of [
    [people.ada, "api_member 1"],
    ["", "api_anonymous "],
    [people.bob, "api_member 2"],
  ] as const) {
    expect(await access.atOnce(callerOf(viewer), [whoAmI])).toBe(seen);
    expect((await pool.query(isIdle)).rows).toEqual([{ name: "api_anonymous", viewer: "" }]);
  }
});

test("an anonymous query needs no identity; a mutation has one, for the client's address", async () => {
  const { access } = open(1);
  const identityOf = async (caller: RequestCaller) => {
    const [statement] = await recordStatements(() => access.atOnce(caller, [whoAmI]));
    return statement?.identity?.text;
  };
  expect(await identityOf(callerOf(""))).toBe("select set_config('role', $1, true)");
  expect(await identityOf(callerOf("", { writes: true }))).toContain("app_hidden.identify");
  expect(await identityOf(callerOf(people.ada))).toContain("app_hidden.identify");
});

test("the login itself reads the catalogue", async () => {
  const { access } = open(1);
  const rows = await access.asLogin(null, (client) => client.query({ text: isIdle }));
  expect(rows).toMatchObject({ rows: [{ name: "api_login", viewer: "" }] });
  expect(await access.atOnce(callerOf(""), [whoAmI])).toBe("api_anonymous ");
});

test("a statement without a row is undefined, whatever the identity's row says", async () => {
  const { access } = open(1);
  expect(
    await access.atOnce(callerOf(people.ada), [{ name: "none", text: "select 'x' where false", values: [] }]),
  ).toBeUndefined();
});

test("after a refusal the connection serves on, and prepared statements are what they were", async () => {
  const { pool, access } = open(1);
  const count = { name: "count", text: "select count(*)::text from app_public.later", values: [] };
  const ada = callerOf(people.ada);
  for (let i = 0; i < 3; i++) await expect(access.atOnce(ada, [count])).rejects.toMatchObject({ code: "42P01" });
  await expect(access.atOnce(callerOf(people.mallory), [whoAmI])).rejects.toMatchObject({ code: "TOKEN" });
  await database.query("create table app_public.later (); grant select on app_public.later to api_member");
  for (let i = 0; i < 3; i++) expect(await access.atOnce(ada, [count])).toBe("0");
  for (let i = 0; i < 3; i++) expect(await access.atOnce(ada, [whoAmI])).toBe("api_member 1");
  expect((await pool.query(isIdle)).rows).toEqual([{ name: "api_anonymous", viewer: "" }]);
  expect(pool.totalCount).toBe(1);
});

test("a parameter keeps its text", async () => {
  const { access } = open(1);
  const odd = `'"\\ $1 \u2028 😀`;
  const echo = { name: "echo", text: "select concat($1::text, '|', $2::text is null)", values: [odd, null] };
  expect(await access.atOnce(callerOf(""), [echo])).toBe(`${odd}|t`);
});

test("a result beyond the budget is refused, and its connection is closed", async () => {
  const { pool, access } = open(1);
  const large = { name: "large", text: "select repeat('x', 3000000)", values: [] };
  const refusal = { code: "VALIDATION_ERROR", extensions: { limit: { name: "responseBytes" } } };
  const budget = new ByteBudget(10_000);
  await expect(access.atOnce(callerOf("", { budget }), [large])).rejects.toMatchObject(refusal);
  await expect(access.atOnce(callerOf("", { budget }), [whoAmI])).rejects.toMatchObject(refusal);
  expect(await access.atOnce(callerOf(""), [whoAmI])).toBe("api_anonymous ");
  expect(pool.totalCount).toBe(1);
});

test("nothing is sent for a client that has disconnected", async () => {
  const { pool, access } = open(1);
  const signal = AbortSignal.abort();
  const refusal = { code: "SERVICE_UNAVAILABLE" };
  await expect(access.atOnce(callerOf("", { signal }), [whoAmI])).rejects.toMatchObject(refusal);
  expect(pool.idleCount).toBe(pool.totalCount);
});

test("a caller's reads hold no more than its share of the connections", async () => {
  const { pool, access } = open(4);
  const lock = await database.hold("lock table app_public.things in access exclusive mode");
  const blocked = { name: "things", text: "select count(*)::text from app_public.things", values: [] };
  const reads = Array.from({ length: 3 }, () => access.atOnce(callerOf(people.ada), [blocked]));
  expect(await access.atOnce(callerOf(people.bob), [whoAmI])).toBe("api_member 2");
  expect(waitingFor(pool)).toBe(1);
  await lock.release();
  expect(await Promise.all(reads)).toEqual(["0", "0", "0"]);
});
