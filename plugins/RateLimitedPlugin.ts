import "postgraphile";
import { type Build, type Field, type FieldContext, markTagged } from "./support/fields.ts";

declare module "graphql" {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** Calls of this mutation are counted by address, and limited. */
    isRateLimited?: boolean;
  }
}

/**
 * Marks the mutations whose function has the smart tag `@rateLimited`: strangers call them again and again, to guess
 * passwords or to sign up in bulk. src/rateLimits counts each call by address, for all instances together, before anything
 * of the operation runs (RATE_LIMIT_SIGN_IN).
 */
export const RateLimitedPlugin: GraphileConfig.Plugin = {
  name: "RateLimitedPlugin",
  version: "1.0.0",
  schema: { hooks: { GraphQLObjectType_fields_field: markField } },
};

function markField(field: Field, _build: Build, context: FieldContext): Field {
  const isRoot = context.scope.isRootMutation;
  return isRoot ? markTagged(field, context, "rateLimited", { isRateLimited: true }) : field;
}
