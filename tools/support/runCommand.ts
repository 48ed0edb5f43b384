import { format } from "node:util";
import type { Surroundings } from "@content-service/migration-review/commands/command.ts";
import { main } from "@content-service/migration-review/commands/main.ts";
import { service } from "../../src/commands/service.ts";

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
  const surroundings: Surroundings = {
    directory,
    environment,
    service,
    output: { log: printTo("stdout"), error: printTo("stderr") },
    ask: undefined,
    interruption: () => new AbortController().signal,
  };
  return { status: await main(command, surroundings), ...printed };
}
