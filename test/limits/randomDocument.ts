import { type GraphQLObjectType, type GraphQLSchema, getNamedType, isCompositeType, isObjectType } from "graphql";

/** Numbers from 0 to below `below`, always the same for a seed (mulberry32). */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const pageSizes = ["0", "1", "2", "3", "7", "100", "101", "-1", "null", "$given", "$byDefault", "$missing"];

/** Values for the variables of a random document. */
export const randomVariables = { given: 4 };

/**
 * A small query with fragments of every kind, none of which leads back to itself; always the same for a seed. Its paging
 * arguments are literals, variables, or left out, whether or not the schema would have them so.
 */
export function randomDocument(schema: GraphQLSchema, seed: number): string {
  const random = randomNumbers(seed);
  const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) && !type.name.startsWith("__"));
  const fragments = Array.from({ length: random(6) }, (_, index) => ({
    name: `F${index}`,
    type: types[random(types.length)] as GraphQLObjectType,
  }));

  /** @param after the first fragment that may be spread: only later ones, so that none goes round in a circle */
  function selections(type: GraphQLObjectType, depth: number, after: number): string {
    return Array.from({ length: 1 + random(3) }, () => selection(type, depth, after)).join(" ");
  }

  function selection(type: GraphQLObjectType, depth: number, after: number): string {
    const spreadable = fragments.slice(after).filter((fragment) => fragment.type === type);
    if (spreadable.length > 0 && random(2) === 0) return `...${spreadable[random(spreadable.length)]?.name}`;
    if (depth > 0 && random(6) === 0) return `... on ${type.name} { ${selections(type, depth - 1, after)} }`;
    const fields = Object.values(type.getFields());
    const field = fields[random(fields.length)] ?? fields[0];
    if (!field) return "__typename";
    const inner = getNamedType(field.type);
    const isInside = isObjectType(inner) || isCompositeType(inner);
    if (isInside && depth === 0) return "__typename";
    const paging = field.args.filter(({ name }) => /^(limit|first|last)$/.test(name) && random(3) > 0);
    const args = paging.map(({ name }) => `${name}: ${pageSizes[random(pageSizes.length)]}`);
    const inside = isObjectType(inner)
      ? ` { ${selections(inner, depth - 1, after)} }`
      : isInside
        ? " { __typename }"
        : "";
    return `${random(5) === 0 ? "alias: " : ""}${field.name}${args.length > 0 ? `(${args})` : ""}${inside}`;
  }

  const definitions = fragments.map(
    ({ name, type }, index) => `fragment ${name} on ${type.name} { ${selections(type, 3, index + 1)} }`,
  );
  const query = selections(schema.getQueryType() as GraphQLObjectType, 5, 0);
  return [`query ($given: Int, $byDefault: Int = 6, $missing: Int) { ${query} }`, ...definitions].join("\n");
}
