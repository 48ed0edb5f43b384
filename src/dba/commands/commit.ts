import { chmod, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { commit } from "graphile-migrate";
import { readCommitted } from "../../migrations/committed.ts";
import { hasCurrent, projectMigrations, runMigrations } from "../../migrations/migrate.ts";
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
    const { message } = options;
    await runMigrations(databases.url, (settings) =>
      keepingParts(() => commit({ ...settings, shadowConnectionString }, message)),
    );
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

/** After a commit that failed, graphile-migrate leaves parts with included text in place of their `--!include` lines. */
async function keepingParts(run: () => Promise<void>): Promise<void> {
  const folder = join(projectMigrations, "current");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql"));
  const parts = await Promise.all(names.map(async (name) => ({ name, text: await readFile(join(folder, name)) })));
  try {
    await run();
  } catch (error) {
    for (const { name, text } of parts) await writeFile(join(folder, name), text);
    throw error;
  }
}
