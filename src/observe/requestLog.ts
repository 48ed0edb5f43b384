import type { ServerResponse } from "node:http";
import type { GraphQLFormattedError, OperationDefinitionNode } from "graphql";
import type { Logger } from "pino";
import type { Metrics } from "./Metrics.ts";

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
export function noteErrors(target: RequestNotes, errors: readonly GraphQLFormattedError[] = []): void {
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

/** A request as it arrived. */
interface Arrived {
  requestId: string;
  method: string | undefined;
  path: string;
}

/** Counts each request and logs it, once its response is sent or its client has disconnected. */
export function logRequests(log: Logger, metrics: Metrics) {
  return ({ requestId, method, path }: Arrived, response: ServerResponse): void => {
    const startedAt = performance.now();
    const isEndpoint = path === "/graphql" || path === "/graphql/";
    response.once("close", () => {
      const ms = performance.now() - startedAt;
      const notes = notesOf(response);
      const isAborted = !response.writableFinished;
      // nginx's status for a request that the client closed.
      const status = isAborted ? 499 : response.statusCode;
      const isPage = String(response.getHeader("Content-Type")).startsWith("text/html");
      if (isEndpoint && !isPage && !notes.isCounted && (method === "POST" || method === "GET"))
        metrics.countRequest({ ...notes, transport: "http", status, seconds: ms / 1_000 });
      const line = {
        requestId,
        method,
        path: path.slice(0, 200),
        status,
        ms: Math.round(ms * 10) / 10,
        ...describeNotes(notes),
      };
      // Probes arrive every few seconds.
      log[isEndpoint ? "info" : "debug"](line, "request");
    });
  };
}
