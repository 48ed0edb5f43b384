import type { ServerResponse } from "node:http";
import type { FormattedExecutionResult, OperationDefinitionNode } from "graphql";

/** What is worth telling of a request once it is over. No variables, no tokens: this is written down. */
export interface RequestNotes {
  /** Of the operation, as the document calls it; undefined where there is no document that could be executed. */
  operationName?: string | undefined;
  operationType?: string | undefined;
  userId?: string | undefined;
  /** Of all errors, each once. */
  codes: string[];
  /** Of the faults of ours, as they are in the log. */
  errorIds: string[];
}

const notes = new WeakMap<ServerResponse, RequestNotes>();

/** The notes that travel with a request, from who knows something to who writes it down. */
export function notesOf(response: ServerResponse): RequestNotes {
  const found = notes.get(response) ?? { codes: [], errorIds: [] };
  notes.set(response, found);
  return found;
}

/** The operation's part, as far as it is one of ours to name: an operation without a name is `anonymous`. */
export function noteOperation(target: RequestNotes, operation: OperationDefinitionNode | undefined): void {
  target.operationName = operation && (operation.name?.value ?? "anonymous");
  target.operationType = operation?.operation;
}

/** The errors' part of the notes. */
export function noteErrors(target: RequestNotes, { errors = [] }: FormattedExecutionResult): void {
  target.codes = [...new Set(errors.map(({ extensions }) => String(extensions?.code ?? "")))];
  target.errorIds = errors.flatMap(({ extensions }) => (extensions?.errorId ? [String(extensions.errorId)] : []));
}

/** The notes as a line of the log has them: what there is of them. */
export function describeNotes({ operationName, operationType, userId, codes, errorIds }: RequestNotes) {
  return {
    ...(operationName ? { operation: operationName, type: operationType } : null),
    ...(userId ? { userId } : null),
    ...(codes.length > 0 ? { codes } : null),
    ...(errorIds.length > 0 ? { errorIds } : null),
  };
}
