import { readdir, readFile } from "node:fs/promises";
import type { ClientBase } from "pg";
import { projectRoot } from "../../migrations/gmrc.ts";
import type { Finding } from "./finding.ts";
import { locate, type NewSql } from "./newSql.ts";

const folder = new URL("migrations/rules/", projectRoot);

/**
 * Runs the rules of migrations/rules. Each is a query that lists its offenders, with the reason on the first line. A rule can
 * give advice for each offender.
 */
export async function lintCatalogue(client: ClientBase, sources: NewSql[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const file of (await readdir(folder)).filter((name) => name.endsWith(".sql"))) {
    const rule = await readFile(new URL(file, folder), "utf8");
    const { rows } = await client.query<{ offender: string; advice?: string }>(rule);
    const title = file.replace(/\.sql$/, "").replaceAll("_", " ");
    findings.push(
      ...rows.map(
        ({ offender, advice }): Finding => ({
          level: "refused",
          name: file.replace(/\.sql$/, ""),
          message: `${offender} breaks the rule “${title}”.`,
          location: locate(offender, sources),
          reason: /^-- (.+)/.exec(rule)?.[1],
          advice: advice ?? `Fix it in this migration. The rule is migrations/rules/${file}.`,
        }),
      ),
    );
  }
  return findings;
}
