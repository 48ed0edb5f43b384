import { migrate } from "../../migrations/migrate.ts";
import { pendingMigrations } from "../pendingMigrations.ts";
import type { Command } from "./command.ts";

/** `npm run db:migrate`: runs what is committed and has not run yet. */
export const migrateCommand: Command = {
  options: {},
  async run({ url }) {
    const pending = await pendingMigrations(url);
    await migrate(url);
    for (const file of pending) console.log(`Ran ${file}.`);
    if (pending.length === 0) console.log("Nothing to run: every committed migration has run.");
  },
};
