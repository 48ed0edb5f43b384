import { globSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClientBase } from "pg";
import { fillPlaceholders, type Migrations } from "../../migrations/settings.ts";
import type { Project } from "../../Project.ts";
import { schemasOf } from "../../schemas.ts";

export interface TriggerTable {
  table: string;
  /** The names of the transition tables (`referencing old table as …`), of all triggers together. */
  oldTable: string | null;
  newTable: string | null;
}

/** A function or procedure of ours, as the catalogue has it. */
export interface Routine {
  oid: string;
  /** For example `shop.place_order(shop.order_input)`. */
  signature: string;
  /** For example `shop.place_order`. */
  name: string;
  language: "sql" | "plpgsql";
  /** The text of the body; empty for a parsed one (`begin atomic`). */
  source: string;
  definition: string;
  /** Arguments as `create function` declares them. */
  arguments: string;
  result: string | null;
  resultIsComposite: boolean;
  isTrigger: boolean;
  /** For a trigger's function, the tables that call it. */
  tables: TriggerTable[];
  /** A call with null for each argument. */
  nulls: string[];
  settings: string[];
}

const query = readFileSync(new URL("routines.sql", import.meta.url), "utf8");

/** All functions and procedures of the project, except for those of extensions. */
export async function readRoutines(client: ClientBase, project: Project): Promise<Routine[]> {
  // Names of types and tables then contain their schemas.
  await client.query("set local search_path = ''");
  return (await client.query<Routine>(query, [await schemasOf(client, project)])).rows;
}

/** A file of migrations/, with its placeholders filled in. */
export interface SqlFile {
  /** Relative to the project's root. */
  file: string;
  text: string;
}

/** All files in which a function may be written, the one to edit first: fixtures, today's change, the newest migrations. */
export async function readSqlFiles({ folder, settings }: Migrations): Promise<SqlFile[]> {
  const directory = join(folder, "..");
  const files = globSync("migrations/{fixtures,current,committed}/**/*.sql", { cwd: directory });
  return Promise.all(
    files
      .sort()
      .reverse()
      .map(async (file) => ({ file, text: fillPlaceholders(await readFile(join(directory, file), "utf8"), settings) })),
  );
}

/** The file and line of a line in a function's body; without one, of its `create function`. */
export function locateBody({ name, source }: Routine, line: number | undefined, files: SqlFile[]): string | undefined {
  const bareName = name.slice(name.indexOf(".") + 1);
  const header = new RegExp(
    `create\\s+(or\\s+replace\\s+)?(function|procedure)\\s+[\\w".]*\\b${bareName}"?\\s*\\(`,
    "gi",
  );
  for (const { file, text } of files) {
    for (const { index } of text.matchAll(header)) {
      const body = text.indexOf(source, index);
      if (body < 0) continue;
      const start = line === undefined || source === "" ? index : body;
      return `${file}:${text.slice(0, start).split("\n").length + (line ?? 1) - 1}`;
    }
  }
  return undefined;
}
