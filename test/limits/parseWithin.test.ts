import { parseWithin } from "../../src/graphql/request/parseAndValidate.ts";
import { refusalOf } from "./refusal.ts";

const refused = (query: string) => refusalOf(() => parseWithin(query));

test.each([
  ["5,120 tokens", `{ ${"a ".repeat(5_118)}}`],
  ["250 open brackets", `{ a(b: ${"[".repeat(248)}${"]".repeat(248)}) }`],
  [
    "200 selections with arguments and directives",
    `{ ${"createdAt(format: DATE_TIME) @include(if: $a) ".repeat(200)}}`,
  ],
  ["20 KB of text", `{ a } #${"x".repeat(20 * 1024 - 7)}`],
])("%s are read", (_what, query) => {
  expect(parseWithin(query).definitions).toHaveLength(1);
});

test.each<[string, string, string, object]>([
  [
    "a byte more than 20 KB",
    `{ a } #${"x".repeat(20 * 1024 - 6)}`,
    "This query's text has 20,481 bytes; at most 20,480 are allowed.",
    { name: "queryBytes", max: 20_480, asked: 20_481 },
  ],
  [
    "fewer characters, but more bytes of UTF-8",
    `{ a } #${"漢".repeat(7_000)}`,
    "This query's text has 21,007 bytes; at most 20,480 are allowed.",
    { name: "queryBytes", max: 20_480, asked: 21_007 },
  ],
  [
    "5,121 tokens",
    `{ ${"a ".repeat(5_119)}}`,
    "This query has at least 5,121 tokens; at most 5,120 are allowed.",
    { name: "tokens", max: 5_120, asked: 5_121 },
  ],
  [
    "6,000 tokens that end in none",
    `{ ${"a ".repeat(5_999)} \0`,
    "This query has at least 5,121 tokens; at most 5,120 are allowed.",
    { name: "tokens", max: 5_120, asked: 5_121 },
  ],
  ...["[", "{a:", "{a"].map((opening): [string, string, string, object] => [
    `brackets that nobody closes, ${opening}`,
    `${opening === "{a" ? "" : "{ a(b: "}${opening.repeat(1_700)}`,
    "This query opens at least 251 brackets within each other; at most 250 are allowed.",
    { name: "brackets", max: 250, asked: 251 },
  ]),
])("%s: refused with the limit", (_what, query, message, limit) => {
  const error = refused(query);
  expect(error.message).toBe(message);
  expect(error.extensions).toMatchObject({ code: "VALIDATION_ERROR", limit });
});

test.each([
  ["nothing", ""],
  ["spaces", "  \n\t,"],
  ["an open brace", "{ a "],
  ["an empty selection", "{ }"],
  ["NUL", "{ a\0 }"],
  ["half a surrogate pair", `{ a(b: "\uD83D") `],
  ["an open string", `{ a(b: "`],
  ["JSON", `{"query": "{ a }"}`],
])("%s is a syntax error, with its place", (_what, query) => {
  const error = refused(query);
  expect(error.message).toMatch(/^Syntax Error: /);
  expect(error.extensions).toEqual({ code: "GRAPHQL_PARSE_FAILED" });
  expect(error.locations).toHaveLength(1);
});

test("a syntax error does not send a long text back", () => {
  expect(refused(`{ a ${"x".repeat(10_000)}: `).message.length).toBeLessThan(600);
  expect(refused(`{ a(${`"${"x".repeat(10_000)}"`}) }`).message.length).toBeLessThan(600);
});
