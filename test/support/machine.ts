import { existsSync } from "node:fs";
import { join } from "node:path";
import { programsOf } from "../../tools/support/machinePostgres.ts";
import { pgBouncer } from "../../tools/support/PgBouncer.ts";
import { isAtLeast, versionOf } from "../../tools/support/versionOf.ts";
import { hasBrowser, oldestBrowser } from "../browser/support/openBrowser.ts";

const programs = ["initdb", "pg_ctl", "postgres", "psql", "pg_dump", "pg_restore"];

/** The programs of a PostgreSQL that this machine has installed. The embedded one brings no psql and no pg_dump. */
export const serverPrograms = [18, 17, 16, 15, 14]
  .map(programsOf)
  .find((directory) => programs.every((program) => existsSync(join(directory, program))));

/** Whether the packages of site/ are installed, which `npm ci` leaves out. */
export const hasSite = existsSync(new URL("../../site/node_modules/vitepress", import.meta.url));

interface Program {
  path: string;
  /** The oldest version that does what the tests ask of it. */
  from: string;
  /** The arguments with which it prints its version, if not `--version`. */
  args?: readonly string[];
  pattern?: RegExp;
  /** The way to get it. */
  remedy: string;
}

/** The programs that tests need. On a machine without one, or with an older one, these tests are skipped. */
export const machinePrograms = {
  pgbouncer: { path: pgBouncer.path, from: "1.18", remedy: "apt install pgbouncer" },
  // Older ones cannot send a password by SCRAM.
  psql: { path: "psql", from: "10.0", remedy: "apt install postgresql-client" },
  // An older one does not know the option -e.
  nginx: { path: "nginx", from: "1.20", args: ["-v"], remedy: "apt install nginx" },
  varnish: { path: "varnishd", from: "7.0", args: ["-V"], remedy: "apt install varnish varnish-modules" },
  promtool: { path: "promtool", from: "2.42", remedy: "apt install prometheus" },
  "docker-compose": { path: "docker-compose", from: "1.29", remedy: "apt install docker-compose" },
  // Its kustomize has to know `labels`. From 1.20 to 1.27, "1" is the first number that it prints.
  kubectl: {
    path: "kubectl",
    from: "1.22",
    args: ["version", "--client"],
    pattern: /v(\d+)\.(\d+)/,
    remedy: "install kubectl",
  },
  // The engine's version: the client alone builds nothing.
  docker: {
    path: "docker",
    from: "20.10",
    args: ["version", "--format", "{{.Server.Version}}"],
    remedy: "start a container engine (Docker), with DOCKER_HOST",
  },
  curl: { path: "curl", from: "7.0", remedy: "apt install curl" },
} satisfies Record<string, Program>;

/** What the machine lacks for tests with this program, as the user reads it; nothing where they run. */
export function lackOf({ path, from, args, pattern, remedy }: Program): string | undefined {
  const version = versionOf(path, args, pattern);
  if (version === undefined) return remedy;
  return isAtLeast(version, from) ? undefined : `${path} from ${from} on (this machine has ${version})`;
}

/** For a test that needs a program of the machine. */
export const testWith = (program: keyof typeof machinePrograms) =>
  lackOf(machinePrograms[program]) === undefined ? test : test.skip;

/** What this machine lacks for tests that are skipped without it: the ways to get it. */
export function findMissing(): string[] {
  const needs: [isMet: boolean, remedy: string][] = [
    [serverPrograms !== undefined, "apt install postgresql"],
    [pgBouncer.tracksStatements, "PGBOUNCER=/path/to/one from 1.21 on (tools/pgbouncer.sh unpacks one)"],
    [hasBrowser, `CHROMIUM=/path/to/one from ${oldestBrowser} on`],
    [hasSite, "npm ci --prefix site"],
    [process.getuid?.() === 0, "run as root"],
  ];
  return [
    ...Object.values(machinePrograms).flatMap((program) => lackOf(program) ?? []),
    ...needs.filter(([isMet]) => !isMet).map(([, remedy]) => remedy),
  ];
}
