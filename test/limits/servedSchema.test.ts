import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { getIntrospectionQuery, getNamedType, getNullableType, isListType, isObjectType, Kind, parse } from "graphql";
import { checkDocument } from "../../src/graphql/request/checkDocument.ts";
import { coerceVariables } from "../../src/graphql/request/coerceVariables.ts";
import { parseWithin } from "../../src/graphql/request/parseWithin.ts";
import { validateWithin } from "../../src/graphql/request/validateWithin.ts";
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

function refusals(text: string, variables: Record<string, unknown> = {}) {
  const { schema } = service.app;
  const document = parseWithin(text, defaultSettings.queryLimits);
  return document.definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .flatMap((operation) => checkDocument(schema, document, operation, variables, defaultSettings.queryLimits).errors)
    .concat(validateWithin(schema, document, defaultSettings.queryLimits, { introspection: true }))
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
  expect(sizes.filter(([, size]) => typeof size !== "number")).toEqual([]);
});

test("the standard introspection query passes", () => {
  expect(refusals(getIntrospectionQuery())).toEqual([]);
});

test.each(readdirSync(operations).filter((name) => name.endsWith(".graphql")))("%s passes", (name) => {
  expect(refusals(readFileSync(new URL(name, operations), "utf8"))).toEqual([]);
});

test("a page of 20 posts with everything about them passes; 100 with 100 comments each do not", () => {
  const page = (posts: number, comments: number) => `{
    posts(limit: ${posts}) { title author { name followers { count } } tags { name }
      comments(limit: ${comments}) { text author { name } } }
  }`;
  expect(refusals(page(20, 100))).toEqual([]);
  expect(refusals(page(100, 100))).toEqual([
    "This query can be answered with 22,300 nodes; at most 10,000 are allowed.",
  ]);
});

test("a post's input is coerced by the schema that is served", () => {
  const document = parse(`mutation M($input: CreatePostInput!) { createPost(input: $input) { id } }`);
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error("This is no operation.");
  const input = { title: "A title", content: "Content.", status: "DRAFT", tags: ["one"] };
  expect(coerceVariables(service.app.schema, operation, { input }, defaultSettings.queryLimits)).toMatchObject({
    input: { title: "A title", tags: ["one"] },
  });
});
