import { spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { StartError } from "../support/StartError.ts";
import { canEnter, give, type SystemUser, serverUser } from "./systemUser.ts";

/**
 * The private directory of a database: `dataDir` itself, or, where the server's user cannot enter, a directory
 * elsewhere with a link at `dataDir`.
 *
 * @returns its real path, and its owner, who runs the server
 * @throws StartError when the directory cannot be used
 */
export function placeFor(dataDir: string): { directory: string; user: SystemUser } {
  try {
    make(dataDir, serverUser());
    const directory = realpathSync(dataDir);
    const user = ownerOf(directory);
    if (!canEnter(user, directory)) throw new Error("the user that runs the database cannot enter it");
    accessSync(directory, constants.W_OK);
    return { directory, user };
  } catch (error) {
    throw new StartError(
      `${dataDir} cannot be used for the database: ${(error as Error).message}. ` +
        "Start as the user that owns it, or set DATA_DIR to a directory that can be written.",
    );
  }
}

/** A directory for what cannot stay in the checkout. All users can enter it. */
export function stateDirectory(): string {
  try {
    accessSync("/var/lib", constants.W_OK);
    return "/var/lib";
  } catch {
    return tmpdir();
  }
}

function make(dataDir: string, user: SystemUser): void {
  const parent = dirname(dataDir);
  mkdirSync(parent, { recursive: true });
  const isReachable = canEnter(user, parent);
  if (existsSync(dataDir)) {
    // An empty directory that the server's user cannot reach gives way to a link.
    if (isReachable || !attempt(() => rmdirSync(dataDir), "ENOTEMPTY", "ENOTDIR")) return;
  } else {
    // A link to a directory that was deleted.
    rmSync(dataDir, { force: true });
  }
  // EEXIST: another start was quicker, and its directory serves both.
  // Not recursive: a recursive mkdir reports ENOENT on a read-only file system.
  if (isReachable) return void attempt(() => mkdirSync(dataDir, { mode: 0o700 }), "EEXIST");
  // A new directory each time: to delete the link is to begin anew.
  const place = mkdtempSync(join(stateDirectory(), "content-service-data-"));
  if (!attempt(() => symlinkSync(place, dataDir), "EEXIST")) rmdirSync(place);
}

/** @returns false when the act fails with one of these codes */
function attempt(act: () => void, ...codes: string[]): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (codes.includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

/** Root runs a database as the user that made it. What root has made or copied goes to the server's user first. */
function ownerOf(directory: string): SystemUser {
  const user = serverUser();
  if (!user) return undefined;
  const cluster = join(directory, "cluster");
  const { uid, gid } = statSync(existsSync(cluster) ? cluster : directory);
  if (uid !== 0) return { uid, gid };
  give(directory, user);
  if (existsSync(cluster)) spawnSync("chown", ["-R", `${user.uid}:${user.gid}`, cluster]);
  return user;
}
