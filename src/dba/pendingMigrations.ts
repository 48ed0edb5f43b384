import { status } from "graphile-migrate";
import { readCommitted } from "../migrations/committed.ts";
import { migrateSettings, projectMigrations } from "../migrations/migrate.ts";

/** The files of the committed migrations that this database has not run yet. */
export async function pendingMigrations(connectionString: string): Promise<string[]> {
  const { remainingMigrations = [] } = await status({
    ...migrateSettings(connectionString),
    // Asked for, and not looked at.
    shadowConnectionString: connectionString.replace(/[^/]*$/, "shadow"),
  });
  const committed = await readCommitted(projectMigrations);
  return committed
    .filter(({ filename }) => remainingMigrations.includes(filename))
    .map(({ realFilename }) => realFilename);
}

/** Whether `migrations/current` says anything but comments. */
export async function hasCurrent(): Promise<boolean> {
  const anywhere = "postgres://localhost/none";
  const settings = { ...migrateSettings(anywhere), shadowConnectionString: `${anywhere}_shadow` };
  return (await status(settings, { skipDatabase: true })).hasCurrentMigration;
}
