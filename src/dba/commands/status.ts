import { checkCommitted } from "../../migrations/committed.ts";
import { hasCurrent, projectMigrations } from "../../migrations/migrate.ts";
import type { Command } from "./command.ts";

/** `npm run db:status`: shows which migrations have not run yet, and whether `migrations/current` needs a commit. */
export const statusCommand: Command = {
  options: {},
  async run({ url }) {
    const pending = await checkCommitted(projectMigrations, url);
    console.log(
      pending.length > 0
        ? ["Committed, for npm run db:migrate to run:", ...pending.map((file) => file.realFilename)].join("\n  ")
        : "Every committed migration has run.",
    );
    console.log(
      (await hasCurrent())
        ? "migrations/current has a change for npm run db:commit to commit."
        : "migrations/current is empty.",
    );
  },
};
