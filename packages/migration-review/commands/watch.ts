import { once } from "node:events";
import { existsSync, watch } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import { oneAtATime } from "@content-service/support/oneAtATime.ts";
import { withClient } from "@content-service/support/withClient.ts";
import { reviewApi } from "../check/api/reviewApi.ts";
import { printFindings } from "../check/report.ts";
import { migrate, migrateCurrent } from "../migrations/migrate.ts";
import type { Command, Context } from "../Project.ts";
import { type Databases, openDatabases } from "./databases.ts";

/** Wait for the editor, which may write a file in several steps. */
const settleMs = 100;

/** SQLSTATEs of duplicate schema, object, table, function and column. */
const alreadyExists = ["42P06", "42710", "42P07", "42723", "42701"];

/**
 * `watch`: runs `migrations/current` on every save, until Ctrl-C. Running services follow. Says what is missing in the
 * API, and what has the same name as something else.
 */
export const watchCommand: Command = {
  options: {},
  async run(context) {
    const { environment, migrations, output, project } = context;
    const { url } = context.databases;
    await withClient(url, async (owner) => project.prepareServer?.(owner));
    await migrate(url, migrations);
    const stop = context.interruption();
    const opened: Databases[] = [];
    let isSettling = false;
    const run = oneAtATime(async () => {
      isSettling = true;
      await delay(settleMs);
      isSettling = false;
      // Open again each time: a service that owns the embedded database may have stopped it since the last run.
      const databases = await openDatabases(environment, project);
      opened.push(databases);
      await runOnce({ ...context, databases });
    });
    for (const folder of ["current", "fixtures"]) {
      if (!existsSync(join(migrations.folder, folder))) continue;
      // Files of migrations/current lie side by side. On Linux, Node makes a recursive watch of many, which come and go with the files.
      watch(join(migrations.folder, folder), { recursive: folder === "fixtures", signal: stop }, () => {
        // A change that comes before the files are read belongs to this save.
        if (!isSettling) lastRun = run();
      });
    }
    let lastRun = run();
    await lastRun;
    output.log("Watching migrations/current and migrations/fixtures. Press Ctrl-C to stop.");
    if (!stop.aborted) await once(stop, "abort");
    await lastRun;
    for (const databases of opened) await databases.close();
  },
};

async function runOnce({
  databases: { url },
  environment,
  migrations,
  output,
  project: { api },
}: Context): Promise<void> {
  const start = Date.now();
  try {
    await migrateCurrent(url, migrations);
    output.log(`${new Date().toLocaleTimeString()}: migrations/current has run, in ${Date.now() - start} ms.`);
    if (!api) return;
    const { findings } = await withClient(url, (client) =>
      reviewApi(api, client, url, environment, migrations.settings),
    );
    if (findings.length > 0) output.error(printFindings("The API", findings));
  } catch (error) {
    output.error(error instanceof Error ? error.message : error);
    if (error instanceof Error && alreadyExists.includes(sqlStateOf(error.cause))) {
      output.error(
        "  An earlier save created it. A migration runs on every save, so begin it by undoing what it creates: drop … if " +
          "exists, add column if not exists.",
      );
    }
  }
}
