import { type GraphQLSchema, isObjectType } from "graphql";
import type { Finding } from "./finding.ts";
import { membersOf } from "./schemaElements.ts";

declare module "graphql" {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** The foreign key that the field follows, for example `reviews (post_id)`. */
    foreignKey?: string;
  }
}

/** Notes on each relation field which foreign key it follows. Only this check uses the plugin. */
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

/** One finding for each new field that follows a foreign key, so that its author sees the field’s name in time. */
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
            message: `The foreign key ${extensions.foreignKey} names the field ${type.name}.${name}.`,
            advice:
              "For another name: @fieldName (forward) or @foreignFieldName (backward) in the constraint's comment.",
          }),
        ),
    );
}
