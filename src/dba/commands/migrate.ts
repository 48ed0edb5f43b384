import { migrate } from "../../migrations/migrate.ts";
import { createRoles } from "../../migrations/roles.ts";
import type { Command } from "./command.ts";

/** `npm run db:migrate`: creates the roles, and runs the committed migrations that this database has not run yet. */
export const migrateCommand: Command = {
  options: {},
  async run({ url }) {
    await createRoles(url);
    const pending = await migrate(url);
    for (const { realFilename } of pending) console.log(`Ran ${realFilename}.`);
    if (pending.length === 0) console.log("Nothing to run: every committed migration has run.");
  },
};
