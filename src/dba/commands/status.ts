import { checkCommitted } from "../../migrations/committed.ts";
import { projectMigrations } from "../../migrations/migrate.ts";
import { hasCurrent, pendingMigrations } from "../pendingMigrations.ts";
import type { Command } from "./command.ts";

/** `npm run db:status`: what has not run yet, and what is not committed yet. */
export const statusCommand: Command = {
  options: {},
  async run({ url }) {
    await checkCommitted(projectMigrations, url);
    const pending = await pendingMigrations(url);
    if (pending.length > 0) {
      console.log(`Committed, and to be run by npm run db:migrate:\n  ${pending.join("\n  ")}`);
    } else {
      console.log("Every committed migration has run.");
    }
    console.log(
      (await hasCurrent())
        ? "migrations/current has a change that npm run db:commit would commit."
        : "migrations/current is empty.",
    );
  },
};
