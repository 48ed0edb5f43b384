import type { Random } from "@content-service/testing/Random.ts";
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";
import { type Draft, newDraft, type RandomRequest, requestOf, selectionSet, variable } from "./plainRequest.ts";
import { randomValue } from "./values.ts";

/** Tokens and passwords are random, or take long to hash. */
const isSecret = ({ name }: GraphQLArgument) => /password|token/i.test(name);

/** A random mutation of one field, with values in variables, in literals, or both. */
export function randomMutation(random: Random, schema: GraphQLSchema): RandomRequest {
  const draft = newDraft(random, new Map());
  const fields = Object.values(schema.getMutationType()?.getFields() ?? {});
  const field = random.pick(fields.filter(({ args }) => !args.some((arg) => isSecret(arg) && isNonNullType(arg.type))));
  const given = field.args.filter((arg) => !isSecret(arg) && (isNonNullType(arg.type) || random.chance(0.7)));
  const args = given.map(({ name, type }) => `${name}: ${written(draft, type, 0)}`);
  return requestOf(
    draft,
    "mutation",
    `{ ${field.name}${args.length > 0 ? `(${args.join(", ")})` : ""}${inner(draft, field)} }`,
  );
}

function inner(draft: Draft, { type }: GraphQLField<unknown, unknown>): string {
  const named = getNamedType(type);
  return isObjectType(named) ? ` ${selectionSet(draft, named, 2)}` : "";
}

/** A value in the document: a variable, or a literal that may have variables in it. */
function written(draft: Draft, type: GraphQLInputType, depth: number): string {
  const { random } = draft;
  if (random.chance(depth === 0 ? 0.5 : 0.2)) {
    return variable(draft, String(type), () => {
      const isMissing = !isNonNullType(type) && random.chance(0.2);
      return isMissing ? undefined : likelyValue(random, type);
    });
  }
  if (!isNonNullType(type) && random.chance(0.1)) return "null";
  const inside = isNonNullType(type) ? type.ofType : type;
  if (isListType(inside)) {
    const items = Array.from({ length: random.below(4) }, () => written(draft, inside.ofType, depth + 1));
    // Grafast 1.1.3 cannot plan a list that has the same literal twice beside a variable.
    return `[${[...new Set(items)].join(", ")}]`;
  }
  if (!isInputObjectType(inside)) {
    const value = likelyValue(random, inside);
    return isEnumType(inside) ? String(value) : JSON.stringify(value);
  }
  const fields = Object.values(inside.getFields()).filter((field) => isNonNullType(field.type) || random.chance(0.6));
  return `{${fields.map((field) => `${field.name}: ${written(draft, field.type, depth + 1)}`).join(", ")}}`;
}

function likelyValue(random: Random, type: GraphQLInputType): unknown {
  const named = getNamedType(type);
  const isId = named.name === "ID" && !isListType(isNonNullType(type) ? type.ofType : type);
  if (isId) return random.chance(0.9) ? String(1 + random.below(9)) : random.pick(["abc", "", "99999999999999999999"]);
  const value = randomValue(random, type, 1);
  // Of another type, a literal would be refused before it runs.
  return named.name === "String" && typeof value !== "string" && !isListType(isNonNullType(type) ? type.ofType : type)
    ? "Text"
    : value;
}
