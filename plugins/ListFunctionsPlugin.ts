import type { PgCodecWithAttributes, PgResource } from "postgraphile/@dataplan/pg";
import { sql } from "postgraphile/@dataplan/pg/pg-sql2";
import { describeSource, type RowsSource, sourceOf } from "./compiled/fieldSource.ts";
import { type Build, type Field, type FieldContext, linesOf, primaryKeyOf } from "./support/fields.ts";
import { type FilteredFunction, filteredFunction, pageOfRows } from "./support/filteredFunction.ts";
import { type ListKey, listKey } from "./support/listKey.ts";
import { version } from "./support/version.ts";

/**
 * Smart tags name functions that find the rows of a list, or their number, faster than the table under its policies.
 * compiled/ reads from them; the engine reads the table. The arguments of a function are the filters that it knows.
 *
 * `@firstRows lib.first_books genre` of a table returns the first rows of its root list and connection, or more; it has the argument
 * `page`, the number of rows. It is not used if the list is long, or has another filter or an order that the client has chosen. Of several
 * lines, the first one that fits is used. A filter with an exclamation mark, `genre!`, has to be given. The word `after` says that the
 * function also finds the rows after a cursor: it has an argument `after_listed_at` for each column of the list's order. Their defaults are
 * before all rows.
 *
 * `@totalCount lib.books_count genre` of a table returns the `totalCount` of its root connection. It is not used if the request has
 * another filter.
 *
 * Both on a foreign key are for the list from the row that the key refers to, also through a join table. The columns of the key are
 * arguments as well.
 *
 * The lines `@listPart lib.public_books genre` of a table return parts of its rows: for example those that everybody may see, and the
 * viewer's own others. Together they return all rows that the viewer may see, each once, under the filters that they know. The first rows of each part are read, in the list's
 * order and under its conditions, so that indexes of each kind serve them and no row is read that the policies leave out.
 */
export const ListFunctionsPlugin: GraphileConfig.Plugin = {
  name: "ListFunctionsPlugin",
  version,
  description: "Reads lists by functions: @firstRows, @totalCount, @listPart.",
  schema: {
    hooks: {
      GraphQLObjectType_fields_field: {
        after: ["FieldSourcesPlugin", "ListFilterPlugin", "ListOrderPlugin", "RequiresPlugin"],
        callback: readFunctions,
      },
    },
  },
};

function readFunctions(field: Field, build: Build, { scope }: FieldContext): Field {
  const resource = scope.pgFieldResource as PgResource | undefined;
  const source = sourceOf(field)?.source;
  if (!resource || resource.parameters || (source?.kind !== "list" && source?.kind !== "connection")) return field;
  const codec = resource.codec as PgCodecWithAttributes;
  const key = listKey(scope);
  const ofTable = codec.extensions?.tags;
  const ofList = key ? key.tags : scope.isRootQuery ? ofTable : undefined;
  const functionsOf = (tags: Record<string, unknown> | undefined, tag: string) =>
    linesOf(tags, tag).map((line) => filteredFunction(tag, line, field, codec, build));
  const partitions = functionsOf(ofTable, "listPart");
  const firsts = functionsOf(ofList, "firstRows");
  const leftBy = (part: FilteredFunction) =>
    source.where.filter(({ filter }) => filter === undefined || !part.arguments.includes(filter));
  const [counter] = source.kind === "connection" ? functionsOf(ofList, "totalCount") : [];
  if (partitions.length === 0 && firsts.length === 0 && !counter) return field;
  return describeSource(field, {
    ...source,
    ...(partitions.length > 0 && {
      keys: primaryKeyOf(resource),
      partitions: (args) =>
        partitions.map((part) => ({
          from: sql`${part.name}(${sql.join(part.known(args), ", ")})`,
          where: leftBy(part),
        })),
    }),
    ...(firsts.length > 0 && { firstRows: firstRows(source, firsts, key) }),
    ...(counter && { count: totalCount(counter, key) }),
  });
}

function firstRows(
  source: RowsSource,
  functions: readonly FilteredFunction[],
  key: ListKey | undefined,
): NonNullable<RowsSource["firstRows"]> {
  // The function has found the rows of the key and of the filters that have to be given, so that nothing looks for them again.
  const ofOthers = source.where.slice(key ? 1 : 0);
  return (row, args, count, after) => {
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
}

function totalCount({ name, filters }: FilteredFunction, key: ListKey | undefined): NonNullable<RowsSource["count"]> {
  return (row, args) => {
    const given = filters(args);
    return given && sql`${name}(${sql.join([...(key?.arguments(row) ?? []), ...given], ", ")})`;
  };
}
