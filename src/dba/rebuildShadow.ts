import { reset } from "graphile-migrate";
import { parse } from "pg-connection-string";
import { migrateCurrent, migrateSettings, runMigrations } from "../migrations/migrate.ts";
import { createRoles, ensureRoles } from "../migrations/roles.ts";
import { withClient } from "../migrations/withClient.ts";
import { changeConnection, checkConnectionString } from "../support/connectionString.ts";
import { StartError } from "../support/StartError.ts";

/** The comment that migrations/hooks/mark_shadow.sql gives a shadow database. */
const marker = "The shadow database of content-service. The db: commands drop and rebuild it.";

/**
 * Drops and creates the shadow database, then runs every committed migration and `migrations/current` on it.
 *
 * @param look looks at the database between the two
 * @returns the connection string of the API's login
 * @throws StartError when the database is not a shadow database and not empty
 */
export async function rebuildShadow(shadowUrl: string, look?: () => Promise<void>): Promise<string> {
  await resetShadow(shadowUrl);
  await look?.();
  await migrateCurrent(shadowUrl);
  return apiLogin(shadowUrl);
}

/**
 * Drops and creates the shadow database, then runs the committed migrations of a folder on it.
 *
 * @throws StartError as rebuildShadow() does
 */
export async function resetShadow(shadowUrl: string, migrationsFolder?: string): Promise<void> {
  const rootUrl = migrateSettings(shadowUrl).rootConnectionString;
  await requireErasable(shadowUrl, rootUrl);
  await requireCreator(rootUrl);
  // The shadow database need not exist yet.
  await createRoles(rootUrl);
  // graphile-migrate wants the database beside its shadow, and uses its owner only.
  const connectionString = changeConnection(shadowUrl, { database: "not_connected" });
  await runMigrations(
    shadowUrl,
    (settings) => reset({ ...settings, connectionString, shadowConnectionString: shadowUrl }, true),
    { migrationsFolder },
  );
}

/** The connection string of the API's login to a database: the login of API_DATABASE_URL, where it is set. */
export async function apiLogin(shadowUrl: string): Promise<string> {
  const { API_DATABASE_URL } = process.env;
  if (!API_DATABASE_URL) return ensureRoles(shadowUrl);
  const { user = "", password = "" } = parse(checkConnectionString(API_DATABASE_URL));
  return changeConnection(shadowUrl, { user, password });
}

/** The database itself says what it is: connection strings may name one database in many ways. */
async function requireErasable(shadowUrl: string, rootUrl: string): Promise<void> {
  const name = parse(shadowUrl).database;
  const [found] = await select(
    rootUrl,
    "select shobj_description(oid, 'pg_database') as comment from pg_catalog.pg_database where datname = $1",
    [name],
  );
  if (!found || found["comment"] === marker) return;
  const tables = await select(
    shadowUrl,
    "select from pg_catalog.pg_class where relnamespace::regnamespace::text !~ '^(pg_|information_schema$)' limit 1",
  );
  if (tables.length === 0) return;
  throw new StartError(
    `SHADOW_DATABASE_URL: the database ${name} has content and is not marked as a shadow database, so it is not ` +
      `dropped. Name another one; it is created. If this is an old shadow database: drop database ${name}`,
  );
}

/** Before the old shadow database is dropped. */
async function requireCreator(rootUrl: string): Promise<void> {
  const [owner] = await select(
    rootUrl,
    "select quote_ident(rolname) as name from pg_catalog.pg_roles where rolname = current_user and not rolsuper and not rolcreatedb",
  );
  if (!owner) return;
  throw new StartError(
    "The owner may not create databases, which the shadow database needs. " +
      `Let a superuser run: alter role ${owner["name"]} createdb`,
  );
}

async function select(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  return withClient(url, async (client) => (await client.query(text, values)).rows);
}
