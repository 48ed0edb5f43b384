import "postgraphile";
import { describeSource, sourceOf } from "@content-service/compiled-queries/fieldSource.ts";
import type { PgCodecWithAttributes, PgResource } from "postgraphile/@dataplan/pg";
import { sql } from "postgraphile/@dataplan/pg/pg-sql2";
import { type Build, type Field, type FieldContext, linesOf } from "./support/fields.ts";
import { filteredFunction } from "./support/filteredFunction.ts";

/**
 * The lines `@listPart app_hidden.public_books genre` of a table name functions, each of which returns a part of the rows: for example those
 * that everybody may see, and the viewer's own others. Together they return all rows that the viewer may see, each once. packages/compiled-queries
 * reads the first rows of each part, in the list's order and under its conditions, so that indexes of each kind serve them and no row is
 * read that the policies leave out. A function's arguments are filters that it knows; all filters are also conditions.
 */
export const ListPartsPlugin: GraphileConfig.Plugin = {
  name: "ListPartsPlugin",
  version: "1.0.0",
  after: ["ListFilterPlugin", "ListOrderPlugin"],
  schema: { hooks: { GraphQLObjectType_fields_field: readParts } },
};

function readParts(field: Field, build: Build, { scope }: FieldContext): Field {
  const { isPgFieldSimpleCollection, isPgFieldConnection, pgFieldResource: resource } = scope;
  const source = sourceOf(field)?.source;
  if ((!isPgFieldSimpleCollection && !isPgFieldConnection) || !resource || resource.parameters) return field;
  if (source?.kind !== "list" && source?.kind !== "connection") return field;
  const codec = resource.codec as PgCodecWithAttributes;
  const parts = linesOf(codec.extensions?.tags, "listPart").map((line) =>
    filteredFunction("listPart", line, field, codec, build),
  );
  if (parts.length === 0) return field;
  return describeSource(field, {
    ...source,
    keys: (resource as PgResource).uniques.find(({ isPrimary }) => isPrimary)?.attributes,
    parts: (args) => parts.map(({ name, known }) => sql`${name}(${sql.join(known(args), ", ")})`),
  });
}
