import { reset } from "graphile-migrate";
import { parse } from "pg-connection-string";
import { migrateCurrent, migrateSettings } from "../migrations/migrate.ts";
import { createRoles, ensureRoles } from "../migrations/roles.ts";
import { withClient } from "../migrations/withClient.ts";
import { changeConnection } from "../support/connectionString.ts";
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
  const settings = migrateSettings(shadowUrl);
  await requireErasable(shadowUrl, settings.rootConnectionString);
  // The shadow database need not exist yet.
  await createRoles(settings.rootConnectionString);
  // graphile-migrate wants the database beside its shadow, and uses its owner only.
  const connectionString = changeConnection(shadowUrl, { database: "not_connected" });
  await reset({ ...settings, connectionString, shadowConnectionString: shadowUrl }, true);
  await look?.();
  await migrateCurrent(shadowUrl);
  return ensureRoles(shadowUrl);
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

async function select(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  return withClient(url, async (client) => (await client.query(text, values)).rows);
}
