import { reset } from "graphile-migrate";
import { migrateCurrent, migrateSettings } from "../migrations/migrate.ts";
import { createRoles, ensureRoles } from "../migrations/roles.ts";

/**
 * Drops and creates the shadow database, then runs every committed migration and `migrations/current` on it.
 *
 * @returns the connection string of the API's login
 */
export async function rebuildShadow(shadowUrl: string): Promise<string> {
  const settings = migrateSettings(shadowUrl);
  // The shadow database need not exist yet.
  await createRoles(settings.rootConnectionString);
  await reset(settings);
  await migrateCurrent(shadowUrl);
  return ensureRoles(shadowUrl);
}
