import { readFile } from "node:fs/promises";
import pg from "pg";
import { migrate, migrateCurrent } from "../../src/migrations/migrate.ts";
import { ensureRoles } from "../../src/migrations/roles.ts";

export const templateName = "content_service_template";

/** Creates a migrated database with test/support/people.sql in it, which each test file clones. */
export async function makeTemplate(serverUrl: string): Promise<void> {
  await onServer(serverUrl, `drop database if exists ${templateName} with (force)`);
  await onServer(serverUrl, `create database ${templateName}`);
  const templateUrl = databaseUrl(serverUrl, templateName);
  await ensureRoles(templateUrl);
  await migrate(templateUrl);
  await migrateCurrent(templateUrl);
  await onServer(templateUrl, await readFile(new URL("people.sql", import.meta.url), "utf8"));
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
