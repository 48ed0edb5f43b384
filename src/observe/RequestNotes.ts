import type { ServerResponse } from "node:http";
import type { FormattedExecutionResult, OperationDefinitionNode } from "graphql";

/** The record of a request for log and metrics. Contains no variables and no tokens. */
export interface RequestNotes {
  /** The operation's name in the document; undefined without a valid document. */
  operationName?: string | undefined;
  operationType?: string | undefined;
  userId?: string | undefined;
  /** The distinct codes of all errors. */
  codes: string[];
  /** The ids of internal errors, as the log has them. */
  errorIds: string[];
  /** Whether the metrics have counted it already, as a subscription when it was opened. */
  isCounted?: boolean;
}

const notes = new WeakMap<ServerResponse, RequestNotes>();

/** The notes of a request, filled in on its way and written to the log at its end. */
export function notesOf(response: ServerResponse): RequestNotes {
  const found = notes.get(response) ?? { codes: [], errorIds: [] };
  notes.set(response, found);
  return found;
}

/** Notes the operation. An operation without a name is `anonymous`. */
export function noteOperation(target: RequestNotes, operation: OperationDefinitionNode | undefined): void {
  target.operationName = operation && (operation.name?.value ?? "anonymous");
  target.operationType = operation?.operation;
}

/** Notes the errors. */
export function noteErrors(target: RequestNotes, { errors = [] }: FormattedExecutionResult): void {
  target.codes = [...new Set(errors.map(({ extensions }) => String(extensions?.code ?? "")))];
  target.errorIds = errors.flatMap(({ extensions }) => (extensions?.errorId ? [String(extensions.errorId)] : []));
}

/** The notes as fields of a log line; empty ones are left out. */
export function describeNotes({ operationName, operationType, userId, codes, errorIds }: RequestNotes) {
  return {
    ...(operationName ? { operation: operationName, type: operationType } : null),
    ...(userId ? { userId } : null),
    ...(codes.length > 0 ? { codes } : null),
    ...(errorIds.length > 0 ? { errorIds } : null),
  };
}
