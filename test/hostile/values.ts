const post = "mutation A($input: CreatePostInput!) { createPost(input: $input) { id title } }";
const byId = "query A($id: ID!) { user(id: $id) { id } }";
const page =
  "query A($limit: Int!, $offset: Int, $status: PostStatus) { posts(limit: $limit, offset: $offset, status: $status) { id } }";
/** PostgreSQL would normalise it for four seconds, and nothing would interrupt it. */
const marks = `a${"\u0316\u0300".repeat(16_000)}`;
const good = { title: "A title", content: "Content." };

/** Variables that do not fit their type or that break a rule. Each gets VALIDATION_ERROR. */
export const badVariables: [query: string, variables: Record<string, unknown>][] = [
  ...[undefined, null, 1, "x", true, [], [good, good]].map(
    (input) => [post, { input }] as [string, Record<string, unknown>],
  ),
  ...[undefined, null, 1, true, [], {}, "", " ", "\0", "x".repeat(201), "\uD800", "\uFFFE", "\n\n", marks].map(
    (title) => [post, { input: { ...good, title } }] as [string, Record<string, unknown>],
  ),
  ...[null, 7, [], {}, " ", "a\0b", "x".repeat(100_001), "\uDC00", marks].map(
    (content) => [post, { input: { ...good, content } }] as [string, Record<string, unknown>],
  ),
  ...[
    1,
    {},
    [1],
    [null],
    [[]],
    [{}],
    [""],
    [" "],
    ["a\0"],
    ["x".repeat(51)],
    [marks],
    Array(16).fill("t"),
    Array(5_000).fill("t"),
  ].map(
    (tags) =>
      [
        post,
        { input: { ...good, tags: Array.isArray(tags) && tags.length > 15 ? tags.map((t, i) => t + i) : tags } },
      ] as [string, Record<string, unknown>],
  ),
  ...["draft", "ARCHIVED", "", 1, true, [], {}, "DRAFT; drop table posts", "__proto__"].map(
    (status) => [post, { input: { ...good, status } }] as [string, Record<string, unknown>],
  ),
  ...["authorId", "id", "slug", "publishedAt", "constructor", "toString", "__typename", "a b", ""].map(
    (field) => [post, { input: { ...good, [field]: "1" } }] as [string, Record<string, unknown>],
  ),
  [post, { input: JSON.parse('{"title": "a", "content": "b", "__proto__": {"status": "PUBLISHED"}}') }],
  ...[undefined, null, true, 1.5, [], {}, ["1"]].map((id) => [byId, { id }] as [string, Record<string, unknown>]),
  ...[undefined, null, "5", 5.5, -1, 101, 2 ** 31, 1e10, true, {}, [], "", "5; select 1"].map(
    (limit) => [page, { limit }] as [string, Record<string, unknown>],
  ),
  ...["0", -1, 10_001, 1.5, {}, [], true].map(
    (offset) => [page, { limit: 1, offset }] as [string, Record<string, unknown>],
  ),
  ...["draft", 1, true, {}, ["x"], "PUBLISHED "].map(
    (status) => [page, { limit: 1, status }] as [string, Record<string, unknown>],
  ),
];

/** Ids that no row has. Each gets NOT_FOUND without details. */
export const strangeIds: unknown[] = [
  "",
  " ",
  "0",
  "-1",
  "abc",
  "1 or 1=1",
  "1; drop table app_public.users",
  "' or ''='",
  '"',
  "1'--",
  "1/**/",
  "1e0",
  "1.0",
  "01 ",
  "0x1",
  "٣",
  "½",
  "1\0",
  "\0",
  "\uD800",
  "NaN",
  "Infinity",
  "null",
  "true",
  "9223372036854775807",
  "9223372036854775808",
  "-9223372036854775809",
  "1".repeat(1_000),
  "x".repeat(10_000),
  "${1}",
  "{{1}}",
  "%s%n",
  "../1",
  "1,2",
  "[1]",
  "{1}",
  "(1)",
  404,
  1e300,
  -5,
  0,
];

/** Cursors that the service has not issued. Each gets VALIDATION_ERROR. */
export const strangeCursors: string[] = [
  "",
  "x",
  "two words",
  "\0",
  "null",
  "[]",
  "W10=",
  "bnVsbA==",
  "eyJhIjoxfQ==",
  "WyJuYXR1cmFsIiwiMSJd",
  "WyJ4IiwieSJd",
  "x".repeat(5_000),
  Buffer.from(JSON.stringify(["0", "' or 1=1"])).toString("base64"),
];
