import { type DocumentNode, GraphQLError, type GraphQLSchema, type OperationDefinitionNode } from "graphql";
import { rootFields } from "./compile.ts";

/**
 * The result of an operation whose statements have failed: each root field that is read from the database is null, and has the error.
 *
 * @param values the coerced variables
 */
export function failedOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  values: Readonly<Record<string, unknown>>,
  originalError: Error,
): { data: Record<string, unknown>; errors: GraphQLError[] } {
  const data: Record<string, unknown> = {};
  const errors: GraphQLError[] = [];
  for (const [name, nodes] of rootFields(schema, document, operation, values)) {
    const isTypeName = nodes[0]?.name.value === "__typename";
    data[name] = isTypeName ? schema.getRootType(operation.operation)?.name : null;
    if (!isTypeName) errors.push(new GraphQLError(originalError.message, { nodes, path: [name], originalError }));
  }
  return { data, errors };
}
