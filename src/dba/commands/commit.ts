import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { commit } from "graphile-migrate";
import { readCommitted } from "../../migrations/committed.ts";
import { hasCurrent, migrateSettings, projectMigrations } from "../../migrations/migrate.ts";
import { StartError } from "../../support/StartError.ts";
import { checkCommand } from "./check.ts";
import type { Command } from "./command.ts";
import { requireShadow } from "./databases.ts";
import { writeSnapshots } from "./snapshot.ts";

/** `npm run db:commit -- --message "posts can be scheduled"`: reviews `migrations/current`, and commits it. */
export const commitCommand: Command = {
  options: { message: { type: "string", short: "m" }, ...checkCommand.options },
  async run(databases, options) {
    const shadowConnectionString = requireShadow(databases);
    if (typeof options.message !== "string" || options.message.trim() === "") {
      throw new StartError(
        'Give a message that states the result: npm run db:commit -- --message "posts can be scheduled"',
      );
    }
    if (!(await hasCurrent())) throw new StartError("migrations/current is empty: there is nothing to commit.");
    await checkCommand.run(databases, options, []);
    await commit({ ...migrateSettings(databases.url), shadowConnectionString }, options.message);
    const newest = (await readCommitted(projectMigrations)).at(-1);
    if (!newest) throw new Error("The migration that was committed is missing.");
    // graphile-migrate makes the file unreadable for other users of the machine, and read-only for git and editors.
    await chmod(newest.fullPath, 0o644);
    // graphile-migrate leaves an empty part behind.
    await rm(join(projectMigrations, "current", "1-current.sql"), { force: true });
    console.log(`migrations/committed/${newest.realFilename} is committed.`);
    await writeSnapshots(shadowConnectionString);
  },
};
