import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fillPlaceholders } from "../sql/migrationSql.ts";
import type { Routine } from "./routines.ts";

/** A file of migrations/, with its placeholders filled in. */
export interface SqlFile {
  /** Relative to the project's root. */
  file: string;
  text: string;
}

/** All files in which a function may be written, the one to edit first: fixtures, today's change, the newest migrations. */
export async function readSqlFiles(directory: string): Promise<SqlFile[]> {
  const files = globSync("migrations/{fixtures,current,committed}/**/*.sql", { cwd: directory });
  return Promise.all(
    files
      .sort()
      .reverse()
      .map(async (file) => ({ file, text: fillPlaceholders(await readFile(join(directory, file), "utf8")) })),
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
