import { readFileSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { isTemporary } from "@content-service/support/withClient.ts";
import pg from "pg";
import {
  getCurrentMigrationLocation,
  type ParsedSettings,
  readCurrentMigration,
  writeCurrentMigration,
} from "./graphileMigrate.ts";
import type { Migrations } from "./settings.ts";

/** By SQLSTATE. A project may know better. */
const generalAdvice: Record<string, string> = {
  "55P03":
    "A table stayed locked for a minute. Open transactions: select pid, usename, application_name, state, xact_start from " +
    "pg_stat_activity where xact_start < now() - interval '1 minute'",
  "57014":
    "A migration keeps its locks until it ends, so its statements have a time limit. Fill a large column in batches, in transactions of " +
    "their own, and build a large index concurrently. Or, where nobody waits: set local statement_timeout = 0",
};

/**
 * The error of a migration with the file, the line where PostgreSQL gives a position, and what PostgreSQL says besides. An
 * error that a retry may cure, and one that is not PostgreSQL's, stays as it is.
 *
 * @param migration the name of a file in `migrations/committed`, or `current`
 */
export async function withPlace(
  error: unknown,
  migration: string | undefined,
  migrations: Migrations,
): Promise<unknown> {
  if (!(error instanceof pg.DatabaseError) || isTemporary(error) || migration === undefined) return error;
  const place = await placeOf(lineOf(error), migration, migrations.folder);
  return new OperatorError(describeError(error, place, migrations), { cause: error });
}

/** The text of an error of PostgreSQL in a migration. */
export function describeError(error: pg.DatabaseError, place: string, { sqlAdvice }: Migrations): string {
  const advice = { ...generalAdvice, ...sqlAdvice }[error.code ?? ""];
  return [
    `${place}: ${error.message}`,
    ...Object.entries({ Detail: error.detail, Hint: error.hint, Where: error.where }).flatMap(([name, text]) =>
      text ? `  ${name}: ${text.replaceAll("\n", "\n    ")}` : [],
    ),
    ...(advice ? [`  Hint: ${advice}`] : []),
    "The change was rolled back.",
  ].join("\n");
}

/** graphile-migrate counts the lines of the text that it runs, and keeps the result in a message only. */
function lineOf(error: pg.DatabaseError): number | undefined {
  const { _gmMessageOverride: message } = error as { _gmMessageOverride?: string };
  return Number(/at line (\d+)/.exec(message ?? "")?.[1]) || undefined;
}

/** The file and line of a line of a migration's text, as PostgreSQL counts it. */
async function placeOf(line: number | undefined, migration: string, folder: string): Promise<string> {
  if (migration === "current")
    return (line && (await readCurrentLines(folder))[line - 1]?.place) || "migrations/current";
  const file = join("committed", migration);
  return `migrations/${file}${line ? `:${line + skippedLines(folder, file)}` : ""}`;
}

/** A line of SQL, and where it is written. */
export interface SqlLine {
  text: string;
  /** Relative to the project's root, with the line. */
  place: string;
}

/** The lines of `migrations/current`, included files filled in. */
export async function readCurrentLines(folder: string): Promise<SqlLine[]> {
  let files: { file: string; line: number }[] = [];
  return (await readCurrent(folder)).split("\n").map((text) => {
    const [, step, name = ""] = /^--! (split:|Included|EndIncluded) (.+)$/.exec(text) ?? [];
    const top = files.at(-1);
    if (step === "EndIncluded") files.pop();
    else if (top) top.line++;
    if (step === "split:") files = [enter(folder, join("current", name))];
    else if (step === "Included") files.push(enter(folder, join("fixtures", name)));
    const places = files.map(({ file, line }) => `migrations/${file}:${line}`);
    return { text, place: places.reverse().join(", included by ") };
  });
}

/**
 * The text of the parts, with a line before each part, and before and after each included file.
 *
 * @throws OperatorError when the parts do not fit together, for example because an included file is missing
 */
export async function readCurrent(folder: string): Promise<string> {
  const settings = { migrationsFolder: folder } as ParsedSettings;
  const location = await getCurrentMigrationLocation(settings);
  return readCurrentMigration(settings, location).catch((error: Error) => {
    throw new OperatorError(error.message);
  });
}

/** Writes the text back to the parts, as readCurrent() has marked them. */
export async function writeCurrent(folder: string, text: string): Promise<void> {
  const settings = { migrationsFolder: folder } as ParsedSettings;
  await writeCurrentMigration(settings, await getCurrentMigrationLocation(settings), text);
}

function enter(folder: string, file: string): { file: string; line: number } {
  return { file, line: skippedLines(folder, file) };
}

/** The lines before the SQL that graphile-migrate leaves out: headers and blank lines. */
function skippedLines(folder: string, file: string): number {
  const lines = readFileSync(join(folder, file), "utf8").split("\n");
  return lines.findIndex((line) => line.trim() !== "" && !/^--! [A-Z]\w*(:.*)?$/.test(line));
}
