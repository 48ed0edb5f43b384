import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isLeafType,
  isNonNullType,
  isObjectType,
} from "graphql";
import type { Random } from "../support/Random.ts";
import { randomValue } from "./values.ts";

interface Draft {
  random: Random;
  variables: { name: string; type: GraphQLInputType }[];
  /** How many more selections the request may have. */
  room: number;
}

/** Within the limits of the service, so that most requests are executed. */
const maxDepth = 5;
const maxSelections = 25;
/** Names that every JavaScript object knows. */
const inheritedNames = ["toString", "constructor", "__proto__", "hasOwnProperty"];

export interface RandomRequest {
  query: string;
  /** Returns new random values each time. */
  variables(): Record<string, unknown>;
}

/** A random query or mutation with a variable for each argument. @param mutations the share of mutations */
export function randomRequest(random: Random, schema: GraphQLSchema, mutations = 0.2): RandomRequest {
  const draft: Draft = { random, variables: [], room: maxSelections };
  const isMutation = random.chance(mutations);
  const root = (isMutation ? schema.getMutationType() : schema.getQueryType()) as GraphQLObjectType;
  const selection = !isMutation && random.chance(0.05) ? costlySelection(draft) : selectionSet(draft, root, 0);
  const definitions = draft.variables.map(({ name, type }) => `$${name}: ${type}`);
  const head = definitions.length > 0 ? ` Fuzz(${definitions.join(", ")})` : " Fuzz";
  const isGiven = ({ name, type }: Draft["variables"][number]) =>
    isNonNullType(type) || random.chance(inheritedNames.includes(name) ? 0.2 : 0.9);
  return {
    query: `${isMutation ? "mutation" : "query"}${head} ${selection}`,
    variables: () =>
      Object.fromEntries(draft.variables.filter(isGiven).map(({ name, type }) => [name, randomValue(random, type)])),
  };
}

/** Aliases of counts, deep offsets and nested connections with odd arguments. */
function costlySelection({ random }: Draft): string {
  const parts = Array.from({ length: 1 + random.below(15) }, (_, place) => {
    const offset = random.pick([0, 1, 9_999, 10_000, 10_001, -1]);
    const first = random.pick(["0", "1", "101", "-1", "null", "1.5", '"1"']);
    const after = random.pick(["null", '""', '"x"', '"WyJuYXR1cmFsIiwxXQ=="', "1"]);
    return random.pick([
      `c${place}: users(limit: ${random.below(101)}) { postsConnection { totalCount } posts(offset: ${offset}) { id } }`,
      `c${place}: posts(limit: 2, offset: ${offset}) { id commentsConnection(first: ${first}) { totalCount } }`,
      `c${place}: post(id: ${1 + random.below(10)}) { id commentsConnection(first: ${first}, after: ${after}) { nodes { id } } }`,
    ]);
  });
  return `{ ${parts.join(" ")} }`;
}

function selectionSet(draft: Draft, type: GraphQLObjectType, depth: number): string {
  const { random } = draft;
  const fields = Object.values(type.getFields()).filter(
    (field) => isLeafType(getNamedType(field.type)) || (depth < maxDepth && isObjectType(getNamedType(field.type))),
  );
  const chosen = Array.from({ length: 1 + random.below(4) }, () => random.pick(fields));
  const selections = chosen.flatMap((field, i) => (draft.room-- > 0 ? [selected(draft, field, depth, i)] : []));
  const rest = random.chance(0.2) || selections.length === 0 ? ["__typename"] : [];
  return `{ ${[...selections, ...rest].join(" ")} }`;
}

function selected(draft: Draft, field: GraphQLField<unknown, unknown>, depth: number, place: number): string {
  const { random, variables } = draft;
  const given = field.args.filter(({ type }) => isNonNullType(type) || random.chance(0.3));
  const passed = given.map(({ name, type }) => {
    const free = inheritedNames.filter((each) => !variables.some((variable) => variable.name === each));
    const variable = free.length > 0 && random.chance(0.3) ? random.pick(free) : `v${variables.length}`;
    variables.push({ name: variable, type });
    return `${name}: $${variable}`;
  });
  const named = getNamedType(field.type);
  const inner = isCompositeType(named) && isObjectType(named) ? ` ${selectionSet(draft, named, depth + 1)}` : "";
  const directive = random.chance(0.05) ? ` @include(if: ${random.chance(0.5)})` : "";
  return `f${depth}_${place}: ${field.name}${passed.length > 0 ? `(${passed.join(", ")})` : ""}${directive}${inner}`;
}
