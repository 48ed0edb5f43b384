import { parse } from "graphql";
import { validateWithin } from "../../src/graphql/request/parseAndValidate.ts";
import { schema } from "./schema.ts";

const validate = (text: string, introspection = false) => validateWithin(schema, parse(text), { introspection });

test("a valid document has no errors", () => {
  expect(validate(`query Q($id: ID!) { user(id: $id) { ...U } } fragment U on User { name }`)).toEqual([]);
});

test("what is wrong has a code and a place", () => {
  expect(validate(`{ users {\n nmae } }`).map((error) => error.toJSON())).toEqual([
    {
      message: 'Cannot query field "nmae" on type "User".',
      locations: [{ line: 2, column: 2 }],
      extensions: { code: "GRAPHQL_VALIDATION_FAILED" },
    },
  ]);
});

test("at most ten errors are told, and the tenth is one of the document's", () => {
  const errors = validate(`{ ${Array.from({ length: 300 }, (_, i) => `a${i}`).join(" ")} }`);
  expect(errors.map(({ message }) => message)).toEqual(
    Array.from({ length: 10 }, (_, i) => `Cannot query field "a${i}" on type "Query".`),
  );
});

test("an error does not send a long name back", () => {
  expect(validate(`{ ${"x".repeat(19_000)} }`)[0]?.message.length).toBeLessThan(600);
});

test.each([
  ["a field", `{ pots }`],
  ["a field of a union's member", `{ search { name } }`],
  ["an argument", `{ posts(limt: 1, limit: 1) { id } }`],
  ["a type", `{ search { ... on Pots { id } } }`],
  ["an enum's value", `{ postsCount(status: DRAFTS) }`],
  ["an enum's value as text", `{ postsCount(status: "DRAFT") }`],
  ["an input's field", `mutation { createPost(input: { titel: "a", title: "a", content: "b" }) { id } }`],
  ["a variable's type", `query Q($status: PostStats) { postsCount(status: $status) }`],
  ["a directive", `{ postsCount @skp(if: true) }`],
  ["a directive's argument", `{ postsCount @skip(iff: true, if: true) }`],
])("with introspection off, no name is suggested for %s", (_what, text) => {
  const errors = validate(text);
  expect(errors).not.toEqual([]);
  for (const { message } of errors) expect(message).not.toMatch(/did you mean/i);
});

test("with introspection on, names are suggested", () => {
  expect(validate(`{ pots }`, true)[0]?.message).toBe(
    'Cannot query field "pots" on type "Query". Did you mean "post" or "posts"?',
  );
});

test.each([`{ __schema { types { name } } }`, `{ __type(name: "Post") { name } }`])(
  "with introspection off, %s is refused",
  (text) => {
    expect(validate(text).map(({ extensions }) => extensions.code)).toContain("GRAPHQL_VALIDATION_FAILED");
    expect(validate(text, true)).toEqual([]);
  },
);

test("__typename is no introspection", () => {
  expect(validate(`{ __typename users { __typename } }`)).toEqual([]);
});

test("a value of the wrong type in the query's text is the text's fault", () => {
  const errors = validate(`{ posts(limit: "ten") { id } }`);
  expect(errors.map(({ extensions }) => extensions.code)).toEqual(["GRAPHQL_VALIDATION_FAILED"]);
});

test("a field that is repeated hundreds of times ends validation", () => {
  const errors = validate(`{ users { ${"id ".repeat(2_000)} } }`);
  expect(errors.map(({ message }) => message)).toEqual(["Validation aborted."]);
});
