import "postgraphile";
import { describeSource, sourceOf } from "@content-service/compiled-queries/fieldSource.ts";
import type { PgCodecWithAttributes } from "postgraphile/@dataplan/pg";
import { sql } from "postgraphile/@dataplan/pg/pg-sql2";
import { type Build, type Field, type FieldContext, smartTag } from "./support/fields.ts";
import { filteredFunction } from "./support/filteredFunction.ts";
import { listKey } from "./support/listKey.ts";

/**
 * The smart tag `@totalCount app_public.books_count genre` of a table names a function that returns the number of its rows that the
 * viewer may see. Its arguments are the filters that it knows. packages/compiled-queries takes the `totalCount` of the root connection from
 * it, unless the request has another filter.
 *
 * On a foreign key, it names the function for the connection from the row that the key refers to, also through a join table. Its arguments
 * are also the columns of the key.
 */
export const TotalCountPlugin: GraphileConfig.Plugin = {
  name: "TotalCountPlugin",
  version: "1.0.0",
  after: ["ListFilterPlugin", "ListOrderPlugin"],
  schema: { hooks: { GraphQLObjectType_fields_field: readTotalCount } },
};

function readTotalCount(field: Field, build: Build, { scope }: FieldContext): Field {
  const { isRootQuery, isPgFieldConnection, pgFieldResource: resource } = scope;
  const source = sourceOf(field)?.source;
  if (!isPgFieldConnection || !resource || resource.parameters || source?.kind !== "connection") return field;
  const key = listKey(scope);
  const tag = key ? key.tags["totalCount"] : isRootQuery ? smartTag(resource, "totalCount") : undefined;
  if (tag === undefined) return field;
  const { name, filters } = filteredFunction("totalCount", tag, field, resource.codec as PgCodecWithAttributes, build);
  return describeSource(field, {
    ...source,
    count: (row, args) => {
      const given = filters(args);
      return given && sql`${name}(${sql.join([...(key?.arguments(row) ?? []), ...given], ", ")})`;
    },
  });
}
