import type { ErrorCode } from "./codes.ts";

export type { ErrorCode };

/** One error of the input. `path` leads to it from the field's arguments; `field` is the last name in `path`. */
export interface ValidationError {
  path: (string | number)[];
  field: string | null;
  code: string;
  message: string;
  params?: Record<string, unknown>;
}

/** Each package that is installed from its archive has this class for itself, so errors are known by this mark. */
const brand = Symbol.for("graphql-api-error");

/** An error whose code, message and extensions are meant for the client. All other errors are internal. */
export class ApiError extends Error {
  readonly [brand] = true;
  readonly code: ErrorCode;
  /** As the client receives them, `code` included. */
  readonly extensions: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, extensions: Record<string, unknown> = {}) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.extensions = { code, ...extensions };
  }
}

/** Whether an error is an ApiError, of any package. */
export function isApiError(error: unknown): error is ApiError {
  return typeof error === "object" && error !== null && brand in error;
}

/** Missing and invisible rows are answered alike, to the letter, so that nobody can probe for them. */
export const notFoundMessage = "There is no such record, or it is not yours to see.";

export function notFound(): ApiError {
  return new ApiError("NOT_FOUND", notFoundMessage);
}

/** The error of a value that the viewer may not see, in a record that is visible. */
export const refusedValue = () => unauthorized("You may not see this.");

/**
 * @param reason `extensions.reason`, which SQL may choose. Without one, formatError() says whether the viewer has to sign in
 */
export function unauthorized(message: string, reason?: string): ApiError {
  return new ApiError("UNAUTHORIZED", message, reason === undefined ? {} : { reason });
}

export const invalidInputMessage = "Input failed validation";

export function invalidInput(validationErrors: readonly ValidationError[]): ApiError {
  return new ApiError("VALIDATION_ERROR", invalidInputMessage, { validationErrors });
}

/** For a request that was not executed. The client may retry it. */
export function unavailable(message: string): ApiError {
  return new ApiError("SERVICE_UNAVAILABLE", message);
}

/** For a mutation that PostgreSQL may or may not have committed. */
export function outcomeUnknown(): ApiError {
  return new ApiError(
    "OUTCOME_UNKNOWN",
    "The database did not say whether this was done. Send it again with the same idempotency key, or look first.",
  );
}

export const timeoutMessage = "This took too long and was stopped.";

export function timedOut(): ApiError {
  return new ApiError("TIMEOUT", timeoutMessage);
}

/** @param errorId under which the log has the details; the client is told nothing else */
export function internalError(errorId: string): ApiError {
  return new ApiError("INTERNAL_SERVER_ERROR", "Something went wrong on our side.", { errorId });
}

/** Whether an error, as a client receives it, has this code. */
export function hasCode(
  { extensions }: { extensions?: Record<string, unknown> | undefined },
  code: ErrorCode,
): boolean {
  return extensions?.["code"] === code;
}
