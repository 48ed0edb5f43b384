import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { withClient } from "@content-service/support/withClient.ts";
import { commitOf } from "../check/sql/git.ts";
import { calculateHash, type FileMigration, getAllMigrations, type ParsedSettings } from "./graphileMigrate.ts";
import { type CommandLine, type Migrations, npxCommand } from "./settings.ts";

/**
 * Checks the hashes of all committed migrations, against their files and against what the database has run.
 * graphile-migrate checks only the files that it is about to run.
 *
 * The database may have run migrations that the folder does not have: an older version of the service may start beside a
 * newer one.
 *
 * @returns the migrations that this database has not run yet
 * @throws OperatorError that names the file and the way out
 */
export async function checkCommitted(
  { folder, commandLine = npxCommand, checkExecuted }: Migrations,
  connectionString: string,
): Promise<FileMigration[]> {
  const migrations = await readCommitted(folder, commandLine);
  const hashes = await executedHashes(connectionString);
  checkExecuted?.(hashes);
  for (const migration of migrations) {
    const executed = hashes.get(migration.filename);
    if (executed !== undefined && executed !== migration.hash) {
      throw new OperatorError(
        `This database has run another ${migration.filename} than migrations/committed/${migration.realFilename}. ` +
          `Two branches have committed a migration with the same number. Uncommit yours (${commandLine("uncommit")}), merge theirs, ` +
          `and commit yours again. To rebuild a development database, run ${commandLine("reset")}, which asks for its name.`,
      );
    }
  }
  return migrations.filter(({ filename }) => !hashes.has(filename));
}

/**
 * The committed migrations in order.
 *
 * @throws OperatorError when a file no longer matches its hash, or two have one number
 */
export async function readCommitted(migrationsFolder: string, commandLine = npxCommand): Promise<FileMigration[]> {
  await requireNumbers(migrationsFolder, commandLine);
  const migrations = await getAllMigrations({ migrationsFolder } as ParsedSettings).catch((error: Error) => {
    throw new OperatorError(error.message);
  });
  const changed = migrations.find(
    ({ body, previousHash, hash, allowInvalidHash }) => !allowInvalidHash && calculateHash(body, previousHash) !== hash,
  );
  if (changed) {
    throw new OperatorError(
      `migrations/committed/${changed.realFilename} has been changed after it was committed. Databases that have run it ` +
        "would never get the change. Restore the file (git checkout -- migrations/committed), and write the change as a new " +
        "migration in migrations/current.",
    );
  }
  return migrations;
}

/** The names of the committed files in order, two of one number included. */
export async function committedFiles(migrationsFolder: string): Promise<string[]> {
  const files = await readdir(join(migrationsFolder, "committed")).catch(() => []);
  return files.filter((file) => /^\d+.*\.sql$/.test(file)).sort();
}

async function requireNumbers(migrationsFolder: string, commandLine: CommandLine): Promise<void> {
  const files = await committedFiles(migrationsFolder);
  const same = [...Map.groupBy(files, (file) => Number.parseInt(file, 10)).values()].find(({ length }) => length > 1);
  if (!same) return;
  const named = same.map(
    (file) => `migrations/committed/${file} (${commitOf(join(migrationsFolder, "committed"), file)})`,
  );
  throw new OperatorError(
    `${named.join(" and ")} have one number: two branches were merged. Give the one that no shared database has run the next ` +
      `number: ${commandLine(`renumber ${same.at(-1)}`)}`,
  );
}

/** Names of migrations that the database has run: by graphile-migrate's table, which has their numbers, and hashes. */
export async function executedHashes(connectionString: string): Promise<Map<string, string>> {
  return withClient(connectionString, async (client) => {
    const { rows } = await client.query(
      "select to_regclass('graphile_migrate.migrations') is not null as table_exists",
    );
    if (!rows[0].table_exists) return new Map();
    const executed = await client.query<{ filename: string; hash: string }>(
      "select filename, hash from graphile_migrate.migrations",
    );
    return new Map(executed.rows.map(({ filename, hash }) => [filename, hash]));
  });
}
