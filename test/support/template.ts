import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { withClient } from "@content-service/support/withClient.ts";
import type pg from "pg";
import { cloneDatabase } from "../../packages/migration-review/cloneDatabase.ts";
import { ShadowServer } from "../../packages/migration-review/ShadowServer.ts";
import { ensureRoles } from "../../src/database/ensureRoles.ts";
import { hasCurrent, migrate, migrateCurrent, migrationsIn, projectMigrations } from "../../src/database/migrations.ts";
import { openCluster } from "../../src/embedded/cluster.ts";
import { stopServer, untilServed } from "../../src/embedded/server.ts";

export const templateName = "content_service_template";

/** The template of a shadow database, for all projects of tests: the committed migrations have run on it. */
const shadowName = "content_service_shadow";
const committedName = `${shadowName}_template`;

/** Creates a migrated database, which completeTemplate() makes the one that each test file clones. */
export async function makeTemplate(serverUrl: string): Promise<void> {
  await onServer(serverUrl, `drop database if exists ${templateName} with (force)`);
  await onServer(serverUrl, `create database ${templateName}`);
  await migrateAll(databaseUrl(serverUrl, templateName));
}

/** Makes a stopped database cluster to copy: its database `postgres` is migrated, and it has the template, without people. */
export async function makeCluster(dataDir: string): Promise<void> {
  const cluster = await openCluster(dataDir);
  // A password of few iterations: a login takes half of the processor time.
  const settings = { fsync: "off", max_wal_size: "32MB", min_wal_size: "32MB", scram_iterations: "1" };
  const { url } = await untilServed(cluster, settings, async () => {});
  await onServer(url, `alter role postgres password '${cluster.password}'`);
  await migrateAll(url);
  await onServer(databaseUrl(url, "template1"), `create database ${templateName} template postgres`);
  await stopServer(cluster);
}

/** Keeps the migrated database as the template of shadow databases, and adds test/support/people.sql to it. */
export async function completeTemplate(serverUrl: string): Promise<void> {
  // Otherwise the template of a shadow database is another one: migrations/current has not run on it.
  if (!(await hasCurrent(projectMigrations))) await keepCommitted(serverUrl);
  await onServer(databaseUrl(serverUrl, templateName), await readFile(new URL("people.sql", import.meta.url), "utf8"));
}

function keepCommitted(serverUrl: string): Promise<void> {
  return withClient(serverUrl, async (root) => {
    await root.query(`drop database if exists ${shadowName} with (force)`);
    await cloneDatabase(root, templateName, shadowName, "");
    const server = new ShadowServer(root, databaseUrl(serverUrl, shadowName));
    await server.keep((await server.statesOf(migrationsIn())).at(-1) as string);
  });
}

/** Creates a clone of what completeTemplate() has kept; without that, an empty database. As a template, it is that of a shadow database. */
export async function createCommitted(serverUrl: string, name: string, isTemplate: boolean): Promise<void> {
  await withClient(serverUrl, async (root) => {
    const { rows } = await root.query<{ comment: string }>(
      "select shobj_description(oid, 'pg_database') as comment from pg_database where datname = $1",
      [committedName],
    );
    if (rows[0]) await cloneDatabase(root, committedName, name, isTemplate ? rows[0].comment : "");
    else await root.query(`create database ${name}`);
  });
}

/** Creates a login, with the password `owner`, that may create databases and is no superuser. `drop owned` before `drop role`. */
export async function createOwner(serverUrl: string, name: string): Promise<void> {
  await onServer(serverUrl, `create role ${name} login createdb password 'owner'`);
  // Every login may do this in the database postgres, unless it is migrated, as on the server of tests.
  await onServer(
    databaseUrl(serverUrl, "postgres"),
    `grant connect on database postgres to ${name};
     grant execute on function pg_try_advisory_lock(bigint), pg_advisory_lock(bigint) to ${name}`,
  );
}

async function migrateAll(url: string): Promise<void> {
  await ensureRoles(url);
  await migrate(url);
  await migrateCurrent(url);
}

/** The connection string of another database on the same server. */
export function databaseUrl(serverUrl: string, database: string): string {
  return Object.assign(new URL(serverUrl), { pathname: `/${database}` }).href;
}

/**
 * Drops a database when its connections have ended, some milliseconds after they were closed. To cut them earlier would be an
 * error of their clients: graphile-migrate ends the process then.
 *
 * @throws when one is still open after ten seconds
 */
export async function dropDatabase(server: Pick<pg.Pool, "query">, name: string): Promise<void> {
  for (let looks = 0; looks < 2_000; looks++) {
    const { rowCount } = await server.query("select from pg_stat_activity where datname = $1", [name]);
    if (rowCount === 0) return void (await server.query(`drop database ${name} with (force)`));
    await delay(5);
  }
  throw new Error(`A connection to the database ${name} has been left open: let useDatabase().ends close it`);
}

/** Runs SQL on a new connection and outside of a transaction, as `create database` requires. */
export async function onServer(url: string, sql: string): Promise<void> {
  await withClient(url, (client) => client.query(sql));
}
