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
  /** The types of the variables, in order. */
  types: GraphQLInputType[];
  /** How many more selections the request may have. */
  room: number;
}

/** Within the limits of the service, so that most requests are executed. */
const maxDepth = 5;
const maxSelections = 25;

export interface RandomRequest {
  query: string;
  /** Returns new random values each time. */
  variables(): Record<string, unknown>;
}

/** A random query or mutation with a variable for each argument. */
export function randomRequest(random: Random, schema: GraphQLSchema): RandomRequest {
  const draft: Draft = { random, types: [], room: maxSelections };
  const isMutation = random.chance(0.2);
  const root = (isMutation ? schema.getMutationType() : schema.getQueryType()) as GraphQLObjectType;
  const selection = selectionSet(draft, root, 0);
  const definitions = draft.types.map((type, place) => `$v${place}: ${type}`);
  const head = definitions.length > 0 ? ` Fuzz(${definitions.join(", ")})` : " Fuzz";
  return {
    query: `${isMutation ? "mutation" : "query"}${head} ${selection}`,
    variables: () => Object.fromEntries(draft.types.map((type, place) => [`v${place}`, randomValue(random, type)])),
  };
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
  const { random, types } = draft;
  const given = field.args.filter(({ type }) => isNonNullType(type) || random.chance(0.3));
  const passed = given.map(({ name, type }) => {
    types.push(type);
    return `${name}: $v${types.length - 1}`;
  });
  const named = getNamedType(field.type);
  const inner = isCompositeType(named) && isObjectType(named) ? ` ${selectionSet(draft, named, depth + 1)}` : "";
  const directive = random.chance(0.05) ? ` @include(if: ${random.chance(0.5)})` : "";
  return `f${depth}_${place}: ${field.name}${passed.length > 0 ? `(${passed.join(", ")})` : ""}${directive}${inner}`;
}
