import { parseArgs } from "node:util";
import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { isTemporary, reachingOf } from "@content-service/support/withClient.ts";
import pg from "pg";
import { type CommandLine, npxCommand, readMigrations } from "../migrations/settings.ts";
import type { Command, CommandEnvironment, Options } from "../Project.ts";
import { UsageError } from "../UsageError.ts";
import { openDatabases } from "./databases.ts";

/** Each loads what it needs alone. */
const ownCommands: Record<string, () => Promise<Command>> = {
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
  upgrade: async () => (await import("./upgrade.ts")).upgradeCommand,
  slow: async () => (await import("./slow.ts")).slowCommand,
};

/**
 * Runs one of the commands. Leaves nothing behind in the process: no connection, no listener, no setting.
 *
 * @param argv the name of the command, and its command line
 * @returns the exit status: 0; 1 for what the command refuses; 2 for a wrong command line; 3 if it could not run, as without a connection
 */
export async function main(argv: string[], given: CommandEnvironment): Promise<number> {
  try {
    return (await run(argv, given)) ?? 0;
  } catch (error) {
    given.output.error(isExpected(error) ? messageOf(error) : error);
    if (error instanceof UsageError) return 2;
    return isUnfinished(error) ? 3 : 1;
  }
}

async function run([name = "", ...args]: string[], given: CommandEnvironment): Promise<number | undefined> {
  const { directory, environment, output, project } = given;
  const commandLine = project.migrations?.commandLine ?? npxCommand;
  const commands = { ...ownCommands, ...project.commands };
  const command = await (Object.hasOwn(commands, name) ? commands[name]?.() : undefined);
  if (!command)
    throw new UsageError(`Unknown command. Run one of ${Object.keys(commands).map(commandLine).join(", ")}`);
  if (command.options && args.includes("--help"))
    return void output.log(`${commandLine(name)}: ${usageOf(command, name, commandLine)}`);
  const { options, positionals } = parseCommandLine(command, name, commandLine, args);
  const migrations = readMigrations(directory, project.migrations);
  const databases = await openDatabases(environment, project);
  const once = () => command.run({ ...given, migrations, commandLine, databases }, options, positionals);
  try {
    return await once().catch((error) => {
      if (!command.mayRepeat || !isUnfinished(error)) throw error;
      output.error(`${messageOf(error)} Once more.`);
      return once();
    });
  } finally {
    await databases.close();
  }
}

function parseCommandLine(
  command: Command,
  name: string,
  commandLine: CommandLine,
  args: string[],
): { options: Options; positionals: string[] } {
  const { options, arguments: expected = [] } = command;
  if (!options) return { options: {}, positionals: args };
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: expected.length > 0 });
    if (positionals.length !== expected.length) throw new Error(`It takes ${expected.join(" and ")}.`);
    return { options: values, positionals };
  } catch (error) {
    throw new UsageError(`${commandLine(name)}: ${(error as Error).message} ${optionsOf(command, name, commandLine)}`);
  }
}

function usageOf(command: Command, name: string, commandLine: CommandLine): string {
  return [
    ...(command.arguments ? [`It takes ${command.arguments.join(" and ")}.`] : []),
    optionsOf(command, name, commandLine),
  ].join(" ");
}

function optionsOf({ options = {} }: Command, name: string, commandLine: CommandLine): string {
  const known = Object.keys(options).map((option) => `--${option}`);
  if (known.length === 0) return "It has no options.";
  return `Its options are ${known.join(", ")}: ${commandLine(`${name} ${known[0]} …`)}`;
}

/** An error of PostgreSQL, of the connection or of the user: its message says what to do, and a stack trace says nothing. */
function isExpected(error: unknown): error is Error {
  return error instanceof OperatorError || error instanceof pg.DatabaseError || isTemporary(error);
}

/** SQLSTATEs: a statement was cancelled by its time-out; a lock was not to be had. */
const outOfTime = new Set(["57014", "55P03"]);

/** Whether a command could not run to its end, whatever it is about. */
function isUnfinished(error: unknown): error is Error {
  return isTemporary(error) || outOfTime.has(sqlStateOf(error));
}

/** A host name that resolves to several IP addresses gives an AggregateError, whose own message is empty. */
function messageOf(error: Error): string {
  const { message, errors = [] } = error as AggregateError;
  const text = message || errors.map((one) => one.message).join("; ");
  if (error instanceof OperatorError) return text;
  const where = reachingOf(error);
  return isUnfinished(error)
    ? `Could not run: ${text}${where ? ` (${where})` : ""}.`
    : `The database has failed: ${text}`;
}
