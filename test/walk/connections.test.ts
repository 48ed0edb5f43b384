import { readFileSync } from "node:fs";
import { Random } from "@content-service/testing/Random.ts";
import {
  buildSchema,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isObjectType,
  isRequiredArgument,
} from "graphql";
import type { ServedSchema } from "../../src/graphql/schema/buildSchema.ts";
import { answer } from "../../tools/fuzz/compareAnswers.ts";
import { people, useService } from "../support/service.ts";
import { changes, isWitness } from "./changes.ts";

/*
 * Each connection of the schema is read page by page, forwards and backwards, by an admin, while other rows are inserted,
 * deleted, republished and moved between two pages. The rows that nobody touches are seen exactly once, in order. An inbox and the
 * users whom somebody has blocked are read by their owner. Entries of an inbox are known by their chats.
 * A search is left out: it orders by rank among the newest matches, so a new post can move others in or out.
 */
const leftOut = ["SearchResult"];
const isInbox = ({ nodeType }: Walk) => nodeType === "InboxEntry";
const isOwners = (walk: Walk) => isInbox(walk) || walk.name.startsWith("User.blockedUsersConnection");
const mostOfPage = 60;
const service = useService();
let compiling: ServedSchema;

interface Walk {
  name: string;
  nodeType: string;
  /** The fields from Query to the connection, without the braces that follow. `page` is a placeholder for the arguments of the page. */
  path: (page: string) => string;
}

interface Page {
  nodes: { id: string; chat?: { id: string } }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string };
  totalCount: number;
}

const schema = buildSchema(readFileSync(new URL("../../schema.graphql", import.meta.url), "utf8"));
const walks = Object.values(schema.getTypeMap()).filter(isObjectType).flatMap(walksOf);

function walksOf(parent: GraphQLObjectType): Walk[] {
  return Object.values(parent.getFields()).flatMap((field) => {
    const connection = getNamedType(field.type);
    const nodes = isObjectType(connection) && connection.getFields().pageInfo && connection.getFields().nodes;
    const nodeType = nodes ? getNamedType(nodes.type).name : undefined;
    if (nodeType === undefined || leftOut.includes(nodeType)) return [];
    return choices(field).map((chosen) => {
      const call = (page: string) => `${field.name}(${[page, ...chosen].join(", ")})`;
      return {
        name: `${parent.name}.${call("page")}`,
        nodeType,
        path: (page) => (parent === schema.getQueryType() ? call(page) : `${rootField(parent)} { ${call(page)}`),
      };
    });
  });
}

/** The required arguments, alone and with each value of each order and filter. */
function choices({ args }: GraphQLField<unknown, unknown>): string[][] {
  const required = args.filter(isRequiredArgument).map(({ name }) => `${name}: "1"`);
  const optional = args.flatMap((argument) => {
    const type = getNamedType(argument.type);
    // No list shows a post in the trash.
    if (isEnumType(type))
      return type.getValues().flatMap(({ name }) => (name === "TRASHED" ? [] : [`${argument.name}: ${name}`]));
    if (type.name === "Boolean") return [`${argument.name}: true`, `${argument.name}: false`];
    if (argument.name === "authorId") return [`authorId: "1"`];
    if (argument.name === "tag") return [`tag: "tag 1"`];
    return [];
  });
  return [required, ...optional.map((choice) => [...required, choice])];
}

/** The call of Query's field that gives one object of this type by its id, or by its name. */
function rootField(type: GraphQLObjectType): string {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {});
  const by = (key: string) =>
    fields.find((field) => getNamedType(field.type) === type && field.args.some(({ name }) => name === key))?.name;
  if (by("id")) return `${by("id")}(id: "1")`;
  if (by("name")) return `${by("name")}(name: "${type.name} 1")`;
  throw new Error(`Query has no field that gives a ${type.name} by its id or its name.`);
}

beforeAll(async () => {
  compiling = service.app.pipeline.served;
  await service.database.query(readFileSync(new URL("content.sql", import.meta.url), "utf8"));
});

/** Reads a page by a compiled statement or by the engine, which give the same cursors. */
async function read(walk: Walk, page: string, variables: Record<string, unknown>, isCompiled: boolean): Promise<Page> {
  const { pipeline } = service.app;
  const served = isCompiled ? compiling : { ...compiling, compiled: undefined };
  const call = walk.path(page);
  const query = `query ($count: Int, $cursor: Cursor) { ${call} {
    nodes { ${isInbox(walk) ? "chat { id }" : "id"} } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount
  } ${call.includes("{") ? "}" : ""} }`;
  const { text } = await answer(pipeline, served, query, variables, isOwners(walk) ? people.ada : people.admin);
  const { data, errors } = JSON.parse(text);
  if (errors) throw new Error(`${query}: ${errors[0].message}`);
  let found = data;
  while (!found.pageInfo) found = Object.values(found)[0];
  return found;
}

/** The ids of all pages, in the order of the list. `between` runs before each page but the first. */
async function readAll(
  walk: Walk,
  isForwards: boolean,
  count: number,
  random: Random,
  between: () => Promise<unknown>,
): Promise<string[]> {
  let seen: string[] = [];
  for (let cursor: string | null = null; ; await between()) {
    const page = isForwards ? "first: $count, after: $cursor" : "last: $count, before: $cursor";
    const { nodes, pageInfo } = await read(walk, page, { count, cursor }, random.chance(0.5));
    const ids = nodes.map(({ id, chat }) => chat?.id ?? id);
    seen = isForwards ? [...seen, ...ids] : [...ids, ...seen];
    if (!(isForwards ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) return seen;
    cursor = isForwards ? pageInfo.endCursor : pageInfo.startCursor;
  }
}

async function change(nodeType: string, random: Random): Promise<void> {
  const choices = changes[nodeType];
  if (!choices) throw new Error(`Add changes for the type ${nodeType} to changes.ts, and rows to content.sql.`);
  await service.database.query(random.pick(choices)(random));
}

test.each(walks)("$name shows each row that stays exactly once, in both directions", async (walk) => {
  const random = new Random(walks.indexOf(walk));
  const quiet = await readAll(walk, true, 100, random, async () => {});
  const { totalCount } = await read(walk, "first: $count, after: $cursor", { count: 1 }, true);
  expect(new Set(quiet).size).toBe(quiet.length);
  expect(quiet.length).toBe(totalCount);
  const witnesses = quiet.filter(isWitness);
  expect(witnesses.length).toBeGreaterThan(3);
  const pageSize = Math.min(mostOfPage, Math.ceil(quiet.length / 4));
  for (const isForwards of [true, false]) {
    let changed = 0;
    const seen = await readAll(walk, isForwards, pageSize, random, async () => {
      changed++;
      await change(walk.nodeType, random);
    });
    expect(changed).toBeGreaterThan(2);
    // Rows that were added meanwhile may be seen or not.
    expect(seen.filter((id) => isWitness(id) && quiet.includes(id))).toEqual(witnesses);
  }
});
