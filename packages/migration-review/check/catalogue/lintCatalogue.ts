import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClientBase } from "pg";
import type { Finding } from "../finding.ts";

/**
 * Runs the rules of `migrations/rules` of a project, if it has some. Each is a query that lists its offenders, with the reason on the first line. A rule can
 * give advice for each offender.
 *
 * @param found findings of another state of the database: only their rules run
 */
export async function lintCatalogue(client: ClientBase, directory: string, found?: Finding[]): Promise<Finding[]> {
  const folder = join(directory, "migrations/rules");
  const findings: Finding[] = [];
  for (const file of (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".sql"))) {
    const rule = file.replace(/\.sql$/, "");
    if (found && !found.some((one) => one.rule === rule)) continue;
    const sql = await readFile(join(folder, file), "utf8");
    const { rows } = await client.query<{ offender: string; advice?: string }>(sql);
    findings.push(
      ...rows.map(
        ({ offender, advice }): Finding => ({
          rule,
          object: offender,
          severity: "refused",
          message: `${offender} breaks the rule “${rule.replaceAll("_", " ")}”.`,
          reason: /^-- (.+)/.exec(sql)?.[1],
          advice: advice ?? `Fix it in this migration. The rule is migrations/rules/${file}.`,
        }),
      ),
    );
  }
  return findings;
}
