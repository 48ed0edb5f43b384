import { type ChildProcess, spawn } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const parts = ["src", "plugins", "migrations", "schema.graphql", ".gmrc", "package.json"];

export interface Project {
  directory: string;
  environment: NodeJS.ProcessEnv;
  read(file: string): Promise<string>;
  write(file: string, text: string): Promise<void>;
  /** Runs `npm run db:<command>` to its end. */
  db(...command: string[]): Promise<Ended>;
  /** Starts `npm run db:<command>`. */
  start(...command: string[]): ChildProcess;
  git(...args: string[]): Promise<Ended>;
  remove(): Promise<void>;
}

interface Ended {
  status: number | null;
  output: string;
}

/**
 * Copies the project into a new git repository and commits it, as the checkout of a DBA.
 *
 * @param databases `DATABASE_URL` and `SHADOW_DATABASE_URL` of the commands
 */
export async function copyProject(databases: NodeJS.ProcessEnv): Promise<Project> {
  const directory = await mkdtemp(join(tmpdir(), "content-service-project-"));
  for (const part of parts) await cp(join(root, part), join(directory, part), { recursive: true });
  await symlink(join(root, "node_modules"), join(directory, "node_modules"));
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const environment = { PATH, NODE_COMPILE_CACHE, HOME: directory, ...databases };
  const run = (program: string, args: string[]) =>
    spawn(program, args, { cwd: directory, env: environment, stdio: ["ignore", "pipe", "pipe"] });
  const start = (...command: string[]) => run(process.execPath, ["src/dba/commands/db.ts", ...command]);
  const git = (...args: string[]) => ended(run("git", args));
  await git("init", "--quiet");
  await git("add", "migrations", "src", "plugins", "schema.graphql");
  await git("-c", "user.name=DBA", "-c", "user.email=dba@example.com", "commit", "--quiet", "-m", "Start");
  return {
    directory,
    environment,
    read: (file) => readFile(join(directory, file), "utf8"),
    write: (file, text) => writeFile(join(directory, file), text),
    db: (...command) => ended(start(...command)),
    start,
    git,
    remove: () => rm(directory, { recursive: true }),
  };
}

function ended(child: ChildProcess): Promise<Ended> {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      output += chunk;
    });
  }
  return new Promise((resolve) => child.once("close", (status) => resolve({ status, output })));
}
