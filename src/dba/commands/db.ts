import "../../environment.ts";
import { parseArgs } from "node:util";
import { clearAllPools } from "graphile-migrate/dist/pgReal.js";
import { StartError } from "../../support/StartError.ts";
import { checkCommand } from "./check.ts";
import type { Command, Given } from "./command.ts";
import { commitCommand } from "./commit.ts";
import { openDatabases } from "./databases.ts";
import { migrateCommand } from "./migrate.ts";
import { resetCommand } from "./reset.ts";
import { snapshotCommand } from "./snapshot.ts";
import { statusCommand } from "./status.ts";
import { uncommitCommand } from "./uncommit.ts";
import { watchCommand } from "./watch.ts";

/** What `npm run db:<name>` runs: the DBA's daily work (migrations/README.md). */
const commands: Record<string, Command> = {
  migrate: migrateCommand,
  status: statusCommand,
  watch: watchCommand,
  check: checkCommand,
  commit: commitCommand,
  uncommit: uncommitCommand,
  reset: resetCommand,
  snapshot: snapshotCommand,
};

async function main([name = "", ...args]: string[]): Promise<void> {
  const command = commands[name];
  if (!command)
    throw new StartError(
      `Which one? ${Object.keys(commands)
        .map((known) => `npm run db:${known}`)
        .join(", ")}`,
    );
  const given = readArguments(command, name, args);
  const databases = await openDatabases(process.env);
  try {
    await command.run(databases, given);
  } finally {
    // graphile-migrate keeps its connections for a while, and ends the process when one breaks meanwhile.
    clearAllPools();
    await databases.close();
  }
}

function readArguments({ options }: Command, name: string, args: string[]): Given {
  try {
    return parseArgs({ args, options, allowPositionals: false }).values;
  } catch (error) {
    const known = Object.keys(options).map((option) => `--${option}`);
    throw new StartError(
      `npm run db:${name}: ${(error as Error).message} ` +
        (known.length > 0 ? `It takes ${known.join(", ")}, behind a lone --.` : "It takes no arguments."),
    );
  }
}

/** graphile-migrate has said already what is wrong with a statement, or where it is. */
function words(error: unknown): unknown {
  if (error instanceof StartError) return error.message;
  if (error instanceof Error && "_gmlogged" in error) return "Nothing of it is left in the database.";
  return error instanceof Error && "_gmMessageOverride" in error ? error._gmMessageOverride : error;
}

main(process.argv.slice(2)).catch((error) => {
  console.error(words(error));
  process.exitCode = 1;
});
