import { join } from "node:path";
import { StartError } from "@content-service/support/StartError.ts";
import { withClient } from "@content-service/support/withClient.ts";
import { buildSchema } from "graphql";
import type { ClientBase } from "pg";
import type { ApiSources } from "../check/api/apiSources.ts";
import { compareSchemas } from "../check/api/compareSchemas.ts";
import { compareSources, keepNames, relationNames } from "../check/api/compareSources.ts";
import { type ApiReview, reviewApi } from "../check/api/reviewApi.ts";
import { type Behaviours, readBehaviours } from "../check/catalogue/behaviours.ts";
import { compareBehaviours } from "../check/catalogue/compareBehaviours.ts";
import { compareViews } from "../check/catalogue/compareViews.ts";
import { lintCatalogue } from "../check/catalogue/lintCatalogue.ts";
import {
  compareServiceParts,
  readServiceParts,
  type ServicePart,
  servicePlaces,
} from "../check/catalogue/serviceParts.ts";
import { allow, type Finding, nameOf, printFindings } from "../check/finding.ts";
import { lintFunctions } from "../check/functions/lintFunctions.ts";
import { readSqlFiles } from "../check/functions/sqlFiles.ts";
import { lintSampleContent } from "../check/rows/lintSampleContent.ts";
import { measureLocks } from "../check/rows/measureLocks.ts";
import { readAt } from "../check/sql/git.ts";
import { readMigrationSql } from "../check/sql/migrationSql.ts";
import { resetToBase } from "../check/sql/resetToBase.ts";
import { locate, readStatements } from "../check/sql/statements.ts";
import { lintFixtures } from "../check/statements/lintFixtures.ts";
import { lintLocks } from "../check/statements/lintLocks.ts";
import { lintStatements } from "../check/statements/lintStatements.ts";
import { migrateCurrent } from "../migrations/migrate.ts";
import { apiLogin, withShadow } from "../shadow.ts";
import type { Command, Context, Options } from "./command.ts";
import { apiFile } from "./snapshot.ts";

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
  const base = typeof options.base === "string" ? options.base : "HEAD";
  const allowed = [options.allow ?? []].flat().map(String);
  const apiBefore = readAt(directory, base, apiFile);
  const places = servicePlaces(directory, base);
  const sql = await readMigrationSql(directory, base);
  const change = sql.migrations.flatMap(readStatements);
  const held =
    options.rows === undefined
      ? []
      : await measureLocks(shadowUrl, directory, base, sql, readCount(options.rows), service);
  await resetToBase(shadowUrl, directory, base);
  const apiUrl = await apiLogin(shadowUrl, environment);
  const look = async (): Promise<Seen> => {
    const api = await reviewApi(service, shadowUrl, apiUrl);
    return uncommitted(shadowUrl, async (client) => ({
      api,
      behaviours: await readBehaviours(client),
      parts: await readServiceParts(client, [...places.keys()]),
    }));
  };
  const before = await look();
  // The committed migrations that the base lacks run as well.
  if (change.length > 0) await migrateCurrent(shadowUrl, join(directory, "migrations"));
  const now = change.length > 0 ? await look() : before;
  const files = await readSqlFiles(directory);
  const [rules, functions] = await uncommitted(shadowUrl, async (client) => [
    await lintCatalogue(client, directory, change),
    await lintFunctions(client, files),
  ]);
  const sections: Record<string, Finding[]> = {
    Fixtures: await lintFixtures(directory, base, sql.included),
    "Rows and rights": lintStatements(change, (table) => before.behaviours.has(`table ${table}`)),
    Behaviour: compareBehaviours(before.behaviours, now.behaviours),
    "The running version": compareServiceParts(before.parts, now.parts, places),
    Locks: [...lintLocks(change), ...held],
    "The catalogue's rules": rules,
    Functions: functions,
    "The analysts' views": compareViews(before.behaviours, now.behaviours),
    "Sample content": await lintSampleContent(shadowUrl, directory, service),
    "The API": compareApi(apiBefore, before.api.sources, now.api),
  };
  const refused = new Set<string>();
  for (const [title, found] of Object.entries(sections)) {
    const findings = found.map((finding) => {
      const { object, severity, location = severity === "safe" ? undefined : locate(object, change) } = finding;
      return allow({ ...finding, location }, allowed);
    });
    output.log(printFindings(`${title}, since ${base}`, findings));
    for (const finding of findings) if (finding.severity === "refused") refused.add(nameOf(finding));
  }
  if (refused.size > 0) throw new StartError(`Refused: ${[...refused].join(", ")}`);
  output.log("The review passes.");
}

/** The connection ends without a commit. */
function uncommitted<Result>(shadowUrl: string, read: (client: ClientBase) => Promise<Result>): Promise<Result> {
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
  return [
    ...findings,
    ...compareSources(sourcesBefore, sources),
    ...keepNames(compareSchemas(before, schema), before, schema, sources),
    ...relationNames(before, schema, sources),
  ];
}
