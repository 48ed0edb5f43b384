import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { lexicographicSortSchema, printSchema } from "graphql";
import { makeSchema } from "postgraphile";
import { makePgService } from "postgraphile/adaptors/pg";
import { grafast, lambda } from "postgraphile/grafast";
import preset, { makePreset, unmappedObjectsOf } from "../index.ts";
import type { Field, FieldContext } from "../plugin.ts";
import { wrapPlan } from "../plugin.ts";
import { version } from "../support/version.ts";
import { serve, useShop } from "./support.ts";

/* The options of a project, and the plugins that it switches off. */
const url = await useShop();

test("without Grafserv, data is an object", async () => {
  const pgServices = [makePgService({ connectionString: url, schemas: ["shop"] })];
  const { schema, resolvedPreset } = await makeSchema({ extends: [preset], pgServices });
  const source = "{ products(limit: 1) { name } }";
  const result = await grafast({ schema, source, resolvedPreset, requestContext: {} });
  assert.deepEqual(JSON.parse(JSON.stringify(result)), { data: { products: [{ name: "Product 500" }] } });
  assert.deepEqual(unmappedObjectsOf(schema), []);
  const mutation = 'mutation { addProduct(input: { makerId: "1", name: "A", price: 0 }) { id } }';
  for (const [onError, data] of [
    ["NULL", { addProduct: null }],
    ["HALT", null],
  ]) {
    const refused = await grafast({ schema, source: mutation, resolvedPreset, requestContext: {}, onError } as never);
    assert.deepEqual(JSON.parse(JSON.stringify(refused)).data, data);
  }
  for (const { release } of pgServices) await release?.();
});

test("the cache of behaviors changes nothing in the schema", async () => {
  const schemas = [];
  for (const disablePlugins of [[], ["BehaviorCachePlugin"]]) {
    const pgServices = [makePgService({ connectionString: url, schemas: ["shop"] })];
    const { schema } = await makeSchema({ extends: [preset], pgServices, disablePlugins });
    schemas.push(printSchema(lexicographicSortSchema(schema)));
    for (const { release } of pgServices) await release?.();
  }
  assert.match(schemas[0] ?? "", /type Product /);
  assert.equal(schemas[0], schemas[1]);
});

test("a field whose plan another plugin changes is the engine's, with filters, order and page", async () => {
  const upperCase = (text: unknown) => String(text).toUpperCase();
  const change = (field: Field, _build: unknown, { scope, Self }: FieldContext): Field => {
    if (Self.name === "Product" && scope.fieldName === "name")
      return wrapPlan(field, ($name) => lambda($name, upperCase));
    return field;
  };
  const plugin = { name: "UpperCasePlugin", schema: { hooks: { GraphQLObjectType_fields_field: change } } };
  const served = await serve(url, { extends: [preset], plugins: [plugin] });
  const { data } = await served.ask("{ products(limit: 1, offset: 1, priceLte: 5, orderBy: CHEAPEST) { name price } }");
  assert.deepEqual(data, { products: [{ name: "PRODUCT 100", price: 1 }] });
  assert.doesNotMatch(served.statements.join(), /row_to_json/);
  await served.ask("{ products(limit: 1) { price } }");
  assert.match(served.statements.join(), /row_to_json/);
});

test("a list whose plan another plugin changes keeps its filters, its order and its page", async () => {
  const change = (field: Field, _build: unknown, { scope }: FieldContext): Field =>
    scope.fieldName === "products" ? wrapPlan(field, ($rows) => $rows) : field;
  const hook = { callback: change, before: ["FieldSourcesPlugin", "ListFilterPlugin", "LimitOffsetPlugin"] };
  for (const plan of [hook, change]) {
    const plugin = { name: "WrapPlugin", schema: { hooks: { GraphQLObjectType_fields_field: plan } } };
    const served = await serve(url, { extends: [preset], plugins: [plugin as never] });
    const { data } = await served.ask("{ products(limit: 1, offset: 1, priceLte: 5, orderBy: CHEAPEST) { price id } }");
    assert.deepEqual(data, { products: [{ price: 1, id: "100" }] });
  }
});

test("pages have the sizes of the options", async () => {
  const served = await serve(
    url,
    makePreset({ pages: { defaultSize: 2, maxSize: 3 }, errorReasons: { LATE: "Too late." } }),
  );
  const { data } = await served.ask(`{
    products { id } productsConnection { nodes { id } }
    __type(name: "ErrorReason") { enumValues { name } }
  }`);
  assert.equal(data.products.length, 2);
  assert.equal(data.productsConnection.nodes.length, 2);
  assert.ok(data.__type.enumValues.some(({ name }: { name: string }) => name === "LATE"));
  const { errors } = await served.ask("{ products(limit: 4) { id } }");
  assert.deepEqual(errors?.[0].extensions.validationErrors[0].params, { min: 0, max: 3 });
});

test("unforeseen errors are logged, and clients get an id", async () => {
  const logged: object[] = [];
  const served = await serve(url, makePreset({ log: { error: (details) => logged.push(details) } }));
  const { errors } = await served.ask('{ product(id: "7") { ratio } }');
  assert.equal(errors?.[0].extensions.code, "INTERNAL_SERVER_ERROR");
  assert.deepEqual(
    logged.map((details) => (details as { errorId: string }).errorId),
    [errors?.[0].extensions.errorId],
  );
});

test("the plugins have the version of the package", () => {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  assert.equal(version, manifest.version);
  for (const plugin of preset.plugins ?? []) assert.deepEqual([plugin.name, plugin.version], [plugin.name, version]);
});

test("the sources name no schema and no role of a publication", () => {
  const folder = new URL("../", import.meta.url);
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !/^(test|node_modules|dist)\//.test(file),
  );
  assert.ok(sources.length > 40);
  const naming = sources.filter((file) =>
    /\b(app_|api_)(public|hidden|private|member|anonymous)/.test(readFileSync(new URL(file, folder), "utf8")),
  );
  assert.deepEqual(naming, []);
});
