import { calculateHash } from "graphile-migrate/dist/hash.js";
import { type FileMigration, getAllMigrations } from "graphile-migrate/dist/migration.js";
import type { ParsedSettings } from "graphile-migrate/dist/settings.js";
import pg from "pg";
import { StartError } from "../support/StartError.ts";

/**
 * A committed migration is sealed: others have run it. graphile-migrate looks at the seal of those that it is about to
 * run; this looks at all of them, and at what the database remembers having run.
 *
 * Migrations that the database has and the folder has not are fine: an older version of the service may start beside a
 * newer one.
 *
 * @throws StartError that names the file, and says how to get out of it
 */
export async function checkCommitted(migrationsFolder: string, connectionString: string): Promise<void> {
  const migrations = await readCommitted(migrationsFolder);
  const hashes = await hashesThatRan(connectionString);
  for (const migration of migrations) {
    const ran = hashes.get(migration.filename);
    if (ran !== undefined && ran !== migration.hash) {
      throw new StartError(
        `This database has run another ${migration.filename} than migrations/committed/${migration.realFilename}. ` +
          "Two branches have committed a migration of the same number: uncommit yours (npm run db:uncommit), take in theirs, " +
          "and commit it again; a development database is made anew by npm run db:reset -- --erase.",
      );
    }
  }
}

/** The committed migrations in order, each with its seal intact. */
export async function readCommitted(migrationsFolder: string): Promise<FileMigration[]> {
  const migrations = await getAllMigrations({ migrationsFolder } as ParsedSettings).catch((error: Error) => {
    throw new StartError(error.message);
  });
  const changed = migrations.find(
    ({ body, previousHash, hash, allowInvalidHash }) => !allowInvalidHash && calculateHash(body, previousHash) !== hash,
  );
  if (changed) {
    throw new StartError(
      `migrations/committed/${changed.realFilename} has been changed after it was committed. Databases that have run it ` +
        "would never get the change: put the file back (git checkout -- migrations/committed), and write the change as a " +
        "migration of its own in migrations/current.",
    );
  }
  return migrations;
}

async function hashesThatRan(connectionString: string): Promise<Map<string, string>> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query("select to_regclass('graphile_migrate.migrations') is not null as is_there");
    if (!rows[0].is_there) return new Map();
    const ran = await client.query<{ filename: string; hash: string }>(
      "select filename, hash from graphile_migrate.migrations",
    );
    return new Map(ran.rows.map(({ filename, hash }) => [filename, hash]));
  } finally {
    await client.end();
  }
}
