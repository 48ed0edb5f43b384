import "postgraphile";
import type { PgCodec, PgCodecWithAttributes } from "postgraphile/@dataplan/pg";
import { sql } from "postgraphile/@dataplan/pg/pg-sql2";
import { type Build, type Field, type FieldContext, smartTag } from "./support/fields.ts";
import { pageOf } from "./support/pageOf.ts";
import { describeReads, type GivenArguments, type Row, readsOf } from "./support/reads.ts";

/**
 * The smart tag `@firstRows app_hidden.first_books genre` of a table names a function that finds the first rows of its root list
 * faster than the list's own order would under the policies. Its arguments are the number of rows, `page`, and the filters that
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
  const { isRootQuery, isPgFieldSimpleCollection, pgFieldResource: resource, pgCrossing } = scope;
  const reads = readsOf(field)?.reads;
  if (!isPgFieldSimpleCollection || !resource || resource.parameters || reads?.kind !== "list") return field;
  const key = pgCrossing?.toLeft;
  const tag = key ? key.extensions?.tags?.firstRows : isRootQuery ? smartTag(resource, "firstRows") : undefined;
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
  const pageWith = (args: GivenArguments) =>
    others.some((argument) => args.isPresent(argument)) ? undefined : pageOf(args);
  const from = (row: Row, args: GivenArguments) => {
    const page = pageWith(args);
    if (!page) return reads.from(row, args);
    const keys = (key?.localAttributes ?? []).map(
      (column, i) => sql`${sql.identifier(column)} => ${row}.${sql.identifier(key?.remoteAttributes[i] as string)}`,
    );
    const given = filters
      .filter(({ argument }) => args.isPresent(argument))
      .map((each) => sql`${sql.identifier(each.attributeName)} => ${args.parameter(each.argument, each.codec)}`);
    return sql`${rows}(${sql.join([...keys, sql`page => ${page}`, ...given], ", ")})`;
  };
  // The function has found the rows of the key, so that nothing looks for them again.
  const [ofKey, ...where] = reads.where;
  if (!key || !ofKey) return describeReads(field, { ...reads, from });
  const unlessFound: typeof ofKey = (found, row, args) => (pageWith(args) ? undefined : ofKey(found, row, args));
  return describeReads(field, { ...reads, from, where: [unlessFound, ...where] });
}
