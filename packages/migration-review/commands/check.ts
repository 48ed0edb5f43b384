import { join } from "node:path";
import { StartError } from "@content-service/support/StartError.ts";
import { withClient } from "@content-service/support/withClient.ts";
import { buildSchema } from "graphql";
import type { ClientBase } from "pg";
import { analyticsContract } from "../analyticsContract.ts";
import type { ApiSources } from "../check/apiSources.ts";
import { compareBehaviours } from "../check/compareBehaviours.ts";
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
import { type Behaviours, readBehaviours } from "../check/readBehaviours.ts";
import { readMigrationSql } from "../check/readMigrationSql.ts";
import { readServiceParts, type ServicePart } from "../check/readServiceParts.ts";
import { relationNames } from "../check/relationNames.ts";
import { committedSince, resetToBase } from "../check/resetToBase.ts";
import { type ApiReview, reviewApi } from "../check/reviewApi.ts";
import { servicePlaces } from "../check/servicePlaces.ts";
import { readSqlFiles } from "../check/sqlFiles.ts";
import { locate, type SqlStatement } from "../check/statements.ts";
import { hasCurrent, migrateCurrent } from "../migrations/migrate.ts";
import { apiLogin, withShadow } from "../shadow.ts";
import type { Command, Context, Options } from "./command.ts";
import { analyticsFile, apiFile } from "./snapshot.ts";

/**
 * `npm run db:check`: reviews the changes of the migrations since a commit. Reports locks, broken rules, changes that
 * clients of the API and analysts would notice, and the names of new relation fields.
 */
export const checkCommand: Command = {
  options: { base: { type: "string" }, allow: { type: "string", multiple: true }, rows: { type: "string" } },
  run: (context, options) => withShadow(context, (shadowUrl) => review(context, shadowUrl, options)),
};

/** The state of the shadow database that the review compares, before and after the change. */
interface Seen {
  api: ApiReview;
  behaviours: Behaviours;
  parts: ServicePart[];
}

/** @throws StartError when a finding refuses the change */
export async function review(
  { directory, environment, output, service }: Context,
  shadowUrl: string,
  options: Options,
): Promise<undefined> {
  const migrations = join(directory, "migrations");
  const base = typeof options.base === "string" ? options.base : "HEAD";
  const allowed = [options.allow ?? []].flat().map(String);
  const [apiBefore, analyticsBefore] = [apiFile, analyticsFile].map((file) => readAt(directory, base, file)) as [
    string,
    string,
  ];
  const places = servicePlaces(directory, base);
  const held =
    options.rows === undefined ? [] : await measureLocks(shadowUrl, directory, base, readCount(options.rows), service);
  await resetToBase(shadowUrl, directory, base);
  const apiUrl = await apiLogin(shadowUrl, environment);
  const look = async (): Promise<Seen> => {
    const api = await reviewApi(service, shadowUrl, apiUrl);
    return uncommitted(shadowUrl, async (client) => {
      const behaviours = await readBehaviours(client);
      return { api, behaviours, parts: await readServiceParts(client, [...places.keys()]) };
    });
  };
  const before = await look();
  const isChanged = (await committedSince(directory, base)).length > 0 || (await hasCurrent(migrations));
  // The committed migrations that the base lacks run as well.
  if (isChanged) await migrateCurrent(shadowUrl, migrations);
  const now = isChanged ? await look() : before;
  const { earlier, change, included } = await readMigrationSql(directory, base);

  const sections: [string, Finding[]][] = [
    ["Fixtures", await lintFixtures(directory, base, included)],
    ["Rows and rights", lintStatements(change, earlier)],
    ["Behaviour", compareBehaviours(before.behaviours, now.behaviours)],
    ["The running version", compareServiceParts(before.parts, now.parts, places)],
    ["Locks", [...lintLocks(change), ...held]],
    ...(await reviewShadow(shadowUrl, directory, analyticsBefore, change)),
    ["Sample content", await lintSampleContent(shadowUrl, directory, service)],
    ["The API", compareApi(apiBefore, before.api.sources, now.api)],
  ];
  const refused = new Set<string>();
  for (const [title, found] of sections) {
    const findings = found.map((finding) => allowOrLocate(finding, allowed, change));
    output.log(printReview(`${title}, since ${base}`, findings));
    for (const { level, name } of findings) if (level === "refused") refused.add(name);
  }
  if (refused.size > 0) throw new StartError(`Refused: ${[...refused].join(", ")}`);
  output.log("The review passes.");
}

/** The connection ends without a commit. */
function uncommitted<Seen>(shadowUrl: string, read: (client: ClientBase) => Promise<Seen>): Promise<Seen> {
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

function compareApi(apiBefore: string, sourcesBefore: ApiSources, { schema, sources, findings }: ApiReview): Finding[] {
  if (!schema) return findings;
  const before = buildSchema(apiBefore);
  const changes = keepNames(compareSchemas(before, schema), before, schema, sources);
  return [...findings, ...compareSources(sourcesBefore, sources), ...changes, ...relationNames(before, schema)];
}

async function reviewShadow(
  shadowUrl: string,
  directory: string,
  analyticsBefore: string,
  change: SqlStatement[],
): Promise<[string, Finding[]][]> {
  const files = await readSqlFiles(directory);
  return uncommitted(shadowUrl, async (client) => [
    ["The catalogue's rules", await lintCatalogue(client, directory, change)],
    ["Functions", await lintFunctions(client, files)],
    ["The analysts' views", compareViews(analyticsBefore, await analyticsContract(client))],
  ]);
}

/** Lowers a refused finding that `--allow` names to dangerous, and adds the location where it is missing. */
function allowOrLocate(finding: Finding, allowed: string[], change: SqlStatement[]): Finding {
  const { level, name, message } = finding;
  const location = finding.location ?? (level === "safe" ? undefined : locate(name, change));
  return level === "refused" && allowed.includes(name)
    ? { level: "dangerous", name, message, location, reason: "Allowed with --allow." }
    : { ...finding, location };
}
