import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Logger, migrate as runCommitted, watch as runCurrent, type Settings } from "graphile-migrate";
import { gmrc, projectRoot } from "./gmrc.ts";

/** Every committed migration runs in one transaction or not at all; another migrator at work is waited for this long. */
const lockWaitMs = 60_000;

/** What graphile-migrate needs to know, for the database at `connectionString`. */
export function migrateSettings(connectionString: string): Settings {
  return {
    ...gmrc,
    connectionString,
    // For `reset` only, which this never does; graphile-migrate insists on another database all the same.
    rootConnectionString: Object.assign(new URL(connectionString), { pathname: "/template1" }).href,
    migrationsFolder: fileURLToPath(new URL("migrations", projectRoot)),
    logger: new Logger(() => (level, message) => {
      if (level === "error" || level === "warning") console.error(message);
    }),
  };
}

/** Brings the database at `connectionString`, as its owner, to the newest committed migration. */
export async function migrate(connectionString: string): Promise<void> {
  const settings = migrateSettings(connectionString);
  const giveUpAt = Date.now() + lockWaitMs;
  for (;;) {
    try {
      await runCommitted(settings);
      return;
    } catch (error) {
      // Two instances that start at once both migrate: graphile-migrate lets one in and sends the other away.
      const isLocked = error instanceof Error && error.message.includes("exclusive lock");
      if (!isLocked || Date.now() > giveUpAt) throw error;
      await delay(200);
    }
  }
}

/** Runs `migrations/current` once: today's change, not yet committed. For development and tests. */
export async function migrateCurrent(connectionString: string): Promise<void> {
  await runCurrent(migrateSettings(connectionString), true);
}
