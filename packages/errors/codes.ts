/** The values of `extensions.code` (specification 7; the codes beyond it: docs/decisions.md, "Errors"), as clients read them in the schema. */
export const errorCodes = {
  UNAUTHORIZED: "Not signed in, or not allowed: `reason` says which.",
  VALIDATION_ERROR: "The input is wrong: `validationErrors` has each error.",
  NOT_FOUND: "The record does not exist, or you may not see it.",
  POSITION_LOST: "What you have received is not in the history, or too old. Load the list again, and subscribe anew.",
  CONFLICT: "Another change came in between, and nothing was written. With the reason CHANGED: read the record again.",
  RATE_LIMITED: "Too many requests: wait for `retryAfter` seconds.",
  TIMEOUT: "It took too long and was stopped. Ask for less.",
  SERVICE_UNAVAILABLE: "Nothing was done. Try again after a moment.",
  OUTCOME_UNKNOWN: "The mutation may be done, or not. Send it again with the same idempotencyKey, or look first.",
  GRAPHQL_PARSE_FAILED: "The document has a syntax error.",
  GRAPHQL_VALIDATION_FAILED: "The document does not fit the schema.",
  PERSISTED_QUERY_NOT_FOUND: "No operation is stored under this hash. Send it with its text.",
  PERSISTED_QUERY_NOT_SUPPORTED: "Only stored operations run here. Stop sending hashes.",
  INTERNAL_SERVER_ERROR: "An error of the service. Report the `errorId`.",
};

export type ErrorCode = keyof typeof errorCodes;

/** The values of `extensions.reason` that any service gives. Functions have others: `@unauthorizedWhenNull`. */
export const errorReasons: Record<string, string> = {
  NOT_SIGNED_IN: "The request has no token, and needs one.",
  FORBIDDEN: "The user may not do this or see this. Signing in again does not help.",
  CHANGED: "Of CONFLICT: the record is not as ifVersion says.",
};

/** The codes in `validationErrors` that the service gives. Constraints have others, with `@code`, and functions, with `@errorCode`. */
export const validationErrorCodes: Record<string, string> = {
  REQUIRED: "It is missing.",
  TOO_LONG: "It has more than `max` characters or items.",
  TOO_SHORT: "It has fewer than `min` characters or items.",
  BLANK: "It has white space or invisible characters only.",
  FORMAT: "It does not look as it must.",
  CHARACTERS: "It has characters that are not allowed.",
  MARKS: "It has too many combining marks in a row.",
  OUT_OF_RANGE: "It is less than `min` or more than `max`.",
  NOT_UNIQUE: "It exists already.",
  INVALID_REFERENCE: "It names a record that does not exist.",
  REUSED: "The idempotencyKey was sent with other arguments.",
  CURSOR: "It is no cursor of this list in this order.",
  TYPE: "It is of another type.",
  NOT_IN_LIST: "It is no value of the enum.",
  UNKNOWN_FIELD: "The input has no such field.",
  NOT_EXACTLY_ONE: "None or several are given where it must be one.",
  INVALID: "It breaks another rule: the message says which.",
};
