import type { Random } from "@content-service/testing/Random.ts";
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isLeafType,
  isNonNullType,
  isObjectType,
} from "graphql";
import { randomValue } from "./values.ts";

/** Cursors that connections of a type have answered with, by the name of the type. */
export type Cursors = ReadonlyMap<string, readonly string[]>;

export interface RandomRequest {
  query: string;
  /** Returns new random values each time. */
  variables(): Record<string, unknown>;
}

export interface Draft {
  random: Random;
  /** Whether each argument is a variable, with a value that may be anything. */
  isOdd: boolean;
  variables: Map<string, { type: string; make(): unknown }>;
  fragments: string[];
  cursors: Cursors;
  /** The root fields that may be selected; all by default. */
  roots?: RegExp | undefined;
  /** How many more selections the request may have. */
  room: number;
}

const maxDepth = 5;
const maxSelections = 30;
/** Names that every JavaScript object knows. */
const inheritedNames = ["toString", "constructor", "__proto__", "hasOwnProperty"];
/** Names that compiled statements have for parts of their own. */
const namesOfStatements = ["__object__", "__item__", "__part__", "__answer__", "__posts__", "json", "id"];

/**
 * A random query as an application would write it, with every means of the language: variables with and without values,
 * defaults, aliases, fragments, `@skip` and `@include`, the same field several times. Most of its arguments are good.
 *
 * @param roots the root fields that it may select
 * @param room how many selections it may have
 */
export function plainRequest(
  random: Random,
  schema: GraphQLSchema,
  cursors: Cursors,
  roots?: RegExp,
  room = maxSelections,
): RandomRequest {
  const draft = { ...newDraft(random, cursors), roots, room };
  return requestOf(draft, "query", selectionSet(draft, schema.getQueryType() as GraphQLObjectType, 0));
}

/** A random query or mutation whose arguments are seldom good. @param mutations the share of mutations */
export function oddRequest(random: Random, schema: GraphQLSchema, mutations = 0.2, roots?: RegExp): RandomRequest {
  const draft = { ...newDraft(random, new Map(), true), roots };
  const isMutation = random.chance(mutations);
  const root = (isMutation ? schema.getMutationType() : schema.getQueryType()) as GraphQLObjectType;
  return requestOf(draft, isMutation ? "mutation" : "query", selectionSet(draft, root, 0));
}

export function newDraft(random: Random, cursors: Cursors, isOdd = false): Draft {
  return { random, isOdd, variables: new Map(), fragments: [], cursors, room: maxSelections };
}

export function requestOf(draft: Draft, operation: string, selection: string): RandomRequest {
  const definitions = [...draft.variables].map(([name, { type }]) => `$${name}: ${type}`);
  const head = definitions.length > 0 ? ` Plain(${definitions.join(", ")})` : "";
  return {
    query: `${operation}${head} ${selection}\n${draft.fragments.join("\n")}`,
    variables: () => {
      const given = [...draft.variables].map(([name, { make }]) => [name, make()] as const);
      return Object.fromEntries(given.filter(([, value]) => value !== undefined));
    },
  };
}

export function selectionSet(draft: Draft, type: GraphQLObjectType, depth: number): string {
  const { random } = draft;
  const fields = Object.values(type.getFields()).filter(({ name, type: fieldType }) => {
    const named = getNamedType(fieldType);
    if (depth === 0 && draft.roots?.test(name) === false) return false;
    return isLeafType(named) || (depth < maxDepth && isObjectType(named));
  });
  const count = 1 + random.below(depth === 0 ? 3 : 5);
  const selections = Array.from({ length: count }, () => {
    if (draft.room-- <= 0) return "__typename";
    if (fields.length === 0 || random.chance(0.08)) return random.chance(0.5) ? "__typename" : "kind: __typename";
    const roll = random.next();
    if (roll < 0.1)
      return `...${random.chance(0.5) ? ` on ${type.name}` : ""}${condition(draft)} ${selectionSet(draft, type, depth)}`;
    if (roll < 0.17) return `...${fragment(draft, type, depth)}${condition(draft)}`;
    return selected(draft, random.pick(fields), depth);
  });
  return `{ ${selections.join(" ")} }`;
}

function fragment(draft: Draft, type: GraphQLObjectType, depth: number): string {
  const text = selectionSet(draft, type, depth);
  const name = `F${draft.fragments.length}`;
  draft.fragments.push(`fragment ${name} on ${type.name} ${text}`);
  return name;
}

function selected(draft: Draft, field: GraphQLField<unknown, unknown>, depth: number): string {
  const { random } = draft;
  const named = getNamedType(field.type);
  const given = field.args.filter((argument) => isNonNullType(argument.type) || random.chance(chanceOf(argument)));
  const args = given.map((argument) => `${argument.name}: ${argumentValue(draft, argument, named.name)}`);
  const inner = isObjectType(named) ? ` ${selectionSet(draft, named, depth + 1)}` : "";
  // Without arguments, the same field may be selected twice. Its selections are merged then.
  const isPlain = field.args.length === 0 && random.chance(0.8);
  const alias = isPlain ? "" : `${aliasOf(draft)}: `;
  return `${alias}${field.name}${args.length > 0 ? `(${args.join(", ")})` : ""}${condition(draft)}${inner}`;
}

function aliasOf({ random, room }: Draft): string {
  return random.chance(0.05) ? random.pick(namesOfStatements) : `${random.pick(["a", "B", "_c"])}${Math.abs(room)}`;
}

/** Long lists in long lists are refused, and so are most combinations of the arguments of a connection. */
function chanceOf({ name, type }: GraphQLArgument): number {
  if (name === "limit") return 0.9;
  if (name === "first") return 0.7;
  if (name === "last") return 0.1;
  return getNamedType(type).name === "Cursor" ? 0.15 : 0.3;
}

function condition(draft: Draft): string {
  const { random } = draft;
  if (!random.chance(0.08)) return "";
  const directive = random.pick(["@skip", "@include"]);
  return ` ${directive}(if: ${random.chance(0.4) ? random.chance(0.5) : variable(draft, "Boolean!", () => random.chance(0.5))})`;
}

function argumentValue(draft: Draft, { type, name, defaultValue }: GraphQLArgument, answerType: string): string {
  const { random } = draft;
  if (draft.isOdd) return variable(draft, String(type), () => randomValue(random, type));
  const make = () => goodValue(draft, name, type, answerType);
  const literal = () => (isEnumType(getNamedType(type)) ? String(make()) : JSON.stringify(make()));
  if (random.chance(0.5)) return literal();
  // Where the variable or the argument has a default, a variable that can be null stands for a value that cannot.
  const nullable = isNonNullType(type) ? type.ofType : type;
  const hasDefault = random.chance(0.25);
  const mayBeNull = hasDefault || defaultValue !== undefined;
  const declared = `${mayBeNull ? nullable : type}${hasDefault ? ` = ${literal()}` : ""}`;
  const isRequired = isNonNullType(type) && !mayBeNull;
  return variable(draft, declared, () => {
    if (!isRequired && random.chance(0.15)) return undefined;
    return !isRequired && random.chance(0.1) ? null : make();
  });
}

export function variable(draft: Draft, type: string, make: () => unknown): string {
  const { isOdd, random, variables } = draft;
  const free = inheritedNames.filter((each) => isOdd && !variables.has(each));
  const name = free.length > 0 && random.chance(0.3) ? random.pick(free) : `v${variables.size}`;
  draft.variables.set(name, { type, make });
  return `$${name}`;
}

function goodValue(
  { random, cursors }: Draft,
  name: string,
  type: GraphQLArgument["type"],
  answerType: string,
): unknown {
  const named = getNamedType(type);
  const typeName = named.name;
  if (isEnumType(named)) return random.pick(named.getValues()).name;
  if (name === "offset") return random.chance(0.98) ? random.below(4) : random.pick([10_000, 10_001]);
  if (typeName === "Int") return random.chance(0.99) ? random.below(6) : random.pick([-1, 101]);
  if (typeName === "ID") return random.chance(0.95) ? String(1 + random.below(6)) : random.pick(["999", "abc", "0"]);
  if (typeName === "Cursor") return random.chance(0.95) ? random.pick(cursors.get(answerType) ?? [""]) : "WyJ4IiwxXQ==";
  return random.pick(["food", "été", "posts", "users", "1"]);
}
