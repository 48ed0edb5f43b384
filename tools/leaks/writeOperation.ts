import { type GraphQLObjectType, getNamedType, isLeafType, isRequiredArgument } from "graphql";
import type { Path, PathField } from "./paths.ts";

/** How many paths are asked in one request, and how many rows each may end in. */
export const pathsAtOnce = 8;
/** The service counts the fields on the way as well: up to five times these, for each path, are within its 10,000. */
const rowsAtEnd = 200;

/** One query for several paths: the ids on the way, and everything there is to read at the end. */
export function writeOperation(paths: Path[]): string {
  const fields = paths.map((path, i) => {
    const counted = path.filter(({ countArgument }) => countArgument).length;
    const limit = Math.min(100, Math.floor(rowsAtEnd ** (1 / Math.max(1, counted))));
    return `p${i}: ${writePath(path, limit)}`;
  });
  return `query Doctor { ${fields.join("\n")} }`;
}

function writePath([field, ...rest]: Path, limit: number): string {
  const { name, arguments: given, countArgument, type } = field as PathField;
  const args = Object.entries({ ...given, ...(countArgument ? { [countArgument]: limit } : null) });
  const list = args.length > 0 ? `(${args.map(([key, value]) => `${key}: ${value}`).join(", ")})` : "";
  const inner = rest.length > 0 ? `${type.getFields().id ? "id" : ""} ${writePath(rest, limit)}` : leaves(type);
  return `${name}${list} { __typename ${inner} }`;
}

function leaves(type: GraphQLObjectType): string {
  const readable = Object.values(type.getFields()).filter(
    (field) => isLeafType(getNamedType(field.type)) && !field.args.some(isRequiredArgument),
  );
  return readable.map(({ name }) => name).join(" ");
}
