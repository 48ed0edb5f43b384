import type { GraphQLEnumType } from "graphql";
import { compareAnswers, newComparison } from "../../tools/fuzz/compareAnswers.ts";
import { useService } from "../support/service.ts";
import { recordStatements } from "../support/statements.ts";

/* A value of an enum that the document names stands in the statement, if it needs no quotes. A variable's is a parameter. */
const service = useService();

beforeAll(async () => {
  await service.database.query(`
    create type app_public.taste as enum ('SWEET', 'it''s sour', E'back\\\\slash', 'ünï');
    create function app_public.describe_taste(taste app_public.taste default null) returns text
      language sql stable return coalesce(taste::text, 'none');
    grant execute on function app_public.describe_taste(app_public.taste) to api_anonymous, api_member`);
  if (!(await service.app.rebuild())) throw new Error(JSON.stringify(service.logged.at(-1)));
});

async function statementOf(query: string, variables = {}) {
  const [statement] = await recordStatements(() =>
    fetch(service.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query, variables }),
    }),
  );
  return statement;
}

test("a literal stands in the statement, and a variable is a parameter", async () => {
  const constant = `'PUBLISHED'::"app_public"."post_status"`;
  const literal = await statementOf("{ posts(limit: 3, status: PUBLISHED) { id } }");
  expect(literal?.text).toContain(constant);
  expect(literal?.values).not.toContain("PUBLISHED");
  const variable = await statementOf("query ($s: PostStatus) { posts(limit: 3, status: $s) { id } }", {
    s: "PUBLISHED",
  });
  expect(variable?.text).not.toContain(constant);
  expect(variable?.values).toContain("PUBLISHED");
});

test("each label of an enum is passed as it is", async () => {
  const names = (service.app.schema.getType("Taste") as GraphQLEnumType).getValues();
  expect(names.map(({ value }) => value)).toEqual(["SWEET", "it's sour", "back\\slash", "ünï"]);
  const summary = newComparison();
  const requests = ["", ...names.map(({ name }) => `(taste: ${name})`), "(taste: null)"].map((argument) => ({
    query: `{ describeTaste${argument} }`,
    variables: () => ({}),
  }));
  await compareAnswers(service.app.pipeline, requests, [""], summary);
  expect(summary).toMatchObject({ requests: 6, compiled: 6, differences: [] });
});
