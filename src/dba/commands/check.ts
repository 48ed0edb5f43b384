import { buildSchema } from "graphql";
import pg from "pg";
import { StartError } from "../../support/StartError.ts";
import { analyticsContract } from "../analyticsContract.ts";
import { readAt } from "../check/base.ts";
import { compareSchemas } from "../check/compareSchemas.ts";
import { compareViews } from "../check/compareViews.ts";
import type { Finding } from "../check/finding.ts";
import { lintCatalogue } from "../check/lintCatalogue.ts";
import { lintLocks } from "../check/lintLocks.ts";
import { type NewSql, newSql, whereItSays } from "../check/newSql.ts";
import { printReview } from "../check/printReview.ts";
import { RelationNamesPlugin, relationNames } from "../check/relationNames.ts";
import { makeShadow } from "../shadow.ts";
import type { Command } from "./command.ts";
import { requireShadow } from "./databases.ts";
import { readSchema } from "./readSchema.ts";
import { analyticsFile, apiFile } from "./snapshot.ts";

/**
 * `npm run db:check`: reviews what the migrations change, against a commit: what clients of the API and analysts would
 * notice, what locks, what the catalogue's rules say, what foreign keys will be called.
 */
export const checkCommand: Command = {
  options: { base: { type: "string" }, allow: { type: "string", multiple: true } },
  async run(databases, given) {
    const base = typeof given.base === "string" ? given.base : "HEAD";
    const allowed = [given.allow ?? []].flat().map(String);
    const shadowUrl = requireShadow(databases);
    const before = { api: readAt(base, apiFile), analytics: readAt(base, analyticsFile) };
    const sources = await newSql(base);
    const apiUrl = await makeShadow(shadowUrl);

    const chapters: [string, Finding[]][] = [
      ["Locks", lintLocks(sources)],
      ...(await readShadow(shadowUrl, before.analytics, sources)),
      ["The API", await reviewApi(apiUrl, before.api)],
    ];
    const judged = chapters.map(([title, findings]) => [title, judge(findings, allowed, sources)] as const);
    for (const [title, findings] of judged) console.log(printReview(`${title}, since ${base}`, findings));

    const refused = judged.flatMap(([, findings]) => findings.filter(({ level }) => level === "refused"));
    if (refused.length > 0) {
      throw new StartError(`Refused: ${[...new Set(refused.map(({ name }) => name))].join(", ")}`);
    }
    console.log("Nothing stands against it.");
  },
};

async function reviewApi(apiUrl: string, apiBefore: string): Promise<Finding[]> {
  const before = buildSchema(apiBefore);
  try {
    const { schema } = await readSchema(apiUrl, RelationNamesPlugin);
    return [...compareSchemas(before, schema), ...relationNames(before, schema)];
  } catch (error) {
    return [
      {
        level: "refused",
        name: "schema",
        what: `The API cannot be made: ${(error as Error).message}`,
        why: "A running service would keep its old schema; one that starts would not start.",
        todo: "Two things of the same name? Say another: plugins/README.md.",
      },
    ];
  }
}

async function readShadow(
  shadowUrl: string,
  analyticsBefore: string,
  sources: NewSql[],
): Promise<[string, Finding[]][]> {
  const client = new pg.Client({ connectionString: shadowUrl });
  await client.connect();
  try {
    return [
      ["The catalogue's rules", await lintCatalogue(client, sources)],
      ["The analysts' views", compareViews(analyticsBefore, await analyticsContract(client))],
    ];
  } finally {
    await client.end();
  }
}

/** Says where each finding comes from, and waves through what has been named. */
function judge(findings: Finding[], allowed: string[], sources: NewSql[]): Finding[] {
  return findings.map((finding): Finding => {
    const where = finding.where ?? (finding.level === "safe" ? undefined : whereItSays(finding.name, sources));
    const isAllowed = finding.level === "refused" && allowed.includes(finding.name);
    return isAllowed
      ? { level: "dangerous", name: finding.name, what: finding.what, where, why: "Waved through." }
      : { ...finding, where };
  });
}
