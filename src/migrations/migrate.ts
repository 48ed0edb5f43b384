import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Logger, migrate as runCommitted, watch as runCurrent, type Settings, status } from "graphile-migrate";
import { checkCommitted } from "./committed.ts";
import { gmrc, projectRoot } from "./gmrc.ts";
import { clearAllPools, type FileMigration } from "./graphileMigrate.ts";

/** Retry for this long while another process migrates, or a table stays locked. */
const lockWaitMs = 60_000;
const lockNotAvailable = "55P03";

export const projectMigrations = fileURLToPath(new URL("migrations", projectRoot));

/** graphile-migrate's settings for the database at `connectionString`. */
export function migrateSettings(
  connectionString: string,
  migrationsFolder: string = projectMigrations,
): Settings & { migrationsFolder: string } {
  return {
    ...gmrc,
    connectionString,
    // `reset` drops and creates the database from a connection to another one.
    rootConnectionString: otherDatabase(connectionString),
    migrationsFolder,
    logger: new Logger(() => (level, message) => {
      // The reader wrote SQL: leave out the JavaScript stack trace.
      if (level === "error" || level === "warning") console.error(message.replace(/\n +at .*/g, ""));
    }),
  };
}

function otherDatabase(connectionString: string): string {
  const url = new URL(connectionString);
  return Object.assign(url, { pathname: url.pathname === "/postgres" ? "/template1" : "/postgres" }).href;
}

/**
 * Brings the database to the newest committed migration. Each migration is one transaction, so one that fails or is killed
 * leaves no changes. Idempotent, and safe to run in several processes at once.
 *
 * @param connectionString of the database's owner
 * @returns the migrations that were pending
 * @throws StartError when a committed migration has been changed
 */
export async function migrate(connectionString: string, migrationsFolder?: string): Promise<FileMigration[]> {
  const settings = migrateSettings(connectionString, migrationsFolder);
  const pending = await checkCommitted(settings.migrationsFolder, connectionString);
  await retryWhileLocked(() => runCommitted(settings));
  return pending;
}

/** Runs `migrations/current` once: the change that is not committed yet. For development and tests. */
export async function migrateCurrent(connectionString: string, migrationsFolder?: string): Promise<void> {
  await retryWhileLocked(() => runCurrent(migrateSettings(connectionString, migrationsFolder), true));
}

/** Whether `migrations/current` holds any SQL besides comments. */
export async function hasCurrent(): Promise<boolean> {
  // graphile-migrate requires both connection strings, and connects to neither.
  const [connectionString, shadowConnectionString] = ["postgres://localhost/none", "postgres://localhost/shadow"];
  const settings = { ...migrateSettings(connectionString), shadowConnectionString };
  return (await status(settings, { skipDatabase: true })).hasCurrentMigration;
}

/** Instances that start together all migrate. graphile-migrate admits one, and throws in the others. */
async function retryWhileLocked(run: () => Promise<void>): Promise<void> {
  const giveUpAt = Date.now() + lockWaitMs;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!isLocked(error) || Date.now() > giveUpAt) throw error;
      await delay(200);
    } finally {
      // Otherwise graphile-migrate keeps idle connections for 200 ms, and exits the process when one of them breaks.
      clearAllPools();
    }
  }
}

function isLocked(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message.includes("exclusive lock") || ("code" in error && error.code === lockNotAvailable);
}
