import { type PgCodec, type PgCodecWithAttributes, TYPES } from "postgraphile/@dataplan/pg";
import { type SQL, sql } from "postgraphile/@dataplan/pg/pg-sql2";
import type { GivenArguments } from "../compiled/fieldSource.ts";
import { type Build, type Field, linesOf } from "./fields.ts";

/** A function that a smart tag names, and that applies some of a list's filters. */
export interface FilteredFunction {
  name: SQL;
  /** The filters that a request gives, as named arguments. Undefined if the function does not fit them. */
  filters(args: GivenArguments): SQL[] | undefined;
  /** The arguments that have to be given. */
  required: string[];
  /** Whether the function also finds the rows after a cursor. */
  knowsAfter: boolean;
  /** The arguments of the filters that the function knows. */
  arguments: string[];
  /** The given filters that the function knows. */
  known(args: GivenArguments): SQL[];
}

/** The arguments of each list and connection that say which rows of all are listed, and in which order; not which ones there are. */
export const pagingArguments = ["first", "last", "limit", "offset", "before", "after", "orderBy"];

/** An argument that filters by a function: a line of the table's @listFilter. */
export interface FunctionFilter {
  /** In the smart tag. Functions have an argument of this name. */
  filterName: string;
  argument: string;
  name: SQL;
  codec: PgCodec;
}

/** The filters of a table by functions: `@listFilter tag lib.post_ids_of_tag`. */
export function functionFilters(codec: PgCodec, build: Build): FunctionFilter[] {
  return linesOf(codec.extensions?.tags, "listFilter").map((line) => {
    const [filterName = "", name, ...others] = line.split(/\s+/);
    if (!name?.includes(".") || others.length > 0) {
      throw new Error(`@listFilter of ${codec.name}: “${line}” is not an argument and a function with its schema`);
    }
    const argument = build.inflection.camelCase(filterName);
    return { filterName, argument, name: sql.identifier(...name.split(".")), codec: TYPES.text };
  });
}

/**
 * Reads a smart tag such as `@firstRows lib.first_books genre`: a function, and the filters that it knows. One with an exclamation
 * mark has to be given.
 */
export function filteredFunction(
  tagName: string,
  tag: string,
  field: Field,
  codec: PgCodecWithAttributes,
  build: Build,
): FilteredFunction {
  const [name = "", ...words] = tag.split(/\s+/);
  const byFunction = functionFilters(codec, build);
  const known = words
    .filter((word) => word !== "after")
    .map((word) => {
      const filterName = word.replace(/!$/, "");
      const isRequired = word !== filterName;
      const attribute = codec.attributes[filterName];
      const filter = byFunction.find((each) => each.filterName === filterName);
      if (!attribute && !filter) throw new Error(`@${tagName} of ${codec.name}: there is no column ${filterName}`);
      const argument = filter?.argument ?? build.inflection.attribute({ codec, attributeName: filterName });
      return { filterName, isRequired, argument, codec: (attribute?.codec ?? filter?.codec) as PgCodec };
    });
  const others = Object.keys(field.args ?? {}).filter(
    (argument) => known.every((each) => each.argument !== argument) && !pagingArguments.includes(argument),
  );
  const given = (args: GivenArguments) =>
    known
      .filter(({ argument }) => args.isPresent(argument))
      .map((each) => sql`${sql.identifier(each.filterName)} => ${args.parameter(each.argument, each.codec)}`);
  return {
    name: sql.identifier(...name.split(".")),
    required: known.filter(({ isRequired }) => isRequired).map(({ argument }) => argument),
    knowsAfter: words.includes("after"),
    arguments: known.map(({ argument }) => argument),
    known: given,
    filters: (args) =>
      others.some((argument) => args.isPresent(argument)) ||
      known.some(({ isRequired, argument }) => isRequired && !args.isPresent(argument))
        ? undefined
        : given(args),
  };
}

/** Beyond so many rows, looking each one up costs more than reading them in the list's order. */
const maxPage = 200;

/** So many rows, for a function that finds the first ones. Undefined if that is a large number. */
export function pageOfRows(count: number): SQL | undefined {
  return count <= maxPage ? sql`${sql.literal(count)}::int4` : undefined;
}
