import { readFileSync } from "node:fs";
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  isLeafType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isScalarType,
} from "graphql";
import { type Answer, useService } from "../support/service.ts";

/* Each argument of each field that reads, missing, null and empty (docs/lists.md). */
const service = useService();
beforeAll(async () => {
  await service.database.query(readFileSync(new URL("../operations/content.sql", import.meta.url), "utf8"));
});

/** What stands before and behind a field of a type. */
const parents: Record<string, [string, string]> = {
  Query: ["", ""],
  User: ["user(id: 1) {", "}"],
  Post: ["post(id: 1) {", "}"],
  Comment: ["comment(id: 1) {", "}"],
  Tag: ['tagByName(name: "slow") {', "}"],
  Chat: ["chat(id: 1) {", "}"],
  InboxEntry: ["me { inboxConnection(first: 1) { nodes {", "} } }"],
  PostRevision: ["post(id: 1) { revisions {", "} }"],
};
const required: Record<string, string> = {
  nodeId: `"${btoa('["Post","1"]')}"`,
  nodeIds: `["${btoa('["Post","1"]')}"]`,
  limit: "2",
  name: '"slow"',
  slug: '"hello-world"',
  text: '"hello"',
};

interface Place {
  parent: string;
  field: GraphQLField<unknown, unknown>;
  argument: GraphQLArgument;
}

function places(): Place[] {
  return Object.keys(parents).flatMap((parent) => {
    const type = service.app.schema.getType(parent);
    if (!isObjectType(type)) throw new Error(`There is no type ${parent}`);
    return Object.values(type.getFields()).flatMap((field) =>
      field.args.filter((argument) => !isNonNullType(argument.type)).map((argument) => ({ parent, field, argument })),
    );
  });
}

/** What is asked of a result, so that two results can be told apart. */
function selection(type: GraphQLNamedType): string {
  if (isLeafType(type)) return "";
  const fields = isObjectType(type) ? type.getFields() : {};
  if (fields["nodes"])
    return ` { nodes${selection(getNamedType(fields["nodes"].type))} pageInfo { hasNextPage endCursor } }`;
  const asked = ["nodeId", "count", "createdAt"].filter((name) => fields[name]);
  return ` { __typename ${asked.join(" ")} }`;
}

function read({ parent, field, argument }: Place, value: string | undefined): string {
  const given = field.args.filter(isRequiredArgument).map(({ name }) => `${name}: ${required[name] ?? "1"}`);
  if (value !== undefined) given.push(`${argument.name}: ${value}`);
  const call = `${field.name}${given.length > 0 ? `(${given.join(", ")})` : ""}${selection(getNamedType(field.type))}`;
  const [before, after] = parents[parent] as [string, string];
  return `${before} ${call} ${after}`;
}

const nameOf = ({ parent, field, argument }: Place) => `${parent}.${field.name}(${argument.name}:)`;

test("null is as missing, as a literal and in a variable", async () => {
  const all = places();
  expect(all.length).toBeGreaterThan(130);
  const unlike: string[] = [];
  /** The answers without an optional argument: the same for all of a field. */
  const without = new Map<string, Answer>();
  for (const place of all) {
    const none = `{ ${read(place, undefined)} }`;
    const missing = without.get(none) ?? (await service.ask(none, { as: "ada" }));
    without.set(none, missing);
    const literal = await service.ask(`{ ${read(place, "null")} }`, { as: "ada" });
    const declared = `query ($absent: ${place.argument.type}) { ${read(place, "$absent")} }`;
    const variable = await service.ask(declared, { as: "ada", variables: { absent: null } });
    const results = [missing, literal, variable].map(({ data, errors }) =>
      JSON.stringify([data, errors?.map(({ extensions }) => extensions.code)]),
    );
    if (new Set(results).size > 1) unlike.push(`${nameOf(place)}: ${results.join(" ")}`);
  }
  expect(unlike).toEqual([]);
});

test("an empty text is a text: it finds nothing, or is refused with the argument's name", async () => {
  const texts = places().filter(({ argument }) => {
    const type = getNamedType(argument.type);
    return isScalarType(type) && ["String", "ID"].includes(type.name);
  });
  expect(texts.length).toBeGreaterThan(15);
  const wrong: string[] = [];
  for (const place of texts) {
    const { data, errors } = await service.ask(`{ ${read(place, '""')} }`, { as: "ada" });
    const named = errors?.[0]?.extensions.validationErrors?.[0]?.field === place.argument.name;
    const found = /"nodeId"|[1-9]/.test(
      JSON.stringify(data ?? {}).replaceAll(/"hasNextPage":false|"endCursor":null/g, ""),
    );
    if (errors ? !named : found) wrong.push(`${nameOf(place)}: ${JSON.stringify({ data, errors })}`);
  }
  expect(wrong).toEqual([]);
});
