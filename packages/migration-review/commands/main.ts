import { parseArgs } from "node:util";
import { StartError } from "@content-service/support/StartError.ts";
import { isTemporary } from "@content-service/support/withClient.ts";
import pg from "pg";
import type { Command, Options, Surroundings } from "./command.ts";
import { openDatabases } from "./databases.ts";

/** The commands `npm run db:<name>` (migrations/README.md). Each loads what it needs alone. */
const commands: Record<string, () => Promise<Command>> = {
  migrate: async () => (await import("./migrate.ts")).migrateCommand,
  status: async () => (await import("./status.ts")).statusCommand,
  watch: async () => (await import("./watch.ts")).watchCommand,
  check: async () => (await import("./check.ts")).checkCommand,
  commit: async () => (await import("./commit.ts")).commitCommand,
  uncommit: async () => (await import("./uncommit.ts")).uncommitCommand,
  drift: async () => (await import("./drift.ts")).driftCommand,
  renumber: async () => (await import("./renumber.ts")).renumberCommand,
  reset: async () => (await import("./reset.ts")).resetCommand,
  snapshot: async () => (await import("./snapshot.ts")).snapshotCommand,
  index: async () => (await import("./buildIndex.ts")).indexCommand,
  url: async () => (await import("./url.ts")).urlCommand,
  psql: async () => (await import("./psql.ts")).psqlCommand,
  dump: async () => (await import("./dump.ts")).dumpCommand,
  restore: async () => (await import("./restore.ts")).restoreCommand,
  explain: async () => (await import("./explain.ts")).explainCommand,
  slow: async () => (await import("./slow.ts")).slowCommand,
};

/**
 * Runs one of the `db:` commands. Leaves nothing behind in the process: no connection, no listener, no setting.
 *
 * @param argv the name of the command, and its command line
 * @returns the exit status
 */
export async function main(argv: string[], surroundings: Surroundings): Promise<number> {
  try {
    return (await run(argv, surroundings)) ?? 0;
  } catch (error) {
    surroundings.output.error(isExpected(error) ? messageOf(error) : error);
    return 1;
  }
}

async function run([name = "", ...args]: string[], surroundings: Surroundings): Promise<number | undefined> {
  const command = await commands[name]?.();
  if (!command) {
    const names = Object.keys(commands).map((known) => `npm run db:${known}`);
    throw new StartError(`Unknown command. Run one of ${names.join(", ")}`);
  }
  if (command.options && args.includes("--help")) {
    return void surroundings.output.log(`npm run db:${name}: ${usageOf(command)}`);
  }
  const { options, positionals } = parseCommandLine(command, name, args);
  const databases = await openDatabases(surroundings.environment, surroundings.service);
  try {
    return await command.run({ ...surroundings, databases }, options, positionals);
  } finally {
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
    throw new StartError(`npm run db:${name}: ${(error as Error).message} ${optionsOf(command)}`);
  }
}

function usageOf(command: Command): string {
  return [...(command.arguments ? [`It takes ${command.arguments.join(" and ")}.`] : []), optionsOf(command)].join(" ");
}

function optionsOf({ options = {} }: Command): string {
  const known = Object.keys(options).map((option) => `--${option}`);
  return known.length > 0 ? `Its options are ${known.join(", ")}. Write them after --.` : "It has no options.";
}

/** An error of PostgreSQL, of the connection or of the user: its message says what to do, and a stack trace says nothing. */
function isExpected(error: unknown): error is Error {
  return error instanceof StartError || error instanceof pg.DatabaseError || isTemporary(error);
}

/** A host name that resolves to several IP addresses gives an AggregateError, whose own message is empty. */
function messageOf(error: Error): string {
  const { message, errors = [] } = error as AggregateError;
  const text = message || errors.map((one) => one.message).join("; ");
  return error instanceof StartError ? text : `The database has failed: ${text}`;
}
