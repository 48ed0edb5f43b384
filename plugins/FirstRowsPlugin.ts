import "postgraphile";
import { describeSource, type RowsSource, sourceOf } from "@content-service/compiled-queries/fieldSource.ts";
import type { PgCodecWithAttributes } from "postgraphile/@dataplan/pg";
import { sql } from "postgraphile/@dataplan/pg/pg-sql2";
import { type Build, type Field, type FieldContext, linesOf } from "./support/fields.ts";
import { filteredFunction } from "./support/filteredFunction.ts";
import { listKey } from "./support/listKey.ts";
import { pageOfRows } from "./support/pageOf.ts";

/**
 * The smart tag `@firstRows app_hidden.first_books genre` of a table names a function that finds the first rows of its root list and
 * connection faster than the list's own order would under the policies. Its arguments are the number of rows, `page`, and the filters that
 * it knows. It returns those rows, or more. packages/compiled-queries reads from it, unless the list is long, has another filter or an order
 * that the client has chosen. Of several lines, the first one that fits is used. A filter with an exclamation mark, `genre!`, has to be given.
 *
 * On a foreign key, it names the function for the list from the row that the key refers to, also through a join table. Its arguments are
 * also the columns of the key.
 *
 * The word `after` says that the function also finds the rows after a cursor: it has an argument `after_listed_at` for each column of the
 * list's order. Their defaults are before all rows.
 */
export const FirstRowsPlugin: GraphileConfig.Plugin = {
  name: "FirstRowsPlugin",
  version: "1.0.0",
  after: ["ListFilterPlugin", "ListOrderPlugin"],
  before: ["LimitOffsetPlugin"],
  schema: { hooks: { GraphQLObjectType_fields_field: readFirstRows } },
};

function readFirstRows(field: Field, build: Build, { scope }: FieldContext): Field {
  const { isRootQuery, isPgFieldSimpleCollection, isPgFieldConnection, pgFieldResource: resource } = scope;
  const source = sourceOf(field)?.source;
  if (!isPgFieldSimpleCollection && !isPgFieldConnection) return field;
  if (!resource || resource.parameters || (source?.kind !== "list" && source?.kind !== "connection")) return field;
  const key = listKey(scope);
  const lines = linesOf(key ? key.tags : isRootQuery ? resource.codec.extensions?.tags : undefined, "firstRows");
  if (lines.length === 0) return field;
  const functions = lines.map((line) => {
    const words = line.split(/\s+/).filter((word) => word !== "after");
    const codec = resource.codec as PgCodecWithAttributes;
    const called = filteredFunction("firstRows", words.join(" "), field, codec, build);
    return { ...called, knowsAfter: line.split(/\s+/).includes("after") };
  });
  // The function has found the rows of the key and of the filters that have to be given, so that nothing looks for them again.
  const ofOthers = source.where.slice(key ? 1 : 0);
  const first: RowsSource["first"] = (row, args, count, after) => {
    const page = pageOfRows(count);
    if (!page || args.isPresent("orderBy")) return undefined;
    for (const { name, filters, required, knowsAfter } of functions) {
      const known = filters(args);
      if (!known || (after && !knowsAfter)) continue;
      const place = (after ?? []).map((value, i) => {
        const column = source.order?.[i]?.attribute;
        return sql`${sql.identifier(`after_${column}`)} => ${value}`;
      });
      const given = [...(key?.arguments(row) ?? []), sql`page => ${page}`, ...known, ...place];
      return {
        from: sql`${name}(${sql.join(given, ", ")})`,
        where: ofOthers.filter(({ filter }) => filter === undefined || !required.includes(filter)),
      };
    }
    return undefined;
  };
  return describeSource(field, { ...source, first });
}
