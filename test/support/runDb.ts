import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

export interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `npm run db:<command>` of this checkout on the database at `url`, to its end. For commands that write no file of the project. */
export async function runDb(url: string, command: string[], environment: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, ["src/dba/commands/db.ts", ...command], {
    cwd: root,
    env: { PATH, NODE_COMPILE_CACHE, DATABASE_URL: url, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { status: status as number | null, stdout, stderr };
}
