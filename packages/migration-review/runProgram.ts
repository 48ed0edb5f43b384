import { createInterface } from "node:readline/promises";
import { isTemporary } from "@content-service/support/withClient.ts";
import { main } from "./commands/main.ts";
import type { Project } from "./Project.ts";

/**
 * Runs the command in the arguments of this process, as `npx graphile-migrate-review` does. Sets its exit status.
 *
 * @param directory with `.gmrc` and `migrations/`
 */
export async function runProgram(directory: string, project: Project): Promise<void> {
  // A connection of graphile-migrate that breaks emits an error that it does not listen for. The statement under way fails as well, and
  // main() reports that.
  process.on("uncaughtException", (error) => {
    if (isTemporary(error)) return;
    console.error(error);
    process.exit(1);
  });
  process.exitCode = await main(process.argv.slice(2), {
    directory,
    environment: process.env,
    project,
    output: console,
    ask: process.stdin.isTTY ? ask : undefined,
    interruption,
  });
}

function interruption(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop.abort());
  return stop.signal;
}

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await terminal.question(question)).trim();
  } finally {
    terminal.close();
  }
}
