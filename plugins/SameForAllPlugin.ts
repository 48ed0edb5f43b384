import "postgraphile";
import type { Build, Field, FieldContext } from "./support/fields.ts";

declare module "graphql" {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** Every caller who may see the object gets the same value. */
    isSameForAll?: boolean;
  }
}

/**
 * Marks the fields whose value is the same for all callers (`extensions.isSameForAll`): the columns of a table, and
 * foreign keys to a table with the smart tag `@sameForAll`, whose rows every signed-in user sees alike. A subscription
 * that selects only such fields is executed once per event for all its subscribers. The rule
 * migrations/rules/same_for_all_is_true.sql compares the tag with the policies.
 */
export const SameForAllPlugin: GraphileConfig.Plugin = {
  name: "SameForAllPlugin",
  version: "1.0.0",
  schema: { hooks: { GraphQLObjectType_fields_field: markField } },
};

function markField(field: Field, _build: Build, { scope }: FieldContext): Field {
  const { pgFieldAttribute, pgRelationDetails, isPgSingleRelationField } = scope;
  const isColumn =
    pgFieldAttribute !== undefined && pgFieldAttribute.extensions?.tags?.["unauthorizedWhenNull"] === undefined;
  return isColumn || (isPgSingleRelationField && leadsToSameForAll(pgRelationDetails))
    ? { ...field, extensions: { ...field.extensions, isSameForAll: true } }
    : field;
}

function leadsToSameForAll(details: FieldContext["scope"]["pgRelationDetails"]): boolean {
  const relation = details?.registry.pgRelations[details.codec.name]?.[details.relationName];
  return (
    relation?.isReferencee !== true && relation?.remoteResource.codec.extensions?.tags?.["sameForAll"] !== undefined
  );
}
