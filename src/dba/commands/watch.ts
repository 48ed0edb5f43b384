import { once } from "node:events";
import { watch } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { migrate, migrateCurrent, projectMigrations } from "../../migrations/migrate.ts";
import { oneAtATime } from "../../support/oneAtATime.ts";
import type { Command } from "./command.ts";
import { type Databases, openDatabases } from "./databases.ts";

/** An editor writes a file in several steps. */
const settleMs = 100;

/** What says that something is there already: duplicate schema, object, table, function, column. */
const alreadyThere = ["42P06", "42710", "42P07", "42723", "42701"];

/** `npm run db:watch`: runs `migrations/current` on every save; running services follow. Until Ctrl-C. */
export const watchCommand: Command = {
  options: {},
  async run({ url }) {
    await migrate(url);
    const stop = new AbortController();
    process.once("SIGINT", () => stop.abort()).once("SIGTERM", () => stop.abort());
    const opened: Databases[] = [];
    const run = oneAtATime(async () => {
      await delay(settleMs);
      // The service that it was borrowed from may have stopped it meanwhile.
      const databases = await openDatabases(process.env);
      opened.push(databases);
      await runOnce(databases.url);
    });
    for (const folder of ["current", "fixtures"]) {
      watch(join(projectMigrations, folder), { recursive: true, signal: stop.signal }, run);
    }
    await run();
    console.log("Watching migrations/current and migrations/fixtures. Ctrl-C ends it.");
    if (!stop.signal.aborted) await once(stop.signal, "abort");
    for (const databases of opened) await databases.close();
  },
};

async function runOnce(url: string): Promise<void> {
  const start = Date.now();
  try {
    await migrateCurrent(url);
    console.log(`${new Date().toLocaleTimeString()}: migrations/current has run, in ${Date.now() - start} ms.`);
  } catch (error) {
    // graphile-migrate has printed what is wrong and where; it stays as it was until the next save.
    const isThere = error instanceof Error && "code" in error && alreadyThere.includes(String(error.code));
    if (isThere) {
      console.error(
        "  It is there from an earlier save: let the migration begin by taking back what it makes (drop … if exists, " +
          "add column if not exists), so that it can run on every save.",
      );
    } else if (!(error instanceof Error && "_gmlogged" in error)) {
      console.error(error instanceof Error ? error.message : error);
    }
  }
}
