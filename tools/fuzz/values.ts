import type { Random } from "@content-service/testing/Random.ts";
import { type GraphQLInputType, getNamedType, isEnumType, isInputObjectType, isListType, isNonNullType } from "graphql";

const oddValues: unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1,
  20,
  101,
  1.5,
  1e308,
  2 ** 31,
  2 ** 53,
  "",
  " ",
  "1",
  "-1",
  "abc",
  "\0",
  "\uD800",
  "\uFFFE",
  "𝄞",
  "é",
  "' or 1=1",
  "$1",
  "%s",
  "x".repeat(300),
  // NFC reorders a run of combining marks in quadratic time.
  "\u0316\u0300".repeat(200),
  "\u0316\u0300".repeat(5_000),
  10_000,
  [],
  [null],
  [[1]],
  {},
  { __proto__: 1 },
  { a: { b: [] } },
];

/** A random value, which fits `type` in most cases. */
export function randomValue(random: Random, type: GraphQLInputType, depth = 0): unknown {
  if (random.chance(0.04)) return random.pick(oddValues);
  if (isNonNullType(type)) return randomValue(random, type.ofType, depth);
  if (isListType(type)) {
    const length = random.chance(0.02) ? 1_000 + random.below(9_000) : random.below(4);
    if (length >= 1_000) return Array.from({ length }, (_, index) => `tag ${index}`);
    return Array.from({ length }, () => randomValue(random, type.ofType, depth + 1));
  }
  const named = getNamedType(type);
  if (isEnumType(named)) return random.pick(named.getValues()).name;
  if (isInputObjectType(named)) {
    if (depth > 3) return {};
    const fields = Object.values(named.getFields()).filter((field) => isNonNullType(field.type) || random.chance(0.6));
    return Object.fromEntries(fields.map((field) => [field.name, randomValue(random, field.type, depth + 1)]));
  }
  if (named.name === "Int") return random.chance(0.1) ? random.pick([-1, 100, 101, 9_999, 10_000]) : random.below(30);
  if (named.name === "Boolean") return random.chance(0.5);
  if (named.name === "ID") return String(random.below(40));
  return random.pick(["A word", "two words", "words\nand lines", "ünïcode 漢字", `w${random.below(1e6)}@example.com`]);
}
