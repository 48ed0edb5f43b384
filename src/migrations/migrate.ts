import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Logger, migrate as runCommitted, watch as runCurrent, type Settings } from "graphile-migrate";
import { clearAllPools } from "graphile-migrate/dist/pgReal.js";
import { checkCommitted } from "./committed.ts";
import { gmrc, projectRoot } from "./gmrc.ts";

/** Another migrator at work, or a table that is never free for a moment, is waited for this long. */
const lockWaitMs = 60_000;
const lockNotAvailable = "55P03";

export const projectMigrations = fileURLToPath(new URL("migrations", projectRoot));

/** What graphile-migrate needs to know, for the database at `connectionString`. */
export function migrateSettings(
  connectionString: string,
  migrationsFolder: string = projectMigrations,
): Settings & { migrationsFolder: string } {
  return {
    ...gmrc,
    connectionString,
    // From where `reset` drops a database and makes it anew: not from itself.
    rootConnectionString: otherDatabase(connectionString),
    migrationsFolder,
    logger: new Logger(() => (level, message) => {
      // Whoever wrote the SQL has no use for a stack of TypeScript.
      if (level === "error" || level === "warning") console.error(message.replace(/\n +at .*/g, ""));
    }),
  };
}

function otherDatabase(connectionString: string): string {
  const url = new URL(connectionString);
  return Object.assign(url, { pathname: url.pathname === "/postgres" ? "/template1" : "/postgres" }).href;
}

/**
 * Brings the database at `connectionString`, as its owner, to the newest committed migration. Each is one transaction, so
 * that one that fails or is killed leaves nothing; running it twice, or twice at once, does no harm.
 *
 * @throws StartError when a committed migration is not what it was
 */
export async function migrate(connectionString: string, migrationsFolder?: string): Promise<void> {
  const settings = migrateSettings(connectionString, migrationsFolder);
  await checkCommitted(settings.migrationsFolder, connectionString);
  await untilUnlocked(() => runCommitted(settings));
}

/** Runs `migrations/current` once: today's change, not yet committed. For development and tests. */
export async function migrateCurrent(connectionString: string, migrationsFolder?: string): Promise<void> {
  await untilUnlocked(() => runCurrent(migrateSettings(connectionString, migrationsFolder), true));
}

/** Two instances that start at once both migrate: graphile-migrate lets one in and sends the other away. */
async function untilUnlocked(run: () => Promise<void>): Promise<void> {
  const giveUpAt = Date.now() + lockWaitMs;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!isLocked(error) || Date.now() > giveUpAt) throw error;
      await delay(200);
    } finally {
      // It keeps its connections for a while, and ends the process when one breaks meanwhile.
      clearAllPools();
    }
  }
}

function isLocked(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message.includes("exclusive lock") || ("code" in error && error.code === lockNotAvailable);
}
