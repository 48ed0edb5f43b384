import "postgraphile";
import type { PgCodecWithAttributes } from "postgraphile/@dataplan/pg";
import { type SQL, sql } from "postgraphile/@dataplan/pg/pg-sql2";
import { type Build, type Field, type FieldContext, smartTag } from "./support/fields.ts";
import { filteredFunction, keyArguments } from "./support/filteredFunction.ts";
import { pageOf, pageOfRows } from "./support/pageOf.ts";
import { describeReads, type GivenArguments, type Row, readsOf } from "./support/reads.ts";

/**
 * The smart tag `@firstRows app_hidden.first_books genre` of a table names a function that finds the first rows of its root list and
 * connection faster than the list's own order would under the policies. Its arguments are the number of rows, `page`, and the filters that
 * it knows. It returns those rows, or more. src/graphql/compiled reads from it, unless the list is long or has another filter.
 *
 * On a foreign key of a join table, it names the function for the list through that table, from the row that the key refers to. Its
 * arguments are also the columns of the key.
 */
export const FirstRowsPlugin: GraphileConfig.Plugin = {
  name: "FirstRowsPlugin",
  version: "1.0.0",
  after: ["ListFilterPlugin", "ListOrderPlugin"],
  before: ["LimitOffsetPlugin"],
  schema: { hooks: { GraphQLObjectType_fields_field: readFirstRows } },
};

function readFirstRows(field: Field, build: Build, { scope }: FieldContext): Field {
  const { isRootQuery, isPgFieldSimpleCollection, isPgFieldConnection, pgFieldResource: resource, pgCrossing } = scope;
  const reads = readsOf(field)?.reads;
  if (!isPgFieldSimpleCollection && !isPgFieldConnection) return field;
  if (!resource || resource.parameters || (reads?.kind !== "list" && reads?.kind !== "connection")) return field;
  // A connection through a join table reads it.
  const key = isPgFieldConnection ? undefined : pgCrossing?.toLeft;
  const tag = key ? key.extensions?.tags?.firstRows : isRootQuery ? smartTag(resource, "firstRows") : undefined;
  if (tag === undefined) return field;
  const { name, filters } = filteredFunction("firstRows", tag, field, resource.codec as PgCodecWithAttributes, build);
  const rows = (row: Row, args: GivenArguments, page: SQL | undefined) => {
    const known = filters(args);
    if (!page || !known || args.isPresent("orderBy")) return undefined;
    return sql`${name}(${sql.join([...keyArguments(key, row), sql`page => ${page}`, ...known], ", ")})`;
  };
  if (reads.kind === "connection") {
    return describeReads(field, { ...reads, first: (row, args, count) => rows(row, args, pageOfRows(count)) });
  }
  const from = (row: Row, args: GivenArguments) => rows(row, args, pageOf(args)) ?? reads.from(row, args);
  // The function has found the rows of the key, so that nothing looks for them again.
  const [ofKey, ...where] = reads.where;
  if (!key || !ofKey) return describeReads(field, { ...reads, from });
  const unlessFound: typeof ofKey = (found, row, args) =>
    rows(row, args, pageOf(args)) ? undefined : ofKey(found, row, args);
  return describeReads(field, { ...reads, from, where: [unlessFound, ...where] });
}
