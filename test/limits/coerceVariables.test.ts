import { parse } from "graphql";
import { coerceVariables } from "../../src/graphql/request/coerceVariables.ts";
import { selectOperation } from "../../src/graphql/request/Documents.ts";
import { PreparedOperation } from "../../src/graphql/request/PreparedOperation.ts";
import { refusalOf } from "./refusal.ts";
import { schema } from "./schema.ts";

type Variables = Record<string, unknown>;

function coerce(declared: string, variables: Variables): Variables {
  const document = parse(`query Q(${declared}) { __typename }`);
  const prepared = new PreparedOperation(schema, document, selectOperation(document));
  return coerceVariables(prepared, variables);
}

const refused = (declared: string, variables: Variables) => refusalOf(() => coerce(declared, variables));

const input = "$input: CreatePostInput!";
const good = { title: "A title", content: "Content." };

test.each<[string, string, Variables, Variables]>([
  ["values as they are", "$limit: Int!, $name: String", { limit: 1, name: "a" }, { limit: 1, name: "a" }],
  ["a missing variable is left out", "$limit: Int", {}, {}],
  ["null stays null", "$limit: Int", { limit: null }, { limit: null }],
  ["declared defaults are filled in", "$limit: Int! = 5", {}, { limit: 5 }],
  ["null is given, not missing", "$limit: Int = 5", { limit: null }, { limit: null }],
  ["an input's defaults are filled in", input, { input: good }, { input: { ...good, status: "DRAFT" } }],
  ["one value is a list of one", "$ids: [ID!]!", { ids: "a" }, { ids: ["a"] }],
  ["a number is an ID", "$id: ID!", { id: 5 }, { id: "5" }],
  ["undeclared variables are left out", "$id: ID", { other: 1 }, {}],
])("%s", (_what, declared, variables, coerced) => {
  expect(coerce(declared, variables)).toEqual(coerced);
});

test.each<[string, string, Variables, (string | number)[], string, string]>([
  ["a missing variable", "$limit: Int!", {}, ["limit"], "REQUIRED", "`limit` is required."],
  ["null", "$limit: Int!", { limit: null }, ["limit"], "REQUIRED", "`limit` is required."],
  ["null in place of a default", "$limit: Int! = 5", { limit: null }, ["limit"], "REQUIRED", "`limit` is required."],
  ["text for an Int", "$limit: Int!", { limit: "10" }, ["limit"], "TYPE", "`limit` must be an Int."],
  ["a fraction for an Int", "$limit: Int", { limit: 1.5 }, ["limit"], "TYPE", "`limit` must be an Int."],
  ["an Int of 33 bits", "$limit: Int", { limit: 2 ** 31 }, ["limit"], "TYPE", "`limit` must be an Int."],
  ["a list for an Int", "$limit: Int", { limit: [1] }, ["limit"], "TYPE", "`limit` must be an Int."],
  ["a boolean for an ID", "$id: ID", { id: true }, ["id"], "TYPE", "`id` must be an ID."],
  ["a number for a String", "$a: String", { a: 5 }, ["a"], "TYPE", "`a` must be a String."],
  ["an object for a String", "$a: String", { a: {} }, ["a"], "TYPE", "`a` must be a String."],
  ["text for a Boolean", "$a: Boolean", { a: "true" }, ["a"], "TYPE", "`a` must be a Boolean."],
  ["text for a Float", "$a: Float", { a: "1" }, ["a"], "TYPE", "`a` must be a Float."],
  [
    "an unknown enum value",
    "$s: PostStatus",
    { s: "GONE" },
    ["s"],
    "NOT_IN_LIST",
    "`s` must be one of DRAFT, PUBLISHED.",
  ],
  ["a number for an enum", "$s: PostStatus", { s: 0 }, ["s"], "NOT_IN_LIST", "`s` must be one of DRAFT, PUBLISHED."],
  ["null in a list", "$ids: [ID!]", { ids: ["1", null] }, ["ids", 1], "REQUIRED", "`ids[1]` is required."],
  ["a wrong item", "$a: [[Int]]", { a: [[1], [2, "3"]] }, ["a", 1, 1], "TYPE", "`a[1][1]` must be an Int."],
  [
    "text for an input",
    input,
    { input: "title" },
    ["input"],
    "TYPE",
    "`input` must be an object of the type CreatePostInput.",
  ],
  [
    "a list for an input",
    input,
    { input: [good] },
    ["input"],
    "TYPE",
    "`input` must be an object of the type CreatePostInput.",
  ],
  ["a missing field", input, { input: { content: "b" } }, ["input", "title"], "REQUIRED", "`title` is required."],
  [
    "an unknown field",
    input,
    { input: { ...good, authorId: "1" } },
    ["input", "authorId"],
    "UNKNOWN_FIELD",
    "CreatePostInput has no field `authorId`.",
  ],
  [
    "a field that is one of Object's",
    input,
    { input: { ...good, constructor: "1" } },
    ["input", "constructor"],
    "UNKNOWN_FIELD",
    "CreatePostInput has no field `constructor`.",
  ],
  [
    "a prototype",
    input,
    { input: JSON.parse(`{"title": "a", "content": "b", "__proto__": {}}`) },
    ["input", "__proto__"],
    "UNKNOWN_FIELD",
    "CreatePostInput has no field `__proto__`.",
  ],
  [
    "a wrong field in a list of inputs",
    "$inputs: [CreatePostInput!]!",
    { inputs: [good, { ...good, tags: ["a", 7] }] },
    ["inputs", 1, "tags", 1],
    "TYPE",
    "`tags[1]` must be a String.",
  ],
  [
    "two fields where one of them is to be chosen",
    input,
    { input: { ...good, place: { address: "a", coordinates: [1] } } },
    ["input", "place"],
    "NOT_EXACTLY_ONE",
    "`place` must have exactly one field, and that not null.",
  ],
  [
    "a null where one of them is to be chosen",
    input,
    { input: { ...good, place: { address: null } } },
    ["input", "place"],
    "NOT_EXACTLY_ONE",
    "`place` must have exactly one field, and that not null.",
  ],
])("%s is refused with its path", (_what, declared, variables, path, code, message) => {
  const error = refused(declared, variables);
  const field = path.findLast((step) => typeof step === "string");
  expect(error).toEqual({
    message: "Input failed validation",
    extensions: { code: "VALIDATION_ERROR", validationErrors: [{ path, field, code, message }] },
  });
});

test("several faults are told at once", () => {
  const { extensions } = refused(`$limit: Int!, ${input}`, {
    limit: "a",
    input: { content: 5, status: "GONE", authorId: 1 },
  });
  const faults = extensions.validationErrors as { path: string[]; code: string }[];
  expect(faults.map(({ path, code }) => `${path.join(".")} ${code}`)).toEqual([
    "limit TYPE",
    "input.title REQUIRED",
    "input.content TYPE",
    "input.status NOT_IN_LIST",
    "input.authorId UNKNOWN_FIELD",
  ]);
});

test("ten faults are told, however many there are", () => {
  const wrong = { ids: Array(1_000).fill(null), more: Array(900).fill(null) };
  const { extensions } = refused("$ids: [ID!], $more: [ID!]", wrong);
  expect(extensions.validationErrors).toHaveLength(10);
});

test("no refusal repeats what was sent", () => {
  const secret = "s3cr3t";
  const { extensions } = refused("$a: Int, $s: PostStatus, $input: CreatePostInput, $t: [Float]", {
    a: secret,
    s: secret,
    input: { title: [secret], content: { secret }, tags: [{ secret }] },
    t: [secret, [secret]],
  });
  expect(extensions.validationErrors).toHaveLength(7);
  expect(JSON.stringify(extensions)).not.toContain(secret);
});

test("an unknown field's name comes back shortened", () => {
  const error = refused(input, { input: { ...good, ["x".repeat(100_000)]: 1 } });
  expect(JSON.stringify(error).length).toBeLessThan(1_000);
});

describe("variables as a whole", () => {
  const nest = (levels: number) => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);

  test.each([
    ["2,000 values", { a: Array(1_999).fill(1) }],
    ["20 levels", { a: nest(20) }],
  ])("%s pass", (_what, variables) => {
    expect(coerce("$b: Int", variables)).toEqual({});
  });

  test.each<[string, Variables, string, object]>([
    [
      "2,001 values in a list",
      { a: Array(2_000).fill(1) },
      "The variables hold at least 2,001 values; at most 2,000 are allowed.",
      { name: "variableValues", max: 2_000, asked: 2_001 },
    ],
    [
      "2,001 variables",
      Object.fromEntries(Array.from({ length: 2_001 }, (_, i) => [`a${i}`, 1])),
      "The variables hold at least 2,001 values; at most 2,000 are allowed.",
      { name: "variableValues", max: 2_000, asked: 2_001 },
    ],
    [
      "21 levels",
      { a: nest(21) },
      "The variables are at least 21 levels deep; at most 20 are allowed.",
      { name: "variableDepth", max: 20, asked: 21 },
    ],
    [
      "100,000 levels",
      { a: nest(100_000) },
      "The variables are at least 21 levels deep; at most 20 are allowed.",
      { name: "variableDepth", max: 20, asked: 21 },
    ],
  ])("%s are refused, declared or not", (_what, variables, message, limit) => {
    const error = refused("$b: Int", variables);
    expect(error.message).toBe(message);
    expect(error.extensions).toMatchObject({ code: "VALIDATION_ERROR", limit });
  });
});
