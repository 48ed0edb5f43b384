import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { StartError } from "../support/StartError.ts";
import { stateDirectory } from "./stateDirectory.ts";
import { canEnter, give, type SystemUser } from "./systemUser.ts";

/**
 * The private directory where a database lives: `dataDir` itself where the server's user can reach it, else one
 * elsewhere, with a link at `dataDir`.
 *
 * @returns its real path, and whom the server runs as: the owner of what is there, whoever starts it
 * @throws StartError when it cannot be used
 */
export function placeFor(dataDir: string, serverUser: SystemUser): { directory: string; user: SystemUser } {
  try {
    mkdirSync(dirname(dataDir), { recursive: true });
    const directory = realpathSync(existing(dataDir, serverUser) ?? make(dataDir, serverUser));
    const user = ownerOf(directory, serverUser);
    if (!canEnter(user, directory)) throw new Error("the database's own user cannot go there");
    accessSync(directory, constants.W_OK);
    return { directory, user };
  } catch (error) {
    throw new StartError(
      `${dataDir} cannot be used for the database: ${(error as Error).message}. ` +
        "Start as the user it belongs to, or set DATA_DIR to a directory that can be written.",
    );
  }
}

/** What is there already. A link to what has been deleted, or an empty directory out of reach, makes room. */
function existing(dataDir: string, user: SystemUser): string | undefined {
  const found = lstatSync(dataDir, { throwIfNoEntry: false });
  if (!found) return undefined;
  if (found.isSymbolicLink() && !statSync(dataDir, { throwIfNoEntry: false })) {
    rmSync(dataDir);
    return undefined;
  }
  if (readdirSync(dataDir).length > 0) return dataDir;
  if (canEnter(user, dirname(dataDir))) {
    give(dataDir, user);
    return dataDir;
  }
  if (found.isDirectory()) rmdirSync(dataDir);
  return found.isDirectory() ? undefined : dataDir;
}

/** As root, whoever made the database runs it again; what was copied by root, and so is root's, goes to the server's user. */
function ownerOf(directory: string, serverUser: SystemUser): SystemUser {
  const cluster = join(directory, "cluster");
  const { uid, gid } = statSync(existsSync(cluster) ? cluster : directory);
  if (!serverUser) {
    if (existsSync(cluster) && uid !== process.getuid?.()) throw new Error(`it belongs to another user (uid ${uid})`);
    return undefined;
  }
  if (uid !== 0) return { uid, gid };
  give(directory, serverUser);
  if (existsSync(cluster)) spawnSync("chown", ["-R", `${serverUser.uid}:${serverUser.gid}`, cluster]);
  return serverUser;
}

function make(dataDir: string, user: SystemUser): string {
  if (canEnter(user, dirname(dataDir))) {
    try {
      // Not recursive: that says ENOENT for a file system that is read-only.
      mkdirSync(dataDir, { mode: 0o700 });
    } catch (error) {
      if (!isThereAlready(error)) throw error;
    }
    give(dataDir, user);
    return dataDir;
  }
  // A new one each time: whoever deletes the link begins anew, and finds nothing of the old database in the new one.
  const fingerprint = createHash("sha256").update(dataDir).digest("hex").slice(0, 12);
  const place = mkdtempSync(join(stateDirectory(), `content-service-${fingerprint}-`));
  give(place, user);
  try {
    symlinkSync(place, dataDir);
  } catch (error) {
    rmdirSync(place);
    if (!isThereAlready(error)) throw error;
  }
  return dataDir;
}

/** Another start was quicker: its place is this one's too. */
function isThereAlready(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "EEXIST";
}
