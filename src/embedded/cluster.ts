import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import * as fs from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { findDataDirectory, give, programsFor, type SystemUser } from "./dataDirectory.ts";

interface DataDirectory {
  /** Holds `cluster/`, `port` and `postgres.log`, and belongs to the server's user. */
  directory: string;
  user: SystemUser;
  /** The directory of PostgreSQL's programs. */
  bin: string;
}

/** A database cluster on disk, and what is needed to run it. */
export interface Cluster extends DataDirectory {
  /** The directory as the caller has named it. */
  dataDir: string;
  /** PostgreSQL's data directory. */
  data: string;
  password: string;
  isNew: boolean;
}

/** The caller's PGDATA, PGPORT or LANG would change what is started. */
const environment = { PATH: "/usr/bin:/bin", LC_ALL: "C" };

/**
 * Finds the cluster of this directory, or makes it.
 *
 * @throws OperatorError when the directory, or what is in it, cannot be used
 */
export async function openCluster(dataDir: string): Promise<Cluster> {
  const { directory, user } = findDataDirectory(resolve(dataDir));
  const bin = await programsFor(user);
  const isNew = await initialize({ directory, user, bin });
  const data = join(directory, "cluster", "data");
  const passwordFile = join(directory, "cluster", "password");
  const password = read(passwordFile);
  if (!password) {
    throw new OperatorError(
      `${passwordFile} is missing or empty: without the password in it, nobody can open the database. ` +
        `Put the file back, or move ${directory} away to begin anew.`,
    );
  }
  return { dataDir: resolve(dataDir), directory, user, bin, data, password, isNew };
}

/** Makes the cluster unless it is there. The rename comes last, so that a start that is killed leaves only a draft. */
async function initialize(dataDirectory: DataDirectory): Promise<boolean> {
  const { directory, user } = dataDirectory;
  const cluster = join(directory, "cluster");
  if (fs.existsSync(cluster)) return false;
  let draft = join(directory, `draft-${process.pid}-`);
  try {
    for (const entry of fs.readdirSync(directory)) {
      const maker = /^draft-(\d+)-/.exec(entry)?.[1];
      if (maker && !isAlive(Number(maker))) fs.rmSync(join(directory, entry), { recursive: true, force: true });
    }
    draft = fs.mkdtempSync(draft);
    const passwordFile = join(draft, "password");
    fs.writeFileSync(passwordFile, randomBytes(24).toString("base64url"), { mode: 0o600 });
    for (const path of [draft, passwordFile]) give(path, user);
    await run(dataDirectory, "initdb", [
      `--pgdata=${join(draft, "data")}`,
      "--username=postgres",
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      // PostgreSQL's own locale is the same on every machine, whatever LANG says and the system has installed.
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--locale=C",
    ]);
    fs.renameSync(draft, cluster);
    return true;
  } catch (error) {
    fs.rmSync(draft, { recursive: true, force: true });
    // Another start was quicker.
    if (fs.existsSync(cluster)) return false;
    throw new OperatorError(
      `The database in ${directory} could not be made: ${(error as Error).message}\n` +
        "Mend that, set DATA_DIR to another directory, or set DATABASE_URL to a PostgreSQL 14 to 18 of your own.",
    );
  }
}

/**
 * Runs one of PostgreSQL's programs to its end: Ctrl-C does not reach it.
 *
 * @param data names the data directory to pg_ctl. Given as an option, a shell would interpret the name.
 * @throws Error with what the program has said, when it fails
 */
export async function run(
  dataDirectory: DataDirectory,
  program: "initdb" | "pg_ctl",
  options: string[],
  data?: string,
): Promise<void> {
  const child = spawn(join(dataDirectory.bin, program), options, {
    ...dataDirectory.user,
    cwd: dataDirectory.directory,
    env: { ...environment, PGDATA: data },
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  const [said, [status, signal]] = await Promise.all([text(child.stderr), once(child, "close")]);
  if (status !== 0) throw new Error(said.trim() || `${program} was ended by ${signal}`);
}

/** The text of a file. Empty when it cannot be read. */
export function read(file: string): string {
  try {
    return fs.readFileSync(file, "utf8").trim();
  } catch {
    return "";
  }
}

/** Whether any process has this pid. */
export function isAlive(pid: number): boolean {
  try {
    // 0 would mean the own process group.
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
