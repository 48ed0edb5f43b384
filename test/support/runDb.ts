import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { type Ended, runCommand } from "../../tools/support/runCommand.ts";

export type { Ended };

const root = fileURLToPath(new URL("../../", import.meta.url));

function environmentFor(url: string): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, NODE_COMPILE_CACHE, DATABASE_URL: url };
}

/**
 * Runs `npm run db:<command>` of this checkout on the database at `url` to its end, in this process. For commands that write no file of
 * the project.
 */
export function runDb(url: string, command: string[], environment: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return runCommand(root, { ...environmentFor(url), ...environment }, command);
}

/** Starts the same as a program. */
export function startDb(url: string, command: string[]): ChildProcess {
  return spawn(process.execPath, ["src/commands/db.ts", ...command], {
    cwd: root,
    env: environmentFor(url),
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Runs the same as a program, to its end. */
export async function spawnDb(url: string, command: string[]): Promise<Omit<Ended, "output">> {
  const child = startDb(url, command);
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout as NonNullable<typeof child.stdout>),
    text(child.stderr as NonNullable<typeof child.stderr>),
    once(child, "close"),
  ]);
  return { status: status as number | null, stdout, stderr };
}
