import { readFileSync } from "node:fs";
import { type GraphQLArgument, type GraphQLField, isInputObjectType, isObjectType } from "graphql";
import { migrationsIn } from "../../src/database/migrations.ts";
import { securityInvoker } from "../support/securityInvoker.ts";
import { useService } from "../support/service.ts";

/* The table in plugins/smartTags.md is true: each row has SQL, which the test runs, and the expected result. */
const readme = readFileSync(new URL("../../plugins/smartTags.md", import.meta.url), "utf8");
const tables = /```sql\n(create type.+?)```/s.exec(readme)?.[1] ?? "";
const rows = [...readme.matchAll(/^\| (.+?) +\| (.+?) +\| (.+?) +\|$/gm)]
  .map(([, wish = "", sql = "", result = ""]) => ({ wish, sql: codeIn(sql), result }))
  .filter(({ result }) => codeIn(result).length > 0);
const service = useService({ rateLimitSignIn: 1 });

beforeAll(async () => {
  const statements = [tables, ...rows.flatMap(({ sql }) => sql.filter((code) => code.startsWith("comment")))];
  const option = await securityInvoker(service.database);
  await service.database.query(withRoles(statements.join("\n").replace("with (security_invoker)", option)));
  await service.app.rebuild();
  expect(service.logged.filter(({ level }) => level === 50)).toEqual([]);
});

test("finds the rows of the table", () => {
  expect(rows.length).toBeGreaterThan(15);
});

describe.each(rows)("to $wish", ({ result }) => {
  const [first = "", second = ""] = codeIn(result);

  test(result.replaceAll("`", ""), async () => {
    if (result.startsWith("no ")) expect(signature(first)).toBeUndefined();
    else if (/^(mutation )?\{/.test(first)) expect(JSON.stringify(await ask(first, result))).toContain(second);
    else expect(signature(first)).toBe(first);
  });
});

function codeIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
}

async function ask(query: string, result: string): Promise<unknown> {
  if (!result.includes("with a bad token")) return service.ask(query);
  const headers = { "content-type": "application/json", authorization: "Bearer x" };
  return (await fetch(service.url, { method: "POST", headers, body: JSON.stringify({ query }) })).json();
}

function withRoles(sql: string): string {
  return Object.entries(migrationsIn().settings.placeholders ?? {}).reduce(
    (text, [name, role]) => text.replaceAll(name, role),
    sql,
  );
}

/** The signature in the schema of the field that `text` begins with, such as `Book.title: String!`. */
function signature(text: string): string | undefined {
  const [, typeName = "", fieldName = ""] = /^(\w+)\.(\w+)/.exec(text) ?? [];
  const type = service.app.schema.getType(typeName);
  if (isInputObjectType(type)) return `${typeName}.${fieldName}: ${type.getFields()[fieldName]?.type}`;
  const field = isObjectType(type) ? type.getFields()[fieldName] : undefined;
  return field && `${typeName}.${fieldName}${argumentsOf(field)}: ${field.type}${deprecation(field)}`;
}

function argumentsOf({ args }: GraphQLField<unknown, unknown>): string {
  return args.length > 0 ? `(${args.map(argumentText).join(", ")})` : "";
}

function argumentText({ name, type, defaultValue }: GraphQLArgument): string {
  return `${name}: ${type}${defaultValue === undefined ? "" : ` = ${defaultValue}`}`;
}

function deprecation({ deprecationReason }: GraphQLField<unknown, unknown>): string {
  return deprecationReason ? ` @deprecated(reason: "${deprecationReason}")` : "";
}
