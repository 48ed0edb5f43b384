import { uncommit } from "graphile-migrate";
import { readCommitted } from "../../migrations/committed.ts";
import { hasCurrent, migrateSettings, projectMigrations } from "../../migrations/migrate.ts";
import { ofOneServer } from "../../support/MultiHostClient.ts";
import { StartError } from "../../support/StartError.ts";
import type { Command } from "./command.ts";
import { requireShadow } from "./databases.ts";

/** `npm run db:uncommit`: moves the newest committed migration back to `migrations/current`, before it is shared. */
export const uncommitCommand: Command = {
  options: {},
  async run(databases) {
    if (process.env.NODE_ENV === "production") {
      throw new StartError("Production has run this migration. Write a new one instead.");
    }
    const shadowConnectionString = requireShadow(databases);
    const newest = (await readCommitted(projectMigrations)).at(-1);
    if (!newest) throw new StartError("There is no committed migration.");
    if (await hasCurrent()) {
      throw new StartError("migrations/current is not empty. Commit its parts or move them away, then uncommit.");
    }
    await uncommit({ ...migrateSettings(await ofOneServer(databases.url)), shadowConnectionString });
    console.log(`${newest.realFilename} is back in migrations/current. The database keeps its changes.`);
  },
};
