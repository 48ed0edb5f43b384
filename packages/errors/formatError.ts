import { randomUUID } from "node:crypto";
import { GraphQLError, type GraphQLFormattedError, Kind } from "graphql";
import type { DatabaseError } from "pg";
import { isSafeError } from "postgraphile/grafast";
import {
  ApiError,
  internalError,
  invalidInput,
  isApiError,
  timedOut,
  unauthorized,
  type ValidationError,
} from "./ApiError.ts";
import { type ColumnError, ColumnErrors } from "./ColumnErrors.ts";
import { NotOfRequest } from "./NotOfRequest.ts";
import { entryFor, sqlStateOf, valueErrorCodes } from "./sqlStates.ts";

/** Takes what the client is not told, as pino does. */
export interface ErrorLog {
  error(details: object, message: string): void;
}

/** Logged with an internal error. Contains no variables and no tokens. */
export type ErrorContext = Record<"operation" | "role" | "viewerId", string | undefined>;

/**
 * Turns any error into what the client receives, and only that: a code, a message that names no table and quotes no
 * value, the path and the place in the document. An internal error becomes an `errorId`; the log has the rest under it.
 */
export type FormatError = (error: unknown, context?: ErrorContext) => GraphQLFormattedError;

export function makeFormatError(log: ErrorLog): FormatError {
  return (error, context) => {
    const located = error instanceof GraphQLError ? error : undefined;
    const { message, extensions } = withReason(toApiError(error), context) ?? report(error, context);
    return {
      message,
      ...(located?.locations?.length ? { locations: located.locations } : null),
      ...(located?.path ? { path: located.path } : null),
      extensions,
    };
  };

  function report(error: unknown, context?: ErrorContext): ApiError {
    const errorId = randomUUID();
    const located = error instanceof GraphQLError ? error : undefined;
    const thrown = located?.originalError ?? error;
    const { cause, repair } = thrown instanceof NotOfRequest ? thrown : { cause: thrown, repair: undefined };
    const sqlState = sqlStateOf(cause) || undefined;
    log.error(
      { errorId, err: cause, sqlState, repair, ...context, path: located?.path?.join(".") },
      "unforeseen error",
    );
    return internalError(errorId);
  }
}

/** The error for the client; undefined for an internal one. */
function toApiError(error: unknown): ApiError | undefined {
  if (isApiError(error)) return error;
  const located = error instanceof GraphQLError ? error : undefined;
  const cause = located?.originalError ?? error;
  if (isApiError(cause)) return cause;
  if (cause instanceof Error && isSafeError(cause)) {
    return engineTimeouts.test(cause.message) ? timedOut() : pagingError(located, cause.message);
  }
  if (cause instanceof ColumnErrors) return invalidInput(toValidationErrors(located, cause.errors));
  const state = sqlStateOf(cause);
  const entry = entryFor(state, cause as DatabaseError);
  if (!entry) return undefined;
  const { code, message } = entry;
  const { detail = "" } = cause as DatabaseError;
  if (code === "VALIDATION_ERROR") return invalidInput(toValidationErrors(located, errorsIn(state, detail)));
  if (code === "RATE_LIMITED") return new ApiError(code, message, { retryAfter: Number(detail) });
  if (state === "CHNGD") return new ApiError(code, message, { reason: "CHANGED", version: detail });
  // A function that refuses gives both. PostgreSQL's own refusals have no detail.
  if (code === "UNAUTHORIZED" && /^[A-Z_]+$/.test(detail))
    return unauthorized((cause as DatabaseError).message, detail);
  return state === "TOKEN" ? unauthorized(message, "TOKEN_INVALID") : new ApiError(code, message);
}

/** A refusal without a reason of its own depends on the viewer: signing in helps, or it does not. */
function withReason(error: ApiError | undefined, context: ErrorContext | undefined): ApiError | undefined {
  if (error?.code !== "UNAUTHORIZED" || error.extensions["reason"] !== undefined || !context) return error;
  return unauthorized(error.message, context?.viewerId ? "FORBIDDEN" : "NOT_SIGNED_IN");
}

/** The engine reports that planning or execution took too long by message only. */
const engineTimeouts = /^(Operation took too long to plan|Execution timeout exceeded)/;

/** The engine's own errors for clients: a cursor that is invalid, or contradicts the other arguments. */
function pagingError(error: GraphQLError | undefined, message: string): ApiError {
  const cursors = argumentNames(error).filter((name) => name === "after" || name === "before");
  const path = cursors.length === 1 ? cursors : [];
  return invalidInput([{ path, field: path[0] ?? null, code: path.length > 0 ? "CURSOR" : "INVALID", message }]);
}

function errorsIn(state: string, detail: string): ColumnError[] {
  if (state === "FAULT" && detail) return JSON.parse(detail);
  return [{ column: "", code: valueErrorCodes[state] ?? "INVALID", message: "This value cannot be stored." }];
}

function toValidationErrors(error: GraphQLError | undefined, errors: readonly ColumnError[]): ValidationError[] {
  return errors.map(({ column, code, message, index, params }) => {
    const path = pathTo(error, camelCase(column), index);
    const field = path.findLast((step) => typeof step === "string") ?? null;
    return { path, field, code, message, ...(params ? { params } : null) };
  });
}

/**
 * SQL names a column; the client needs the path to it through the field's arguments: an argument of that name, else a
 * field of the `input` argument, else the only argument.
 */
function pathTo(error: GraphQLError | undefined, name: string, index: number | undefined): (string | number)[] {
  const given = argumentNames(error);
  const position = index === undefined ? [] : [index];
  if (name === "") return given.slice(0, 1);
  if (!given.includes(name) && given.includes("input")) return ["input", name, ...position];
  return [name, ...position];
}

/** The arguments that the request passes to the failed field. */
function argumentNames(error: GraphQLError | undefined): string[] {
  const node = error?.nodes?.find((candidate) => candidate.kind === Kind.FIELD);
  return node?.kind === Kind.FIELD ? (node.arguments ?? []).map((argument) => argument.name.value) : [];
}

export function camelCase(column: string): string {
  return column.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
