import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import type { Service } from "../../commands/Service.ts";
import type { Finding } from "../finding.ts";

/** Loads the sample content, which also runs the triggers and checks of each table. The first start would do the same. */
export async function lintSampleContent(
  shadowUrl: string,
  directory: string,
  { sampleContentFile: file, loadSampleContent }: Service,
): Promise<Finding[]> {
  const path = join(directory, file);
  try {
    await loadSampleContent(shadowUrl, path);
    return [];
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    const { message, code, position, where } = error;
    const before = (await readFile(path, "utf8")).slice(0, Number(position ?? 0));
    return [
      {
        rule: "sample-content",
        object: file,
        severity: "dangerous",
        message: `The sample content cannot be loaded: ${message} (${code}).`,
        location: position ? `${file}:${before.split("\n").length}` : (where?.split("\n")[0] ?? file),
        reason: "The service would not start with a new embedded database.",
        advice: `Edit ${file}, or the trigger or constraint that refuses it.`,
      },
    ];
  }
}
