import { getIntrospectionQuery } from "graphql";
import { parseWithin, validateWithin } from "../../src/graphql/request/parseAndValidate.ts";
import { check } from "./check.ts";
import { schema } from "./schema.ts";

/* Tools ask for the whole schema in one query of 15 levels. It passes; what only looks like it does not. */
const everything = {
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  experimentalDirectiveDeprecation: true,
  oneOf: true,
};

test.each([
  ["the standard introspection query", getIntrospectionQuery()],
  ["the standard introspection query with everything", getIntrospectionQuery(everything)],
  ["the names of all types", `{ __schema { types { name } } }`],
  ["one type", `{ __type(name: "Post") { fields { name type { name ofType { name } } } } }`],
  ["a type that there is not", `{ __type(name: "Pots") { fields { name } } }`],
  ["two standard halves", `{ a: __schema { types { fields { name } } } b: __schema { types { fields { name } } } }`],
  ["__typename everywhere", `{ __typename user(id: 1) { __typename } }`],
])("%s passes", (_what, query) => {
  expect(check(query).refusals).toEqual([]);
  const document = parseWithin(query);
  // The schema of this test has no directives with deprecations, which only newer servers know of.
  const errors = validateWithin(schema, document, { introspection: true });
  expect(errors.filter(({ message }) => !/isDeprecated|includeDeprecated/.test(message))).toEqual([]);
});

test("introspection is neither depth nor nodes", () => {
  expect(check(getIntrospectionQuery()).cost).toMatchObject({ depth: 1, nodes: 0 });
});

describe("more than twice the standard answer is refused", () => {
  const times = (count: number, part: (index: number) => string) =>
    Array.from({ length: count }, (_, i) => part(i)).join(" ");
  /** A field's type, the types inside it, and their fields. */
  const inside = (core: string) =>
    `fields { type { ${core} ofType { ${core} ofType { ${core} ofType { ${core} } } } } }`;
  const wide = times(29, (i) => `a${i}: ${inside("fields { name type { name } }")}`);
  test.each<[string, string, Record<string, unknown>?]>([
    [
      "fields of fields",
      `{ __schema { types { ${inside("...A")} } } } fragment A on __Type { ${inside("...B")} }
       fragment B on __Type { ${inside("name")} }`,
    ],
    [
      "the same again and again",
      `{ ${times(19, (i) => `a${i}: __schema { types { fields { name type { name kind } args { name } } } }`)} }`,
    ],
    ["by aliases", `{ __schema { types { ${wide} } } }`],
    [
      "by doubling fragments",
      `{ __schema { types { ...F0 } } }
      ${times(20, (i) => `fragment F${i} on __Type { ...F${i + 1} ...F${i + 1} }`)} fragment F20 on __Type { name }`,
    ],
    ["in a fragment of Query", `{ ...Q } fragment Q on Query { __schema { types { ${wide} } } }`],
    ["through one type", `{ __type(name: "Query") { ${wide} } }`],
    ["through a variable's type", `query Q($name: String!) { __type(name: $name) { ${wide} } }`, { name: "Query" }],
    ["through a variable's default", `query Q($name: String = "Query") { __type(name: $name) { ${wide} } }`],
  ])("%s", (_what, query, variables = {}) => {
    const { errors } = check(query, variables);
    const error = errors.find(({ extensions }) => (extensions.limit as { name: string }).name === "introspection");
    expect(error?.message).toMatch(
      /^This query asks for (about|about at least) [\d,]+ values of introspection; at most [\d,]+ are allowed\.$/,
    );
  });
});

test("a fragment that goes round in circles within introspection ends", () => {
  const query = `{ __schema { types { ...A } } } fragment A on __Type { name ...A fields { type { ...A } } }`;
  expect(check(query).cost.depth).toBe(1);
});
