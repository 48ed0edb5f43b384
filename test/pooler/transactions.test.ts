import { findRoute, type Route } from "@content-service/support/route.ts";
import type pg from "pg";
import { ByteBudget } from "pg-caller-pool";
import { pino } from "pino";
import {
  createRequestPool,
  makeRequestAccess,
  type RequestAccess,
  type RequestCaller,
} from "../../src/database/requestAccess.ts";
import type { PgBouncer } from "../../tools/support/PgBouncer.ts";
import { callerOf, whoAmI } from "../support/caller.ts";
import { useDatabase } from "../support/database.ts";
import { describeTransactionMode } from "../support/pooler.ts";
import { people } from "../support/service.ts";

/* Each transaction runs on any server connection, and finds there what it needs and nothing of another caller. */
const database = useDatabase();
const sleep = { name: "sleep", text: "select pg_sleep(60)::text", values: [] };
const names = [
  "statement_timeout",
  "TimeZone",
  "search_path",
  "jit",
  "plan_cache_mode",
  "idle_in_transaction_session_timeout",
];
const settingsText = `select string_agg(current_setting(name), ' ' order by place)
  from unnest(array[${names.map((name) => `'${name}'`)}]) with ordinality as named (name, place)`;
const settings = { name: "settings", text: settingsText, values: [] };
const timedOut = { code: "57014" };

describeTransactionMode((startPooler) => {
  let pooler: PgBouncer;
  let route: Route;

  function open(poolSize: number, statementTimeoutMs = 1_000): { pool: pg.Pool; access: RequestAccess } {
    const apiDatabaseUrl = pooler.through(database.apiUrl);
    const limits = { poolSize, poolTimeoutMs: 60_000, statementTimeoutMs, apiDatabaseUrl };
    const pool = createRequestPool(limits, pino({ level: "silent" }), route);
    database.ends.defer(() => pool.end());
    return { pool, access: makeRequestAccess(pool, "version1") };
  }
  const throughEngine = ({ as }: RequestAccess, caller: RequestCaller, { name, text }: typeof whoAmI) =>
    as(caller)(null, async (client) => {
      const { rows } = await client.query<string[]>({ name: `engine ${name}`, text, values: [], arrayMode: true });
      return rows[0]?.[0];
    });

  beforeAll(async () => {
    pooler = await startPooler(database);
    route = await findRoute(pooler.through(database.apiUrl));
  });

  test("callers at the same time are who they are, and nothing of them stays", async () => {
    const { pool, access } = open(12);
    const ask = async (turn: number) => {
      const [viewer, seen] = [
        [people.ada, "api_member 1"],
        [people.bob, "api_member 2"],
        ["", "api_anonymous "],
      ][turn % 3] as [string, string];
      const caller = callerOf(viewer, { quotaKey: String(turn) });
      expect(await access.atOnce(caller, [whoAmI, whoAmI])).toBe(seen);
      expect(await throughEngine(access, caller, whoAmI)).toBe(seen);
      const idle = "select concat(current_user, ' ', current_setting('app.viewer_id', true)) as who";
      expect((await pool.query(idle)).rows).toEqual([{ who: "api_login " }]);
    };
    await Promise.all(Array.from({ length: 300 }, (_, turn) => ask(turn)));
    expect((await pooler.admin("show servers")).length).toBeLessThanOrEqual(3);
  });

  test("each way to the database has the settings of a direct connection, and leaves none behind", async () => {
    const { pool, access } = open(2);
    const expected = "1s UTC pg_catalog off force_generic_plan 2s";
    expect(await access.atOnce(callerOf(people.ada), [settings])).toBe(expected);
    expect(await throughEngine(access, callerOf(""), settings)).toBe(expected);
    const asLogin = access.asLogin(
      null,
      async (client) => (await client.query<string[]>({ ...settings, arrayMode: true })).rows,
    );
    // The login reads the catalogue, which takes longer than requests may.
    expect(await asLogin).toEqual([[expected.replace("1s", "1min")]]);
    expect((await pool.query(settingsText)).rows).toEqual([{ string_agg: expected }]);
    const client = await pool.connect();
    const { rows } = await client.query(settingsText);
    client.release();
    expect(rows).not.toEqual([{ string_agg: expected }]);
  });

  test("a statement that takes too long is stopped, also behind others under one Sync", async () => {
    const { pool, access } = open(3);
    const ada = callerOf(people.ada);
    await expect(access.atOnce(ada, [sleep])).rejects.toMatchObject(timedOut);
    await expect(throughEngine(access, ada, sleep)).rejects.toMatchObject(timedOut);
    await expect(pool.query(sleep.text)).rejects.toMatchObject(timedOut);
    expect(await access.atOnce(ada, [whoAmI])).toBe("api_member 1");
  });

  test("after a refusal the client connection serves on, whatever the pooler has noted of the statements", async () => {
    const { pool, access } = open(1);
    const count = { name: "count", text: "select count(*)::text from app_public.later", values: [] };
    const ada = callerOf(people.ada);
    for (let i = 0; i < 3; i++) {
      await expect(access.atOnce(ada, [count])).rejects.toMatchObject({ code: "42P01" });
      await expect(throughEngine(access, ada, count)).rejects.toMatchObject({ code: "42P01" });
      await expect(access.atOnce(callerOf(people.mallory), [whoAmI, count])).rejects.toMatchObject({ code: "TOKEN" });
    }
    const client = await pool.connect();
    client.release();
    await database.query("create table app_public.later (); grant select on app_public.later to api_member");
    for (let i = 0; i < 3; i++) {
      expect(await access.atOnce(ada, [whoAmI, count])).toBe("0");
      expect(await throughEngine(access, ada, count)).toBe("0");
    }
    const again = await pool.connect();
    again.release();
    expect(again).toBe(client);
    await database.query("drop table app_public.later");
  });

  test("more statements than a connection keeps are used in turn", async () => {
    const { access } = open(1);
    const long = (i: number) => ({ name: `long ${i}`, text: `select '${i}' /*${"x".repeat(50_000)}*/`, values: [] });
    for (let turn = 0; turn < 3; turn++) {
      for (let i = 0; i < 15; i++) expect(await access.atOnce(callerOf(""), [long(i)])).toBe(String(i));
    }
  });

  test("a schema of another version has plans of its own", async () => {
    const { pool, access } = open(1);
    await database.query(
      "create table app_public.changing (value) as select 1; grant select on app_public.changing to api_anonymous",
    );
    const read = { name: "changing", text: "select value from app_public.changing", values: [] };
    for (let i = 0; i < 3; i++) expect(await access.atOnce(callerOf(""), [read])).toBe("1");
    await database.query("alter table app_public.changing alter value type text using 'one'");
    const next = makeRequestAccess(pool, "version2");
    for (let i = 0; i < 3; i++) expect(await next.atOnce(callerOf(""), [read])).toBe("one");
    await database.query("drop table app_public.changing");
  });

  test("a result beyond the budget is cut, and the pooler closes the server connection that has the rest of it", async () => {
    // On a busy machine, PostgreSQL takes longer than a second for this result.
    const { access } = open(1, 30_000);
    const servers = async () => new Set((await pooler.admin("show servers")).map(({ remote_pid }) => remote_pid));
    const large = { name: "large", text: "select repeat('x', 30000000)", values: [] };
    const budget = new ByteBudget(10_000);
    const before = await servers();
    const refusal = { extensions: { limit: { name: "responseBytes" } } };
    await expect(access.atOnce(callerOf("", { budget }), [large])).rejects.toMatchObject(refusal);
    for (let now = before; [...before].every((pid) => now.has(pid)); now = await servers());
    for (let i = 0; i < 10; i++) expect(await access.atOnce(callerOf(""), [whoAmI])).toBe("api_anonymous ");
  });
});
