import { parse } from "graphql";
import { parseWithin, validateWithin } from "../../src/graphql/request/parseAndValidate.ts";
import { check } from "./check.ts";
import { schema } from "./schema.ts";

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join(" ");
const nested = (count: number, open: string, core: string) => `${open.repeat(count)}${core}${"}".repeat(count)}`;
/** Each fragment spreads the next one twice: what it says doubles each time, the text hardly grows. */
const doubling = (count: number, core: string) =>
  `{ ...F0 } ${times(count, (i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`)} fragment F${count} on Query { ${core} }`;
const ceiling = 1_000_000_000;

test.each<[string, string, { name: string; max: number; asked: number }[]]>([
  ["a path of 11 fields", `{ user(id: "1") ${nested(9, "{ a ", "{ b }")} }`, [{ name: "depth", max: 10, asked: 11 }]],
  [
    "depth behind fragments",
    `{ post(id: 1) { ...A } } fragment A on Post { author { ...B } } fragment B on User { posts(limit: 1) { ...C } }
     fragment C on Post { author { posts(limit: 1) { author { posts(limit: 1) { author { posts(limit: 1) { author { id } } } } } } } }`,
    [{ name: "depth", max: 10, asked: 11 }],
  ],
  [
    "depth behind inline fragments, which are no levels themselves",
    `{ post(id: 1) { ${nested(10, "... { author { ", "id")}${"}".repeat(10)} } }`,
    [{ name: "depth", max: 10, asked: 12 }],
  ],
  [
    "1,000 aliases of a costly field",
    `{ ${times(1_000, (i) => `a${i}: posts(limit: 100) { id }`)} }`,
    [
      { name: "selections", max: 200, asked: 2_000 },
      { name: "nodes", max: 10_000, asked: 100_000 },
      { name: "cost", max: 50_000, asked: 110_000 },
    ],
  ],
  [
    "6 mutations, in fragments",
    `mutation { ${times(3, () => "...A")} } fragment A on Mutation { ${times(2, () => `createPost(input: $a) { id }`)} }`,
    [{ name: "mutations", max: 5, asked: 6 }],
  ],
  ["201 selections", `{ post(id: 1) { ${times(200, () => "id")} } }`, [{ name: "selections", max: 200, asked: 201 }]],
  [
    "201 selections by fragments",
    `{ post(id: 1) { ${times(20, () => "...A")} } } fragment A on Post { ${times(9, () => "id")} }`,
    [{ name: "selections", max: 200, asked: 201 }],
  ],
  [
    "815 bytes that expand to 2 to the 20 selections",
    doubling(20, "__typename"),
    [{ name: "selections", max: 200, asked: 2 ** 20 + 2 * (2 ** 20 - 1) + 1 }],
  ],
  [
    "fragments that expand beyond all numbers",
    doubling(120, "posts(limit: 100) { id }"),
    [
      { name: "selections", max: 200, asked: ceiling },
      { name: "nodes", max: 10_000, asked: ceiling },
      { name: "cost", max: 50_000, asked: ceiling },
    ],
  ],
  [
    "10,100 nodes",
    `{ posts(limit: 100) { comments(limit: 100) { id } } }`,
    [{ name: "nodes", max: 10_000, asked: 10_100 }],
  ],
  [
    "lists in lists beyond all numbers",
    `{ posts(limit: 100) { ${nested(4, "author { posts(limit: 100) { ", "id")}${"}".repeat(4)} } }`,
    [
      { name: "nodes", max: 10_000, asked: ceiling },
      { name: "cost", max: 50_000, asked: ceiling },
    ],
  ],
  [
    "60,000 rows that are skipped",
    `{ posts(limit: 6) { author { posts(limit: 1, offset: 99999) { id } } } }`,
    [{ name: "cost", max: 50_000, asked: 10 + 6 * (1 + 1 + 10 + 10_000 + 1) }],
  ],
])("%s: refused by each limit that it is beyond", (_what, query, refusals) => {
  expect(check(query).refusals).toEqual(refusals);
});

test.each([
  ["a path of 10 fields", `{ ${nested(9, "a { ", "a")} }`],
  ["a path of 10 fields and 100 inline fragments", `{ ${nested(9, "a { ", nested(100, "... { ", "a"))} }`],
  ["200 root fields", `{ ${times(200, () => "postsCount")} }`],
  ["200 selections", `{ post(id: 1) { ${times(199, () => "id")} } }`],
  ["5 mutations", `mutation { ${times(5, () => "createPost(input: $a) { id }")} }`],
  ["10,000 nodes", `{ posts(limit: 100) { comments(limit: 99) { id } } }`],
  [
    "what another operation asks for",
    `query Q { postsCount } query Other { ${times(500, (i) => `a${i}: feed(limit: 100) @a { id }`)} }`,
  ],
])("lets %s pass", (_what, query) => {
  expect(check(query, {}, query.includes("Other") ? "Q" : undefined).refusals).toEqual([]);
});

describe("fragments that go round in circles end, and are validation's to refuse", () => {
  test.each([
    ["one that spreads itself", `{ ...A } fragment A on Query { ...A postsCount }`],
    ["one inside of itself", `{ users(limit: 1) { ...A } } fragment A on User { posts(limit: 1) { author { ...A } } }`],
    ["two that spread each other", `{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }`],
    [
      "a hundred that all spread each other",
      `{ ...F0 } ${times(30, (i) => `fragment F${i} on Query { ${times(30, (j) => `...F${j}`)} }`)}`,
    ],
  ])("%s", (_what, query) => {
    check(query);
    const [error] = validateWithin(schema, parse(query), { introspection: true });
    expect(error?.message).toMatch(/^Cannot spread fragment "\w+" within itself/);
  });
});

describe("a refusal says where, and how much is allowed", () => {
  test("in words, in extensions.limit, and as a fault of the input", () => {
    const { errors } = check(`{ posts(limit: 100) { comments(limit: 100) { id } } }`);
    const message = "This query can be answered with 10,100 nodes; at most 10,000 are allowed.";
    const params = { max: 10_000, asked: 10_100 };
    expect(errors.map((error) => error.toJSON())).toEqual([
      {
        message,
        locations: [{ line: 1, column: 1 }],
        extensions: {
          code: "VALIDATION_ERROR",
          limit: { name: "nodes", ...params },
          validationErrors: [{ path: [], field: null, code: "OUT_OF_RANGE", message, params }],
        },
      },
    ]);
  });

  test("with the field that is too deep", () => {
    const [error] = check(`{ a\n ${nested(10, "a { ", "deepest")} }`).errors;
    expect(error?.message).toBe("This query is 11 levels deep; at most 10 are allowed.");
    expect(error?.locations).toEqual([{ line: 2, column: 42 }]);
  });

  test("and of a number beyond counting, that it is at least so much", () => {
    const { errors } = check(doubling(60, "postsCount"));
    expect(errors[0]?.message).toBe(
      "This query has at least 1,000,000,000 selections, its fragments expanded; at most 200 are allowed. Read many records by `nodes(nodeIds:)`, or send several requests.",
    );
  });
});

test("whatever hostile text is within the limits of its text is weighed and validated, not thrown at", () => {
  const texts = [
    `{ ${nested(240, "a { ", "a")} }`,
    `{ ${nested(240, "... { ", "a")} }`,
    `{ a(b: ${"[".repeat(240)}${"]".repeat(240)}) }`,
    `{ ...F0 } ${times(100, (i) => `fragment F${i} on Query { ...F${i + 1} a }`)}`,
    `{ __proto__ constructor { __proto__ } ...__proto__ } fragment constructor on toString { a }`,
    `query ($__proto__: Int, $toString: valueOf) { a(limit: $__proto__) }`,
    `type Query { a: Int } query Q { a } extend type Post { b: Int } schema { query: Query }`,
  ];
  for (const text of texts) {
    const document = parseWithin(text);
    const { cost } = check(text);
    expect(Object.values(cost).every(Number.isSafeInteger)).toBe(true);
    expect(validateWithin(schema, document, { introspection: false })).not.toEqual([]);
  }
});
