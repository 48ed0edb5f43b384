import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gmrc } from "../gmrc.ts";
import { projectMigrations } from "../migrate.ts";
import { existedAt } from "./base.ts";

/** A file of SQL that other databases have not run yet, with its placeholders filled in. */
export interface NewSql {
  /** From the checkout's root. */
  file: string;
  text: string;
}

/** The parts of `migrations/current`, and what was committed since `base`, in the order in which they run. */
export async function newSql(base: string): Promise<NewSql[]> {
  const folders = ["committed", "current"];
  const files = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(join(projectMigrations, folder)))
        .filter((name) => name.endsWith(".sql"))
        .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
        .map((name) => `migrations/${folder}/${name}`)
        .filter((file) => folder === "current" || !existedAt(base, file)),
    ),
  );
  return Promise.all(
    files.flat().map(async (file) => ({
      file,
      text: withNames(await readFile(join(projectMigrations, "..", file), "utf8")),
    })),
  );
}

function withNames(sql: string): string {
  return Object.entries(gmrc.placeholders).reduce(
    (text, [placeholder, name]) => text.replaceAll(placeholder, name),
    sql,
  );
}

/** Where the SQL says the last part of `name`: `migrations/current/100-subtitle.sql:3`. */
export function whereItSays(name: string, sources: NewSql[]): string | undefined {
  const word = /\w+(?=\W*$)/
    .exec(name)?.[0]
    .replace(/(?<=[a-z0-9])[A-Z]/g, "_$&")
    .toLowerCase();
  const pattern = new RegExp(`\\b${word}\\b`, "i");
  for (const { file, text } of sources) {
    const line = text.split("\n").findIndex((said) => pattern.test(said) && !/^\s*--/.test(said));
    if (line >= 0) return `${file}:${line + 1}`;
  }
  return undefined;
}
