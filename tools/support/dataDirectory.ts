import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes a temporary directory that PostgreSQL's user can enter. In another one, root's database would lie elsewhere. */
export function temporaryDirectory(name: string): string {
  const directory = mkdtempSync(join(tmpdir(), `content-service-${name}-`));
  chmodSync(directory, 0o755);
  return directory;
}

/**
 * Copies the stopped, migrated database of this run of tests to `dataDir`: a start there needs neither initdb nor migrations.
 * All copies have one system identifier. Outside of tests there is nothing to copy, and the start makes its own.
 */
export function copyMadeDatabase(dataDir: string): void {
  const made = process.env["TEST_MADE_DATABASE"];
  // The owners come along.
  if (made) execFileSync("cp", ["-Rp", `${made}/.`, dataDir]);
}
