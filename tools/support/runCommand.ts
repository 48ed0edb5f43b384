import { format } from "node:util";
import { type CommandEnvironment, main } from "graphile-migrate-review";
import { project } from "../../src/commands/project.ts";

export interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
  /** Both, in the order in which they were printed. */
  output: string;
}

/** Runs `npm run db:<command>` on a checkout to its end, in this process. No signal interrupts it. */
export async function runCommand(directory: string, environment: NodeJS.ProcessEnv, command: string[]): Promise<Ended> {
  const printed = { stdout: "", stderr: "", output: "" };
  const printTo =
    (stream: "stdout" | "stderr") =>
    (...values: unknown[]) => {
      for (const name of [stream, "output"] as const) printed[name] += `${format(...values)}\n`;
    };
  const commandEnvironment: CommandEnvironment = {
    directory,
    environment,
    project,
    output: { log: printTo("stdout"), error: printTo("stderr") },
    ask: undefined,
    interruption: () => new AbortController().signal,
  };
  return { status: await main(command, commandEnvironment), ...printed };
}
