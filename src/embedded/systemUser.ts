import { spawnSync } from "node:child_process";
import { chownSync, readFileSync } from "node:fs";
import { StartError } from "../support/StartError.ts";

/** Whom the server runs as: undefined for whoever runs this. PostgreSQL refuses to run as root. */
export type SystemUser = { uid: number; gid: number } | undefined;

/** As root: the system's user for databases, else the one that owns nothing. */
export function serverUser(): SystemUser {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const account = accounts.find(([name]) => name === "postgres") ?? accounts.find(([name]) => name === "nobody");
  if (!account)
    throw new StartError("PostgreSQL does not run as root, and there is no user postgres or nobody to run it.");
  return { uid: Number(account[2]), gid: Number(account[3]) };
}

/** Whether that user can go into this directory. Asked of the system: there is more to it than the mode. */
export function canEnter(user: SystemUser, directory: string): boolean {
  const { status, signal } = spawnSync("/bin/sh", ["-c", 'cd -- "$0"', directory], { ...user, cwd: "/" });
  // Ctrl-C reaches the shell too, and says nothing about the directory.
  return signal ? canEnter(user, directory) : status === 0;
}

/** Hands over what root has made. */
export function give(path: string, user: SystemUser): void {
  if (user) chownSync(path, user.uid, user.gid);
}
