import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pgBouncer } from "../../tools/support/PgBouncer.ts";
import { hasBrowser } from "../browser/support/openBrowser.ts";

const programs = ["initdb", "pg_ctl", "postgres", "psql", "pg_dump", "pg_restore"];

/** The programs of a PostgreSQL that this machine has installed. The embedded one brings no psql and no pg_dump. */
export const serverPrograms = [18, 17, 16, 15, 14]
  .map((major) => `/usr/lib/postgresql/${major}/bin`)
  .find((directory) => programs.every((program) => existsSync(join(directory, program))));

/** For a test that needs a program of the machine. Skipped where it is not installed. */
export const testWith = (program: string) => (hasProgram(program) ? test : test.skip);

function hasProgram(name: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${name}`]).status === 0;
}

/** What this machine lacks for tests that are skipped without it: the ways to get it. */
export function findMissing(): string[] {
  const needs: [isMet: boolean, remedy: string][] = [
    [serverPrograms !== undefined, "apt install postgresql"],
    [pgBouncer.isInstalled, "apt install pgbouncer"],
    [pgBouncer.tracksStatements, "PGBOUNCER=/path/to/one from 1.21 on"],
    [hasProgram("nginx"), "apt install nginx"],
    [hasProgram("promtool"), "apt install prometheus"],
    [hasProgram("docker-compose"), "apt install docker-compose"],
    [hasProgram("kubectl"), "install kubectl"],
    [hasBrowser, "CHROMIUM=/path/to/one"],
    [process.getuid?.() === 0, "run as root"],
  ];
  return needs.filter(([isMet]) => !isMet).map(([, remedy]) => remedy);
}
