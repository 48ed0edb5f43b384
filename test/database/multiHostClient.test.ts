import { checkConnectionString } from "@content-service/support/connectionString.ts";
import { ofOneServer } from "@content-service/support/MultiHostClient.ts";
import { withClient } from "@content-service/support/withClient.ts";
import pg from "pg";
import { pino } from "pino";
import { createRequestPool } from "../../src/database/requestAccess.ts";
import { DroppingProxy } from "../../tools/support/DroppingProxy.ts";
import { useDatabase } from "../support/database.ts";
import { testSettings } from "../support/service.ts";

/* Two proxies stand for two servers. test/failover has real ones. */
const database = useDatabase();
const proxies: DroppingProxy[] = [];
afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.stop();
});

async function open(): Promise<DroppingProxy> {
  const proxy = await DroppingProxy.start(database.apiUrl);
  proxies.push(proxy);
  return proxy;
}

function urlOf(...servers: DroppingProxy[]): string {
  const hosts = servers.map(({ url }) => new URL(url).host).join();
  return checkConnectionString(database.apiUrl.replace(/@[^/]+/, `@${hosts}`));
}

test("a server that refuses connections is left out", async () => {
  const [one, other] = [await open(), await open()];
  await one.stop();
  expect(new URL(await ofOneServer(urlOf(one, other))).host).toBe(new URL(other.url).host);
  await other.stop();
  await expect(withClient(urlOf(one, other), async () => {})).rejects.toThrow(
    /^The database has no server that accepts writes: 127\.0\.0\.1:\d+ connect ECONNREFUSED/,
  );
});

test("a refused login is reported as it is", async () => {
  const url = urlOf(await open(), await open()).replace(/:[^:@]+@/, ":wrong@");
  await expect(withClient(url, async () => {})).rejects.toThrow("password authentication failed");
});

test("a server that accepts no writes is not the primary", async () => {
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  const [{ name }] = (await client.query("select quote_ident(current_database()) as name")).rows;
  await client.query(`alter database ${name} set default_transaction_read_only = on`);
  await expect(withClient(urlOf(await open(), await open()), async () => {})).rejects.toThrow("is read-only");
  await client.query("begin read write");
  await client.query(`alter database ${name} reset default_transaction_read_only`);
  await client.query("commit");
  await client.end();
});

test("a frozen server holds up a request until another one is found, and no further request", async () => {
  const [one, other] = [await open(), await open()];
  await other.stop();
  const settings = { ...testSettings, poolSize: 2, apiDatabaseUrl: urlOf(one, other) };
  const pool = createRequestPool(settings, pino({ level: "silent" }));
  await pool.query("select");
  one.freeze();
  const held = pool.query("select");
  await other.accept();
  await expect(held).rejects.toThrow("Connection terminated: another server is the primary");
  await pool.query("select");
  await pool.end();
});
