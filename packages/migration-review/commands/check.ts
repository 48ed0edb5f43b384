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
import { compareProblems, type Problem, readProblems } from "../check/catalogue/problems.ts";
import {
  compareServiceParts,
  readServiceParts,
  type ServicePart,
  serviceMentions,
  servicePlaces,
} from "../check/catalogue/serviceParts.ts";
import { type Allowance, allow, type Finding, nameOf, readAllowance, verdictOf } from "../check/finding.ts";
import { lintFunctions } from "../check/functions/lintFunctions.ts";
import { readSqlFiles } from "../check/functions/routines.ts";
import { printReport } from "../check/report.ts";
import { lintSampleContent } from "../check/rows/lintSampleContent.ts";
import { measureLocks } from "../check/rows/measureLocks.ts";
import { nothingRehearsed, rehearse } from "../check/rows/rehearse.ts";
import { openBase } from "../check/sql/git.ts";
import { readMigrationSql } from "../check/sql/migrationSql.ts";
import { locate, locateText, placeOf, readStatements, type SqlStatement } from "../check/sql/statements.ts";
import { lintFixtures } from "../check/statements/lintFixtures.ts";
import { lintLocks } from "../check/statements/lintLocks.ts";
import { lintStatements } from "../check/statements/lintStatements.ts";
import { migrateCurrent } from "../migrations/migrate.ts";
import type { CommandLine } from "../migrations/settings.ts";
import type { Command, Context, Options } from "../Project.ts";
import { schemasOf } from "../schemas.ts";
import { resetToBase, withShadow } from "../shadow.ts";
import { UsageError } from "../UsageError.ts";

/**
 * `check`: reviews the changes of the migrations since a commit. Reports locks, broken rules, changes that
 * clients of the API and readers of views would notice, and the names of new relation fields. Its exit status is 1 for what is refused, and for
 * what is dangerous and not allowed.
 */
export const checkCommand: Command = {
  options: {
    base: { type: "string" },
    allow: { type: "string", multiple: true },
    rows: { type: "string" },
    all: { type: "boolean" },
    json: { type: "boolean" },
  },
  mayRepeat: true,
  run: (context, options) =>
    withShadow(context, async (shadowUrl) => {
      const { findings } = await review(context, shadowUrl, options);
      const { status, message } = verdictOf(findings, options.all === true);
      if (!options.json) context.output[status === 0 ? "log" : "error"](message);
      return status;
    }),
};

/** The state of the shadow database that the review compares, before and after the change. */
interface Seen {
  /** Undefined if the project has no API. */
  api: ApiReview | undefined;
  behaviours: Behaviours;
  exposures: Exposure[];
  parts: ServicePart[];
  problems: Problem[];
}

/** The values of the option `--allow`. */
export function allowancesOf({ allow: given }: Options): Allowance[] {
  return [given ?? []].flat().map((text) => readAllowance(String(text)));
}

/** Prints the findings, and returns them, with the API after the change if it can be built. */
export async function review(
  context: Context,
  shadowUrl: string,
  options: Options,
): Promise<{ findings: Finding[]; schema: GraphQLSchema | undefined }> {
  const { directory, environment, migrations, output, project, commandLine } = context;
  const { api: apiOf, runningVersion, sampleContent, publishedSchemas = [] } = project;
  const base = openBase(directory, typeof options.base === "string" ? options.base : undefined, commandLine);
  const rows = options.rows === undefined ? undefined : readCount(options.rows, commandLine);
  const apiBefore = apiOf && base.read(apiOf.file);
  const sql = await readMigrationSql(migrations, base, shadowUrl);
  const allowances = [...allowancesOf(options), ...sql.allowances];
  const change = sql.migrations.flatMap(readStatements);
  const held = rows === undefined ? [] : await measureLocks(shadowUrl, context, base, sql, rows);
  await resetToBase(shadowUrl, context, base);
  const schemas = await withClient(shadowUrl, (client) => schemasOf(client, project));
  const places: Map<string, string> = runningVersion ? servicePlaces(runningVersion, base, schemas) : new Map();
  const readApi = async (client: ClientBase) =>
    apiOf && reviewApi(apiOf, client, shadowUrl, environment, migrations.settings);
  // Node reads the API while PostgreSQL rehearses the change.
  const [apiOfBase, rehearsed] = await Promise.all([
    withClient(shadowUrl, readApi),
    change.length > 0 ? rehearse(shadowUrl, context, base, sql) : nothingRehearsed,
  ]);
  const look = (client: ClientBase, api: Seen["api"]): Promise<Seen> => {
    return uncommitted(client, async () => ({
      api,
      problems: rehearsed.problems ? [] : await readProblems(client, project.problems),
      behaviours: await readBehaviours(client, project),
      exposures: await readExposures(client, project),
      parts: runningVersion ? await readServiceParts(client, [...places.keys()], runningVersion.login) : [],
    }));
  };
  const before = await withClient(shadowUrl, (client) => look(client, apiOfBase));
  let now = before;
  const files = await readSqlFiles(migrations);
  const bodyOf = (signature: string, { behaviours }: Seen) => behaviours.get(`function ${signature}`)?.get("body");
  const isChanged = (signature: string) => bodyOf(signature, before) !== bodyOf(signature, now);
  // The last one leaves rows.
  const lints: Record<string, (client: ClientBase, found?: Finding[]) => Promise<Finding[]>> = {
    rules: (client, found) => uncommitted(client, () => lintCatalogue(client, directory, found)),
    functions: (client, found) => uncommitted(client, () => lintFunctions(client, project, files, isChanged, found)),
    ...(sampleContent && { sample: () => lintSampleContent(shadowUrl, directory, sampleContent) }),
  };
  const linted: Record<string, Finding[]> = {};
  if (change.length > 0 && rehearsed.server.length === 0) {
    // The committed migrations that the base lacks run as well.
    await migrateCurrent(shadowUrl, migrations);
    await withClient(shadowUrl, async (client) => {
      now = await look(client, await readApi(client));
      for (const [name, lint] of Object.entries(lints)) linted[name] = await lint(client);
    });
  }
  const mayBeOld = Object.keys(linted).filter((name) => linted[name]?.some(({ severity }) => severity !== "safe"));
  if (mayBeOld.length > 0) {
    await resetToBase(shadowUrl, context, base);
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
  const sections: Record<string, Finding[] | undefined> = {
    Fixtures: await lintFixtures(directory, base, sql.included),
    "The server": rehearsed.server,
    "Rows and rights": [...statements, ...rehearsed.rows.filter((finding) => !isTold(finding, statements))],
    Behaviour: compareBehaviours(before.behaviours, now.behaviours).map((finding) =>
      finding.rule === "default-rights"
        ? { ...finding, location: placeOfKind("AlterDefaultPrivilegesStmt", change) }
        : finding,
    ),
    "Who reads it": apiOf && compareExposures(before.exposures, now.exposures),
    "The running version":
      runningVersion &&
      compareServiceParts(before.parts, now.parts, places, (column) => serviceMentions(runningVersion, base, column)),
    Locks: [...lintLocks(change, rewritten), ...held],
    "The catalogue's rules": linted.rules ?? [],
    Functions: linted.functions ?? [],
    Problems:
      project.problems === undefined
        ? undefined
        : compareProblems(...(rehearsed.problems ?? [before.problems, now.problems]), (text) =>
            locateText(text, change, schemas),
          ),
    "Published views":
      publishedSchemas.length > 0 ? compareViews(before.behaviours, now.behaviours, publishedSchemas) : undefined,
    "Sample content": sampleContent && (linted.sample ?? []),
    "The API": apiOf && compareApi(apiBefore, before, now),
  };
  const reviewed = Object.entries(sections).flatMap(([section, found]) => {
    const findings = found?.map((finding) => {
      const {
        object,
        severity,
        location = severity === "safe" ? undefined : locate(object, change, schemas),
      } = finding;
      return allow({ ...finding, location, advice: adviceOf(finding, context) }, allowances);
    });
    return findings ? [{ section, findings }] : [];
  });
  if (options.json) {
    const printed = reviewed.flatMap(({ section, findings }) => findings.map((finding) => ({ section, ...finding })));
    output.log(JSON.stringify(printed, null, 2));
  } else {
    output.log(printReport(reviewed, base.name, options.all === true));
  }
  return { findings: reviewed.flatMap(({ findings }) => findings), schema: now.api?.schema };
}

/** The advice of a finding in the project's words, with commands as its users type them. */
function adviceOf({ rule, object, advice }: Finding, { project, commandLine }: Context): string | undefined {
  const text = project.advice?.[rule]?.replaceAll("{object}", object).replaceAll("OBJECT", object) ?? advice;
  return text?.replace(/\{command ([^}]*)\}/g, (_, command: string) => commandLine(command));
}

/** The place of the first statement of a kind. */
function placeOfKind(kind: string, change: SqlStatement[]): string | undefined {
  const found = change.find((statement) => statement.kind === kind);
  return found && placeOf(found);
}

/** Whether the statement itself has said that these rows are deleted. */
function isTold({ rule, object }: Finding, statements: Finding[]): boolean {
  return (
    rule === "rows-deleted" &&
    statements.some((one) => /^(truncate|delete-all-rows)$/.test(one.rule) && one.object === object)
  );
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

function readCount(option: unknown, commandLine: CommandLine): number {
  const count = Number(option);
  if (Number.isInteger(count) && count > 0) return count;
  throw new UsageError(`--rows takes a number of rows: ${commandLine("check --rows 100000")}`);
}

function compareApi(apiBefore: string | undefined, before: Seen, { api, exposures }: Seen): Finding[] {
  const findings = newIn(api?.findings ?? [], before.api?.findings ?? []);
  const old = apiBefore === undefined ? before.api?.schema : buildSchema(apiBefore);
  if (!api?.schema || !old) return findings;
  const { schema, sources } = api;
  const changes = compareSchemas(old, schema).map((finding) => {
    const audience =
      finding.rule === "field-added" && audienceOf([...(sources.get(finding.object) ?? [])][0], exposures);
    return audience ? { ...finding, message: finding.message.replace(/\.$/, `, readable ${audience}.`) } : finding;
  });
  return [
    ...findings,
    ...compareSources(before.api?.sources ?? new Map(), sources),
    ...keepNames(changes, old, schema, sources),
    ...relationNames(old, schema, sources),
  ];
}
