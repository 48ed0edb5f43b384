import { readFileSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import {
  getCurrentMigrationLocation,
  type ParsedSettings,
  readCurrentMigration,
  writeCurrentMigration,
} from "./graphileMigrate.ts";

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
export function skippedLines(folder: string, file: string): number {
  const lines = readFileSync(join(folder, file), "utf8").split("\n");
  return lines.findIndex((line) => line.trim() !== "" && !/^--! [A-Z]\w*(:.*)?$/.test(line));
}
