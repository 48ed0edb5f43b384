import { ApiError } from "@content-service/errors/ApiError.ts";
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  NoSchemaIntrospectionCustomRule,
  specifiedRules,
  validate,
} from "graphql";
import { withCode } from "./withCode.ts";

/** Faults of one document, or of its variables, that a response reports. */
export const maxErrors = 10;

const rulesWithoutIntrospection = [...specifiedRules, NoSchemaIntrospectionCustomRule];

/**
 * Validates a document by the rules of the GraphQL specification. One rule compares fields pairwise, within graphql-js's
 * own budget: a document that repeats its fields hundreds of times is refused as "Validation aborted."
 *
 * @param introspection whether clients may read the schema; without it, errors suggest no names either
 * @returns at most `maxErrors`, each a GRAPHQL_VALIDATION_FAILED
 */
export function validateWithin(
  schema: GraphQLSchema,
  document: DocumentNode,
  { introspection }: { introspection: boolean },
): GraphQLError[] {
  const errors = validate(schema, document, introspection ? specifiedRules : rulesWithoutIntrospection, {
    maxErrors,
    hideSuggestions: !introspection,
  });
  // graphql-js appends an error that says there are too many.
  return errors.slice(0, maxErrors).map((error) => incremental(error) ?? withCode(error, "GRAPHQL_VALIDATION_FAILED"));
}

/** @returns advice for `@defer` and `@stream`, which clients know and this schema does not */
function incremental({ nodes = [] }: GraphQLError): GraphQLError | undefined {
  const [node] = nodes;
  if (node?.kind !== Kind.DIRECTIVE || !["defer", "stream"].includes(node.name.value)) return undefined;
  const advice = "Remove it, or send the slow part as a query of its own.";
  const message = `@${node.name.value} is not supported: an answer comes as a whole. ${advice}`;
  const reason = "INCREMENTAL_DELIVERY_NOT_SUPPORTED";
  return new GraphQLError(message, {
    nodes,
    originalError: new ApiError("GRAPHQL_VALIDATION_FAILED", message, { reason }),
  });
}
