import "postgraphile";
import { type PgCodec, type PgCodecAttribute, sqlValueWithCodec } from "postgraphile/@dataplan/pg";
import { sql } from "postgraphile/@dataplan/pg/pg-sql2";
import type { FieldArgs } from "postgraphile/grafast";
import { type Build, type Field, type FieldContext, rowsOf } from "./support/fields.ts";
import { describeReads, type RowsReads, readsOf } from "./support/reads.ts";

/**
 * A column with the smart tag `@listFilter` is an optional argument of every list and connection of its table:
 * `posts(status: PUBLISHED)`. Without it, or with null, the list is not filtered.
 */
export const ListFilterPlugin: GraphileConfig.Plugin = {
  name: "ListFilterPlugin",
  version: "1.0.0",
  schema: { hooks: { GraphQLObjectType_fields_field: filterField } },
};

function filterField(field: Field, build: Build, { scope }: FieldContext): Field {
  const codec = scope.pgFieldResource?.codec;
  const isList = (scope.isPgFieldSimpleCollection || scope.isPgFieldConnection) && !scope.pgFieldResource?.isUnique;
  if (!isList || !codec?.attributes || scope.pgFieldResource?.parameters) return field;
  const filters = Object.entries<PgCodecAttribute>(codec.attributes).filter(
    ([, attribute]) => attribute.extensions?.tags?.listFilter,
  );
  const args = { ...field.args };
  for (const [attributeName, attribute] of filters) {
    args[build.inflection.attribute({ codec, attributeName })] = {
      type: build.getGraphQLTypeByPgCodec(attribute.codec, "input") as never,
      description: `Only those with this ${attributeName.replaceAll("_", " ")}.`,
      applyPlan: (_parent: unknown, $answer: never, arg: FieldArgs) => {
        arg.apply(rowsOf($answer), (rows, value: unknown) => {
          if (value === null || value === undefined) return undefined;
          rows.where(
            sql`${rows.alias}.${sql.identifier(attributeName)} = ${sqlValueWithCodec(value, attribute.codec)}`,
          );
          return undefined;
        });
      },
    } as never;
  }
  return filterReads(
    { ...field, args },
    filters.map(([attributeName, attribute]) => ({
      attributeName,
      argument: build.inflection.attribute({ codec, attributeName }),
      codec: attribute.codec,
    })),
  );
}

/** Says the same in SQL. */
function filterReads(field: Field, filters: { attributeName: string; argument: string; codec: PgCodec }[]): Field {
  const reads = readsOf(field)?.reads;
  if (reads?.kind !== "list" && reads?.kind !== "connection") return field;
  const where: RowsReads["where"] = filters.map(
    ({ attributeName, argument, codec }) =>
      (found, _row, args) =>
        args.isPresent(argument)
          ? sql`${found}.${sql.identifier(attributeName)} = ${args.parameter(argument, codec)}`
          : undefined,
  );
  const names = filters.map(({ argument }) => argument);
  return describeReads(field, { ...reads, where: [...reads.where, ...where] }, names);
}
