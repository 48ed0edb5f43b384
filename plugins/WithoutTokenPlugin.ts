import "postgraphile";
import { type Build, type Field, type FieldContext, markTagged } from "./support/fields.ts";

declare module "graphql" {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** The field needs no identity, so a bad token does not keep anyone from it. */
    isWithoutToken?: boolean;
  }
}

/**
 * Marks the queries and mutations whose function has the smart tag `@withoutToken`: they identify the caller in another
 * way, as `signIn` does. A request for such fields only runs as anonymous when its token has expired
 * (src/graphql/request/PreparedOperation.ts). Every other request with a bad token is refused.
 */
export const WithoutTokenPlugin: GraphileConfig.Plugin = {
  name: "WithoutTokenPlugin",
  version: "1.0.0",
  schema: { hooks: { GraphQLObjectType_fields_field: markField } },
};

function markField(field: Field, _build: Build, context: FieldContext): Field {
  const isRoot = context.scope.isRootMutation || context.scope.isRootQuery;
  return isRoot ? markTagged(field, context, "withoutToken", { isWithoutToken: true }) : field;
}
