import "postgraphile";
import type { Build, Field, FieldContext } from "./support/fields.ts";

declare module "graphql" {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** The same for everyone who may see the object that the field is of. */
    isSameForAll?: boolean;
  }
}

/**
 * Marks the fields whose answer does not depend on who asks: a table's columns, and a foreign key to a table with the
 * smart tag `@sameForAll`, whose rows every signed-in user sees alike. What a subscription selects of these alone is read
 * once for all of its subscribers. migrations/rules/same_for_all_is_true.sql holds the tag to what the policies say.
 */
export const SharedFieldsPlugin: GraphileConfig.Plugin = {
  name: "SharedFieldsPlugin",
  version: "1.0.0",
  schema: { hooks: { GraphQLObjectType_fields_field: markField } },
};

function markField(field: Field, _build: Build, { scope }: FieldContext): Field {
  const { pgFieldAttribute, pgRelationDetails, isPgSingleRelationField } = scope;
  const isColumn =
    pgFieldAttribute !== undefined && pgFieldAttribute.extensions?.tags?.["unauthorizedWhenNull"] === undefined;
  return isColumn || (isPgSingleRelationField && leadsToShared(pgRelationDetails))
    ? { ...field, extensions: { ...field.extensions, isSameForAll: true } }
    : field;
}

function leadsToShared(details: FieldContext["scope"]["pgRelationDetails"]): boolean {
  const relation = details?.registry.pgRelations[details.codec.name]?.[details.relationName];
  return (
    relation?.isReferencee !== true && relation?.remoteResource.codec.extensions?.tags?.["sameForAll"] !== undefined
  );
}
