import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import type { Project } from "../../Project.ts";
import { type Finding, findingOf } from "../finding.ts";

/** Loads the sample content, which also runs the triggers and checks of each table. The first start would do the same. */
export async function lintSampleContent(
  shadowUrl: string,
  directory: string,
  { file, load }: NonNullable<Project["sampleContent"]>,
): Promise<Finding[]> {
  const path = join(directory, file);
  try {
    await load(shadowUrl, path);
    return [];
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    const { message, code, position, where } = error;
    const before = (await readFile(path, "utf8")).slice(0, Number(position ?? 0));
    const location = position ? `${file}:${before.split("\n").length}` : (where?.split("\n")[0] ?? file);
    return [
      findingOf("sample-content", file, `The sample content cannot be loaded: ${message} (${code}).`, { location }),
    ];
  }
}
