import { reset } from "graphile-migrate";
import { migrateCurrent, migrateSettings } from "../migrations/migrate.ts";
import { ensureRoles } from "../migrations/roles.ts";

/**
 * Makes the shadow database anew: everything that is committed, then `migrations/current`.
 *
 * @returns what the API reads it with
 */
export async function makeShadow(shadowUrl: string): Promise<string> {
  await reset(migrateSettings(shadowUrl));
  await migrateCurrent(shadowUrl);
  return ensureRoles(shadowUrl);
}
