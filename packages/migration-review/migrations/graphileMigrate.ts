import "./tolerantMinify.ts";
import type { Settings } from "graphile-migrate";
import type { MigrateSettings } from "./settings.ts";

/**
 * graphile-migrate, and the inner modules that its public interface leaves out. A new release may move them, so no other file
 * imports them.
 */
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
  return run("migrate", settings, isShadow);
}

/** Drops and creates the database, and runs the committed migrations. */
export function reset(settings: MigrateSettings, isShadow?: boolean): Promise<void> {
  return run("reset", settings, isShadow);
}

/** Runs `migrations/current` once. */
export function runCurrent(settings: MigrateSettings): Promise<void> {
  return run("watch", settings, true);
}

/** Loads the commands of graphile-migrate, which a start without pending migrations does not need, and runs one. */
async function run(
  command: "migrate" | "reset" | "watch",
  { log, ...settings }: MigrateSettings,
  option: boolean | undefined,
): Promise<void> {
  const { Logger, ...commands } = await import("graphile-migrate");
  await commands[command]({ ...settings, logger: new Logger(log) } as Settings, option);
}
