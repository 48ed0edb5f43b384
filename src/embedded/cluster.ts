import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { StartError } from "../support/StartError.ts";
import type { Binaries } from "./binaries.ts";
import { give, type SystemUser } from "./systemUser.ts";

/** A database cluster on disk, and what it takes to run it. */
export interface Cluster {
  /** Holds `cluster/`, `port` and `start.log`; belongs to the server's user. */
  directory: string;
  binaries: Binaries;
  user: SystemUser;
  /** Faster, and lost with the machine: for tests. */
  throwaway: boolean;
}

export const superuser = "postgres";

/** Nothing of the caller's: PGDATA, PGPORT or LANG would change what is started. */
export const environment: NodeJS.ProcessEnv = { PATH: "/usr/bin:/bin", LC_ALL: "C" };

/** PostgreSQL's own directory. */
export const dataOf = ({ directory }: Cluster): string => join(directory, "cluster", "data");

export const passwordFileOf = ({ directory }: Cluster): string => join(directory, "cluster", "password");

/** Makes the cluster unless it is there. Whole or not at all: a start that is killed half-way leaves nothing usable. */
export async function initialize(cluster: Cluster): Promise<{ isNew: boolean }> {
  const { directory, user } = cluster;
  if (existsSync(join(directory, "cluster"))) return { isNew: false };
  clearDrafts(directory);
  let draft = "";
  try {
    draft = mkdtempSync(join(directory, `draft-${process.pid}-`));
    give(draft, user);
    await initdb(cluster, draft);
    renameSync(draft, join(directory, "cluster"));
    return { isNew: true };
  } catch (error) {
    if (draft) rmSync(draft, { recursive: true, force: true });
    // Another start was quicker.
    if (existsSync(join(directory, "cluster"))) return { isNew: false };
    throw new StartError(
      `The database in ${directory} could not be made: ${(error as Error).message}\n` +
        "Mend that, set DATA_DIR to another directory, or set DATABASE_URL to a PostgreSQL 14 to 18 of your own.",
    );
  }
}

async function initdb({ binaries, user, throwaway }: Cluster, draft: string): Promise<void> {
  const passwordFile = join(draft, "password");
  writeFileSync(passwordFile, randomBytes(24).toString("base64url"), { mode: 0o600 });
  give(passwordFile, user);
  const child = spawn(
    binaries.initdb,
    [
      `--pgdata=${join(draft, "data")}`,
      `--username=${superuser}`,
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      // PostgreSQL's own locale: the same on every machine, whatever LANG says and the system has installed.
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--locale=C",
      "--no-instructions",
      ...(throwaway ? ["--no-sync"] : []),
    ],
    // Detached: Ctrl-C waits for it, and then ends a database that is whole.
    { ...user, cwd: "/", env: environment, stdio: ["ignore", "ignore", "pipe"], detached: true },
  );
  const [said, [status, signal]] = await Promise.all([text(child.stderr), once(child, "close")]);
  if (status !== 0) throw new Error(said.trim() || `initdb was ended by ${signal}`);
}

/** What starts that were killed half-way have left. */
function clearDrafts(directory: string): void {
  for (const entry of readdirSync(directory)) {
    const maker = /^draft-(\d+)-/.exec(entry)?.[1];
    if (maker && !isAlive(Number(maker))) rmSync(join(directory, entry), { recursive: true, force: true });
  }
}

/** Whether a process has this pid, whoever's it is. */
export function isAlive(pid: number): boolean {
  try {
    // 0 would be all of one's own group.
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** @throws StartError when another major version wrote the data */
export function checkVersion(cluster: Cluster): void {
  const { directory, binaries } = cluster;
  const file = join(dataOf(cluster), "PG_VERSION");
  const written = existsSync(file) ? readFileSync(file, "utf8").trim() : "an unknown version (PG_VERSION is missing)";
  const brought = binaries.version.split(".")[0];
  if (written !== brought) {
    throw new StartError(
      `The data in ${directory} was written by PostgreSQL ${written}, and this service brings ${brought}. ` +
        "Move it away to begin anew, or serve it with its own version through DATABASE_URL.",
    );
  }
}
