import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";
import preset from "../index.ts";
import { serve, useShop } from "./support.ts";

/* A foreign project with tables of its own. The engine, with the same plugins, is the oracle. */
const url = await useShop();
const compiled = await serve(url, preset);
const engine = await serve(url, { extends: [preset], disablePlugins: ["CompiledOperationsPlugin"] });
const staff = { "x-staff": "yes" };

const queries: Record<string, string> = {
  "a list": "{ products(limit: 5) { id name price size addedAt label maker { name } tags { word } } }",
  "a row": '{ product(id: "3") { nodeId name maker { id products(limit: 2, offset: 1) { id } } } }',
  "filters and an order": "{ products(priceGte: 10, priceLte: 20, size: LARGE, orderBy: CHEAPEST) { id price } }",
  "a page":
    "{ productsConnection(first: 3) { totalCount edges { cursor node { id } } pageInfo { hasNextPage endCursor } } }",
  "the last page": "{ productsConnection(last: 3) { nodes { id } pageInfo { hasPreviousPage startCursor } } }",
  "through a join table": '{ tag(id: "2") { word productsConnection(first: 2) { totalCount nodes { name } } } }',
  "aliases and fragments":
    "{ a: products(limit: 1) { ...p } b: products(limit: 2) { ...p } } fragment p on Product { id __typename }",
  "a format": "{ products(limit: 2) { addedAt(format: DATE_TIME) } }",
  "a list of an enum's values": "{ products(limit: 5) { otherSizes } }",
  "hidden values": "{ makers(limit: 3) { id email } }",
};

describe("a compiled query has the engine's result, in one statement", () => {
  for (const [name, query] of Object.entries(queries)) {
    for (const headers of [{}, staff]) {
      test(`${name}${headers === staff ? ", for staff" : ""}`, async () => {
        const expected = await engine.ask(query, {}, headers);
        const found = await compiled.ask(query, {}, headers);
        assert.equal(found.text, expected.text);
        assert.ok(found.data);
        assert.equal(compiled.statements.length, 1, compiled.statements.join("\n"));
        assert.match(compiled.statements[0] ?? "", /row_to_json/);
      });
    }
  }
});

test("PostGraphile as it comes has the same values", async () => {
  const stock = await serve(url, PostGraphileAmberPreset);
  const plain = await stock.ask(`{
    allProducts(orderBy: [ADDED_AT_DESC, ROW_ID_DESC], first: 20, offset: 5) {
      nodes { id: rowId name price size addedAt label maker: makerByMakerId { name } tags: productTagsByProductId { nodes { tagByTagId { word } } } }
      totalCount
    }
  }`);
  const found = await compiled.ask(`{
    products(limit: 20, offset: 5) { id name price size addedAt(format: DATE_TIME) label maker { name } tags { word } }
    productsConnection { totalCount }
  }`);
  assert.equal(compiled.statements.length, 1);
  const { nodes, totalCount } = plain.data.allProducts;
  assert.equal(totalCount, found.data.productsConnection.totalCount);
  const words = (tags: { word: string }[]) => tags.map(({ word }) => word).sort();
  assert.deepEqual(
    nodes.map((node: any) => ({ ...node, tags: words(node.tags.nodes.map((one: any) => one.tagByTagId)) })),
    found.data.products.map((row: any) => ({ ...row, tags: words(row.tags) })),
  );
});

test("policies and settings of the request hold", async () => {
  const query = "{ productsConnection { totalCount } }";
  const totals = [await compiled.ask(query), await compiled.ask(query, {}, staff)].map(({ data }) => data);
  assert.deepEqual(
    totals.map(({ productsConnection }) => productsConnection.totalCount),
    [455, 500],
  );
});

test("a cursor leads to the next page, both ways", async () => {
  const page = (after: string | null) => [
    "query ($after: Cursor) { productsConnection(first: 100, after: $after) { nodes { id } pageInfo { endCursor } } }",
    { after },
  ];
  const seen: string[] = [];
  for (let after: string | null = null; ; ) {
    const [query, variables] = page(after) as [string, object];
    const [found, expected] = [await compiled.ask(query, variables), await engine.ask(query, variables)];
    assert.equal(found.text, expected.text);
    const { nodes, pageInfo } = found.data.productsConnection;
    seen.push(...nodes.map(({ id }: { id: string }) => id));
    if (nodes.length < 100) break;
    after = pageInfo.endCursor;
  }
  assert.equal(new Set(seen).size, 455);
});

test("a mutation is its function and one more statement", async () => {
  const mutation = `mutation ($name: String!, $price: Int!) {
    addProduct(input: { makerId: "1", name: $name, price: $price }) { name label maker { name } }
  }`;
  const variables = { name: "Lamp", price: 5 };
  const expected = await engine.ask(mutation, variables);
  const found = await compiled.ask(mutation, variables);
  assert.equal(found.text, expected.text);
  assert.equal(compiled.statements.length, 2);
  assert.equal(found.data.addProduct.label, "Lamp (SMALL)");
});

describe("errors have codes, both ways", () => {
  const cases: [name: string, query: string, code: string][] = [
    ["a missing row", '{ product(id: "999999") { id } }', "NOT_FOUND"],
    ["a number out of range", "{ products(limit: 101) { id } }", "VALIDATION_ERROR"],
    ["a bad cursor", '{ productsConnection(after: "x") { nodes { id } } }', "VALIDATION_ERROR"],
    ["hidden values", "{ makers(limit: 1) { email } }", "UNAUTHORIZED"],
    ["NUL", '{ tagByWord(word: "a\\u0000") { id } }', "VALIDATION_ERROR"],
    [
      "a row that is referred to",
      'mutation { addProduct(input: { makerId: "77", name: "A", price: 1 }) { id } }',
      "VALIDATION_ERROR",
    ],
  ];
  for (const [name, query, code] of cases) {
    test(name, async () => {
      const [found, expected] = [await compiled.ask(query), await engine.ask(query)];
      assert.equal(found.text, expected.text);
      assert.equal(found.errors?.[0].extensions.code, code);
    });
  }
});

test("a broken constraint is an error of its column, with the words and the code of its comment", async () => {
  const { errors, data } = await compiled.ask(
    'mutation { addProduct(input: { makerId: "1", name: "A", price: 0 }) { id } }',
  );
  assert.equal(data.addProduct, null);
  assert.deepEqual(errors?.[0].extensions.validationErrors, [
    { path: ["input", "price"], field: "price", code: "TOO_CHEAP", message: "A price is more than nothing." },
  ]);
});

test("introspection and several mutations are the engine's", async () => {
  const { data } = await compiled.ask("{ __schema { queryType { name } } }");
  assert.equal(data.__schema.queryType.name, "Query");
  const one = 'addProduct(input: { makerId: "1", name: "B", price: 1 }) { name }';
  const both = await compiled.ask(`mutation { a: ${one} b: ${one} }`);
  assert.deepEqual(both.data, { a: { name: "B" }, b: { name: "B" } });
});
