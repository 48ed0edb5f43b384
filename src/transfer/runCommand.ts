import { StartError } from "@content-service/support/StartError.ts";

/** A command line that cannot be understood. */
export class UsageError extends Error {}

/** Runs a command to its end. The exit status is 2 for a wrong command line, and 1 for another failure. */
export function runCommand(main: () => Promise<void>, usage: string): void {
  main().catch((error) => {
    const isUsage = error instanceof UsageError || String(error?.code).startsWith("ERR_PARSE_ARGS");
    if (isUsage) console.error(`${error.message}\n\n${usage}`);
    else console.error(error instanceof StartError ? error.message : error);
    process.exitCode = isUsage ? 2 : 1;
  });
}
