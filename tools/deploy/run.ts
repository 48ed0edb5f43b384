import { type ProgramOptions, runProgram } from "../support/runProgram.ts";

/** Runs a program with the environment of this process and more. A build prints thousands of lines: an error has the last ones. */
export function run(
  program: string,
  args: readonly string[],
  { env, ...others }: Omit<ProgramOptions, "toldLines"> = {},
): Promise<string> {
  return runProgram(program, args, { ...others, env: { ...process.env, ...env }, toldLines: 40 });
}

/** Runs a program. @returns nothing when it is missing or fails */
export function tryRun(program: string, args: readonly string[]): Promise<string | undefined> {
  return run(program, args).catch(() => undefined);
}
