import "postgraphile";
import { type Build, type Field, type FieldContext, smartTag } from "./support/fields.ts";

declare module "graphql" {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** Rows that this field returns are counted: the SQL function that stores the counts. */
    countReads?: string;
  }
}

/**
 * Marks the field that returns one row by its id, where the table has the smart tag `@countReads <function>`. The service counts the
 * rows in memory and calls the function, `(ids bigint[], counts int[])`, every some seconds (src/reads).
 */
export const CountReadsPlugin: GraphileConfig.Plugin = {
  name: "CountReadsPlugin",
  version: "1.0.0",
  schema: { hooks: { GraphQLObjectType_fields_field: markField } },
};

function markField(field: Field, _build: Build, { scope }: FieldContext): Field {
  const isById = Object.keys(field.args ?? {}).join() === "id";
  if (!scope.isRootQuery || !scope.isPgRowByUniqueConstraintField || !isById) return field;
  const name = smartTag(scope.pgFieldResource, "countReads");
  if (name === undefined) return field;
  if (typeof name !== "string" || !/^[a-z_]+\.[a-z_0-9]+$/.test(name)) {
    throw new Error(
      `@countReads of ${scope.pgFieldResource?.name} names a function with its schema: app_private.count_reads`,
    );
  }
  return { ...field, extensions: { ...field.extensions, countReads: name } };
}
