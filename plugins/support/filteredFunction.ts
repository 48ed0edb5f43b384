import type { PgCodec, PgCodecRelation, PgCodecWithAttributes } from "postgraphile/@dataplan/pg";
import { type SQL, sql } from "postgraphile/@dataplan/pg/pg-sql2";
import type { Build, Field } from "./fields.ts";
import type { GivenArguments, Row } from "./reads.ts";

/** A function that a smart tag names, and that applies some of a list's filters. */
export interface FilteredFunction {
  name: SQL;
  /** The filters that a request gives, as named arguments. Undefined if it gives one that the function does not know. */
  filters(args: GivenArguments): SQL[] | undefined;
}

/** Says which rows of all are listed, and in which order; not which ones there are. */
const pagingArguments = ["first", "last", "offset", "before", "after", "orderBy"];

/** Reads a smart tag such as `@firstRows app_hidden.first_books genre`: a function, and the columns by which it filters. */
export function filteredFunction(
  tagName: string,
  tag: unknown,
  field: Field,
  codec: PgCodecWithAttributes,
  build: Build,
): FilteredFunction {
  const [name = "", ...attributeNames] = String(tag).split(/\s+/);
  const known = attributeNames.map((attributeName) => {
    const attribute = codec.attributes[attributeName];
    if (!attribute) throw new Error(`@${tagName} of ${codec.name}: there is no column ${attributeName}`);
    return {
      attributeName,
      argument: build.inflection.attribute({ codec, attributeName }),
      codec: attribute.codec as PgCodec,
    };
  });
  const others = Object.keys(field.args ?? {}).filter(
    (argument) => known.every((each) => each.argument !== argument) && !pagingArguments.includes(argument),
  );
  return {
    name: sql.identifier(...name.split(".")),
    filters: (args) =>
      others.some((argument) => args.isPresent(argument))
        ? undefined
        : known
            .filter(({ argument }) => args.isPresent(argument))
            .map((each) => sql`${sql.identifier(each.attributeName)} => ${args.parameter(each.argument, each.codec)}`),
  };
}

/** The columns of a foreign key, as named arguments, with the values of the row that the key refers to. */
export function keyArguments(key: PgCodecRelation | undefined, row: Row): SQL[] {
  return (key?.localAttributes ?? []).map(
    (column, i) => sql`${sql.identifier(column)} => ${row}.${sql.identifier(key?.remoteAttributes[i] as string)}`,
  );
}
