import { types } from "node:util";
import pg from "pg";
import { type ErrorCode, invalidInputMessage, notFoundMessage, timeoutMessage } from "./ApiError.ts";

/** The code and message that stand for each SQLSTATE, the most specific entry first. Other SQLSTATEs are internal errors. */
const table: { state: RegExp; code: ErrorCode; message: string }[] = [
  { state: /^FAULT$/, code: "VALIDATION_ERROR", message: invalidInputMessage },
  { state: /^22(003|007|008|021|P02|P05|001)$/, code: "VALIDATION_ERROR", message: invalidInputMessage },
  { state: /^NTFND$/, code: "NOT_FOUND", message: notFoundMessage },
  { state: /^42501$/, code: "UNAUTHORIZED", message: "You may not do this." },
  { state: /^TOKEN$/, code: "UNAUTHORIZED", message: "The access token is not valid." },
  { state: /^CHNGD$/, code: "CONFLICT", message: "This has changed since you read it. Nothing was written." },
  { state: /^40(001|P01)$|^55P03$/, code: "CONFLICT", message: "Another change came in between. Try again." },
  { state: /^RATEL$/, code: "RATE_LIMITED", message: "Too many attempts. Wait a while." },
  { state: /^57014$/, code: "TIMEOUT", message: timeoutMessage },
  {
    state: /^(08...|53...|57P0.|25006)$/,
    code: "SERVICE_UNAVAILABLE",
    message: "The database cannot answer at the moment.",
  },
];

/** The code of a validation error for each constraint violation that PostgreSQL reports. */
export const constraintErrorCodes: Readonly<Record<string, string>> = {
  "23502": "REQUIRED",
  "23503": "INVALID_REFERENCE",
  "23505": "NOT_UNIQUE",
  "23514": "INVALID",
  "23P01": "INVALID",
};

/** The code of a validation error for each value that PostgreSQL cannot read or store. */
export const valueErrorCodes: Readonly<Record<string, string>> = {
  "22001": "TOO_LONG",
  "22003": "OUT_OF_RANGE",
  "22007": "FORMAT",
  "22008": "OUT_OF_RANGE",
  "22021": "CHARACTERS",
  "22P02": "FORMAT",
  "22P05": "CHARACTERS",
};

/** node-postgres reports these connection failures by message only. */
const connectionFailures =
  /^(timeout exceeded when trying to connect|timeout expired|Connection terminated|Client has encountered a connection error|Client was closed|Cannot use a pool|The database has (not answered|ended the connection|no server))/;
const networkFailures = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ETIMEDOUT",
  "EPIPE",
  "ENOTFOUND",
  "EHOSTUNREACH",
  "EAI_AGAIN",
]);
const connectionFailure = "08006";
/** The server's queue of notifications is full. PostgreSQL says "program limit exceeded", which is also an error of a statement. */
const queueFull = (error: pg.DatabaseError) => error.code === "54000" && error.routine === "PreCommit_Notify";
const insufficientResources = "53000";

/** The SQLSTATE of an error from PostgreSQL, or of a failed connection to it; "" for any other error. */
export function sqlStateOf(error: unknown): string {
  if (error instanceof pg.DatabaseError) return queueFull(error) ? insufficientResources : (error.code ?? "");
  // Not instanceof Error: Node's own errors may come from another realm, as they do under Jest.
  if (!types.isNativeError(error)) return "";
  const systemCode = "code" in error ? String(error.code) : "";
  return connectionFailures.test(error.message) || networkFailures.has(systemCode) ? connectionFailure : "";
}

export function entryFor(sqlState: string): { code: ErrorCode; message: string } | undefined {
  return table.find(({ state }) => state.test(sqlState));
}
