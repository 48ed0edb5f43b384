import { globSync, readdirSync, readFileSync } from "node:fs";
import { tableRows } from "@content-service/support/markdownTable.ts";
import * as graphql from "graphql";
import { anchorOf } from "./sitePages.ts";

type Field = graphql.GraphQLField<unknown, unknown>;

/** A request that a test sends. */
interface Trial {
  request: string;
  /** The test, or its data. */
  file: string;
  /** By person: "done", "nothing", or the code of an error. */
  outcomes: Record<string, string>;
  variables?: string | undefined;
  response?: string;
}

const root = new URL("../", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), "utf8");
const list = (folder: string) => readdirSync(new URL(folder, root)).sort();
const snake = (name: string) => name.replace(/[A-Z]/g, (letter, place) => `${place ? "_" : ""}${letter.toLowerCase()}`);
const code = (text: string) => `\`${text}\``;
const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const common = "common";
const permissions = "migrations/permissions.md";
const schema = graphql.buildSchema(read("schema.graphql"));

/** The subjects of tables, types and functions: the migration that creates them. A function's is that of most functions of its folder. */
const subjects = new Map<string, string>();
/** The tables whose rows subscriptions send, and whether only those of the viewer. */
const followed = new Map<string, { table: string; isOwn: boolean }>();
for (const file of ["committed/", "current/"].flatMap((folder) =>
  list(`migrations/${folder}`).map((name) => folder + name),
)) {
  const subject = file.replace(/^\w+\/\d*-?|\.sql$/g, "");
  for (const [, table = "", comment = ""] of read(`migrations/${file}`).matchAll(
    /^comment on table app_public\.(\w+) is \$\$([^$]*)/gm,
  )) {
    for (const [line, field = ""] of comment.matchAll(/^@subscription (\w+).*$/gm)) {
      followed.set(field, { table, isOwn: line.endsWith(" viewer") });
    }
  }
  for (const [, table = "", field = "", rest = ""] of read(`migrations/${file}`).matchAll(
    /add_tag\('app_public\.(\w+)', '@subscription (\w+)([^']*)'/g,
  )) {
    followed.set(field, { table, isOwn: rest.endsWith(" viewer") });
  }
  for (const name of createdIn(read(`migrations/${file}`))) {
    if (!subjects.has(name)) subjects.set(name, subject);
  }
}
for (const folder of list("migrations/fixtures/functions/")) {
  const path = `migrations/fixtures/functions/${folder}/`;
  const names = list(path).flatMap((file) => createdIn(read(path + file)));
  const counts = Map.groupBy(names, (name) => subjects.get(name) ?? folder);
  const [most = folder] = [...counts].sort(([, some], [, others]) => others.length - some.length)[0] ?? [];
  for (const name of names) subjects.set(name, most);
}

/** The tables, types and functions that SQL creates; functions with brackets, and subscriptions, which tags of tables declare, too. */
function createdIn(sql: string): string[] {
  const statements = sql.matchAll(
    /^create (?:or replace )?(table|type|view|function) (?:if not exists )?app_public\.(\w+)/gm,
  );
  const subscriptions = sql.matchAll(/^(?:comment on table .*\$\$|.*add_tag\(.*')?@subscription (\w+)/gm);
  return [
    ...[...statements].map(([, kind, name]) => (kind === "function" ? `${name}()` : `${name}`)),
    ...[...subscriptions].map(([, name = ""]) => `${snake(name)}()`),
  ];
}

/** What SQL calls the thing that a field reads or does: its function, or the table or type of its result. */
function sourceOf(field: Field): string | undefined {
  const name = `${snake(field.name.replace(/Connection$/, ""))}()`;
  return subjects.has(name) ? name : tableOf(graphql.getNamedType(field.type).name);
}

function tableOf(typeName: string): string | undefined {
  const name = snake(typeName.replace(/(Connection|Edge)$/, ""));
  return [name, `${name}s`, name.replace(/y$/, "ies")].find((table) => subjects.has(table));
}

function subjectOf(field: Field): string {
  const source = sourceOf(field);
  if (source) return subjects.get(source) as string;
  if (graphql.isInterfaceType(graphql.getNamedType(field.type))) return common;
  throw new Error(
    `No migration creates a function ${snake(field.name)}, a subscription ${field.name}, or a type for the result of ${field.name}.`,
  );
}

const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter((type) => !!type);
const operations = roots.flatMap((root) =>
  Object.values(root.getFields()).map((field) => ({ kind: root.name, field, subject: subjectOf(field) })),
);
const pageSubjects = new Set([
  ...operations
    .map(({ subject }) => subject)
    .filter((one) => one !== common)
    .sort(),
  common,
]);
const isPage = ({ name }: graphql.GraphQLNamedType) => /(Connection|Edge)$/.test(name);
const types = Object.values(schema.getTypeMap()).filter(
  (type) =>
    !graphql.isIntrospectionType(type) &&
    !graphql.isSpecifiedScalarType(type) &&
    !roots.some((root) => root === type) &&
    !isPage(type),
);

/** The page that has a type. What no table has, as PostOrderBy, is beside the type that its name begins with. */
function subjectOfType({ name }: graphql.GraphQLNamedType): string {
  const owner = types.find((other) => name.startsWith(other.name) && tableOf(other.name));
  const subject = subjects.get(tableOf(name) ?? tableOf(owner?.name ?? "") ?? "");
  return subject && pageSubjects.has(subject) ? subject : common;
}

const placeOfSubject = (subject: string) => `client/reference/${subject}`;

/**
 * The reference of the API: a page for each subject of the committed migrations that has operations, and one for what all share.
 * Links are those of a page in the repository's root.
 *
 * @throws Error, when this module is loaded, for an operation that belongs to no subject
 */
export function referencePages(): Map<string, string> {
  return new Map([...pageSubjects].map((subject) => [placeOfSubject(subject), page(subject)]));
}

function page(subject: string): string {
  const sections = ["Query", "Mutation", "Subscription"].map((kind) => {
    const own = operations.filter((operation) => operation.kind === kind && operation.subject === subject);
    return section(kind === "Query" ? "Queries" : `${kind}s`, own.map(operationEntry));
  });
  const own = types.filter((type) => subjectOfType(type) === subject);
  return `# ${capitalised(subject).replaceAll("-", " ")}

Made from [schema.graphql](schema.graphql). Who may call what, and most errors, are as [the tests of the permissions](${permissions})
find them. [Some errors](/${placeOfSubject(common)}#type-errorcode) come from every operation.

${sections.join("")}${section("Types", own.map(typeEntry))}${subject === common ? connections : ""}`;
}

function section(title: string, entries: string[]): string {
  return entries.length > 0 ? `## ${title}\n\n${entries.join("\n")}\n` : "";
}

const connections = `## Connections

A connection is a page of a list: \`nodes\`, or \`edges\` with a \`cursor\` each, \`pageInfo\` and \`totalCount\`. It takes \`first\` and
\`after\`, or \`last\` and \`before\`, with a cursor of another page.
`;

const trialsOf = ({ kind, field }: { kind: string; field: Field }): Trial[] =>
  trials.filter(({ request }) => rootFields(request).includes(`${kind} ${field.name}`));

function operationEntry({ kind, field }: (typeof operations)[number]): string {
  const own = trialsOf({ kind, field });
  const tested = own.find(({ outcomes }) => Object.values(outcomes).includes("done")) ?? own[0];
  const callers = callersOf(field, own);
  const errors = errorsOf(field, own).filter(
    (name) => kind !== "Query" || callers !== everyone || name !== "UNAUTHORIZED",
  );
  return `### ${field.name} {#${kind.toLowerCase()}-${anchorOf(field.name)}}

${field.description}

${table("argument", argumentsOf(field).map(inputRow))}
- Result: ${linked(field.type)}
- Who may call it: ${callers}
${errors.length > 0 ? `- Errors: ${errors.map(code).join(", ")}\n` : ""}
${tested ? example(tested) : ""}`;
}

/** Connections all take `after`, `before` and `last`. */
function argumentsOf({ type, args }: Field): readonly graphql.GraphQLArgument[] {
  const isConnection = isPage(graphql.getNamedType(type));
  return args.filter(({ name }) => !(isConnection && ["after", "before", "last"].includes(name)));
}

function typeEntry(type: graphql.GraphQLNamedType): string {
  return `### ${type.name} {#type-${anchorOf(type.name)}}\n\n${type.description}\n\n${typeTable(type)}`;
}

function typeTable(type: graphql.GraphQLNamedType): string {
  if (graphql.isEnumType(type)) {
    const rows = type.getValues().map(({ name, description }) => [code(name), description ?? ""]);
    return table("value", rows);
  }
  if (graphql.isInputObjectType(type)) return table("field", Object.values(type.getFields()).map(inputRow));
  if (!graphql.isObjectType(type) && !graphql.isInterfaceType(type)) return "";
  const rows = Object.values(type.getFields()).flatMap((field) => [
    [`${code(field.name)}: ${linked(field.type)}`, field.description ?? ""],
    ...argumentsOf(field).map((argument) =>
      inputRow(argument).map((cell, place) => (place === 0 ? `– ${cell}` : cell)),
    ),
  ]);
  return table("field", rows);
}

function inputRow({
  name,
  type,
  description,
  defaultValue,
}: graphql.GraphQLArgument | graphql.GraphQLInputField): string[] {
  const otherwise = defaultValue === undefined || defaultValue === null ? "" : ` = ${defaultValue}`;
  return [`${code(name)}: ${linked(type, otherwise)}`, description ?? ""];
}

function table(name: string, rows: string[][]): string {
  if (rows.length === 0) return "";
  const lines = rows.map((cells) => `| ${cells.join(" | ").replaceAll("\n", " ")} |\n`);
  return `| ${name} | meaning |\n| --- | --- |\n${lines.join("")}`;
}

/** A type as SDL writes it, with a link to what it is; of a connection, to what it connects. */
function linked(type: graphql.GraphQLType, otherwise = ""): string {
  const named = graphql.getNamedType(type);
  if (graphql.isSpecifiedScalarType(named)) return code(type + otherwise);
  const shown = schema.getType(named.name.replace(/Connection$/, "")) ?? named;
  return `[${code(type + otherwise)}](/${placeOfSubject(subjectOfType(shown))}#type-${anchorOf(shown.name)})`;
}

const rows = tableRows(read(permissions));
/** Whether a function or a table is for requests without a token, too. */
const isOpen = new Map(
  rows
    .filter(({ length, 0: name }) => length === 4 && name?.startsWith("app_public."))
    .map(([name = "", anonymous]) => [name.replace(/^app_public\.|(?<=\().*(?=\))/g, ""), anonymous !== ""]),
);
const everyone = "everyone";
const members = "signed-in users";

function callersOf(field: Field, own: Trial[]): string {
  const rows = followed.get(field.name);
  if (rows?.isOwn) return members;
  if (isOpen.get(rows?.table ?? sourceOf(field) ?? "") ?? true) return everyone;
  // Who reads the table, subscribes to it.
  const list = operations.find(
    ({ field: { type } }) => rows && tableOf(graphql.getNamedType(type).name) === rows.table,
  );
  if (list && list.field !== field) return callersOf(list.field, trialsOf(list));
  const did = own.flatMap(({ outcomes }) => Object.keys(outcomes).filter((person) => outcomes[person] === "done"));
  const byRight = ["admin", "editor", "moderator"].filter((person) => did.includes(person));
  const isByRight = did.length > 0 && did.every((person) => byRight.includes(person));
  return isByRight ? byRight.map((person) => `${person}s`).join(", ") : members;
}

/** The codes that its description names, and those that tests get. Of subscriptions, test/comments/live.test.ts gets them. */
function errorsOf({ name, description, args }: Field, own: Trial[]): string[] {
  if (followed.has(name)) return [...(args.length > 1 ? ["NOT_FOUND"] : []), "UNAUTHORIZED", "VALIDATION_ERROR"];
  const words = [{ description }, ...args].map((described) => described.description).join(" ");
  const seen = own.flatMap(({ outcomes }) => Object.values(outcomes));
  const codes = schema.getType("ErrorCode") as graphql.GraphQLEnumType;
  return codes
    .getValues()
    .map(({ name }) => name)
    .filter((name) => seen.includes(name) || words.match(/\b[A-Z_]+\b/g)?.includes(name));
}

/** The root fields of an operation: "Query post". */
function rootFields(request: string): string[] {
  const fields: string[] = [];
  const info = new graphql.TypeInfo(schema);
  const Field = () =>
    void (
      roots.includes(info.getParentType() as never) &&
      fields.push(`${info.getParentType()} ${info.getFieldDef()?.name}`)
    );
  graphql.visit(graphql.parse(request), graphql.visitWithTypeInfo(info, { Field }));
  return fields;
}

const graphiql = process.env["GRAPHIQL_URL"] ?? "http://127.0.0.1:4000/graphql";

/** A link, in Markdown, that opens a document in GraphiQL and runs nothing. `GRAPHIQL_URL` says where the readers' GraphiQL is. */
export function graphiqlLink(query: string, variables?: string): string {
  const search = new URLSearchParams({ query, ...(variables && { variables }) });
  return `[Open in GraphiQL](${graphiql}?${search}){.graphiql}`;
}

/** Whether the API executes a document. Tests subscribe also to what no schema has, or to less. */
export function fitsSchema(request: string): boolean {
  try {
    return graphql.validate(schema, graphql.parse(request)).length === 0;
  } catch {
    return false;
  }
}

/** Complete ones first: of test/operations, subscriptions of all tests, then those of the permissions. */
const trials: Trial[] = [
  ...list("test/operations/")
    .filter((file) => file.endsWith(".graphql"))
    .map((file) => operationTrial(`test/operations/${file}`)),
  ...globSync("{test,packages/*/test,plugins/test}/**/*.ts", { cwd: root })
    .sort()
    .flatMap((file) => {
      const texts = [...read(file).matchAll(/(["`])((subscription|\w+)\b(?:(?!\1|\$\{).)*)\1/gs)];
      const requests = texts.flatMap(([, , text = "", word = ""]) =>
        word === "subscription" ? [text] : followed.has(word) ? [`subscription { ${text} }`] : [],
      );
      return requests.filter(fitsSchema).map((request) => ({ request, file, outcomes: { "": "done" } }));
    }),
  ...rows
    .filter((cells) => cells.length === 9 && cells.at(-1)?.includes("{"))
    .map(([, nobody = "", bob = "", ada = "", admin = "", editor = "", moderator = "", , request = ""]) => ({
      request,
      file: permissions,
      outcomes: { nobody, bob, ada, admin, editor, moderator },
    })),
];

function operationTrial(file: string): Trial {
  const text = read(file);
  const response = read(file.replace(/graphql$/, "json"));
  const { errors } = JSON.parse(response) as graphql.ExecutionResult;
  const refused = errors?.find(({ path }) => path?.length === 1)?.extensions["code"];
  const person = /^# as (\w+)/m.exec(text)?.[1] ?? "nobody";
  const variables = /^# with (.*)/m.exec(text)?.[1];
  return { request: text, file, outcomes: { [person]: errors ? String(refused) : "done" }, variables, response };
}

function example({ request, file, outcomes, variables, response }: Trial): string {
  const person = Object.keys(outcomes).find((name) => outcomes[name] === "done");
  const refusals = [...new Set(Object.values(outcomes))].map(code);
  const tabs = [
    `\`\`\`graphql [Request]\n${graphql.print(graphql.parse(request))}\n\`\`\``,
    variables && `\`\`\`json [Variables]\n${JSON.stringify(JSON.parse(variables), null, 2)}\n\`\`\``,
    response && `\`\`\`json [Response]\n${response.trim()}\n\`\`\``,
  ].filter(Boolean);
  const link = graphiqlLink(graphql.print(graphql.parse(request)), variables);
  const title = person === "nobody" ? ", without a token" : person && `, as ${capitalised(person)}`;
  return `:::: details Example${title ?? `, refused with ${refusals.join(", ")}`}
::: code-group
${tabs.join("\n")}
:::

${link}

Tested in [${file}](${file}).
::::
`;
}
