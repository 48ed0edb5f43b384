import { join } from "node:path";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { isTemporary } from "@content-service/support/withClient.ts";
import pg from "pg";
import { readCurrentLines, type SqlLine, skippedLines } from "./currentSql.ts";
import type { Migrations } from "./settings.ts";

/** By SQLSTATE, or SQLSTATE and message, as regular expressions. A project may know better. */
const generalAdvice: Record<string, string> = {
  "55P03":
    "A table stayed locked for a minute. Open transactions: select pid, usename, application_name, state, xact_start from " +
    "pg_stat_activity where xact_start < now() - interval '1 minute'",
  "25001":
    "A migration is one transaction. Run such a statement apart from it; an index is built by the command index, and the migration says create " +
    "index if not exists",
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
  const place = await placeOf(error, migration, migrations.folder);
  return new OperatorError(describeError(error, place, migrations), { cause: error });
}

/** The text of an error of PostgreSQL in a migration. */
export function describeError(error: pg.DatabaseError, place: string, { sqlAdvice }: Migrations): string {
  const text = `${error.code} ${error.message}`;
  const known = Object.entries({ ...generalAdvice, ...sqlAdvice });
  const advice = known.findLast(([pattern]) => new RegExp(`^${pattern}`).test(text))?.[1];
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

/** The file and line of the statement that an error is about. PostgreSQL names the line of some; for others, the words of the message tell. */
async function placeOf(error: pg.DatabaseError, migration: string, folder: string): Promise<string> {
  const line = lineOf(error);
  if (migration === "current") {
    const lines = await readCurrentLines(folder);
    const place = line === undefined ? await placeByWords(error, lines) : lines[line - 1]?.place;
    return place || "migrations/current";
  }
  const file = join("committed", migration);
  return `migrations/${file}${line ? `:${line + skippedLines(folder, file)}` : ""}`;
}

async function placeByWords({ message, detail }: pg.DatabaseError, lines: SqlLine[]): Promise<string | undefined> {
  // A start without an error needs no parser.
  const [{ loadModule }, { locateText, placeOf: placeOfStatement, readStatements }] = await Promise.all([
    import("libpg-query"),
    import("../check/sql/statements.ts"),
  ]);
  await loadModule();
  const statements = readStatements(lines);
  // “CREATE INDEX CONCURRENTLY cannot run inside a transaction block”
  const [, command] = /^((?:[A-Z]+ )+)/.exec(message) ?? [];
  const begins = command && statements.find(({ sql }) => sql.toUpperCase().startsWith(command.trim()));
  return begins ? placeOfStatement(begins) : locateText(`${message} ${detail ?? ""}`, statements, []);
}
