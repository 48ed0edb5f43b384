import { execFile } from "node:child_process";
import { promisify } from "node:util";

interface RunOptions {
  cwd?: string | undefined;
  env?: NodeJS.ProcessEnv;
  input?: string;
}

const maxBuffer = 256 * 1024 * 1024;

/**
 * Runs a program of the machine to its end.
 *
 * @returns what it has printed to stdout
 * @throws with all that it has printed, when it fails
 */
export async function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { input, env, ...others } = options;
  const running = promisify(execFile)(program, args, { ...others, env: { ...process.env, ...env }, maxBuffer });
  running.child.stdin?.end(input);
  try {
    return (await running).stdout;
  } catch (error) {
    const { stdout = "", stderr = "", message } = error as Error & { stdout?: string; stderr?: string };
    const printed = `${stdout}${stderr}`.trim().split("\n").slice(-40).join("\n");
    throw new Error(`${program} ${args.join(" ")}: ${printed || message}`);
  }
}

/** Runs a program. @returns nothing when it is missing or fails */
export async function tryRun(program: string, args: readonly string[], options?: RunOptions) {
  return run(program, args, options).catch(() => undefined);
}
