import { setTimeout as delay } from "node:timers/promises";
import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import { changeConnection, withParameter } from "@content-service/support/connectionString.ts";
import { ofOneServer } from "@content-service/support/MultiHostClient.ts";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { requireSession } from "@content-service/support/route.ts";
import { withClient } from "@content-service/support/withClient.ts";
import { loadModule } from "libpg-query";
import { parse } from "pg-connection-string";
import { nodesOf, parse as parseSql } from "../check/sql/parse.ts";
import { invalidIndexes, namesIndex } from "../invalidIndexes.ts";
import { tellBlockers } from "../tellBlockers.ts";
import { checkCommitted } from "./committed.ts";
import { readCurrent } from "./currentSql.ts";
import { clearAllPools, isLoggedError, migrate as runCommitted, runCurrent } from "./graphileMigrate.ts";
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
    log: () => (level, message, meta) => {
      const migration = /Running (?:migration '(.+)'|current)/.exec(message);
      if (migration) onRun(migration[1] ?? "current");
      // runMigrations() throws these errors with their place.
      const isThrown = isLoggedError(meta?.["error"]) || message.startsWith("ABORT");
      if ((level === "error" || level === "warning") && !isThrown) console.error(message);
    },
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
 * @param tell is given a line when the migrations wait: for whom
 * @returns the migrations that were pending
 * @throws OperatorError when a committed migration has been changed, one would take an invalid index for built, or one fails: it names the
 *   file and the line
 */
export async function migrate(
  connectionString: string,
  migrations: Migrations,
  signal?: AbortSignal,
  tell: (line: string) => void = () => {},
): Promise<RanMigration[]> {
  await requireSession(connectionString);
  const pending = await checkCommitted(migrations, connectionString);
  if (pending.length === 0) return pending;
  await withClient(connectionString, async (client) => {
    await requireValidIndexes(await invalidIndexes(client), pending, migrations);
    const given = parse(connectionString)["application_name"];
    const applicationName = given ?? `migrate ${process.pid}`;
    const named = given ? connectionString : withParameter(connectionString, "application_name", applicationName);
    const stop = tellBlockers(client, { applicationName }, tell);
    await runMigrations(named, migrations, runCommitted, signal, tell).finally(() => stop().catch(() => {}));
  });
  return pending;
}

/** What an interrupted build has left is there for `create index if not exists`, and serves no query. */
async function requireValidIndexes(
  invalid: string[],
  pending: readonly { realFilename: string; body: string }[],
  { commandLine = npxCommand }: Migrations,
): Promise<void> {
  if (invalid.length === 0) return;
  await loadModule();
  for (const { realFilename, body } of pending) {
    const taken = nodesOf(
      parseSql(body).map(({ kind = "", node }) => ({ [kind]: node })),
      "IndexStmt",
    )
      .filter((statement) => statement["if_not_exists"])
      .flatMap((statement) => invalid.find((index) => namesIndex(statement, index)) ?? []);
    if (!taken[0]) continue;
    throw new OperatorError(
      `The index ${taken[0]} is invalid: its build was not finished, and ${realFilename} would take it for built. First run: ` +
        commandLine(`index "reindex index concurrently ${taken[0]}"`),
    );
  }
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
  tell: (line: string) => void = () => {},
): Promise<void> {
  let isTold = false;
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
      if (!isTold && isOfAnother(error)) tell("Waiting for another process, which migrates this database.");
      isTold ||= isOfAnother(error);
      await delay(200, undefined, signal && { signal });
    } finally {
      // Otherwise graphile-migrate keeps idle connections for 200 ms, and exits the process when one of them breaks.
      clearAllPools();
    }
  }
}

function isLocked(error: unknown): error is Error {
  return isOfAnother(error) || (error instanceof Error && "code" in error && lockFailures.has(String(error.code)));
}

/** graphile-migrate admits one process at a time. */
function isOfAnother(error: unknown): boolean {
  return error instanceof Error && error.message.includes("exclusive lock");
}
