import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  specifiedRules,
  validate,
} from "graphql";
import type { Limits } from "./limits.ts";
import { withCode } from "./withCode.ts";

const rulesWithoutIntrospection = [...specifiedRules, NoSchemaIntrospectionCustomRule];

/**
 * What is wrong with a document by the GraphQL specification. One rule compares fields each with each, within graphql-js's
 * own budget: a document that repeats its fields hundreds of times is refused as "Validation aborted."
 *
 * @param introspection whether clients may ask what the schema is; without it, errors suggest no names either
 * @returns at most `limits.errors`, each a GRAPHQL_VALIDATION_FAILED
 */
export function validateWithin(
  schema: GraphQLSchema,
  document: DocumentNode,
  limits: Pick<Limits, "errors">,
  { introspection }: { introspection: boolean },
): GraphQLError[] {
  const rules = introspection ? specifiedRules : rulesWithoutIntrospection;
  const errors = validate(schema, document, rules, { maxErrors: limits.errors, hideSuggestions: !introspection });
  // Beyond the last one, graphql-js adds that there are too many.
  return errors.slice(0, limits.errors).map((error) => withCode(error, "GRAPHQL_VALIDATION_FAILED"));
}
