import "./tolerantMinify.ts";
import * as graphileMigrate from "graphile-migrate";
import type { MigrateSettings } from "./settings.ts";

/**
 * graphile-migrate, and the inner modules that its public interface leaves out. A new release may move them, so no other file
 * imports them.
 */
export { Logger } from "graphile-migrate";
export {
  getCurrentMigrationLocation,
  readCurrentMigration,
  writeCurrentMigration,
} from "graphile-migrate/dist/current.js";
export { calculateHash } from "graphile-migrate/dist/hash.js";
export { isLoggedError } from "graphile-migrate/dist/lib.js";
export {
  type FileMigration,
  getAllMigrations,
  parseMigrationText,
  serializeMigration,
} from "graphile-migrate/dist/migration.js";
export { clearAllPools } from "graphile-migrate/dist/pgReal.js";
export type { ParsedSettings } from "graphile-migrate/dist/settings.js";
export { sluggify } from "graphile-migrate/dist/sluggify.js";

/** Runs the committed migrations. */
export function migrate(settings: MigrateSettings, isShadow?: boolean): Promise<void> {
  return graphileMigrate.migrate(settings as graphileMigrate.Settings, isShadow);
}

/** Drops and creates the database, and runs the committed migrations. */
export function reset(settings: MigrateSettings, isShadow?: boolean): Promise<void> {
  return graphileMigrate.reset(settings as graphileMigrate.Settings, isShadow);
}

/** Runs `migrations/current` once. */
export function runCurrent(settings: MigrateSettings): Promise<void> {
  return graphileMigrate.watch(settings as graphileMigrate.Settings, true);
}
