import { Random } from "@content-service/testing/Random.ts";
import { type GraphQLObjectType, type GraphQLSchema, getNamedType, isCompositeType, isObjectType } from "graphql";

const pageSizes = ["0", "1", "2", "3", "7", "100", "101", "-1", "null", "$given", "$byDefault", "$missing"];

/** Values for the variables of a random document. */
export const randomVariables = { given: 4 };

/**
 * A small query with fragments of every kind, none of which leads back to itself; always the same for a seed. Its paging
 * arguments are literals, variables, or left out, whether or not the schema would have them so.
 */
export function randomDocument(schema: GraphQLSchema, seed: number): string {
  const random = new Random(seed);
  const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) && !type.name.startsWith("__"));
  const fragments = Array.from({ length: random.below(6) }, (_, index) => ({
    name: `F${index}`,
    type: random.pick(types) as GraphQLObjectType,
  }));

  /** @param after the first fragment that may be spread: only later ones, so that none goes round in a circle */
  function selections(type: GraphQLObjectType, depth: number, after: number): string {
    return Array.from({ length: 1 + random.below(3) }, () => selection(type, depth, after)).join(" ");
  }

  function selection(type: GraphQLObjectType, depth: number, after: number): string {
    const spreadable = fragments.slice(after).filter((fragment) => fragment.type === type);
    if (spreadable.length > 0 && random.below(2) === 0) return `...${random.pick(spreadable).name}`;
    if (depth > 0 && random.below(6) === 0) return `... on ${type.name} { ${selections(type, depth - 1, after)} }`;
    const fields = Object.values(type.getFields());
    if (fields.length === 0) return "__typename";
    const field = random.pick(fields);
    const inner = getNamedType(field.type);
    const isInside = isObjectType(inner) || isCompositeType(inner);
    if (isInside && depth === 0) return "__typename";
    const paging = field.args.filter(({ name }) => /^(limit|first|last)$/.test(name) && random.below(3) > 0);
    const sizes = paging.map(() => random.pick(pageSizes));
    const args = paging.map(({ name }, index) => `${name}: ${sizes[index]}`);
    if (sizes.length > 0 && field.args.some(({ name }) => name === "offset")) args.push(`offset: ${sizes[0]}`);
    const inside = isObjectType(inner)
      ? ` { ${selections(inner, depth - 1, after)} }`
      : isInside
        ? " { __typename }"
        : "";
    return `${random.below(5) === 0 ? "alias: " : ""}${field.name}${args.length > 0 ? `(${args})` : ""}${inside}`;
  }

  const definitions = fragments.map(
    ({ name, type }, index) => `fragment ${name} on ${type.name} { ${selections(type, 3, index + 1)} }`,
  );
  const query = selections(schema.getQueryType() as GraphQLObjectType, 5, 0);
  return [`query ($given: Int, $byDefault: Int = 6, $missing: Int) { ${query} }`, ...definitions].join("\n");
}
