import { join } from "node:path";
import { withClient } from "@content-service/support/withClient.ts";
import { migrate } from "../migrations/migrate.ts";
import { createRoles } from "../migrations/roles.ts";
import type { Command } from "./command.ts";

/** `npm run db:migrate`: creates the roles, and runs the committed migrations that this database has not run yet. */
export const migrateCommand: Command = {
  options: {},
  async run({ databases: { url }, directory, output }) {
    await withClient(url, createRoles);
    const pending = await migrate(url, join(directory, "migrations"));
    for (const { realFilename } of pending) output.log(`Ran ${realFilename}.`);
    if (pending.length === 0) output.log("Nothing to run: every committed migration has run.");
  },
};
