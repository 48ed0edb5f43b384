import { reset } from "graphile-migrate";
import type pg from "pg";
import { migrateCurrent, migrateSettings } from "../migrations/migrate.ts";
import { createRoles, ensureRoles } from "../migrations/roles.ts";
import { withClient } from "../migrations/withClient.ts";
import { changeConnection } from "../support/connectionString.ts";
import { StartError } from "../support/StartError.ts";

/** The comment that migrations/hooks/mark_shadow.sql gives a shadow database. */
const marker = "The shadow database of content-service. The db: commands drop and rebuild it.";
const noSuchDatabase = "3D000";

/**
 * Drops and creates the shadow database, then runs every committed migration and `migrations/current` on it.
 *
 * @returns the connection string of the API's login
 * @throws StartError when the database is not a shadow database and not empty
 */
export async function rebuildShadow(shadowUrl: string): Promise<string> {
  await requireErasable(shadowUrl);
  const settings = migrateSettings(shadowUrl);
  // The shadow database need not exist yet.
  await createRoles(settings.rootConnectionString);
  // graphile-migrate wants the database beside its shadow, and uses its owner only.
  const connectionString = changeConnection(shadowUrl, { database: "not_connected" });
  await reset({ ...settings, connectionString, shadowConnectionString: shadowUrl }, true);
  await migrateCurrent(shadowUrl);
  return ensureRoles(shadowUrl);
}

/** The database itself says what it is: connection strings may name one database in many ways. */
async function requireErasable(shadowUrl: string): Promise<void> {
  const query = `
    select current_database() as name,
           shobj_description(oid, 'pg_database') is not distinct from $1 as is_shadow,
           not exists (select from pg_catalog.pg_class
                        where relnamespace::regnamespace::text !~ '^(pg_|information_schema$)') as is_empty
      from pg_catalog.pg_database where datname = current_database()`;
  const rows = await withClient(shadowUrl, async (client) => (await client.query(query, [marker])).rows).catch(
    (error) => {
      if ((error as pg.DatabaseError).code === noSuchDatabase) return [];
      throw error;
    },
  );
  const [found] = rows;
  if (!found || found.is_shadow || found.is_empty) return;
  throw new StartError(
    `SHADOW_DATABASE_URL: the database ${found.name} has content and is not marked as a shadow database, so it is not ` +
      `dropped. Name another one; it is created. If this is an old shadow database: drop database ${found.name}`,
  );
}
