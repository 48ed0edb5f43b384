import { buildSchema } from "graphql";
import type { ClientBase } from "pg";
import { withClient } from "../../migrations/withClient.ts";
import { StartError } from "../../support/StartError.ts";
import { analyticsContract } from "../analyticsContract.ts";
import type { ApiSources } from "../check/apiSources.ts";
import { compareMeanings } from "../check/compareMeanings.ts";
import { compareSchemas } from "../check/compareSchemas.ts";
import { compareServiceParts } from "../check/compareServiceParts.ts";
import { compareSources } from "../check/compareSources.ts";
import { compareViews } from "../check/compareViews.ts";
import type { Finding } from "../check/finding.ts";
import { readAt } from "../check/git.ts";
import { keepNames } from "../check/keepNames.ts";
import { lintCatalogue } from "../check/lintCatalogue.ts";
import { lintFixtures } from "../check/lintFixtures.ts";
import { lintFunctions } from "../check/lintFunctions.ts";
import { lintLocks } from "../check/lintLocks.ts";
import { lintSampleContent } from "../check/lintSampleContent.ts";
import { lintStatements } from "../check/lintStatements.ts";
import { measureLocks } from "../check/measureLocks.ts";
import { printReview } from "../check/printReview.ts";
import { type Meanings, readMeanings } from "../check/readMeanings.ts";
import { readMigrationSql } from "../check/readMigrationSql.ts";
import { readServiceParts, type ServicePart } from "../check/readServiceParts.ts";
import { relationNames } from "../check/relationNames.ts";
import { committedSince, resetToBase } from "../check/resetToBase.ts";
import { reviewApi } from "../check/reviewApi.ts";
import { servicePlaces } from "../check/servicePlaces.ts";
import { readSqlFiles } from "../check/sqlFiles.ts";
import { locate, type Statement } from "../check/statements.ts";
import { apiLogin, rebuildShadow } from "../rebuildShadow.ts";
import type { Command } from "./command.ts";
import { requireShadow } from "./databases.ts";
import { analyticsFile, apiFile } from "./snapshot.ts";

/**
 * `npm run db:check`: reviews the changes of the migrations since a commit. Reports locks, broken rules, changes that
 * clients of the API and analysts would notice, and the names of new relation fields.
 */
export const checkCommand: Command = {
  options: { base: { type: "string" }, allow: { type: "string", multiple: true }, rows: { type: "string" } },
  async run(databases, options) {
    const base = typeof options.base === "string" ? options.base : "HEAD";
    const allowed = [options.allow ?? []].flat().map(String);
    const shadowUrl = requireShadow(databases);
    const before = { api: readAt(base, apiFile), analytics: readAt(base, analyticsFile) };
    let sourcesBefore: ApiSources = new Map();
    let meaningsBefore: Meanings = new Map();
    const places = servicePlaces(base);
    let partsBefore: ServicePart[] = [];
    const look = <Seen>(read: (client: ClientBase) => Promise<Seen>) => lookAt(shadowUrl, read);
    const readParts = (client: ClientBase) => readServiceParts(client, [...places.keys()]);
    const lookBefore = async () => {
      sourcesBefore = (await reviewApi(shadowUrl, await apiLogin(shadowUrl))).sources;
      meaningsBefore = await look(readMeanings);
      partsBefore = await look(readParts);
    };
    const held = options.rows === undefined ? [] : await measureLocks(shadowUrl, base, readCount(options.rows));
    const isBaseBehind = (await committedSince(base)).length > 0;
    if (isBaseBehind) {
      await resetToBase(shadowUrl, base);
      await lookBefore();
    }
    const apiUrl = await rebuildShadow(shadowUrl, isBaseBehind ? undefined : lookBefore);
    const { earlier, change, included } = await readMigrationSql(base);

    const sections: [string, Finding[]][] = [
      ["Fixtures", await lintFixtures(base, included)],
      ["Rows and rights", lintStatements(change, earlier)],
      ["Meaning", compareMeanings(meaningsBefore, await look(readMeanings))],
      ["The running version", compareServiceParts(partsBefore, await look(readParts), places)],
      ["Locks", [...lintLocks(change), ...held]],
      ...(await reviewShadow(shadowUrl, before.analytics, change)),
      ["Sample content", await lintSampleContent(shadowUrl)],
      ["The API", await compareApi(shadowUrl, apiUrl, before.api, sourcesBefore)],
    ];
    const refused = new Set<string>();
    for (const [title, found] of sections) {
      const findings = found.map((finding) => allowOrLocate(finding, allowed, change));
      console.log(printReview(`${title}, since ${base}`, findings));
      for (const { level, name } of findings) if (level === "refused") refused.add(name);
    }
    if (refused.size > 0) throw new StartError(`Refused: ${[...refused].join(", ")}`);
    console.log("The review passes.");
  },
};

/** The connection ends without a commit. */
function lookAt<Seen>(shadowUrl: string, read: (client: ClientBase) => Promise<Seen>): Promise<Seen> {
  return withClient(shadowUrl, async (client) => {
    await client.query("begin");
    return read(client);
  });
}

function readCount(option: unknown): number {
  const count = Number(option);
  if (Number.isInteger(count) && count > 0) return count;
  throw new StartError("--rows takes a number of rows: npm run db:check -- --rows 100000");
}

async function compareApi(
  shadowUrl: string,
  apiUrl: string,
  apiBefore: string,
  sourcesBefore: ApiSources,
): Promise<Finding[]> {
  const before = buildSchema(apiBefore);
  const { schema, sources, findings } = await reviewApi(shadowUrl, apiUrl);
  if (!schema) return findings;
  const changes = keepNames(compareSchemas(before, schema), before, schema, sources);
  return [...findings, ...compareSources(sourcesBefore, sources), ...changes, ...relationNames(before, schema)];
}

async function reviewShadow(
  shadowUrl: string,
  analyticsBefore: string,
  change: Statement[],
): Promise<[string, Finding[]][]> {
  const files = await readSqlFiles();
  return withClient(shadowUrl, async (client) => {
    // The connection ends without a commit.
    await client.query("begin");
    return [
      ["The catalogue's rules", await lintCatalogue(client, change)],
      ["Functions", await lintFunctions(client, files)],
      ["The analysts' views", compareViews(analyticsBefore, await analyticsContract(client))],
    ];
  });
}

/** Lowers a refused finding that `--allow` names to dangerous, and adds the location where it is missing. */
function allowOrLocate(finding: Finding, allowed: string[], change: Statement[]): Finding {
  const { level, name, message } = finding;
  const location = finding.location ?? (level === "safe" ? undefined : locate(name, change));
  return level === "refused" && allowed.includes(name)
    ? { level: "dangerous", name, message, location, reason: "Allowed with --allow." }
    : { ...finding, location };
}
