import { readdirSync, readFileSync } from "node:fs";
import {
  type DocumentNode,
  getIntrospectionQuery,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  parse,
} from "graphql";
import { checkDocument } from "../../src/graphql/request/checkDocument.ts";
import { coerceVariables } from "../../src/graphql/request/coerceVariables.ts";
import { PreparedOperation } from "../../src/graphql/request/PreparedOperation.ts";
import { parseWithin, validateWithin } from "../../src/graphql/request/parseAndValidate.ts";
import { defaultSettings } from "../../src/settings.ts";
import { useService } from "../support/service.ts";

/* The schema that is served says everything that counting needs, and no honest request is near a limit. */
const service = useService();
const operations = new URL("../operations/", import.meta.url);

function fields() {
  const types = Object.values(service.app.schema.getTypeMap()).filter((type) => isObjectType(type));
  return types
    .filter(({ name }) => !name.startsWith("__"))
    .flatMap((type) => Object.values(type.getFields()).map((field) => ({ name: `${type.name}.${field.name}`, field })));
}

function checked(document: DocumentNode, variables: Record<string, unknown> = {}) {
  const { schema } = service.app;
  return document.definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .map((operation) =>
      checkDocument(new PreparedOperation(schema, document, operation), variables, defaultSettings.queryLimits),
    );
}

const costOf = (text: string) => Math.max(...checked(parse(text)).map(({ cost }) => cost.cost));

function refusals(text: string, variables: Record<string, unknown> = {}) {
  const { schema } = service.app;
  const document = parseWithin(text);
  return checked(document, variables)
    .flatMap(({ errors }) => errors)
    .concat(validateWithin(schema, document, { introspection: true }))
    .map(({ message }) => message);
}

test("every list of objects takes a limit, unless it is a connection's", () => {
  const lists = fields().filter(
    ({ field }) => isListType(getNullableType(field.type)) && isObjectType(getNamedType(field.type)),
  );
  const limitless = lists.filter(({ field }) => !field.args.some(({ name }) => name === "limit"));
  expect(lists.length).toBeGreaterThan(limitless.length);
  expect(limitless.map(({ name }) => name).filter((name) => !/Connection\.(nodes|edges)$/.test(name))).toEqual([]);
});

test("every connection says how many items it answers with by itself", () => {
  const connections = fields().filter(({ field }) => /Connection$/.test(getNamedType(field.type).name));
  const sizes = connections.map(({ name, field }) => [name, field.extensions.defaultListSize]);
  expect(sizes).toContainEqual(["Query.usersConnection", 100]);
  expect(sizes).toContainEqual(["Post.commentsConnection", 20]);
  expect(sizes).toContainEqual(["Chat.membersConnection", 100]);
  expect(sizes.filter(([, size]) => typeof size !== "number")).toEqual([]);
});

test("a search costs 100 for each of its words, given as a literal or a variable", () => {
  const cost = (text: string) =>
    costOf(`{ searchConnection(text: ${JSON.stringify(text)}, first: 1) { nodes { rank } } }`);
  expect(cost(" one  two three ") - cost("one")).toBe(200);
  expect(cost("x ".repeat(200)) - cost("x")).toBe(19_900);
});

test("every list, connection, count and function says what it costs", () => {
  const costs = Object.fromEntries(fields().map(({ name, field }) => [name, field.extensions.cost]));
  expect(costs).toMatchObject({
    "Query.posts": 10,
    "Query.feed": 10,
    "Query.postsCount": 100,
    "Query.usersConnection": 10,
    "User.posts": 10,
    "User.followers": 100,
    "Post.tags": 10,
    "Tag.postsConnection": 10,
    "TagConnection.totalCount": 100,
    "PostConnection.totalCount": 100,
    "User.name": undefined,
    "Post.author": undefined,
    "Query.user": undefined,
  });
  const lists = fields().filter(({ field }) => field.args.some(({ name }) => name === "limit" || name === "first"));
  expect(lists.map(({ field }) => field.extensions.cost)).toEqual(lists.map(() => 10));
  const counts = fields().filter(({ name }) => name.endsWith(".totalCount"));
  expect(counts.map(({ field }) => field.extensions.cost)).toEqual(counts.map(() => 100));
});

test("what makes the database read millions of rows is refused, whatever the number of its selections", () => {
  const part = (i: number) => `a${i}: users { postsConnection { totalCount } posts(offset: 10000) { id } }`;
  const query = (parts: number) => `{ ${Array.from({ length: parts }, (_, i) => part(i)).join(" ")} }`;
  expect(refusals(query(1))).toEqual([
    "This query makes the database read about 1,014,210 rows; at most 50,000 are allowed.",
  ]);
  const offset = "query ($offset: Int = 600) { users { posts(offset: $offset, limit: 1) { id } } }";
  expect(refusals(offset)).toHaveLength(1);
  expect(refusals(offset, { offset: 5 })).toEqual([]);
  expect(refusals("{ users { followers { count } commentsConnection(first: 0) { totalCount } } }")).toEqual([]);
  expect(refusals("{ users { posts { author { followers { count } } } } }")).toHaveLength(1);
});

test("the standard introspection query passes", () => {
  expect(refusals(getIntrospectionQuery())).toEqual([]);
});

test.each(readdirSync(operations).filter((name) => name.endsWith(".graphql")))("%s passes", (name) => {
  const text = readFileSync(new URL(name, operations), "utf8");
  expect(refusals(text)).toEqual([]);
  expect(costOf(text)).toBeLessThan(defaultSettings.queryLimits.cost / 4);
});

test("a page of 20 posts with everything about them passes; 100 with 100 comments each do not", () => {
  const page = (posts: number, comments: number) => `{
    posts(limit: ${posts}) { title author { name followers { count } } tags { name }
      comments(limit: ${comments}) { text author { name } } }
  }`;
  expect(refusals(page(20, 100))).toEqual([]);
  expect(costOf(page(20, 100))).toBeLessThan(defaultSettings.queryLimits.cost / 4);
  expect(refusals(page(100, 100))).toEqual([
    "This query can be answered with 22,300 nodes; at most 10,000 are allowed.",
  ]);
});

test("a post's input is coerced by the schema that is served", () => {
  const document = parse(`mutation M($input: CreatePostInput!) { createPost(input: $input) { id } }`);
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error("This is no operation.");
  const input = { title: "A title", content: "Content.", status: "DRAFT", tags: ["one"] };
  expect(coerceVariables(new PreparedOperation(service.app.schema, document, operation), { input })).toMatchObject({
    input: { title: "A title", tags: ["one"] },
  });
});
