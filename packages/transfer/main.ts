import { StartError } from "@content-service/support/StartError.ts";
import { type Command, type Database, UsageError } from "./command.ts";
import { exportCommand } from "./exportCommand.ts";
import { importCommand } from "./importCommand.ts";

const commands: Record<string, Command> = { import: importCommand, export: exportCommand };

/**
 * Runs a command to its end.
 *
 * @param argv `import` or `export`, and its command line
 * @param open opens the database that the command works on
 * @returns the exit status: 2 for a wrong command line
 */
export async function main([name = "", ...args]: string[], open: () => Promise<Database>): Promise<number> {
  const command = commands[name];
  if (!command) throw new TypeError(`${name} is neither import nor export`);
  const { usage, run } = command;
  try {
    if (!args.includes("--help")) return await run(args, open);
    console.log(usage);
    return 0;
  } catch (error) {
    const isUsage =
      error instanceof UsageError || String((error as NodeJS.ErrnoException)?.code).startsWith("ERR_PARSE_ARGS");
    if (isUsage) console.error(`${(error as Error).message}\n\n${usage}`);
    else console.error(error instanceof StartError ? error.message : error);
    return isUsage ? 2 : 1;
  }
}
