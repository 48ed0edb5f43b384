import { globSync, readFileSync } from "node:fs";
import { makeFormatError } from "@content-service/errors/formatError.ts";
import {
  type DocumentNode,
  type GraphQLInputType,
  getVariableValues,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  type NamedTypeNode,
  type OperationDefinitionNode,
  parse,
  typeFromAST,
} from "graphql";
import { pino } from "pino";
import { GraphQLString } from "postgraphile/graphql";
import { CompiledOperations } from "postgraphile-compiled-preset/compiled";
import { type Field, wrapPlan } from "postgraphile-compiled-preset/plugin";
import { createRequestPool } from "../../src/database/requestAccess.ts";
import { executeOperation, noneLeft } from "../../src/graphql/executeOperation.ts";
import { buildSchema, type ServedSchema } from "../../src/graphql/schema/buildSchema.ts";
import { defaultSettings } from "../../src/settings.ts";
import { compareAnswers, newComparison } from "../../tools/fuzz/compareAnswers.ts";
import { clientAt } from "../support/client.ts";
import { people, useService } from "../support/service.ts";
import { recordStatements } from "../support/statements.ts";

/* What is compiled, and what is left to the engine: never half of either. */
const service = useService();

function parsed(query: string): [DocumentNode, OperationDefinitionNode] {
  const document = parse(query);
  return [document, document.definitions[0] as OperationDefinitionNode];
}

describe.each`
  query                                                                                                     | variables       | way
  ${"{ posts(limit: 2) { id title createdAt author { name } tags { name } } }"}                             | ${{}}           | ${"compiled"}
  ${"{ postsConnection(last: 2) { nodes { id } pageInfo { startCursor } } }"}                               | ${{}}           | ${"compiled"}
  ${'{ user(id: "1") { followers { count } chatsConnection { nodes { title } } } postsCount }'}             | ${{}}           | ${"compiled"}
  ${"query ($l: Int!) { posts(limit: $l) { id } }"}                                                         | ${{ l: 100 }}   | ${"compiled"}
  ${"query ($l: Int!) { posts(limit: $l) { id } }"}                                                         | ${{ l: 101 }}   | ${"left"}
  ${"query ($i: Boolean!) { users { id email @include(if: $i) } }"}                                         | ${{ i: false }} | ${"compiled"}
  ${"query ($i: Boolean!) { users { id email @include(if: $i) } }"}                                         | ${{ i: true }}  | ${"compiled"}
  ${"{ posts(limit: 1, offset: 10001) { id } }"}                                                            | ${{}}           | ${"left"}
  ${"{ postsConnection(first: 1, last: 1) { nodes { id } } }"}                                              | ${{}}           | ${"left"}
  ${"{ postsConnection { __typename } }"}                                                                   | ${{}}           | ${"left"}
  ${"{ __schema { queryType { name } } postsCount }"}                                                       | ${{}}           | ${"left"}
  ${`{ ${"a".repeat(64)}: postsCount }`}                                                                    | ${{}}           | ${"left"}
  ${'mutation { followUser(userId: "1") { user { id } } }'}                                                 | ${{}}           | ${"compiled"}
  ${'mutation { deletePost(id: "1") { success message } }'}                                                 | ${{}}           | ${"compiled"}
  ${"mutation { signOutEverywhere { success } }"}                                                           | ${{}}           | ${"compiled"}
  ${'mutation { followUser(userId: "1") { user { email } } }'}                                              | ${{}}           | ${"compiled"}
  ${'mutation ($k: String) { createPost(input: { title: "A", content: "B" }, idempotencyKey: $k) { id } }'} | ${{ k: "k" }}   | ${"compiled"}
  ${'mutation { updatePost(id: "1", input: { title: "A" }, ifVersion: "1") { id } }'}                       | ${{}}           | ${"compiled"}
  ${'{ post(id: "1") { publishAt revisions { id tags } commentsConnection { totalCount } } }'}              | ${{}}           | ${"compiled"}
  ${'mutation { signIn(email: "a", password: "b") { refreshToken } }'}                                      | ${{}}           | ${"left"}
  ${'mutation { a: followUser(userId: "1") { user { id } } b: signOutEverywhere { success } }'}             | ${{}}           | ${"left"}
`("$query with $variables", ({ query, variables, way }: any) => {
  test(`is ${way}`, () => {
    const statement = service.app.pipeline.served.compiled?.find(...parsed(query), variables);
    expect(statement === undefined ? "left" : "compiled").toBe(way);
  });
});

/** A value of the type that compiles as any other does. */
function sampleOf(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return sampleOf(type.ofType);
  if (isListType(type)) return [sampleOf(type.ofType)];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (!isInputObjectType(type)) return { Int: 5, Boolean: false, ID: "1", Timestamp: "2026-01-01" }[type.name] ?? "x";
  const required = Object.values(type.getFields()).filter(isRequiredInputField);
  return Object.fromEntries(required.map((field) => [field.name, sampleOf(field.type)]));
}

test.each([
  ["the example", "examples/web/src", /\bgraphql\(\s*`(.*?)`/gs],
  ["the documented programs", "test/clients/snippets", /`((?:query|mutation) .*?)`/gs],
])("all operations of %s are compiled, but those that sign tokens", (_whose, folder, written) => {
  const cwd = new URL(`../../${folder}/`, import.meta.url);
  const sources = globSync("**/*.{ts,tsx}", { cwd }).map((file) => readFileSync(new URL(file, cwd), "utf8"));
  const { definitions } = parse(
    sources.flatMap((text) => [...text.matchAll(written)].map(([, found]) => found)).join("\n"),
  );
  const fragments = definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  const { schema, pipeline } = service.app;
  const left = definitions.filter((operation) => {
    if (operation.kind !== Kind.OPERATION_DEFINITION || operation.operation === "subscription") return false;
    const declared = operation.variableDefinitions ?? [];
    const given = declared.map(({ variable, type }) => {
      const input = typeFromAST(schema, type as NamedTypeNode) as GraphQLInputType | undefined;
      return [variable.name.value, input && sampleOf(input)];
    });
    const { coerced, errors } = getVariableValues(schema, declared, Object.fromEntries(given));
    if (!coerced) throw new AggregateError(errors);
    const document = { kind: Kind.DOCUMENT as const, definitions: [operation, ...fragments] };
    return !pipeline.served.compiled?.find(document, operation, coerced);
  });
  expect(definitions.length).toBeGreaterThan(4);
  const signing = ["SignIn", "Refresh", "ResetPassword"];
  expect(
    left
      .map((operation) => "name" in operation && operation.name?.value)
      .filter((name) => !signing.includes(String(name))),
  ).toEqual([]);
});

describe("with a plugin that says nothing in SQL", () => {
  let served: ServedSchema;

  beforeAll(async () => {
    const { apiUrl: apiDatabaseUrl } = service.database;
    const settings = { poolSize: 2, poolTimeoutMs: 5_000, statementTimeoutMs: 5_000, apiDatabaseUrl };
    const pool = createRequestPool(settings, pino({ level: "silent" }));
    service.database.ends.defer(() => pool.end());
    const change = (field: Field, _build: unknown, { scope }: { scope: { fieldName: string } }): Field => {
      if (scope.fieldName === "title") return wrapPlan(field, ($title) => $title);
      if (scope.fieldName === "slug") return { ...field, plan: ($row: any) => $row.get("slug") };
      const search = { type: GraphQLString, defaultValue: "x" };
      if (scope.fieldName === "feed") return { ...field, args: { ...field.args, search: { type: GraphQLString } } };
      return scope.fieldName === "tags" ? { ...field, args: { ...field.args, search } } : field;
    };
    const plugin = { name: "Change", schema: { hooks: { GraphQLObjectType_fields_field: change } } };
    served = await buildSchema(pool, defaultSettings, { plugins: [plugin as never] });
  });

  test.each`
    query                                       | way
    ${"{ posts(limit: 1) { id excerpt } }"}     | ${"compiled"}
    ${"{ posts(limit: 1) { id title } }"}       | ${"left"}
    ${"{ posts(limit: 1) { id slug } }"}        | ${"left"}
    ${"{ feed(limit: 1) { id } }"}              | ${"compiled"}
    ${'{ feed(limit: 1, search: "x") { id } }'} | ${"left"}
    ${"{ posts(limit: 1) { tags { id } } }"}    | ${"left"}
  `("$query is $way", ({ query, way }: any) => {
    const statement = served.compiled?.find(...parsed(query), {});
    expect(statement === undefined ? "left" : "compiled").toBe(way);
  });
});

test("values are parameters, and numbers of rows are not", () => {
  const compiled = service.app.pipeline.served.compiled as CompiledOperations;
  const operation = parsed(
    "query ($id: ID!, $l: Int, $s: PostStatus) { user(id: $id) { posts(limit: $l, status: $s) { id } } }",
  );
  const one = compiled.find(...operation, { id: "1", l: 2 });
  expect(one).toHaveLength(1);
  expect(compiled.find(...operation, { id: "2", l: 2 })).toBe(one);
  expect(compiled.find(...operation, { id: "2", l: 3 })).not.toBe(one);
  const filtered = compiled.find(...operation, { id: "1", l: 2, s: "DRAFT" });
  expect(filtered).not.toBe(one);
  expect(compiled.find(...operation, { id: "1", l: 2, s: "PUBLISHED" })).toBe(filtered);
  expect(compiled.find(...operation, { id: "1", l: 2 })).toBe(one);
});

test("the statements of endless different operations stay within their bound", () => {
  const compiled = new CompiledOperations(service.app.schema, { cacheBytes: 100_000 });
  const operation = parsed("query ($l: Int) { users(limit: $l) { id } }");
  for (let i = 0; i < 101; i++) {
    compiled.find(...parsed(`{ users(limit: ${i}) { id name } }`), {});
    compiled.find(...operation, { l: i });
    expect(compiled.size).toBeLessThanOrEqual(100_000);
  }
  expect(compiled.size).toBeGreaterThan(50_000);
});

test("a timestamp without end is read by the statement", async () => {
  // As a row that was written before times had bounds.
  await service.database.query(`
    alter table app_public.posts disable trigger _210_bound_times;
    insert into app_public.posts (author_id, title, content, status, created_at)
    values (1, 'Without end', 'x', 'DRAFT', 'infinity');
    alter table app_public.posts enable trigger _210_bound_times`);
  const summary = newComparison();
  const query = "{ posts(limit: 5) { title createdAt } me { name } }";
  await compareAnswers(service.app.pipeline, [{ query, variables: () => ({}) }], [people.ada, people.bob], summary);
  expect(summary).toMatchObject({ differences: [], fellBack: 0, compiled: 2 });
});

test("the metrics count why operations are left to the engine", async () => {
  const read = async (): Promise<Record<string, number>> => {
    const text = await (await fetch(`${service.app.url}/metrics`)).text();
    const found = text.matchAll(/^graphql_left_to_engine_total\{reason="(\w+)"\} (\d+)$/gm);
    return Object.fromEntries([...found].map(([, reason, count]) => [reason, Number(count)]));
  };
  const before = await read();
  await service.ask("{ postsCount }");
  await service.ask("{ postsConnection { __typename } }");
  await service.ask('{ postsConnection(first: 1, after: "x") { nodes { id } } }');
  const following = "function app_public.users_following(app_public.users)";
  await service.database.query(`revoke execute on ${following} from api_member`);
  await service.ask('{ user(id: "1") { following { count } } }', { as: "ada" });
  await service.database.query(`grant execute on ${following} to api_member`);
  const after = await read();
  const grown = Object.entries(after).map(([reason, count]) => [reason, count - (before[reason] ?? 0)]);
  expect(Object.fromEntries(grown)).toEqual({ not_compiled: 1, value: 1, error: 1 });
});

test("the time that the engine plans an operation is charged to its caller", async () => {
  const { served } = service.app.pipeline;
  const lists = Array.from(
    { length: 9 },
    (_, i) => `p${i}: posts(limit: 1) { id title author { id name } tags { name } }`,
  );
  const prepared = served.documents.prepare(`{ ${lists.join(" ")} }`);
  const caller = { viewerId: "", requestId: "", address: "", quotaKey: "" };
  const parts = {
    signToken: undefined,
    formatError: makeFormatError(pino({ level: "silent" })),
    engineFallbacks: noneLeft(),
    catchUp: async () => false,
  };
  let charged = 0;
  const { held } = clientAt("");
  const { result } = await executeOperation(
    served,
    { prepared, variables: {}, coerced: {}, executor: "engine", caller, held },
    parts,
    (busyMs) => {
      charged += busyMs;
    },
  );
  expect(result.errors).toBeUndefined();
  // About 60 selections, of which each takes half a millisecond or less.
  expect(charged).toBeGreaterThan(1);
});

test("a statement that was stopped does not run again", async () => {
  await service.database.query(`
    create function app_public.forever() returns int language plpgsql stable
      as $$ begin raise exception using errcode = '57014'; end $$;
    grant execute on function app_public.forever() to api_anonymous, api_member;`);
  await service.app.rebuild();
  const statements = await recordStatements(async () => {
    expect(await service.ask("{ one: forever kind: __typename }")).toMatchObject({
      data: { one: null, kind: "Query" },
      errors: [{ path: ["one"], extensions: { code: "TIMEOUT" } }],
    });
  });
  expect(statements.filter(({ application }) => application === "content-service")).toHaveLength(1);
  // The engine answers the other root fields.
  expect(await service.ask("{ one: forever postsCount }")).toMatchObject({
    data: { one: null, postsCount: expect.any(Number) },
    errors: [{ path: ["one"], extensions: { code: "TIMEOUT" } }],
  });
});

test("the answer may have the operation's cost beside it", async () => {
  const response = await fetch(service.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: "{ users { name } }", extensions: { cost: true } }),
  });
  expect(await response.json()).toMatchObject({
    data: { users: expect.any(Array) },
    extensions: { cost: { depth: 2 } },
  });
});

test.each([
  "answer__",
  "object__",
  "object_2",
  "item__",
  "connection__",
  "edge__",
  "info__",
  "page__",
  "row__",
  "posts__",
])("a client may use a name of the compiler's: __%s", async (name) => {
  const own = (field: string) => `__${name}: ${field}`;
  const summary = newComparison();
  const queries = [
    `{ ${own("postsCount")} posts(limit: 2) { ${own("title")} author { ${own("name")} } tags { ${own("name")} } } }`,
    `{ post(id: "1") { ${own("author { id }")} } }`,
    `{ postsConnection(first: 1) { ${own("totalCount")} edges { ${own("cursor")} node { ${own("id")} } } pageInfo { ${own("hasNextPage")} } } }`,
  ];
  const requests = queries.map((query) => ({ query, variables: () => ({}) }));
  await compareAnswers(service.app.pipeline, requests, [people.ada], summary);
  expect(summary).toMatchObject({ differences: [], fellBack: 0, compiled: 3 });
});
