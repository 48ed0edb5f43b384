import { readFileSync } from "node:fs";
import { schemaChanges, undescribedChanges } from "../../tools/changelog/undescribed.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

test("each change of the schema since the last release has a line in the changelog (npm run changelog:check)", () => {
  const changes = schemaChanges(read("tools/changelog/released.graphql"), read("schema.graphql"));
  expect(undescribedChanges(changes, read("CHANGELOG.md"))).toEqual([]);
});

const former = `
  scalar Day @specifiedBy(url: "https://one.example")
  enum Order { UP DOWN }
  interface Named { name: String }
  interface Dated { at(format: Order = UP): Day }
  type Tree implements Named { name: String at(format: Order = UP): Day gone: Int }
  type Stone { name: String }
  union Thing = Tree | Stone
  input Seed { count: Int = 1 }
  type Query { tree(id: ID, limit: Int = 1): Tree thing: Thing plant(seed: Seed): Tree }`;

test.each<[name: string, was: string, is: string]>([
  ["Tree.gone", " gone: Int", ""],
  ["Tree.gone", "gone: Int", "gone: String"],
  [
    "Tree.at(format:)",
    "type Tree implements Named { name: String at(format: Order = UP): Day",
    "type Tree implements Named { name: String at: Day",
  ],
  ["Tree.at(format:)", "String at(format: Order = UP): Day gone", "String at(format: Order = DOWN): Day gone"],
  ["Query.tree(limit:)", "limit: Int = 1", "limit: Int = 2"],
  ["Query.tree(id:)", "id: ID", "id: ID!"],
  ["Query.tree(age:)", "id: ID", "id: ID, age: Int"],
  ["Query.tree(age:)", "id: ID", "id: ID, age: Int!"],
  ["Seed.count", "count: Int = 1", "count: Int = 2"],
  ["Seed.count", "count: Int = 1", "count: Int"],
  ["Seed.count", "count: Int = 1", "count: String"],
  ["Seed.size", "count: Int = 1", "count: Int = 1 size: Int"],
  ["Seed.size", "count: Int = 1", "count: Int = 1 size: Int!"],
  ["Order.DOWN", "UP DOWN", "UP"],
  ["Order.LEFT", "UP DOWN", "UP DOWN LEFT"],
  ["Thing.Stone", "Tree | Stone", "Tree"],
  ["Thing.Query", "Tree | Stone", "Tree | Stone | Query"],
  ["Tree", "Tree implements Named", "Tree"],
  ["Tree", "Tree implements Named", "Tree implements Named & Dated"],
  ["Day", "https://one.example", "https://two.example"],
  ["Stone", "type Stone { name: String }", "input Stone { name: String }"],
])("the name of a change is %s", (name, was, is) => {
  expect(former).toContain(was);
  const changes = schemaChanges(former, former.replace(was, is));
  const names = new Set(changes.map((change) => change.name));
  expect(names).toContain(name);
  const line = `# Changelog\n\n## [2]\n\n- \`${[...names].join("`, `")}\` changed.\n\n## [1]\n\n- \`Other\`.\n`;
  expect(undescribedChanges(changes, line)).toEqual([]);
  // A line of an earlier release does not count.
  expect(undescribedChanges(changes, line.replace("## [2]\n", "## [3]\n\n## [2]\n"))).toEqual(changes);
});

test("one term names several arguments of a field, and not the field", () => {
  const changes = ["Query.tree(id:)", "Query.tree(limit:)", "Query.tree"].map((name) => ({ name, description: "" }));
  const left = undescribedChanges(changes, "## [1]\n\n- `Query.tree(id:, limit:)` are new.");
  expect(left.map(({ name }) => name)).toEqual(["Query.tree"]);
});
