import { type ChildProcess, execFile, spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Ended, runCommand } from "./runCommand.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const workspace = "@content-service";
const parts = ["src", "plugins", "packages", "migrations", "schema.graphql", ".gmrc", "package.json"];

export interface Project {
  directory: string;
  environment: NodeJS.ProcessEnv;
  read(file: string): Promise<string>;
  write(file: string, text: string): Promise<void>;
  /** Runs `npm run db:<command>` on the copy to its end, in this process and with this checkout's code. */
  db(...command: string[]): Promise<Ended>;
  /** Starts `npm run db:<command>` of the copy. */
  start(...command: string[]): ChildProcess;
  git(...args: string[]): Promise<unknown>;
  /** Commits the migrations and the API to git. */
  seal(message: string): Promise<void>;
  remove(): Promise<void>;
}

/** Links the dependencies of this checkout, and the packages of the copy: these know the directory that they lie in. */
async function linkModules(directory: string): Promise<void> {
  const [from, to] = [join(root, "node_modules"), join(directory, "node_modules")];
  await mkdir(join(to, workspace), { recursive: true });
  const installed = (await readdir(from)).filter((name) => name !== workspace);
  // npm's link to a workspace is relative.
  const target = async (name: string) => readlink(join(from, name)).catch(() => join(from, name));
  await Promise.all(installed.map(async (name) => symlink(await target(name), join(to, name))));
  for (const name of await readdir(join(directory, "packages"))) {
    await symlink(join("../../packages", name), join(to, workspace, name));
  }
}

/**
 * Copies the project into a new git repository and commits it, as the checkout of a DBA.
 *
 * @param databases `DATABASE_URL` and `SHADOW_DATABASE_URL` of the commands
 */
export async function copyProject(databases: NodeJS.ProcessEnv): Promise<Project> {
  const directory = await mkdtemp(join(tmpdir(), "content-service-project-"));
  // cp() takes ten times as much processor time.
  for (const part of parts) cpSync(join(root, part), join(directory, part), { recursive: true });
  await linkModules(directory);
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const environment = { PATH, NODE_COMPILE_CACHE, HOME: directory, ...databases };
  const git = (...args: string[]) => promisify(execFile)("git", args, { cwd: directory, env: environment });
  const seal = async (message: string) => {
    await git("add", "migrations", "src", "plugins", "packages", "schema.graphql");
    await git(
      "-c",
      "user.name=DBA",
      "-c",
      "user.email=dba@example.com",
      "commit",
      "--quiet",
      "--allow-empty",
      "-m",
      message,
    );
  };
  await git("init", "--quiet");
  await seal("Start");
  return {
    directory,
    environment,
    read: (file) => readFile(join(directory, file), "utf8"),
    write: (file, text) => writeFile(join(directory, file), text),
    db: (...command) => runCommand(directory, environment, command),
    start: (...command) =>
      spawn(process.execPath, ["src/commands/db.ts", ...command], {
        cwd: directory,
        env: environment,
        stdio: ["ignore", "pipe", "pipe"],
      }),
    git,
    seal,
    remove: () => rm(directory, { recursive: true }),
  };
}

/**
 * Checks out a commit into a temporary directory, with the dependencies of this checkout where they are the same ones, and else with
 * those that `npm ci` installs.
 */
export async function checkOut(revision: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "content-service-release-"));
  const run = promisify(execFile);
  await run("sh", ["-c", 'git archive "$0" | tar -x -C "$1"', revision, directory], { cwd: root });
  const [here, there] = await Promise.all(
    [root, directory].map((at) => readFile(join(at, "package-lock.json"), "utf8")),
  );
  if (here === there) await linkModules(directory);
  else await run("npm", ["ci", "--omit=dev"], { cwd: directory });
  return directory;
}
