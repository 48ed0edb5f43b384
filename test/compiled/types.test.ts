import { type GraphQLObjectType, getNamedType, isLeafType, isObjectType } from "graphql";
import { answer, compareAnswers, newComparison } from "../../tools/fuzz/compareAnswers.ts";
import { readSql } from "../../tools/fuzz/fuzzedService.ts";
import { securityInvoker } from "../support/securityInvoker.ts";
import { useService } from "../support/service.ts";

/* A schema of another application: columns of all types, views, functions of all shapes. Whatever is compiled is right. */
const service = useService();

beforeAll(async () => {
  const content = readSql("types.sql");
  await service.database.query(content.replace("with (security_invoker)", await securityInvoker(service.database)));
  if (!(await service.app.rebuild())) throw new Error(JSON.stringify(service.logged.at(-1)));
});

/** A selection of all leaves below a type, down to `depth`. */
function leaves(type: GraphQLObjectType, depth: number): string {
  const fields = Object.values(type.getFields()).flatMap(({ name, type: fieldType }) => {
    const named = getNamedType(fieldType);
    if (isLeafType(named)) return [name];
    return isObjectType(named) && depth > 0 ? [`${name} { ${leaves(named, depth - 1)} }`] : [];
  });
  return ["__typename", ...fields].join(" ");
}

async function compare(queries: string[]) {
  const summary = newComparison();
  const requests = queries.map((query) => ({ query, variables: () => ({}) }));
  await compareAnswers(service.app.pipeline, requests, ["", "1"], summary);
  return summary;
}

const typeOf = (name: string) => service.app.schema.getType(name) as GraphQLObjectType;

test("each column and each computed column, of each row", async () => {
  const queries = Object.values(typeOf("Kind").getFields()).flatMap(({ name, type }) => {
    const named = getNamedType(type);
    const inner = isObjectType(named) ? ` { ${leaves(named, 0)} }` : "";
    return ["1", "2", "9223372036854775807"].map((id) => `{ kind(id: "${id}") { id ${name}${inner} } }`);
  });
  const { differences, compiled, requests } = await compare(queries);
  expect(differences).toEqual([]);
  expect(requests).toBeGreaterThan(200);
  // Floats, lists, composite values and the like are the engine's.
  expect(compiled / requests).toBeGreaterThan(0.4);
});

test("infinity has its place in cursors", async () => {
  const page = (args: string) => `{ momentsConnection(${args}) { edges { cursor node { id } } } }`;
  const { pipeline } = service.app;
  for (const [order, ids] of [
    ["", [2, 4, 1, 3]],
    ["orderBy: DAY, ", [2, 3, 1, 4]],
  ] as const) {
    const found: number[] = [];
    const queries: string[] = [];
    for (let after = ""; ; ) {
      const query = page(`${order}first: 1${after}`);
      queries.push(query, query.replace("first", "last").replace("after", "before"));
      const { text } = await answer(pipeline, pipeline.served, query, {}, "");
      const [edge] = JSON.parse(text).data.momentsConnection.edges;
      if (!edge) break;
      found.push(edge.node.id);
      after = `, after: "${edge.cursor}"`;
    }
    expect(found).toEqual(ids);
    expect((await compare(queries)).differences).toEqual([]);
  }
});

test("views, functions, filters and cursors", async () => {
  const cursor =
    "edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount";
  const { differences, compiled, requests } = await compare([
    `{ plain { kindId words } }`,
    `{ plain { kindId aInt4 } }`,
    `{ plainByKindId: plain(limit: 1) { words } plainConnection(last: 2) { edges { cursor } } }`,
    `{ kinds(aMood: loud) { id aMood } }`,
    `{ kinds(aNumeric: "123456789012345678901234567890.12345") { id } }`,
    `{ kinds(aNumeric: "x") { id } }`,
    `{ kinds(aBool: false) { id aBool parent { id aQuotedName } } }`,
    `{ kinds(aBool: null, limit: 2, offset: 1) { id kinds { id } } }`,
    `{ kindsConnection(first: 2) { ${cursor} } }`,
    `{ kindsConnection(last: 1, aBool: true) { ${cursor} } }`,
    `{ kind(id: "1") { kindsConnection(first: 1) { ${cursor} } } }`,
    `{ kind(id: "1") { doubled two: doubled(factor: 3) none: doubled(factor: null) on: doubled(on: "2026-01-01") } }`,
    `{ kind(id: "2") { doubled(factor: 2147483647) } kinds { doubled(factor: -1) } }`,
    `{ kind(id: "1") { siblings { id } odd: siblings(mood: loud, limit: 1) { id } siblingsConnection { ${cursor} } best { id aText } } }`,
    `{ echo(word: "a\\"b") loud: echo(word: "é", loud: true) three: echo(word: "x", times: 3) no: echo(word: "x", times: null) }`,
    `{ echo(word: "x", times: -1) nothing { id } words sumOf(numbers: [1, 2]) shuffled { id } }`,
    `{ nothing { id } }`,
    `{ wordsConnection { nodes edges { cursor } } }`,
  ]);
  expect(differences).toEqual([]);
  expect(compiled / requests).toBeGreaterThan(0.5);
});

test("a char(n) has its spaces in any list, where the engine removes some", async () => {
  await service.database.query("update app_public.kinds set a_bpchar = 'ab' where id = 2");
  const { pipeline } = service.app;
  const { text } = await answer(
    pipeline,
    pipeline.served,
    "{ kinds(limit: 2) { aBpchar kindsConnection { nodes { aBpchar } } } }",
    {},
    "",
  );
  expect(text.match(/"ab *"/g)).toEqual(['"ab   "', '"ab   "']);
  await service.database.query("update app_public.kinds set a_bpchar = 'bread' where id = 2");
});

test("a cursor of a column that has become nullable is JSON, before the service has followed", async () => {
  await service.database.query(`
    alter table app_public.moments alter day drop not null;
    update app_public.moments set day = null where id = 1`);
  const { differences, compiled } = await compare([`{ momentsConnection(orderBy: DAY) { edges { cursor } } }`]);
  expect(differences).toEqual([]);
  expect(compiled).toBeGreaterThan(0);
});
