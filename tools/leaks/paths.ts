import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
} from "graphql";

/** A field of a path, with its arguments as GraphQL literals. The count argument is added when the query is written. */
export interface PathField {
  name: string;
  arguments: Record<string, string>;
  /** The argument for the number of rows, if the field is a list or a connection. */
  countArgument: "limit" | "first" | undefined;
  type: GraphQLObjectType;
  /** Whether it is `nodes`, `edges` or `node` of a connection. */
  isPart: boolean;
  /** Whether the field returns an interface, of which the type is one. */
  isOneOfTypes: boolean;
}

export type Path = PathField[];

/** Gives a literal for a required argument, chosen as an attacker would choose it. */
export type Guess = (
  field: GraphQLField<unknown, unknown>,
  argument: GraphQLArgument,
  type: string,
) => string | undefined;

/**
 * Every path from Query to an object with an id, of its own or of another object, at most `depth` fields long; a connection and its rows
 * are one. Of the paths of one length that end in the same two fields, only one is kept, and only at the shortest lengths; the same
 * holds for those that end in the same filtered list of a type. Cycles (the posts of a post's author…) would make millions.
 *
 * @param guess gives the required arguments. `untried` lists the fields for which it has none.
 * @param lengthsOfEnd at how many lengths the same two fields are kept. With 2, each end is reached from two places.
 */
export function everyPath(
  schema: GraphQLSchema,
  depth: number,
  guess: Guess,
  lengthsOfEnd = 2,
): { paths: Path[]; untried: string[] } {
  const untried = new Set<string>();
  const paths: Path[] = [];
  const lengths = new Map<string, number>();
  const query = schema.getQueryType();
  // Paths that name a hidden object come first: they stand for others with the same end, such as those from `me`.
  const argumentsOf = (field: PathField) => Object.keys(field.arguments).length;
  const roots = query ? fieldsOf(schema, query, guess, untried) : [];
  const toRows = (path: Path): Path[] => {
    const { type } = path.at(-1) as PathField;
    if (!leadsToRows(type.name)) return [path];
    // The rows of `edges` are those of `nodes`: edges are asked for at the root alone.
    const parts = fieldsOf(schema, type, guess, untried).filter(({ name }) => name !== "edges" || path.length === 1);
    return parts.flatMap((field) => toRows([...path, field]));
  };
  let ends = roots.sort((a, b) => argumentsOf(b) - argumentsOf(a)).flatMap((field) => toRows([field]));
  for (let length = 1; length <= depth; length++) {
    const reached = ends.filter((path) => Object.keys(path.at(-1)?.type.getFields() ?? {}).some(isId));
    paths.push(...reached.filter((path) => countUp(lengths, lastTwo(path)) <= lengthsOfEnd));
    // The fields of an interface are reached by those of the object's own type as well.
    const continued = ends.filter((path) => {
      const end = path.at(-1) as PathField;
      return !end.isOneOfTypes && !(end.isPart && end.name === "node");
    });
    ends = onceEach(
      continued.flatMap((path) =>
        fieldsOf(schema, (path.at(-1) as PathField).type, guess, untried).flatMap((field) => toRows([...path, field])),
      ),
    );
  }
  return { paths, untried: [...untried] };
}

/** Whether a type is a connection or an edge, which lead to rows. */
function leadsToRows(typeName: string): boolean {
  return /(Connection|Edge)$/.test(typeName);
}

/** `id`, or the id of another object: `chatId`. */
function isId(fieldName: string): boolean {
  return /^id$|^(?!node).+Id$/.test(fieldName);
}

/**
 * The fields of a connection stand for no field of their own. A list with a filter is told by the type that has it: without the filter, it
 * is queried behind each field.
 */
function lastTwo(path: Path): string {
  const own = path.filter(({ isPart }) => !isPart).slice(-2);
  const [last, owner] = own.toReversed();
  const isFiltered = last !== undefined && Object.keys(last.arguments).length > 0;
  const fields = isFiltered ? [last] : own;
  const named = [...fields, path.at(-1)].map((field) => field && [field.name, field.arguments, field.type.name]);
  return JSON.stringify([isFiltered && owner?.type.name, ...named]);
}

function countUp(counts: Map<string, number>, key: string): number {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
}

function onceEach(paths: Path[]): Path[] {
  return [...new Map(paths.map((path) => [lastTwo(path), path])).values()];
}

function fieldsOf(schema: GraphQLSchema, type: GraphQLObjectType, guess: Guess, untried: Set<string>): PathField[] {
  return Object.values(type.getFields()).flatMap((field) => {
    const named = getNamedType(field.type);
    const ends = isInterfaceType(named) ? schema.getPossibleTypes(named) : isObjectType(named) ? [named] : [];
    return ends.flatMap((end) => fieldsTo(end, field, type, guess, untried));
  });
}

function fieldsTo(
  end: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
  { name: parent }: GraphQLObjectType,
  guess: Guess,
  untried: Set<string>,
): PathField[] {
  const given: Record<string, string> = {};
  for (const argument of field.args.filter((each) => isRequiredArgument(each) && !isCount(each))) {
    const value = guess(field, argument, end.name);
    if (value === undefined) {
      untried.add(`${parent}.${field.name}`);
      return [];
    }
    given[argument.name] = value;
  }
  const count = field.args.find(isCount)?.name as PathField["countArgument"];
  const countArgument = isMany(field) || count === "first" ? count : undefined;
  const isOneOfTypes = isInterfaceType(getNamedType(field.type));
  // Lists below the root have the same filters, and would make too many paths.
  const guessed = (argument: GraphQLArgument) => (parent === "Query" ? guess(field, argument, end.name) : undefined);
  return filters(field, guessed).map((filter) => ({
    name: field.name,
    arguments: { ...given, ...filter },
    countArgument,
    type: end,
    isPart: leadsToRows(parent),
    isOneOfTypes,
  }));
}

/** No filter, each value of each enum argument (drafts only, for example), and each optional argument that there is a guess for. */
function filters(
  { args }: GraphQLField<unknown, unknown>,
  guessed: (argument: GraphQLArgument) => string | undefined,
): Record<string, string>[] {
  const filtered = args.flatMap((argument) => {
    const type = getNamedType(argument.type);
    // Another order has the same rows (test/reading).
    if (argument.name === "orderBy") return [];
    if (isEnumType(type)) return type.getValues().map(({ name }) => ({ [argument.name]: name }));
    const value = isRequiredArgument(argument) || isCount(argument) ? undefined : guessed(argument);
    return value === undefined ? [] : [{ [argument.name]: value }];
  });
  return [{}, ...filtered];
}

function isCount({ name }: GraphQLArgument): boolean {
  return name === "limit" || name === "first";
}

function isMany({ type }: GraphQLField<unknown, unknown>): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type);
}
