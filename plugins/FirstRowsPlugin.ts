import "postgraphile";
import type { PgCodec, PgCodecWithAttributes } from "postgraphile/@dataplan/pg";
import { sql } from "postgraphile/@dataplan/pg/pg-sql2";
import { type Build, type Field, type FieldContext, smartTag } from "./support/fields.ts";
import { pageOf } from "./support/pageOf.ts";
import { describeReads, type GivenArguments, readsOf } from "./support/reads.ts";

/**
 * The smart tag `@firstRows app_hidden.first_books genre` of a table names a function that finds the first rows of its root list
 * faster than the list's own order would under the policies. Its arguments are the number of rows, `page`, and the filters that
 * it knows. It returns those rows, or more. src/graphql/compiled reads from it, unless the list is long or has another filter.
 */
export const FirstRowsPlugin: GraphileConfig.Plugin = {
  name: "FirstRowsPlugin",
  version: "1.0.0",
  after: ["ListFilterPlugin", "ListOrderPlugin"],
  before: ["LimitOffsetPlugin"],
  schema: { hooks: { GraphQLObjectType_fields_field: readFirstRows } },
};

function readFirstRows(field: Field, build: Build, { scope }: FieldContext): Field {
  const { isRootQuery, isPgFieldSimpleCollection, pgFieldResource: resource } = scope;
  const reads = readsOf(field)?.reads;
  if (!isRootQuery || !isPgFieldSimpleCollection || !resource || resource.parameters || reads?.kind !== "list") {
    return field;
  }
  const tag = smartTag(resource, "firstRows");
  if (tag === undefined) return field;
  const [name = "", ...attributeNames] = String(tag).split(/\s+/);
  const codec = resource.codec as PgCodecWithAttributes;
  const filters = attributeNames.map((attributeName) => {
    const attribute = codec.attributes[attributeName];
    if (!attribute) throw new Error(`@firstRows of ${codec.name}: there is no column ${attributeName}`);
    return {
      attributeName,
      argument: build.inflection.attribute({ codec, attributeName }),
      codec: attribute.codec as PgCodec,
    };
  });
  const others = Object.keys(field.args ?? {}).filter((argument) =>
    filters.every((each) => each.argument !== argument),
  );
  const rows = sql.identifier(...name.split("."));
  const from = (row: typeof sql.null, args: GivenArguments) => {
    const page = pageOf(args);
    if (!page || others.some((argument) => args.isPresent(argument))) return reads.from(row, args);
    const given = filters
      .filter(({ argument }) => args.isPresent(argument))
      .map((each) => sql`${sql.identifier(each.attributeName)} => ${args.parameter(each.argument, each.codec)}`);
    return sql`${rows}(${sql.join([sql`page => ${page}`, ...given], ", ")})`;
  };
  return describeReads(field, { ...reads, from });
}
