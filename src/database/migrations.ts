import { fileURLToPath } from "node:url";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import type { CommandLine, Migrations } from "graphile-migrate-review/migrate";
import * as review from "graphile-migrate-review/migrate";

export { hasCurrent } from "graphile-migrate-review/migrate";

/** The directory that holds `.gmrc` and `migrations/`. */
export const projectRoot = fileURLToPath(new URL("../../", import.meta.url));
export const projectMigrations = fileURLToPath(new URL("../../migrations", import.meta.url));

/** `npm run db:check -- --base main`. */
export const commandLine: CommandLine = (command) => {
  const [, name, rest] = /^(\S+) ?(.*)$/s.exec(command) ?? [];
  return `npm run db:${name}${rest ? ` -- ${rest}` : ""}`;
};

/** The hash of 000001-ground.sql, the first of the fifty migrations that those in migrations/committed have replaced. */
const replacedGround = "sha1:ee1347aaa109a09977fc58c8a4c347dd7ac39ec2";

function refuseReplaced(hashes: ReadonlyMap<string, string>): void {
  if (hashes.get("000001.sql") !== replacedGround) return;
  throw new OperatorError(
    "This database was made by the fifty migrations of the time before release 1, which migrations/committed has replaced; " +
      "no migration leads from there to here. With the version that made it, run npm run db:dump for a backup and npm run " +
      "export -- content.ndjson --with-password-hashes; with this one, on a new database, run npm run db:migrate and npm run " +
      "import -- content.ndjson (docs/database.md, From the fifty migrations).",
  );
}

export const migrationOptions: Pick<Migrations, "commandLine" | "sqlAdvice" | "checkExecuted"> = {
  commandLine,
  checkExecuted: refuseReplaced,
  sqlAdvice: {
    "42710 extension ":
      "The server's provider or template1 has made it. The first migration makes unaccent, pgcrypto and pg_trgm, in the schema app_hidden. " +
      "Let the extension's owner run in this database: drop extension …",
    "2BP01":
      "Where only triggers _200_validate depend on a column, add cascade: they are written again after each migration. The review " +
      "names what else goes",
    "0A000 cannot alter type of a column used in a trigger":
      "Before it: drop trigger _200_validate on the table. It is written again after the migration",
    "25001":
      "A migration is one transaction. Build or drop an index with npm run db:index, and say create index if not exists, or drop index if " +
      "exists, in the migration: migrations/README.md",
    "42883":
      "The function has arguments of other types: \\df in npm run db:psql lists them. Cast the values, such as value::text[]",
    "57014":
      "A migration keeps its locks until it ends, so no statement may take longer than a minute. Fill a column with " +
      "app_private.update_in_batches(), and build an index with npm run db:index: migrations/README.md. Or, where nobody waits: " +
      "set local statement_timeout = 0",
  },
};

/** The migrations in a folder, by default the service's own. */
export function migrationsIn(folder: string = projectMigrations): Migrations {
  return { ...review.readMigrations(projectRoot, migrationOptions), folder };
}

/** Brings the database to the newest committed migration. */
export function migrate(ownerUrl: string, folder?: string, signal?: AbortSignal, tell?: (line: string) => void) {
  return review.migrate(ownerUrl, migrationsIn(folder), signal, tell);
}

/** Runs `migrations/current` once, after migrate(): the change that is not committed yet. For development and tests. */
export function migrateCurrent(ownerUrl: string, folder?: string): Promise<void> {
  return review.migrateCurrent(ownerUrl, migrationsIn(folder));
}

/** @throws OperatorError when the database has not run every committed migration */
export function requireMigrated(apiUrl: string, folder?: string): Promise<void> {
  return review.requireMigrated(apiUrl, migrationsIn(folder));
}
