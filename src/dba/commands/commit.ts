import { chmod, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { commit } from "graphile-migrate";
import { readCommitted } from "../../migrations/committed.ts";
import { migrateSettings, projectMigrations } from "../../migrations/migrate.ts";
import { StartError } from "../../support/StartError.ts";
import { hasCurrent } from "../pendingMigrations.ts";
import { checkCommand } from "./check.ts";
import type { Command } from "./command.ts";
import { requireShadow } from "./databases.ts";
import { writeSnapshots } from "./snapshot.ts";

/** What graphile-migrate leaves in `migrations/current` when there is nothing in it. */
const emptyPart = "1-current.sql";

/** `npm run db:commit -- --message "posts can be scheduled"`: checks `migrations/current`, and seals it. */
export const commitCommand: Command = {
  options: { message: { type: "string", short: "m" }, ...checkCommand.options },
  async run(databases, given) {
    const shadowConnectionString = requireShadow(databases);
    if (typeof given.message !== "string" || given.message.trim() === "") {
      throw new StartError(
        'Say what is true afterwards, not the work: npm run db:commit -- --message "posts can be scheduled"',
      );
    }
    if (!(await hasCurrent())) throw new StartError("migrations/current is empty: there is nothing to commit.");
    await checkCommand.run(databases, given);
    await commit({ ...migrateSettings(databases.url), shadowConnectionString }, given.message);
    const newest = (await readCommitted(projectMigrations)).at(-1);
    if (!newest) throw new Error("The migration that was committed is not there.");
    // Not for everybody’s eyes only: git, editors and other users of the machine want to write and read it.
    await chmod(newest.fullPath, 0o644);
    const part = join(projectMigrations, "current", emptyPart);
    if ((await readFile(part, "utf8").catch(() => "something")).trim() === "") await unlink(part);
    console.log(`migrations/committed/${newest.realFilename} is sealed.`);
    await writeSnapshots(shadowConnectionString);
  },
};
