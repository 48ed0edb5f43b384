import { SlowOperations } from "../../src/observe/SlowOperations.ts";
import { useService } from "../support/service.ts";
import { statementsOf } from "../support/statements.ts";

/* Statements say which operation they belong to, and slow operations are logged with their plans. */
const commentOf = (statement: string) => /\/\*operation='\w+'\*\/$/.exec(statement)?.[0];

describe("a statement", () => {
  const service = useService();

  test("ends with the name of its operation, in sqlcommenter's format", async () => {
    const statements = await statementsOf(() => service.ask("query Names { users(limit: 1) { name } }"));
    expect(statements.map(commentOf)).toEqual(["/*operation='Names'*/"]);
    const mutation = `mutation Write { createPost(input: { title: "T", content: "C." }) { slug author { name } } }`;
    const written = await statementsOf(() => service.ask(mutation, { as: "ada" }));
    expect(new Set(written.map(commentOf))).toEqual(new Set(["/*operation='Write'*/"]));
  });

  test("has no comment when the operation has no name", async () => {
    const statements = await statementsOf(() => service.ask("{ users(limit: 1) { name } }"));
    expect(statements.map(commentOf)).toEqual([undefined]);
  });

  test("is prepared for a bounded number of names, however many clients invent", async () => {
    const ask = (name: string) => service.ask(`query ${name} { users(limit: 1) { name } }`);
    const statements = await statementsOf(async () => {
      for (let i = 0; i < 130; i++) await ask(`Invented${i}`);
      await ask("x".repeat(64));
    });
    const reading = statements.filter((text) => text.includes('"users"'));
    const comments = new Set(reading.map(commentOf));
    expect(reading).toHaveLength(131);
    expect(comments.size).toBeLessThanOrEqual(101);
    expect(comments).toContain("/*operation='other'*/");
  });

  test("of the same text runs under several names on one connection", async () => {
    for (let round = 0; round < 3; round++) {
      for (const name of ["One", "Two", ""]) {
        const { data } = await service.ask(`query ${name} { users(limit: 1) { name } }`);
        expect(data).toEqual({ users: [{ name: "Ada" }] });
      }
    }
  });
});

describe("a slow operation", () => {
  const service = useService({ slowOperationMs: 40 });
  const slow = () => service.logged.filter(({ msg }) => msg === "slow operation");

  beforeAll(async () => {
    await service.database.query(`
      create function app_public.users_nap(users app_public.users) returns text
        language sql stable as $$ select 'rested' from pg_catalog.pg_sleep(0.05) $$;
      comment on function app_public.users_nap(app_public.users) is 'Slow.';
      grant execute on function app_public.users_nap(app_public.users) to api_anonymous, api_member`);
    await service.app.rebuild();
  });

  test("is logged with its plans, without a value of its variables, once in a while", async () => {
    const logged = service.told("slow operation");
    const query = "query Nap($id: ID!) { user(id: $id) { nap } }";
    for (const id of ["4", "1"]) {
      expect(await service.ask(query, { variables: { id }, as: "ada" })).toEqual({ data: { user: { nap: "rested" } } });
    }
    await logged;
    expect(slow()).toEqual([
      expect.objectContaining({ operation: "Nap", type: "query", statements: 1, ms: expect.any(Number) }),
    ]);
    const plan = String(slow()[0]?.["plans"]);
    expect(plan).toMatch(/Index Scan using users_pkey.*Index Cond: \(id = \$\d/s);
    expect(plan).not.toMatch(/'4'|\b4::bigint/);
  });
});

test("of many slow operations, one in ten seconds is logged, and says how many were not", async () => {
  const lines: Record<string, unknown>[] = [];
  let now = 0;
  const operations = new SlowOperations(
    { slowOperationMs: 10 },
    { warn: (line: Record<string, unknown>) => void lines.push(line) } as never,
    () => now,
  );
  let explained = 0;
  const note = (kind: "query" | "mutation", ms = 10) =>
    operations.note({
      operation: { operation: kind } as never,
      ms,
      statements: ["select"],
      withPgClient: (async () => String(++explained)) as never,
    });
  await note("query", 9);
  expect(lines).toEqual([]);
  await Promise.all([note("query"), note("query"), note("query")]);
  expect(lines).toHaveLength(1);
  now = 9_999;
  await note("query");
  expect(lines).toHaveLength(1);
  now = 10_000;
  await note("mutation");
  expect(lines).toEqual([
    expect.objectContaining({ type: "query", plans: ["1"] }),
    expect.objectContaining({ type: "mutation", plans: [], notLogged: 3 }),
  ]);
  expect(explained).toBe(1);
});
