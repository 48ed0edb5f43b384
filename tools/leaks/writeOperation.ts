import { type GraphQLObjectType, getNamedType, isLeafType, isRequiredArgument } from "graphql";
import type { Path, PathField } from "./paths.ts";

/** How many paths one request queries. Fewer, if the service refuses them for their cost. */
export const pathsAtOnce = 8;
/**
 * How many rows each path may return. The service also counts the rows on the way, and 100 more for each function of each of them. A path stays below its limit of 50,000.
 */
const rowsAtEnd = 50;

/** One query for several paths. It selects the ids and the numbers of children on the way, and every scalar field at the end. */
export function writeOperation(paths: Path[]): string {
  const fields = paths.map((path, i) => {
    const counted = path.filter(({ countArgument }) => countArgument).length;
    const limit = Math.min(100, Math.floor(rowsAtEnd ** (1 / Math.max(1, counted))));
    return `p${i}: ${writePath(path, limit)}`;
  });
  return `query Leaks { ${fields.join("\n")} }`;
}

function writePath([field, ...rest]: Path, limit: number): string {
  const { name, arguments: given, countArgument, type, isOneOfTypes } = field as PathField;
  const args = Object.entries({ ...given, ...(countArgument ? { [countArgument]: limit } : null) });
  const list = args.length > 0 ? `(${args.map(([key, value]) => `${key}: ${value}`).join(", ")})` : "";
  const [next] = rest;
  const inner = next ? `${onTheWay(type, next)} ${writePath(rest, limit)}` : leaves(type);
  return `${name}${list} { __typename ${isOneOfTypes ? `... on ${type.name} { ${inner} }` : inner} }`;
}

function onTheWay(type: GraphQLObjectType, next: PathField): string {
  const known = type.getFields();
  const isWhole = Object.keys(next.arguments).length === 0;
  const names = ["id", ...(isWhole ? [next.name.replace(/Connection$/, "Count")] : []), "totalCount"];
  return names
    .filter((name) => name in known && name !== next.name)
    .concat("pageInfo" in known ? ["pageInfo { hasNextPage }"] : [])
    .join(" ");
}

function leaves(type: GraphQLObjectType): string {
  const readable = Object.values(type.getFields()).filter(
    (field) => isLeafType(getNamedType(field.type)) && !field.args.some(isRequiredArgument),
  );
  return readable.map(({ name }) => name).join(" ");
}
