import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Finding, findingOf } from "../finding.ts";
import type { Base } from "../sql/git.ts";

const folder = "migrations/fixtures/";

/**
 * Finds fixtures that were edited since the base commit, but that no new migration includes as they are now. Databases then
 * keep the old text.
 *
 * @param included the fixtures that new migrations include, with their texts
 */
export async function lintFixtures(directory: string, base: Base, included: Map<string, string>): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const file of base.changedIn(folder)) {
    const name = file.slice(folder.length);
    const before = included.get(name);
    if (before?.trim() === (await readFile(join(directory, file), "utf8")).trim()) continue;
    const message =
      before === undefined
        ? `${file} has changed, and no new migration includes it.`
        : `${file} has changed after the migration that includes it was committed.`;
    const advice = `Add this line to a part of migrations/current: --!include ${name}`;
    findings.push(findingOf("fixture-not-included", file, message, { location: file, advice }));
  }
  return findings;
}
