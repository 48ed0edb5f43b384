import { type GraphQLSchema, isObjectType } from "graphql";
import { type Finding } from "./finding.ts";
import { membersOf } from "./schemaElements.ts";

declare module "graphql" {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** The foreign key that the field follows, as a person writes it: `reviews (post_id)`. */
    foreignKey?: string;
  }
}

/** Lets the fields of relations remember which foreign key they come from. For this check only. */
export const RelationNamesPlugin: GraphileConfig.Plugin = {
  name: "RelationNamesPlugin",
  version: "1.0.0",
  schema: {
    hooks: {
      GraphQLObjectType_fields_field(field, _build, { scope }) {
        const details = scope.pgRelationDetails;
        const relation = details?.registry.pgRelations[details.codec.name]?.[details.relationName];
        if (!details || !relation) return field;
        const foreignKey = relation.isReferencee
          ? `${relation.remoteResource.codec.name} (${relation.remoteAttributes.join(", ")})`
          : `${details.codec.name} (${relation.localAttributes.join(", ")})`;
        return { ...field, extensions: { ...field.extensions, foreignKey } };
      },
    },
  },
};

/** “This foreign key will name the field X”, for each that is new. */
export function relationNames(before: GraphQLSchema, after: GraphQLSchema): Finding[] {
  return Object.values(after.getTypeMap())
    .filter((type) => isObjectType(type))
    .flatMap((type) =>
      Object.values(type.getFields())
        .filter(
          ({ name, extensions }) =>
            extensions.foreignKey && !name.endsWith("Connection") && !membersOf(before, type.name)[name],
        )
        .map(
          ({ name, extensions }): Finding => ({
            level: "safe",
            name: `${type.name}.${name}`,
            what: `The foreign key ${extensions.foreignKey} names the field ${type.name}.${name}.`,
            todo: "For another name: @fieldName (this way) or @foreignFieldName (the way back) in the constraint's comment.",
          }),
        ),
    );
}
