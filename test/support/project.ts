import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "@jest/globals";
import { databaseUrl, onServer } from "./template.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const parts = ["src", "plugins", "migrations", "schema.graphql", ".gmrc", "package.json"];

export interface Project {
  directory: string;
  /** Names an empty database and a shadow database that does not exist yet. */
  environment: NodeJS.ProcessEnv;
  read(file: string): Promise<string>;
  write(file: string, text: string): Promise<void>;
  /** Runs `npm run db:<command>` to its end. */
  db(...command: string[]): Promise<{ status: number | null; output: string }>;
  /** Starts `npm run db:<command>`. */
  start(...command: string[]): ChildProcess;
  git(...args: string[]): Promise<{ status: number | null; output: string }>;
}

/**
 * Copies the project into a new git repository and commits it, as the checkout of a DBA.
 *
 * @param loginUrl the login that owns the databases. It is read before the first test; the default is the server's superuser
 */
export function useProject(loginUrl = () => process.env.TEST_SERVER_URL as string): Project {
  const project = {} as Project;
  const name = `test_${randomUUID().replaceAll("-", "")}`;

  beforeAll(async () => {
    const serverUrl = loginUrl();
    project.directory = await mkdtemp(join(tmpdir(), "content-service-project-"));
    for (const part of parts) await cp(join(root, part), join(project.directory, part), { recursive: true });
    await symlink(join(root, "node_modules"), join(project.directory, "node_modules"));
    project.environment = {
      PATH: process.env.PATH,
      HOME: project.directory,
      DATABASE_URL: databaseUrl(serverUrl, name),
      SHADOW_DATABASE_URL: databaseUrl(serverUrl, `${name}_shadow`),
    };
    await onServer(serverUrl, `create database ${name}`);
    await project.git("init", "--quiet");
    await project.git("add", "migrations", "src/migrations", "schema.graphql");
    await project.git("-c", "user.name=DBA", "-c", "user.email=dba@example.com", "commit", "--quiet", "-m", "Start");
  });
  afterAll(async () => {
    await rm(project.directory, { recursive: true });
    for (const database of [name, `${name}_shadow`]) {
      await onServer(loginUrl(), `drop database if exists ${database} with (force)`);
    }
  });

  project.read = (file) => readFile(join(project.directory, file), "utf8");
  project.write = (file, text) => writeFile(join(project.directory, file), text);
  project.start = (...command) => run(process.execPath, ["src/dba/commands/db.ts", ...command]);
  project.db = (...command) => ended(project.start(...command));
  project.git = (...args) => ended(run("git", args));

  function run(program: string, args: string[]): ChildProcess {
    return spawn(program, args, {
      cwd: project.directory,
      env: project.environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
  }
  return project;
}

function ended(child: ChildProcess): Promise<{ status: number | null; output: string }> {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      output += chunk;
    });
  }
  return new Promise((resolve) => child.once("close", (status) => resolve({ status, output })));
}
