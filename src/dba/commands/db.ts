import "../../environment.ts";
import { parseArgs } from "node:util";
import { clearAllPools } from "../../migrations/graphileMigrate.ts";
import { StartError } from "../../support/StartError.ts";
import { indexCommand } from "./buildIndex.ts";
import { checkCommand } from "./check.ts";
import type { Command, Options } from "./command.ts";
import { commitCommand } from "./commit.ts";
import { openDatabases } from "./databases.ts";
import { dumpCommand } from "./dump.ts";
import { explainCommand } from "./explain.ts";
import { migrateCommand } from "./migrate.ts";
import { psqlCommand } from "./psql.ts";
import { resetCommand } from "./reset.ts";
import { restoreCommand } from "./restore.ts";
import { slowCommand } from "./slow.ts";
import { snapshotCommand } from "./snapshot.ts";
import { statusCommand } from "./status.ts";
import { uncommitCommand } from "./uncommit.ts";
import { urlCommand } from "./url.ts";
import { watchCommand } from "./watch.ts";

/** The commands `npm run db:<name>` (migrations/README.md). */
const commands: Record<string, Command> = {
  migrate: migrateCommand,
  status: statusCommand,
  watch: watchCommand,
  check: checkCommand,
  commit: commitCommand,
  uncommit: uncommitCommand,
  reset: resetCommand,
  snapshot: snapshotCommand,
  index: indexCommand,
  url: urlCommand,
  psql: psqlCommand,
  dump: dumpCommand,
  restore: restoreCommand,
  explain: explainCommand,
  slow: slowCommand,
};

async function main([name = "", ...args]: string[]): Promise<void> {
  const command = commands[name];
  if (!command) {
    const names = Object.keys(commands).map((known) => `npm run db:${known}`);
    throw new StartError(`Unknown command. Run one of ${names.join(", ")}`);
  }
  const { options, positionals } = parseCommandLine(command, name, args);
  const databases = await openDatabases(process.env);
  try {
    await command.run(databases, options, positionals);
  } finally {
    // Otherwise graphile-migrate keeps idle connections for 200 ms, and exits the process when one of them breaks.
    clearAllPools();
    await databases.close();
  }
}

function parseCommandLine(command: Command, name: string, args: string[]): { options: Options; positionals: string[] } {
  const { options, arguments: expected = [] } = command;
  if (!options) return { options: {}, positionals: args };
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: expected.length > 0 });
    if (positionals.length !== expected.length) throw new Error(`It takes ${expected.join(" and ")}.`);
    return { options: values, positionals };
  } catch (error) {
    const known = Object.keys(options).map((option) => `--${option}`);
    throw new StartError(
      `npm run db:${name}: ${(error as Error).message} ` +
        (known.length > 0 ? `Its options are ${known.join(", ")}. Write them after --.` : "It has no options."),
    );
  }
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error instanceof StartError ? error.message : error);
  process.exitCode = 1;
});
