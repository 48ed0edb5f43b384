import { execFile } from "node:child_process";
import { promisify } from "node:util";

export interface ProgramOptions {
  cwd?: string | undefined;
  /** By default, that of this process. */
  env?: NodeJS.ProcessEnv | undefined;
  input?: string | undefined;
  /** How many of the lines that it has printed are in the error, the last ones. By default, all. */
  toldLines?: number | undefined;
}

const maxBuffer = 256 * 1024 * 1024;

/**
 * Runs a program of the machine to its end.
 *
 * @returns what it has printed to stdout
 * @throws with what it has printed, when it fails
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env, input, toldLines }: ProgramOptions = {},
): Promise<string> {
  const running = promisify(execFile)(program, args, { cwd, env, maxBuffer });
  running.child.stdin?.end(input);
  try {
    return (await running).stdout;
  } catch (error) {
    const { stdout = "", stderr = "", message } = error as Error & { stdout?: string; stderr?: string };
    const printed = `${stdout}${stderr}` || message;
    const told = toldLines ? printed.trim().split("\n").slice(-toldLines).join("\n") : printed;
    throw new Error(`${program} ${args.join(" ")}:\n${told}`, { cause: error });
  }
}
