import "./tolerantMinify.ts";

/**
 * graphile-migrate, and the inner modules that its public interface leaves out. A new release may move them, so no other file
 * imports them.
 */
export { Logger, migrate, reset, type Settings, watch } from "graphile-migrate";
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
