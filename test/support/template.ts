import { readFile } from "node:fs/promises";
import pg from "pg";
import { cloneDatabase } from "../../src/dba/cloneDatabase.ts";
import { ShadowServer } from "../../src/dba/ShadowServer.ts";
import { migrate, migrateCurrent, projectMigrations } from "../../src/migrations/migrate.ts";
import { ensureRoles } from "../../src/migrations/roles.ts";

export const templateName = "content_service_template";

/** A database with the committed migrations alone, kept as the template of a shadow database. */
const shadowName = "content_service_shadow";
export const committedName = `${shadowName}_template`;

/** Creates a migrated database with test/support/people.sql in it, which each test file clones. */
export async function makeTemplate(serverUrl: string): Promise<void> {
  for (const name of [templateName, shadowName]) {
    await onServer(serverUrl, `drop database if exists ${name} with (force)`);
  }
  await onServer(serverUrl, `create database ${templateName}`);
  const templateUrl = databaseUrl(serverUrl, templateName);
  await ensureRoles(templateUrl);
  await migrate(templateUrl);
  await onRoot(serverUrl, async (root) => {
    await cloneDatabase(root, templateName, shadowName, "");
    const shadow = new ShadowServer(root, databaseUrl(serverUrl, shadowName));
    await shadow.keep((await shadow.statesOf(projectMigrations)).at(-1) as string);
  });
  await migrateCurrent(templateUrl);
  await onServer(templateUrl, await readFile(new URL("people.sql", import.meta.url), "utf8"));
}

/** Creates the template of a superuser's shadow database, so that its first command need not run the migrations. */
export async function seedShadow(serverUrl: string, shadow: string): Promise<void> {
  await onRoot(serverUrl, async (root) => {
    const { rows } = await root.query<{ comment: string }>(
      "select shobj_description(oid, 'pg_database') as comment from pg_database where datname = $1",
      [committedName],
    );
    await cloneDatabase(root, committedName, `${shadow}_template`, rows[0]?.comment ?? "");
  });
}

/** The connection string of another database on the same server. */
export function databaseUrl(serverUrl: string, database: string): string {
  return Object.assign(new URL(serverUrl), { pathname: `/${database}` }).href;
}

/** Runs SQL on a new connection and outside of a transaction, as `create database` requires. */
export async function onServer(url: string, sql: string): Promise<void> {
  await onRoot(url, (client) => client.query(sql));
}

async function onRoot(url: string, use: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}
