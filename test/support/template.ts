import { readFile } from "node:fs/promises";
import pg from "pg";
import { openCluster } from "../../src/embedded/cluster.ts";
import { stopServer, untilServed } from "../../src/embedded/server.ts";
import { migrate, migrateCurrent } from "../../src/migrations/migrate.ts";
import { ensureRoles } from "../../src/migrations/roles.ts";

export const templateName = "content_service_template";

/** Creates a migrated database with test/support/people.sql in it, which each test file clones. */
export async function makeTemplate(serverUrl: string): Promise<void> {
  await onServer(serverUrl, `drop database if exists ${templateName} with (force)`);
  await onServer(serverUrl, `create database ${templateName}`);
  await migrateAll(databaseUrl(serverUrl, templateName));
  await addPeople(serverUrl);
}

/** Makes a stopped database cluster to copy: its database `postgres` is migrated, and it has the template, too. */
export async function makeCluster(dataDir: string): Promise<void> {
  const cluster = await openCluster(dataDir, true);
  const { url } = await untilServed(
    cluster,
    { fsync: "off", max_wal_size: "32MB", min_wal_size: "32MB" },
    async () => {},
  );
  await migrateAll(url);
  await onServer(databaseUrl(url, "template1"), `create database ${templateName} template postgres`);
  await addPeople(url);
  await stopServer(cluster);
}

async function migrateAll(url: string): Promise<void> {
  await ensureRoles(url);
  await migrate(url);
  await migrateCurrent(url);
}

async function addPeople(serverUrl: string): Promise<void> {
  await onServer(databaseUrl(serverUrl, templateName), await readFile(new URL("people.sql", import.meta.url), "utf8"));
}

/** The connection string of another database on the same server. */
export function databaseUrl(serverUrl: string, database: string): string {
  return Object.assign(new URL(serverUrl), { pathname: `/${database}` }).href;
}

/** Runs SQL on a new connection and outside of a transaction, as `create database` requires. */
export async function onServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
