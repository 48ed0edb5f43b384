import { type DocumentNode, GraphQLError, Kind, type OperationDefinitionNode } from "graphql";

/**
 * The operation of the document that the request is about.
 *
 * @param operationName missing, null or empty for the only one there is
 * @throws GraphQLError GRAPHQL_VALIDATION_FAILED when there is none of that name, or none is named where there are several
 */
export function selectOperation(document: DocumentNode, operationName?: string | null): OperationDefinitionNode {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const [found, another] = operationName
    ? operations.filter(({ name }) => name?.value === operationName).slice(0, 1)
    : operations;
  if (found && !another) return found;
  if (operations.length === 0) throw operationError("The document has no operation.");
  throw operationError(
    operationName
      ? "The document has no operation of this name."
      : "The document has several operations: operationName must name one.",
  );
}

function operationError(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: "GRAPHQL_VALIDATION_FAILED" } });
}
