import { explainOperation } from "../../src/commands/explainOperation.ts";
import { readSchema } from "../../src/commands/readSchema.ts";
import type { ServedSchema } from "../../src/graphql/schema/buildSchema.ts";
import { useDatabase } from "../support/database.ts";
import { describeWithMachineServer, useMachineServer } from "../support/machineServer.ts";
import { runDb } from "../support/runDb.ts";
import { onServer } from "../support/template.ts";

/* db:explain shows what an operation costs a given viewer, under the role and policies of a request, and changes nothing. */
const database = useDatabase();

/** Notes of which Ada has few. */
const notes = `
  create table app_public.notes (
    id bigint generated always as identity primary key,
    owner_id bigint not null references app_public.users,
    text text not null
  );
  alter table app_public.notes enable row level security;
  create policy select_own on app_public.notes for select to api_member
    using (owner_id = (select app_hidden.viewer_id()));
  grant select on app_public.notes to api_member, api_anonymous;
  insert into app_public.notes (owner_id, text)
    select case when n % 1000 = 0 then 1 else 2 end, repeat('x', 200) from generate_series(1, 4000) n;
  analyze app_public.notes`;

let served: ServedSchema;

beforeAll(async () => {
  await database.query(notes);
  served = await readSchema(database.apiUrl);
});

const explain = (query: string, viewerId = "", variables = {}) =>
  explainOperation(served, database.apiUrl, query, variables, viewerId);

test("prints each statement with its plan, as an anonymous caller unless told otherwise", async () => {
  // The engine runs a statement for each field; the table of a node is known from the value, so the operation is not compiled.
  const query = "query Two($id: ID!) { node(nodeId: $id) { ... on User { name } } posts(limit: 1) { title } }";
  const variables = JSON.stringify({ id: Buffer.from('["User","2"]').toString("base64") });
  const { status, stdout } = await runDb(database.ownerUrl, ["explain", query, "--variables", variables]);
  expect(status).toBe(0);
  for (const table of ["users", "posts"]) {
    expect(stdout).toMatch(
      new RegExp(`select[^#]*"app_public"."${table}"[^#]*# Plan\n[^#]*actual time=[^#]*Buffers: shared hit`),
    );
  }
  expect(stdout.match(/^# Statement/gm)).toHaveLength(2);
});

test("explains the statement that a compiled query runs", async () => {
  const { statements } = await explain('{ user(id: "2") { name } users { name } }');
  expect(statements).toHaveLength(1);
  expect(statements[0]?.text).toContain("row_to_json");
  expect(statements[0]?.plan).toContain("Buffers: shared hit");
});

test("the policies are the viewer's", async () => {
  const query = "{ notes { id } }";
  const anonymous = await explain(query);
  expect(anonymous.statements[0]?.plan).toContain("One-Time Filter: false");
  const ada = await explain(query, "1");
  expect(ada.statements[0]?.plan).toMatch(/Filter: \(owner_id = .*Rows Removed by Filter: 3996/s);
});

test("a mutation is explained and leaves nothing behind", async () => {
  const mutation = `mutation { createPost(input: { title: "Gone", content: "Text." }) { slug author { name } } }`;
  const { statements, errors } = await explain(mutation, "1");
  expect(errors).toEqual([]);
  expect(statements[0]).toMatchObject({
    text: expect.stringContaining("create_post"),
    plan: expect.stringContaining("Buffers"),
  });
  expect((await explain(mutation)).errors).toEqual([expect.objectContaining({ path: ["createPost"] })]);
  expect(await database.query("select from app_public.posts where title = 'Gone'")).toEqual([]);
});

test("what is wrong with an operation, its variables or its viewer is said", async () => {
  await expect(explain("{ nothing }")).rejects.toThrow("The operation cannot run: Cannot query field");
  expect((await explain("query($id: ID!) { user(id: $id) { name } }")).errors).toHaveLength(1);
  const refusal = async (...args: string[]) => (await runDb(database.ownerUrl, ["explain", ...args])).stderr;
  expect(await refusal("{ users { name } }", "--as", "ada")).toContain("--as takes a user's id, or anonymous.");
  expect(await refusal("{ users { name } }", "--variables", "id=2")).toContain("--variables takes a JSON object");
  expect(await refusal()).toContain("It takes an operation.");
});

describeWithMachineServer("on the machine's PostgreSQL", () => {
  const machine = useMachineServer({ shared_preload_libraries: "pg_stat_statements" });

  test("db:slow lists the statements that took the most time, and says how they are counted where they are not", async () => {
    expect((await runDb(machine.url, ["slow"])).stderr).toContain("create extension pg_stat_statements");
    await onServer(machine.url, "create extension pg_stat_statements");
    await onServer(machine.url, "select pg_sleep(0.2) /*operation='Nap'*/");
    const { status, stdout } = await runDb(machine.url, ["slow"]);
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^\d+ ms in 1 calls \(\d+\.\d+ ms each\), 1 rows, \d+ blocks, as postgres, in the operation Nap\n {2}select pg_sleep/m,
    );
  });
});
