import { setTimeout as delay } from "node:timers/promises";
import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import { changeConnection } from "@content-service/support/connectionString.ts";
import { ofOneServer } from "@content-service/support/MultiHostClient.ts";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { requireSession } from "@content-service/support/route.ts";
import { parse } from "pg-connection-string";
import { checkCommitted } from "./committed.ts";
import { readCurrent } from "./currentSql.ts";
import { clearAllPools, isLoggedError, Logger, migrate as runCommitted, runCurrent } from "./graphileMigrate.ts";
import { type MigrateSettings, type Migrations, npxCommand } from "./settings.ts";
import { withPlace } from "./sqlErrors.ts";

/** Retry for this long while another process migrates, or a table stays locked. */
const lockWaitMs = 60_000;
/** A lock timeout, and a deadlock with requests: PostgreSQL has rolled the migration back. */
const lockFailures = new Set(["55P03", "40P01"]);
const insufficientPrivilege = "42501";

/** A committed migration. */
export interface RanMigration {
  /** Its number: `000001.sql`. */
  filename: string;
  /** `000001-a-shop.sql`. */
  realFilename: string;
}

/**
 * graphile-migrate's settings for the database at `connectionString`.
 *
 * @param onRun receives the name of each file in `migrations/committed` when it begins to run, or `current`
 */
export function migrateSettings(
  connectionString: string,
  { folder, settings }: Pick<Migrations, "folder" | "settings">,
  onRun: (migration: string) => void = () => {},
): MigrateSettings {
  return {
    ...settings,
    connectionString,
    // `reset` drops and creates the database from a connection to another one.
    rootConnectionString: rootOf(connectionString),
    migrationsFolder: folder,
    logger: new Logger(() => (level, message, meta) => {
      const migration = /Running (?:migration '(.+)'|current)/.exec(message);
      if (migration) onRun(migration[1] ?? "current");
      // runMigrations() throws these errors with their place.
      const isThrown = isLoggedError(meta?.["error"]) || message.startsWith("ABORT");
      if ((level === "error" || level === "warning") && !isThrown) console.error(message);
    }),
  };
}

/** Another database of the same server. */
export function rootOf(connectionString: string): string {
  const { database } = parse(connectionString);
  return changeConnection(connectionString, { database: database === "postgres" ? "template1" : "postgres" });
}

/**
 * Brings the database to the newest committed migration. Each migration is one transaction, so one that fails or is killed
 * leaves no changes. Idempotent, and safe to run in several processes at once.
 *
 * @param connectionString of the database's owner
 * @param signal ends the wait for another process that migrates
 * @returns the migrations that were pending
 * @throws OperatorError when a committed migration has been changed, or one fails: it names the file and the line
 */
export async function migrate(
  connectionString: string,
  migrations: Migrations,
  signal?: AbortSignal,
): Promise<RanMigration[]> {
  await requireSession(connectionString);
  const pending = await checkCommitted(migrations, connectionString);
  if (pending.length > 0) await runMigrations(connectionString, migrations, runCommitted, signal);
  return pending;
}

/**
 * Checks that the database has run every committed migration, without the owner's login.
 *
 * @throws OperatorError when one is missing
 */
export async function requireMigrated(connectionString: string, migrations: Migrations): Promise<void> {
  const pending = await checkCommitted(migrations, connectionString).catch((error) => {
    if (sqlStateOf(error) === insufficientPrivilege) return undefined;
    throw error;
  });
  if (pending?.length === 0) return;
  const { commandLine = npxCommand } = migrations;
  const command = `Run ${commandLine("migrate")} with the owner's DATABASE_URL`;
  throw new OperatorError(
    pending
      ? `The database has not run ${pending[0]?.realFilename}. ${command}, then start again.`
      : `This login cannot read which migrations the database has run. ${command}, grant it what it lacks, then start again.`,
  );
}

/** Runs `migrations/current` once, after `migrate`: the change that is not committed yet. For development and tests. */
export async function migrateCurrent(connectionString: string, migrations: Migrations): Promise<void> {
  await runMigrations(connectionString, migrations, runCurrent);
}

/** Whether the folder `current` of the migrations holds any SQL besides comments. */
export async function hasCurrent(migrationsFolder: string): Promise<boolean> {
  return /\S/.test((await readCurrent(migrationsFolder)).replace(/--[^\n]*|\/\*.*?\*\//gs, ""));
}

/**
 * Runs one of graphile-migrate's functions. Retries while another process migrates or a table is locked: instances that start
 * together all migrate; graphile-migrate admits one, and throws in the others.
 *
 * @param connectionString to a session: requireSession()
 * @throws OperatorError that names the file and the line of the SQL that fails
 */
export async function runMigrations(
  connectionString: string,
  migrations: Migrations,
  run: (settings: MigrateSettings) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  let running: string | undefined;
  // graphile-migrate knows one server only.
  const settings = migrateSettings(await ofOneServer(connectionString), migrations, (migration) => {
    running = migration;
  });
  const giveUpAt = Date.now() + lockWaitMs;
  for (;;) {
    try {
      return await run(settings);
    } catch (error) {
      if (!isLocked(error) || Date.now() > giveUpAt) throw await withPlace(error, running, migrations);
      await delay(200, undefined, signal && { signal });
    } finally {
      // Otherwise graphile-migrate keeps idle connections for 200 ms, and exits the process when one of them breaks.
      clearAllPools();
    }
  }
}

function isLocked(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message.includes("exclusive lock") || ("code" in error && lockFailures.has(String(error.code)));
}
