import {
  buildSchema as buildPlainSchema,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  parse,
} from "graphql";
import pg from "pg";
import { makeRequestAccess } from "../../src/database/requestAccess.ts";
import { Documents } from "../../src/graphql/request/Documents.ts";
import { PlanCache } from "../../src/graphql/schema/boundPlanCache.ts";
import { useDatabase } from "../support/database.ts";

/* Every cache that clients fill is bounded by bytes, and remembers no refusals. */
const database = useDatabase();

function operationOf(text: string) {
  const { definitions } = parse(text);
  const operation = definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION) as OperationDefinitionNode;
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  const byName = Object.fromEntries(fragments.map((fragment) => [fragment.name.value, fragment]));
  return { operation, fragments: byName as Record<string, FragmentDefinitionNode> };
}

const plan = (error?: unknown, next: any = null): any => ({ value: error === undefined ? {} : { error }, next });

test("plans of endless different operations stay within the bound, the last ones are kept", () => {
  const max = 20_000_000;
  const cache = new PlanCache(max);
  const operations = Array.from({ length: 1_000 }, (_, i) => operationOf(`{ a${i}: a ${"b ".repeat(50)} }`));
  for (const { operation, fragments } of operations) {
    cache.set(operation, { fragments, possibleOperationPlans: plan() });
    expect(cache.size).toBeLessThanOrEqual(max);
  }
  expect(cache.get(operations[0]?.operation as OperationDefinitionNode)).toBeUndefined();
  expect(cache.get(operations.at(-1)?.operation as OperationDefinitionNode)).toBeDefined();
});

test("an operation counts with its fragments expanded, and with each of its plans", () => {
  const sizeOf = (text: string, plans: any) => {
    const cache = new PlanCache(1e9);
    const { operation, fragments } = operationOf(text);
    const planned = { fragments, possibleOperationPlans: plan() };
    cache.set(operation, planned);
    // The engine adds plans to the object that it was given.
    planned.possibleOperationPlans = plans;
    cache.get(operation);
    return cache.size;
  };
  const once = sizeOf(`{ ...A } fragment A on Q { ${"b ".repeat(20)} }`, plan());
  const twice = sizeOf(`{ ...A ...A } fragment A on Q { ${"b ".repeat(20)} }`, plan());
  expect(twice).toBeGreaterThan(once * 1.5);
  expect(sizeOf("{ a }", plan(undefined, plan(undefined, plan())))).toBe(3 * sizeOf("{ a }", plan()));
});

test("a planning error is forgotten, and the plans beside it stay", () => {
  const cache = new PlanCache(1e9);
  const { operation, fragments } = operationOf("{ a }");
  cache.set(operation, { fragments, possibleOperationPlans: plan(new Error("timed out")) });
  expect(cache.get(operation)).toBeUndefined();
  expect(cache.size).toBe(0);
  const good = plan();
  cache.set(operation, { fragments, possibleOperationPlans: plan(new Error("timed out"), good) });
  expect(cache.get(operation)?.possibleOperationPlans).toBe(good);
});

test("documents stay within the bound, and refused ones are not remembered", () => {
  const max = 1_000_000;
  const schema = buildPlainSchema("type Query { a: Int }");
  const documents = new Documents(schema, true, max);
  const send = (query: string) => documents.validate(query, documents.prepare(query));
  for (let i = 0; i < 500; i++) expect(send(`{ a no${i} }`)).toHaveLength(1);
  expect(documents.size).toBe(0);
  for (let i = 0; i < 500; i++) {
    expect(send(`{ a a${i}: a #${"x".repeat(1_000)}\n}`)).toEqual([]);
    expect(documents.size).toBeLessThanOrEqual(max);
  }
  expect(documents.size).toBeGreaterThan(max / 2);
  const query = "{ a }";
  send(query);
  expect(documents.prepare(query)).toBe(documents.prepare(query));
});

test("a connection prepares what is used twice, up to a number of bytes", async () => {
  await using open = new AsyncDisposableStack();
  const pool = open.adopt(new pg.Pool({ connectionString: database.apiUrl, max: 1 }), (one) => one.end());
  const { asLogin } = makeRequestAccess(pool);
  const run = (name: string, text: string) => asLogin(null, (client) => client.query({ name, text, values: [] }));
  const listed = async () =>
    (
      await pool.query(
        "select coalesce(sum(length(statement)), 0)::int as bytes, count(*)::int from pg_prepared_statements",
      )
    ).rows[0];
  const text = (i: number) => `select ${i} /* ${"x".repeat(10_000)} */`;
  for (let i = 0; i < 100; i++) await run(`once${i}`, text(i));
  expect((await listed()).count).toBe(0);
  for (let i = 0; i < 100; i++) for (const _ of ["first", "second"]) await run(`twice${i}`, text(i));
  const { bytes, count } = await listed();
  expect(count).toBeGreaterThan(10);
  expect(bytes).toBeLessThanOrEqual(512 * 1_024);
});
