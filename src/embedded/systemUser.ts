import { spawnSync } from "node:child_process";
import { chownSync, readFileSync } from "node:fs";
import { StartError } from "../support/StartError.ts";

/** The operating system's user that runs the server. Undefined is the user that runs this process. */
export type SystemUser = { uid: number; gid: number } | undefined;

/** PostgreSQL refuses to run as root: root starts it as the user `postgres`, or else as `nobody`. */
export function serverUser(): SystemUser {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync("/etc/passwd", "utf8");
  const account = /^postgres:.*?:(\d+):(\d+):/m.exec(accounts) ?? /^nobody:.*?:(\d+):(\d+):/m.exec(accounts);
  if (!account)
    throw new StartError("PostgreSQL does not run as root, and there is no user postgres or nobody to run it.");
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
  if (user) chownSync(path, user.uid, user.gid);
}
