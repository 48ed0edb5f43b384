import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
} from "graphql";

/** One field on the way, with what is given to it as GraphQL writes it. `limit` is added when the path is asked. */
export interface PathField {
  name: string;
  arguments: Record<string, string>;
  /** Its argument for how many, where it answers with many. */
  countArgument: "limit" | "first" | undefined;
  type: GraphQLObjectType;
}

export type Path = PathField[];

/** A value for an argument that must be given: what somebody would try who is after what is hidden. */
export type Guess = (
  field: GraphQLField<unknown, unknown>,
  argument: GraphQLArgument,
  type: string,
) => string | undefined;

/**
 * Every way from Query, at most `depth` fields long, to an object that has an id. Ways that differ only in how they came
 * to their last two fields count once a depth: without that, a cycle (a post's author's posts…) would make millions.
 *
 * @param guess gives the arguments; fields it has none for come back in `untried`
 */
export function everyPath(schema: GraphQLSchema, depth: number, guess: Guess): { paths: Path[]; untried: string[] } {
  const untried = new Set<string>();
  const paths: Path[] = [];
  const query = schema.getQueryType();
  let ends: Path[] = query ? waysOn(query, guess, untried).map((field) => [field]) : [];
  for (let length = 1; length <= depth; length++) {
    paths.push(...ends.filter((path) => path.at(-1)?.type.getFields().id));
    ends = onceEach(
      ends.flatMap((path) => waysOn((path.at(-1) as PathField).type, guess, untried).map((field) => [...path, field])),
    );
  }
  return { paths, untried: [...untried] };
}

function onceEach(paths: Path[]): Path[] {
  const lastTwo = (path: Path) =>
    JSON.stringify(path.slice(-2).map(({ name, arguments: given, type }) => [name, given, type.name]));
  return [...new Map(paths.map((path) => [lastTwo(path), path])).values()];
}

function waysOn(type: GraphQLObjectType, guess: Guess, untried: Set<string>): PathField[] {
  return Object.values(type.getFields()).flatMap((field) => {
    const end = getNamedType(field.type);
    if (!isObjectType(end)) return [];
    const given: Record<string, string> = {};
    for (const argument of field.args.filter((each) => isRequiredArgument(each) && !isCount(each))) {
      const value = guess(field, argument, end.name);
      if (value === undefined) {
        untried.add(`${type.name}.${field.name}`);
        return [];
      }
      given[argument.name] = value;
    }
    const count = field.args.find(isCount)?.name as PathField["countArgument"];
    const countArgument = isMany(field) || count === "first" ? count : undefined;
    return filters(field).map((filter) => ({
      name: field.name,
      arguments: { ...given, ...filter },
      countArgument,
      type: end,
    }));
  });
}

/** Without a filter, and with each value of each filter: drafts alone, for one. */
function filters({ args }: GraphQLField<unknown, unknown>): Record<string, string>[] {
  const filtered = args.flatMap((argument) => {
    const type = getNamedType(argument.type);
    return isEnumType(type) ? type.getValues().map(({ name }) => ({ [argument.name]: name })) : [];
  });
  return [{}, ...filtered];
}

function isCount({ name }: GraphQLArgument): boolean {
  return name === "limit" || name === "first";
}

function isMany({ type }: GraphQLField<unknown, unknown>): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type);
}
