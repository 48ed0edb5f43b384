import { pino } from "pino";
import { type AppSettings, startApp } from "../../src/app.ts";
import { openServer } from "../../src/http/openServer.ts";
import { useDatabase } from "../support/database.ts";
import { testSettings } from "../support/service.ts";
import { until } from "../support/until.ts";

/* A start that fails, at whatever step, releases what it has opened. */
const database = useDatabase();
const log = pino({ level: "silent" });

let taken: Awaited<ReturnType<typeof openServer>>;
beforeAll(async () => {
  taken = await openServer({ ...testSettings, port: 0 });
});
afterAll(() => taken.close(0));

async function openConnections(): Promise<number> {
  const [row] = await database.query<{ count: number }>(`
    select count(*)::int from pg_stat_activity
     where datname = current_database() and application_name like 'content-service%'`);
  return row?.count ?? -1;
}

test.each<[string, () => Partial<AppSettings>, RegExp]>([
  ["the key set", () => ({ token: { jwksUrl: "file:///no/such/file" } }), /JWT_JWKS_URL/],
  ["the persisted operations", () => ({ persistedDir: "/no/such/directory" }), /PERSISTED_DIR/],
  ["the connection that listens", () => ({ apiDatabaseUrl: "postgres://127.0.0.1:1/none" }), /ECONNREFUSED/],
  ["the port", () => ({ port: Number(new URL(taken.url).port) }), /is taken by another program/],
])("a start that fails at %s leaves no connection open", async (_step, settings, message) => {
  const start = startApp({ ...testSettings, apiDatabaseUrl: database.apiUrl, ...settings() }, log);
  await expect(start).rejects.toThrow(message);
  await until(async () => (await openConnections()) === 0);
});

test("a start that fails at the schema leaves no connection open", async () => {
  await database.query("revoke select on pg_catalog.pg_language from public");
  const start = startApp({ ...testSettings, apiDatabaseUrl: database.apiUrl }, log);
  await expect(start).rejects.toThrow(/pg_language/);
  await until(async () => (await openConnections()) === 0);
  await database.query("grant select on pg_catalog.pg_language to public");
});

test("a start serves nothing before its content is there, and fails with it", async () => {
  const content = Promise.withResolvers<void>();
  const server = await openServer({ ...testSettings, port: 0 });
  try {
    const settings = { ...testSettings, apiDatabaseUrl: database.apiUrl };
    const start = startApp(settings, log, { server, loaded: content.promise });
    await until(async () => (await openConnections()) > settings.poolSize);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
    content.reject(new Error("no content"));
    await expect(start).rejects.toThrow("no content");
    await until(async () => (await openConnections()) === 0);
  } finally {
    await server.close(0);
  }
});
