import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import JSON5 from "json5";
import { parse } from "pg-connection-string";

/** Writes a command of this package as its user types it: `check --base main`. */
export type CommandLine = (command: string) => string;

export const npxCommand: CommandLine = (command) => `npx graphile-migrate-review ${command}`;

/** Settings of graphile-migrate, as `.gmrc` has them. Its own type is not used: its declarations need those of yargs. */
export interface Settings {
  placeholders?: Readonly<Record<string, string>>;
  migrationsFolder?: string;
  [name: string]: unknown;
}

/** Settings of graphile-migrate, with the database to work on. */
export interface MigrateSettings extends Settings {
  connectionString: string;
  rootConnectionString: string;
  migrationsFolder: string;
  /** Makes the function that receives what graphile-migrate says. */
  log(): (level: string, message: string, meta?: Record<string, unknown>) => void;
}

/** The migrations of a project, and how they run. */
export interface Migrations {
  /** `migrations/`. */
  folder: string;
  /** Those of `.gmrc`. The connection strings are others'. */
  settings: Settings;
  /** The commands in messages, if they are not `npx graphile-migrate-review …`. */
  commandLine?: CommandLine | undefined;
  /** What to do about an error of PostgreSQL in a migration, by SQLSTATE, or by a regular expression of SQLSTATE and message. */
  sqlAdvice?: Readonly<Record<string, string>> | undefined;
  /**
   * Refuses a database that these migrations must not run on.
   *
   * @param hashes of the migrations that it has run, by their numbers: `000001.sql`
   * @throws Error for the user
   */
  checkExecuted?: ((hashes: ReadonlyMap<string, string>) => void) | undefined;
}

/** The names that graphile-migrate knows for its settings, besides JavaScript of these names. */
const settingsFile = ".gmrc";

/**
 * Reads the settings of graphile-migrate in a directory.
 *
 * @throws OperatorError when there are none
 */
export function readSettings(directory: string): Settings {
  const script = [".gmrc.js", ".gmrc.cjs"].map((name) => join(directory, name)).find((file) => existsSync(file));
  if (script) return createRequire(script)(script);
  try {
    return JSON5.parse(readFileSync(join(directory, settingsFile), "utf8"));
  } catch (error) {
    throw new OperatorError(`${directory} has no ${settingsFile} that can be read: ${(error as Error).message}`);
  }
}

/** The migrations of a directory with `.gmrc` and `migrations/`. */
export function readMigrations(directory: string, more: Partial<Migrations> = {}): Migrations {
  const settings = readSettings(directory);
  const folder = join(directory, "migrations");
  if (settings.migrationsFolder && join(directory, settings.migrationsFolder) !== folder) {
    throw new OperatorError(`${settingsFile}: the folder of the migrations must be migrations, beside it.`);
  }
  return { folder, settings, ...more };
}

/**
 * The SQL with the values of the placeholders.
 *
 * @param connectionString of the database that the text runs on. Without it, the names that only a connection knows have a stand-in
 */
export function fillPlaceholders(sql: string, { placeholders = {} }: Settings, connectionString?: string): string {
  const { database, user } = connectionString
    ? parse(connectionString)
    : { database: "database_name", user: "database_owner" };
  const known = { ":DATABASE_NAME": database ?? "", ":DATABASE_OWNER": user ?? "", ...placeholders };
  return Object.entries(known).reduce(
    (text, [placeholder, value]) =>
      text.replaceAll(placeholder, value === "!ENV" ? (process.env[placeholder.slice(1)] ?? "x") : value),
    sql,
  );
}
