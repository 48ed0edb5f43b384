import { readdirSync, readFileSync } from "node:fs";
import {
  buildSchema,
  type ExecutionResult,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
  type OperationTypeNode,
  parse,
  print,
} from "graphql";
import { tableRows } from "../test/support/markdownTable.ts";
import { anchorOf } from "./places.ts";

type Field = GraphQLField<unknown, unknown>;
type Input = GraphQLArgument | GraphQLInputField;

interface Example {
  request: string;
  person: string;
  /** The test that runs it. */
  file: string;
  variables?: string | undefined;
  response?: string | undefined;
}

const root = new URL("../", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), "utf8");
const list = (folder: string) => readdirSync(new URL(folder, root)).sort();
const permissionsFile = "migrations/permissions.md";

const schema = buildSchema(read("schema.graphql"));
const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter((type) => !!type);
const common = "common";

/**
 * The reference of the API: a page for each subject of the committed migrations that has operations, and one for what all share.
 *
 * @param linkTo the page that shows a file of the repository
 * @throws Error for an operation that belongs to no subject
 */
export function referencePages(linkTo: (file: string) => string): Map<string, string> {
  const subjects = [...new Set(roots.flatMap((type) => Object.values(type.getFields()).map(subjectOf)))].sort();
  const ordered = [...subjects.filter((subject) => subject !== common), common];
  return new Map(ordered.map((subject) => [placeOfSubject(subject), page(subject, linkTo)]));
}

const placeOfSubject = (subject: string) => `client/reference/${subject}`;
const snake = (name: string) => name.replace(/[A-Z]/g, (letter, place) => `${place ? "_" : ""}${letter.toLowerCase()}`);

/** The subjects of tables, types and functions: the migration that creates them. A function's is that of most functions of its folder. */
const subjects = new Map<string, string>();
for (const file of list("migrations/committed/")) {
  const subject = file.replace(/^\d+-|\.sql$/g, "");
  for (const name of createdIn(read(`migrations/committed/${file}`))) {
    if (!subjects.has(name)) subjects.set(name, subject);
  }
}
for (const folder of list("migrations/fixtures/functions/")) {
  const path = `migrations/fixtures/functions/${folder}/`;
  const names = list(path).flatMap((file) => createdIn(read(path + file)));
  const counts = Map.groupBy(names, (name) => subjects.get(name));
  const [most] = [...counts].sort(([, some], [, others]) => others.length - some.length)[0] ?? [];
  for (const name of names) if (most) subjects.set(name, most);
}

/** The tables, types and functions that SQL creates; functions with brackets. */
function createdIn(sql: string): string[] {
  const statements = sql.matchAll(/^create (?:or replace )?(table|type|view|function) app_public\.(\w+)/gm);
  return [...statements].map(([, kind, name]) => (kind === "function" ? `${name}()` : `${name}`));
}

/** What SQL calls the thing that a field reads or does: its function, or the table or type of its result. */
function sourceOf(field: Field): string | undefined {
  const name = `${snake(field.name.replace(/Connection$/, ""))}()`;
  return subjects.has(name) ? name : tableOf(getNamedType(field.type).name);
}

function tableOf(typeName: string): string | undefined {
  const name = snake(typeName.replace(/(Connection|Edge)$/, ""));
  return [name, `${name}s`, name.replace(/y$/, "ies")].find((table) => subjects.has(table));
}

function subjectOf(field: Field): string {
  const source = sourceOf(field);
  if (source) return subjects.get(source) as string;
  if (isInterfaceType(getNamedType(field.type))) return common;
  throw new Error(`No migration creates a function ${snake(field.name)}, or a type for the result of ${field.name}.`);
}

const subjectsWithOperations = new Set(roots.flatMap((type) => Object.values(type.getFields()).map(subjectOf)));

/** The page that has a type. What no table has, as PostOrderBy, is beside the type that its name begins with. */
function subjectOfType({ name }: GraphQLNamedType): string {
  const owner = Object.keys(schema.getTypeMap()).find((other) => name.startsWith(other) && tableOf(other));
  const subject = subjects.get(tableOf(name) ?? tableOf(owner ?? "") ?? "");
  return subject && subjectsWithOperations.has(subject) ? subject : common;
}

function page(subject: string, linkTo: (file: string) => string): string {
  const title = subject.charAt(0).toUpperCase() + subject.slice(1).replaceAll("-", " ");
  const operations = roots.map((type) => {
    const fields = Object.values(type.getFields()).filter((field) => subjectOf(field) === subject);
    return section(
      `${type.name === "Query" ? "Queries" : `${type.name}s`}`,
      fields.map((field) => operation(type.name, field, linkTo)),
    );
  });
  const types = Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type) && !roots.includes(type as never))
    .filter((type) => !isPage(type) && subjectOfType(type) === subject)
    .map(typeEntry);
  const intro = `Made from \`schema.graphql\`. Who may call what, and most errors, are as [the tests of the permissions](${linkTo(permissionsFile)})
find them. [Some errors](/${placeOfSubject(common)}#type-errorcode) come from every operation.`;
  return `# ${title}\n\n${intro}\n\n${operations.join("")}${section("Types", types)}${subject === common ? connections() : ""}`;
}

const section = (title: string, entries: string[]) =>
  entries.length > 0 ? `## ${title}\n\n${entries.join("\n")}\n` : "";
const isPage = ({ name }: GraphQLNamedType) => /(Connection|Edge)$/.test(name);

function operation(parent: string, field: Field, linkTo: (file: string) => string): string {
  const tested = examples.get(parent.toLowerCase() as OperationTypeNode)?.get(field.name);
  const errors = errorsOf(field);
  return `### ${field.name} {#${parent.toLowerCase()}-${anchorOf(field.name)}}

${field.description}

${table(["argument", "meaning"], argumentsOf(field).map(inputRow))}
- Result: ${linked(field.type)}
- Who may call it: ${callersOf(field)}
${errors.length > 0 ? `- Errors: ${errors.map(code).join(", ")}\n` : ""}
${tested ? showExample(tested, linkTo) : ""}`;
}

/** Connections all take `after`, `before` and `last`. */
function argumentsOf(field: Field): readonly GraphQLArgument[] {
  const isConnection = isPage(getNamedType(field.type));
  return field.args.filter(({ name }) => !(isConnection && ["after", "before", "last"].includes(name)));
}

function typeEntry(type: GraphQLNamedType): string {
  return `### ${type.name} {#type-${anchorOf(type.name)}}\n\n${type.description}\n\n${typeTable(type)}`;
}

function typeTable(type: GraphQLNamedType): string {
  if (isEnumType(type)) {
    return table(
      ["value", "meaning"],
      type.getValues().map(({ name, description }) => [code(name), description ?? ""]),
    );
  }
  if (isInputObjectType(type)) return table(["field", "meaning"], Object.values(type.getFields()).map(inputRow));
  if (!isObjectType(type) && !isInterfaceType(type)) return "";
  const rows = Object.values(type.getFields()).flatMap((field) => [
    [`${code(field.name)}: ${linked(field.type)}`, field.description ?? ""],
    ...argumentsOf(field)
      .map(inputRow)
      .map(([name, meaning = ""]) => [`– ${name}`, meaning]),
  ]);
  return table(["field", "meaning"], rows);
}

function connections(): string {
  const sample = Object.values(schema.getTypeMap()).find(({ name }) => name.endsWith("Connection"));
  const fields = isObjectType(sample) ? Object.keys(sample.getFields()).map(code).join(", ") : "";
  return `## Connections

A connection is a page of a list: it has ${fields}. An edge has a node and its \`cursor\`. Every connection takes \`first\` and
\`after\`, or \`last\` and \`before\`, with a cursor of another page.
`;
}

function inputRow({ name, type, description, defaultValue }: Input): string[] {
  const otherwise = defaultValue === undefined || defaultValue === null ? "" : ` = ${defaultValue}`;
  return [`${code(name)}: ${linked(type, otherwise)}`, description ?? ""];
}

function table(head: string[], rows: string[][]): string {
  if (rows.length === 0) return "";
  const line = (cells: string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |\n`;
  return [head, head.map(() => "---"), ...rows].map(line).join("");
}

const code = (text: string) => `\`${text}\``;

/** A type as SDL writes it, with a link to what it is; of a connection, to what it connects. */
function linked(type: GraphQLType, otherwise = ""): string {
  const named = getNamedType(type);
  if (isScalarType(named) && isSpecifiedScalarType(named)) return code(type + otherwise);
  const shown = schema.getType(named.name.replace(/Connection$/, "")) ?? named;
  return `[${code(type + otherwise)}](/${placeOfSubject(subjectOfType(shown))}#type-${anchorOf(shown.name)})`;
}

/* Who may do what, and what has been tried: migrations/permissions.md, which test/permissions proves. */
const rows = tableRows(read(permissionsFile));
const granted = new Map(
  rows
    .filter((cells) => cells.length === 4 && cells[0]?.startsWith("app_public."))
    .map(([name = "", anonymous, , member]) => [
      name.replace(/^app_public\.|(?<=\().*(?=\))/g, ""),
      { anonymous, member },
    ]),
);
const acts = rows
  .filter((cells) => cells.length === 7 && /[{]/.test(cells[6] ?? ""))
  .map(([, nobody = "", bob = "", ada = "", admin = "", , query = ""]) => ({
    outcomes: { nobody, bob, ada, admin },
    query,
  }));
const actsOf = (field: Field) => acts.filter(({ query }) => rootFields(query)[0]?.name === field.name);

function callersOf(field: Field): string {
  const rights = granted.get(sourceOf(field) ?? "");
  if (!rights || rights.anonymous) return "everyone";
  const outcomes = actsOf(field).map((act) => act.outcomes);
  const onlyAdmins =
    outcomes.some(({ admin }) => admin === "done") && !outcomes.some(({ bob, ada }) => [bob, ada].includes("done"));
  if (!onlyAdmins) return "signed-in users";
  return outcomes.some(({ bob, ada }) => [bob, ada].includes("nothing")) ? "admins; others find nothing" : "admins";
}

/** The codes that its description names, and those that tests get. */
function errorsOf(field: Field): string[] {
  const words = [field, ...field.args].map(({ description }) => description ?? "").join(" ");
  const codes = schema.getType("ErrorCode");
  const seen = new Set([
    ...(failures.get(field.name) ?? []),
    ...actsOf(field).flatMap(({ outcomes }) => Object.values(outcomes)),
  ]);
  // What everybody may read, a field below it may refuse.
  if (schema.getQueryType()?.getFields()[field.name] === field && callersOf(field) === "everyone")
    seen.delete("UNAUTHORIZED");
  const names = isEnumType(codes) ? codes.getValues().map(({ name }) => name) : [];
  return names.filter((name) => seen.has(name) || new RegExp(`\\b${name}\\b`).test(words));
}

function rootFields(text: string): { operation: OperationTypeNode; name: string }[] {
  return parse(text).definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION
      ? definition.selectionSet.selections.flatMap((selection) =>
          selection.kind === Kind.FIELD ? [{ operation: definition.operation, name: selection.name.value }] : [],
        )
      : [],
  );
}

/** The codes that operations of test/operations get, by root field. */
const failures = new Map<string, string[]>();

/** The first tested request that succeeds, for each field: of test/operations, else of a tested program or act. */
const examples = new Map<OperationTypeNode, Map<string, Example>>();
for (const example of testedRequests()) {
  for (const { operation, name } of rootFields(example.request)) {
    const known = examples.get(operation) ?? new Map<string, Example>();
    examples.set(operation, known);
    if (!known.has(name)) known.set(name, example);
  }
}

function* testedRequests(): Generator<Example> {
  for (const name of list("test/operations/").filter((file) => file.endsWith(".graphql"))) {
    const file = `test/operations/${name}`;
    const text = read(file);
    const response = read(file.replace(/graphql$/, "json"));
    const { errors } = JSON.parse(response) as ExecutionResult;
    for (const { path, extensions } of errors ?? []) {
      const name = String(path?.[0]);
      if (path?.length === 1) failures.set(name, [...(failures.get(name) ?? []), String(extensions?.["code"])]);
    }
    if (errors) continue;
    const person = /^# as (\w+)/m.exec(text)?.[1] ?? "nobody";
    const variables = /^# with (.*)/m.exec(text)?.[1];
    yield { request: text.replace(/^#.*\n/gm, ""), person, file, variables, response };
  }
  for (const name of list("test/clients/snippets/")) {
    const file = `test/clients/snippets/${name}`;
    for (const [, request = ""] of read(file).matchAll(/`(subscription [^`]*)`/g))
      yield { request, person: "ada", file };
  }
  for (const { outcomes, query } of acts) {
    const person = Object.entries(outcomes).find(([, outcome]) => outcome === "done")?.[0];
    if (person) yield { request: query, person, file: permissionsFile };
  }
}

function showExample(
  { request, person, file, variables, response }: Example,
  linkTo: (file: string) => string,
): string {
  const tabs = [
    `\`\`\`graphql [Request]\n${print(parse(request))}\n\`\`\``,
    variables && `\`\`\`json [Variables]\n${JSON.stringify(JSON.parse(variables), null, 2)}\n\`\`\``,
    response && `\`\`\`json [Response]\n${response.trim()}\n\`\`\``,
  ].filter(Boolean);
  const who = person === "nobody" ? "without a token" : `as ${person.charAt(0).toUpperCase()}${person.slice(1)}`;
  return `:::: details Example, ${who}
::: code-group
${tabs.join("\n")}
:::
Tested in [${file}](${linkTo(file)}).
::::
`;
}
