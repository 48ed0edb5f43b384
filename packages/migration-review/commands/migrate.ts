import { withClient } from "@content-service/support/withClient.ts";
import { migrate } from "../migrations/migrate.ts";
import type { Command } from "../Project.ts";

/** `migrate`: prepares the server, and runs the committed migrations that this database has not run yet. */
export const migrateCommand: Command = {
  options: {},
  async run({ databases: { url }, migrations, output, project }) {
    await withClient(url, async (owner) => project.prepareServer?.(owner));
    const pending = await migrate(url, migrations, undefined, (line) => output.log(line));
    for (const { realFilename } of pending) output.log(`Ran ${realFilename}.`);
    if (pending.length === 0) output.log("Nothing to run: every committed migration has run.");
  },
};
