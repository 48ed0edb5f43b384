import { buildSchema } from "graphql";
import { compareSchemas } from "../../packages/migration-review/check/api/compareSchemas.ts";
import { compareSources } from "../../packages/migration-review/check/api/sources.ts";
import { compareViews } from "../../packages/migration-review/check/catalogue/compareViews.ts";

/* The finding for each kind of difference, on small schemas and contracts of their own. */
type Row = { from: string | RegExp; to: string; expected: string[] };

const query =
  "type Query { post: Post posts: [Post] postsConnection: Int find(by: Size, limit: Int = 20, in: Find): Post } input Find { a: Int }";
const base = `${query} type Post { title: String! old: String @deprecated(reason: "Use title.") } enum Size { S M }`;

// The "level name" of each finding, after `from` is replaced by `to`.
describe.each<Row>`
  what                                 | from                     | to                              | expected
  ${"a field goes"}                    | ${"title: String!"}      | ${""}                           | ${["refused Post.title"]}
  ${"a deprecated field goes"}         | ${/old: String @.*?"\)/} | ${""}                           | ${["dangerous Post.old"]}
  ${"a field changes its type"}        | ${"title: String!"}      | ${"title: Int!"}                | ${["refused Post.title"]}
  ${"a field may be null"}             | ${"title: String!"}      | ${"title: String"}              | ${["refused Post.title"]}
  ${"a list goes with its connection"} | ${/posts: \[.*?: Int/}   | ${""}                           | ${["refused Query.posts"]}
  ${"an argument goes"}                | ${"by: Size, "}          | ${""}                           | ${["refused Query.find(by:)"]}
  ${"a required argument comes"}       | ${"by: Size"}            | ${"by: Size, at: Int!"}         | ${["refused Query.find(at:)"]}
  ${"an optional argument comes"}      | ${"by: Size"}            | ${"by: Size, at: Int"}          | ${["safe Query.find(at:)"]}
  ${"a required input field comes"}    | ${"{ a: Int }"}          | ${"{ a: Int b: Int! }"}         | ${["refused Find.b"]}
  ${"a nullable input field comes"}    | ${"{ a: Int }"}          | ${"{ a: Int b: Int }"}          | ${["safe Find.b"]}
  ${"an input field with a default"}   | ${"{ a: Int }"}          | ${"{ a: Int b: Int! = 1 }"}     | ${["safe Find.b"]}
  ${"a default changes"}               | ${"limit: Int = 20"}     | ${"limit: Int = 10"}            | ${["dangerous Query.find(limit:)"]}
  ${"an enum value goes"}              | ${"S M"}                 | ${"S"}                          | ${["refused Size.M"]}
  ${"an enum value comes"}             | ${"S M"}                 | ${"S M L"}                      | ${["dangerous Size.L"]}
  ${"a field comes"}                   | ${"title: String!"}      | ${"title: String! n: Int"}      | ${["safe Post.n"]}
  ${"a field is deprecated"}           | ${"title: String!"}      | ${"title: String! @deprecated"} | ${["safe Post.title"]}
  ${"a type is renamed"}               | ${/\bSize\b/g}           | ${"Width"}                      | ${["refused Query.find(by:)", "safe Width"]}
  ${"nothing"}                         | ${""}                    | ${""}                           | ${[]}
`("$what", ({ from, to, expected }) => {
  test("has the expected findings", () => {
    const findings = compareSchemas(buildSchema(base), buildSchema(base.replace(from, to)));
    expect(findings.map(({ severity, object }) => `${severity} ${object}`)).toEqual(expected);
  });
});

const [author, editor] = ["the foreign key posts (author_id)", "the foreign key posts (editor_id)"];

// Each field with the thing that it is made from.
describe.each<{ what: string; after: Record<string, string>; expected: string[] }>`
  what                                  | after                                                                        | expected
  ${"a name moves to another relation"} | ${{ "Post.author": editor, "Post.by": author }}                              | ${["Post.author"]}
  ${"two names change places"}          | ${{ "Post.author": editor, "Post.editor": author }}                          | ${["Post.author", "Post.editor"]}
  ${"a relation gets a second name"}    | ${{ "Post.author": author, "Post.by": editor }}                              | ${[]}
  ${"a renamed thing keeps its name"}   | ${{ "Post.author": "the foreign key posts (by_id)", "Post.editor": editor }} | ${[]}
`("$what", ({ after, expected }) => {
  test("is refused if clients would get other values", () => {
    const sources = (fields: object) =>
      new Map(Object.entries(fields).map(([name, thing]) => [name, new Set([thing])]));
    const before = sources({ "Post.author": author, "Post.editor": editor });
    expect(compareSources(before, sources(after)).map(({ object }) => object)).toEqual(expected);
  });
});

/** A view of schema analytics with its columns and their types, as the catalogue has it. */
function view(name: string, columns: Record<string, string>, comment = "Odd."): [string, Map<string, string>][] {
  return [
    [`view analytics.${name}`, new Map([["comment", comment]])],
    ...Object.entries(columns).map(([column, type]): [string, Map<string, string>] => [
      `column analytics.${name}.${column}`,
      new Map(Object.entries({ type, comment })),
    ]),
  ];
}

const byDay = view("posts_by_day", { day: "date", posts: "bigint" });
const old = view("old_posts", { posts: "bigint" }, "Deprecated: use posts_by_day.");

describe.each<{ what: string; after: [string, Map<string, string>][][]; expected: string[] }>`
  what                           | after                                                                               | expected
  ${"a view goes"}               | ${[old]}                                                                            | ${["refused analytics.posts_by_day"]}
  ${"a deprecated view goes"}    | ${[byDay]}                                                                          | ${["dangerous analytics.old_posts"]}
  ${"a column goes"}             | ${[old, view("posts_by_day", { posts: "bigint" })]}                                 | ${["refused analytics.posts_by_day.day"]}
  ${"a column changes its type"} | ${[old, view("posts_by_day", { day: "text", posts: "bigint" })]}                    | ${["refused analytics.posts_by_day.day"]}
  ${"a column comes"}            | ${[old, view("posts_by_day", { week: "date", day: "date", posts: "bigint" })]}      | ${["safe analytics.posts_by_day.week"]}
  ${"a view comes"}              | ${[old, byDay, view("tags", { tag: "text" })]}                                      | ${["safe analytics.tags"]}
  ${"a comment changes"}         | ${[old, view("posts_by_day", { day: "date", posts: "bigint" }, "Posts of a day.")]} | ${[]}
`("for analysts, $what", ({ after, expected }) => {
  test("has the expected findings", () => {
    const findings = compareViews(new Map([...byDay, ...old]), new Map(after.flat()), ["analytics"]);
    expect(findings.map(({ severity, object }) => `${severity} ${object}`)).toEqual(expected);
  });
});
