import { join } from "node:path";
import { StartError } from "@content-service/support/StartError.ts";
import { withClient } from "@content-service/support/withClient.ts";
import { buildSchema, type GraphQLSchema } from "graphql";
import type { ClientBase } from "pg";
import { compareSchemas } from "../check/api/compareSchemas.ts";
import { type ApiReview, reviewApi } from "../check/api/reviewApi.ts";
import { compareSources, keepNames, relationNames } from "../check/api/sources.ts";
import { type Behaviours, readBehaviours } from "../check/catalogue/behaviours.ts";
import { compareBehaviours, rewrittenTables } from "../check/catalogue/compareBehaviours.ts";
import { compareViews } from "../check/catalogue/compareViews.ts";
import { audienceOf, compareExposures, type Exposure, readExposures } from "../check/catalogue/exposures.ts";
import { lintCatalogue } from "../check/catalogue/lintCatalogue.ts";
import {
  compareServiceParts,
  readServiceParts,
  type ServicePart,
  serviceMentions,
  servicePlaces,
} from "../check/catalogue/serviceParts.ts";
import {
  type Allowance,
  allow,
  type Finding,
  nameOf,
  printFindings,
  readAllowance,
  verdictOf,
} from "../check/finding.ts";
import { lintFunctions } from "../check/functions/lintFunctions.ts";
import { readSqlFiles } from "../check/functions/routines.ts";
import { lintSampleContent } from "../check/rows/lintSampleContent.ts";
import { measureLocks } from "../check/rows/measureLocks.ts";
import { readAt } from "../check/sql/git.ts";
import { readMigrationSql } from "../check/sql/migrationSql.ts";
import { locate, readStatements } from "../check/sql/statements.ts";
import { lintFixtures } from "../check/statements/lintFixtures.ts";
import { lintLocks } from "../check/statements/lintLocks.ts";
import { lintStatements } from "../check/statements/lintStatements.ts";
import { migrateCurrent } from "../migrations/migrate.ts";
import { apiLogin, resetToBase, withShadow } from "../shadow.ts";
import type { Command, Context, Options } from "./command.ts";
import { apiFile } from "./snapshot.ts";

/**
 * `npm run db:check`: reviews the changes of the migrations since a commit. Reports locks, broken rules, changes that
 * clients of the API and analysts would notice, and the names of new relation fields. Its exit status is 1 for what is refused, and 2
 * for what is dangerous and not allowed.
 */
export const checkCommand: Command = {
  options: {
    base: { type: "string" },
    allow: { type: "string", multiple: true },
    rows: { type: "string" },
    json: { type: "boolean" },
  },
  run: (context, options) =>
    withShadow(context, async (shadowUrl) => {
      const { findings } = await review(context, shadowUrl, options);
      const { status, message } = verdictOf(findings);
      if (!options.json) context.output[status === 0 ? "log" : "error"](message);
      return status;
    }),
};

/** The state of the shadow database that the review compares, before and after the change. */
interface Seen {
  api: ApiReview;
  behaviours: Behaviours;
  exposures: Exposure[];
  parts: ServicePart[];
}

/** The values of the option `--allow`. */
export function allowancesOf({ allow: given }: Options): Allowance[] {
  return [given ?? []].flat().map((text) => readAllowance(String(text)));
}

/** Prints the findings, and returns them, with the API after the change if it can be built. */
export async function review(
  { directory, environment, output, service }: Context,
  shadowUrl: string,
  options: Options,
): Promise<{ findings: Finding[]; schema: GraphQLSchema | undefined }> {
  const base = typeof options.base === "string" ? options.base : "HEAD";
  const rows = options.rows === undefined ? undefined : readCount(options.rows);
  const apiBefore = readAt(directory, base, apiFile);
  const places = servicePlaces(directory, base);
  const sql = await readMigrationSql(directory, base);
  const allowances = [...allowancesOf(options), ...sql.allowances];
  const change = sql.migrations.flatMap(readStatements);
  const held = rows === undefined ? [] : await measureLocks(shadowUrl, directory, base, sql, rows, service);
  await resetToBase(shadowUrl, directory, base);
  const apiUrl = await apiLogin(shadowUrl, environment);
  const look = async (client: ClientBase): Promise<Seen> => {
    const api = await reviewApi(service, client, apiUrl);
    return uncommitted(client, async () => ({
      api,
      behaviours: await readBehaviours(client),
      exposures: await readExposures(client),
      parts: await readServiceParts(client, [...places.keys()]),
    }));
  };
  const before = await withClient(shadowUrl, look);
  let now = before;
  const files = await readSqlFiles(directory);
  const bodyOf = (signature: string, { behaviours }: Seen) => behaviours.get(`function ${signature}`)?.get("body");
  const isChanged = (signature: string) => bodyOf(signature, before) !== bodyOf(signature, now);
  // The last one leaves rows.
  const lints: Record<string, (client: ClientBase, found?: Finding[]) => Promise<Finding[]>> = {
    rules: (client, found) => uncommitted(client, () => lintCatalogue(client, directory, found)),
    functions: (client, found) => uncommitted(client, () => lintFunctions(client, files, isChanged, found)),
    sample: () => lintSampleContent(shadowUrl, directory, service),
  };
  const linted: Record<string, Finding[]> = {};
  if (change.length > 0) {
    // The committed migrations that the base lacks run as well.
    await migrateCurrent(shadowUrl, join(directory, "migrations"));
    await withClient(shadowUrl, async (client) => {
      now = await look(client);
      for (const [name, lint] of Object.entries(lints)) linted[name] = await lint(client);
    });
  }
  const mayBeOld = Object.keys(linted).filter((name) => linted[name]?.some(({ severity }) => severity !== "safe"));
  if (mayBeOld.length > 0) {
    await resetToBase(shadowUrl, directory, base);
    await withClient(shadowUrl, async (client) => {
      for (const name of mayBeOld) {
        linted[name] = newIn(linted[name] ?? [], (await lints[name]?.(client, linted[name])) ?? []);
      }
    });
  }
  const typeOf = (column: string) => {
    const [old, kept] = [before, now].map(({ behaviours }) => behaviours.get(`column ${column}`));
    return old?.get("identity") === kept?.get("identity") ? old?.get("type") : undefined;
  };
  const statements = lintStatements(change, (table) => before.behaviours.has(`table ${table}`), typeOf);
  const truncated = statements.filter(({ rule }) => rule === "truncate").map(({ object }) => object);
  const rewritten = rewrittenTables(before.behaviours, now.behaviours).filter((table) => !truncated.includes(table));
  const sections: Record<string, Finding[]> = {
    Fixtures: await lintFixtures(directory, base, sql.included),
    "Rows and rights": statements,
    Behaviour: compareBehaviours(before.behaviours, now.behaviours),
    "Who reads it": compareExposures(before.exposures, now.exposures),
    "The running version": compareServiceParts(before.parts, now.parts, places, (column) =>
      serviceMentions(directory, base, column),
    ),
    Locks: [...lintLocks(change, rewritten), ...held],
    "The catalogue's rules": linted.rules ?? [],
    Functions: linted.functions ?? [],
    "The analysts' views": compareViews(before.behaviours, now.behaviours),
    "Sample content": linted.sample ?? [],
    "The API": compareApi(apiBefore, before.api, now),
  };
  const reviewed = Object.entries(sections).map(([section, found]) => ({
    section,
    findings: found.map((finding) => {
      const { object, severity, location = severity === "safe" ? undefined : locate(object, change) } = finding;
      return allow({ ...finding, location }, allowances);
    }),
  }));
  if (options.json) {
    const printed = reviewed.flatMap(({ section, findings }) => findings.map((finding) => ({ section, ...finding })));
    output.log(JSON.stringify(printed, null, 2));
  } else {
    for (const { section, findings } of reviewed) output.log(printFindings(`${section}, since ${base}`, findings));
  }
  return { findings: reviewed.flatMap(({ findings }) => findings), schema: now.api.schema };
}

/** Without those that the base has as well: nobody has to allow them again. */
function newIn(findings: Finding[], before: Finding[]): Finding[] {
  return findings.filter(
    (finding) => !before.some((old) => nameOf(old) === nameOf(finding) && old.message === finding.message),
  );
}

/** Reads in a transaction, and undoes what that does. */
async function uncommitted<Result>(client: ClientBase, read: () => Promise<Result>): Promise<Result> {
  await client.query("begin");
  try {
    return await read();
  } finally {
    await client.query("rollback");
  }
}

function readCount(option: unknown): number {
  const count = Number(option);
  if (Number.isInteger(count) && count > 0) return count;
  throw new StartError("--rows takes a number of rows: npm run db:check -- --rows 100000");
}

function compareApi(apiBefore: string, before: ApiReview, { api, exposures }: Seen): Finding[] {
  const { schema, sources } = api;
  const findings = newIn(api.findings, before.findings);
  if (!schema) return findings;
  const old = buildSchema(apiBefore);
  const changes = compareSchemas(old, schema).map((finding) => {
    const audience =
      finding.rule === "field-added" && audienceOf([...(sources.get(finding.object) ?? [])][0], exposures);
    return audience ? { ...finding, message: finding.message.replace(/\.$/, `, readable ${audience}.`) } : finding;
  });
  return [
    ...findings,
    ...compareSources(before.sources, sources),
    ...keepNames(changes, old, schema, sources),
    ...relationNames(old, schema, sources),
  ];
}
