import { ApiError } from "@content-service/errors/ApiError.ts";
import { type DocumentNode, Kind, type OperationDefinitionNode } from "graphql";

/**
 * The operation to execute.
 *
 * @param operationName missing, null or empty when the document has one operation
 * @throws GRAPHQL_VALIDATION_FAILED when no operation has that name, or none is named and there are several
 */
export function selectOperation(document: DocumentNode, operationName?: string | null): OperationDefinitionNode {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const [found, another] = operationName
    ? operations.filter(({ name }) => name?.value === operationName).slice(0, 1)
    : operations;
  if (found && !another) return found;
  if (operations.length === 0) throw invalid("The document has no operation.");
  throw invalid(
    operationName
      ? "The document has no operation of this name."
      : "The document has several operations: operationName must name one.",
  );
}

function invalid(message: string): ApiError {
  return new ApiError("GRAPHQL_VALIDATION_FAILED", message);
}
