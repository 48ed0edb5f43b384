import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gmrc } from "../../migrations/gmrc.ts";
import { projectMigrations } from "../../migrations/migrate.ts";
import { existedAt } from "./git.ts";

/** A file of SQL that is new since the base commit, with its placeholders filled in. */
export interface NewSql {
  /** Relative to the project's root. */
  file: string;
  text: string;
}

/** The migrations committed since the commit `base`, then the parts of `migrations/current`, in the order they run. */
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
      text: fillPlaceholders(await readFile(join(projectMigrations, "..", file), "utf8")),
    })),
  );
}

export function fillPlaceholders(sql: string): string {
  return Object.entries(gmrc.placeholders).reduce(
    (text, [placeholder, name]) => text.replaceAll(placeholder, name),
    sql,
  );
}

/**
 * Guesses the line of SQL that a finding is about, newest file first. For `Post.subtitle` that is the first line with
 * `subtitle` at or after one with `post`, else the first line with `post`.
 */
export function locate(name: string, sources: NewSql[]): string | undefined {
  const words =
    name
      .match(/\w+/g)
      ?.filter((word) => word !== "app_public")
      .map(snakeCase) ?? [];
  const [first = "", last = ""] = [words[0], words.at(-1)];
  const places = sources.toReversed().map(({ file, text }) => ({ file, lines: text.split("\n").map(withoutComment) }));
  for (const wanted of [last, first]) {
    for (const { file, lines } of places) {
      const from = lines.findIndex((line) => new RegExp(`\\b${first}`, "i").test(line));
      const place =
        from < 0 ? -1 : lines.findIndex((line, i) => i >= from && new RegExp(`\\b${wanted}`, "i").test(line));
      if (place >= 0) return `${file}:${place + 1}`;
    }
  }
  return undefined;
}

function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, "_$&").toLowerCase();
}

function withoutComment(line: string): string {
  return line.replace(/--.*/, "");
}
