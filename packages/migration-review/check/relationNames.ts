import { type GraphQLSchema, isObjectType } from "graphql";
import { foreignKeyOf } from "./apiSources.ts";
import type { Finding } from "./finding.ts";
import { membersOf } from "./schemaElements.ts";

declare module "graphql" {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** The foreign key that the field follows, for example `the foreign key reviews (post_id)`. */
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
        const foreignKey = scope.pgRelationDetails && foreignKeyOf(scope.pgRelationDetails);
        return foreignKey ? { ...field, extensions: { ...field.extensions, foreignKey } } : field;
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
            message: `${extensions.foreignKey?.replace("the", "The")} names the field ${type.name}.${name}.`,
            advice:
              "For another name: @fieldName (forward) or @foreignFieldName (backward) in the constraint's comment.",
          }),
        ),
    );
}
