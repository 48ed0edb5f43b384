import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadModule } from "libpg-query";
import { gmrc } from "../migrations/gmrc.ts";
import { filesAt } from "./git.ts";
import { readStatements, type SqlLine, type SqlStatement } from "./statements.ts";

/** The SQL of the migrations, in the order in which it runs. */
export interface MigrationSql {
  /** The migrations that the base commit has. Not read when nothing has changed since. */
  earlier: SqlStatement[];
  /** The migrations committed since then, and the parts of `migrations/current`. Includes are filled in. */
  change: SqlStatement[];
  /** The fixtures that the change includes, directly or indirectly, with the text that it has of them. */
  included: Map<string, string>;
}

/** A fixture included in `migrations/current`, and in a committed migration. */
const include = /^--![ \t]*include[ \t]+(.*\.sql)[ \t]*$/;
const committedInclude = /^--! Included (.*)\n(.*?)\n--! EndIncluded \1$/gms;

export async function readMigrationSql(directory: string, base: string): Promise<MigrationSql> {
  await loadModule();
  const committed = await filesOf(directory, "committed");
  const old = filesAt(directory, base, "migrations/committed");
  const sql: MigrationSql = { earlier: [], change: [], included: new Map() };
  const isNew = (file: string) => !old.has(file);
  for (const file of committed.filter(isNew)) {
    const text = await read(directory, file);
    sql.change.push(...readStatements(linesOf(file, text)));
    collectIncluded(text, sql.included);
  }
  for (const file of await filesOf(directory, "current")) {
    sql.change.push(...readStatements(await withIncludes(directory, file, await read(directory, file), sql.included)));
  }
  if (sql.change.length === 0) return sql;
  for (const file of committed.filter((name) => !isNew(name))) {
    sql.earlier.push(...readStatements(linesOf(file, await read(directory, file))));
  }
  return sql;
}

async function filesOf(directory: string, folder: string): Promise<string[]> {
  return (await readdir(join(directory, "migrations", folder)))
    .filter((name) => name.endsWith(".sql"))
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .map((name) => `migrations/${folder}/${name}`);
}

function read(directory: string, file: string): Promise<string> {
  return readFile(join(directory, file), "utf8");
}

function linesOf(file: string, text: string): SqlLine[] {
  return fillPlaceholders(text)
    .split("\n")
    .map((line, i) => ({ file, line: i + 1, text: line }));
}

/** Reads the fixtures from a committed migration, each as its file was: with `--!include` for those that it includes itself. */
function collectIncluded(text: string, included: Map<string, string>): void {
  for (const [, name = "", body = ""] of text.matchAll(committedInclude)) {
    included.set(name, body.replace(committedInclude, "--!include $1"));
    collectIncluded(body, included);
  }
}

/** graphile-migrate has run these includes before, so they exist and do not include themselves. */
async function withIncludes(
  directory: string,
  file: string,
  text: string,
  included: Map<string, string>,
): Promise<SqlLine[]> {
  const lines: SqlLine[] = [];
  for (const line of linesOf(file, text)) {
    const name = include.exec(line.text)?.[1];
    if (name === undefined) {
      lines.push(line);
      continue;
    }
    const fixture = `migrations/fixtures/${name}`;
    const fixtureText = await read(directory, fixture);
    included.set(name, fixtureText);
    lines.push(...(await withIncludes(directory, fixture, fixtureText, included)));
  }
  return lines;
}

export function fillPlaceholders(sql: string): string {
  return Object.entries(gmrc.placeholders).reduce(
    (text, [placeholder, name]) => text.replaceAll(placeholder, name),
    sql,
  );
}
