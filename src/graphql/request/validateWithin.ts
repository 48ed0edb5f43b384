import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  specifiedRules,
  validate,
} from "graphql";
import type { QueryLimits } from "../../settings.ts";
import { withCode } from "./withCode.ts";

const rulesWithoutIntrospection = [...specifiedRules, NoSchemaIntrospectionCustomRule];

/**
 * Validates a document by the rules of the GraphQL specification. One rule compares fields pairwise, within graphql-js's
 * own budget: a document that repeats its fields hundreds of times is refused as "Validation aborted."
 *
 * @param introspection whether clients may read the schema; without it, errors suggest no names either
 * @returns at most `limits.errors`, each a GRAPHQL_VALIDATION_FAILED
 */
export function validateWithin(
  schema: GraphQLSchema,
  document: DocumentNode,
  limits: Pick<QueryLimits, "errors">,
  { introspection }: { introspection: boolean },
): GraphQLError[] {
  const errors = validate(schema, document, introspection ? specifiedRules : rulesWithoutIntrospection, {
    maxErrors: limits.errors,
    hideSuggestions: !introspection,
  });
  // graphql-js appends an error that says there are too many.
  return errors.slice(0, limits.errors).map((error) => withCode(error, "GRAPHQL_VALIDATION_FAILED"));
}
