import { types } from "node:util";
import pg from "pg";
import { type ErrorCode, invalidInputMessage, notFoundMessage, timeoutMessage } from "./ApiError.ts";

/** What a SQLSTATE stands for in one situation. */
interface Entry {
  states: RegExp;
  situation: string;
  /** Undefined: the situation in general. The first entry that fits decides. */
  isIt?: (error: Partial<pg.DatabaseError>) => boolean;
  code: ErrorCode;
  message: string;
}

/** The last line of a context is PostgreSQL's own, whatever the language: `unnamed portal parameter $1 = '...'`. */
const parameterContext = /\$(\d+)[^\n]*$/;
const isOfParameter = ({ where, internalQuery }: Partial<pg.DatabaseError>) =>
  internalQuery === undefined && where !== undefined && parameterContext.test(where);

/**
 * The code of each SQLSTATE, by whose value it was. What has no entry is INTERNAL_SERVER_ERROR, and the log has its cause. So is a broken
 * constraint whose columns the input does not name (requestFault.ts), with a sentence in the log that says how to repair it.
 */
const table: Entry[] = [
  {
    states: /^FAULT$/,
    situation: "SQL refuses columns of the input",
    code: "VALIDATION_ERROR",
    message: invalidInputMessage,
  },
  {
    states: /^(22...|23514|23502|42601)$/,
    situation:
      "a parameter of the statement cannot be read: the request sent it. Of a stored or computed value, it is the service's",
    isIt: isOfParameter,
    code: "VALIDATION_ERROR",
    message: invalidInputMessage,
  },
  { states: /^NTFND$/, situation: "SQL finds no such row", code: "NOT_FOUND", message: notFoundMessage },
  {
    states: /^42501$/,
    situation: "the caller's role lacks a right",
    code: "UNAUTHORIZED",
    message: "You may not do this.",
  },
  {
    states: /^TOKEN$/,
    situation: "the user is deleted or banned",
    code: "UNAUTHORIZED",
    message: "The access token is not valid.",
  },
  {
    states: /^CHNGD$/,
    situation: "the row has another version",
    code: "CONFLICT",
    message: "This has changed since you read it. Nothing was written.",
  },
  {
    states: /^40(001|P01)$|^55P03$/,
    situation: "another transaction holds the row or was first",
    code: "CONFLICT",
    message: "Another change came in between. Try again.",
  },
  {
    states: /^RATEL$/,
    situation: "SQL counts attempts",
    code: "RATE_LIMITED",
    message: "Too many attempts. Wait a while.",
  },
  { states: /^57014$/, situation: "the statement was stopped", code: "TIMEOUT", message: timeoutMessage },
  {
    states: /^(08...|28...|3D000|53...|57P0.|25006)$/,
    situation: "no connection, no such database, a refused login, a full server, a standby",
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
/** The database lets nobody in, or not this login. Within a statement, the SQLSTATE says something else. */
const refusesConnection = ({ routine }: pg.DatabaseError) => routine === "CheckMyDatabase";

/** The SQLSTATE of an error from PostgreSQL, or of a failed connection to it; "" for any other error. */
export function sqlStateOf(error: unknown): string {
  if (error instanceof pg.DatabaseError) return queueFull(error) ? insufficientResources : (error.code ?? "");
  // Not instanceof Error: Node's own errors may come from another realm, as they do under Jest.
  if (!types.isNativeError(error)) return "";
  const systemCode = "code" in error ? String(error.code) : "";
  return connectionFailures.test(error.message) || networkFailures.has(systemCode) ? connectionFailure : "";
}

export function entryFor(
  sqlState: string,
  error: Partial<pg.DatabaseError> = {},
): Pick<Entry, "code" | "message"> | undefined {
  if (error instanceof pg.DatabaseError && refusesConnection(error)) return entryFor(connectionFailure);
  return table.find(({ states, isIt }) => states.test(sqlState) && (isIt?.(error) ?? true));
}

/** The number of the parameter that PostgreSQL could not read, from 1; undefined for any other error. */
export function unreadParameter(error: Partial<pg.DatabaseError>): number | undefined {
  return isOfParameter(error) ? Number(parameterContext.exec(error.where ?? "")?.[1]) : undefined;
}

const parameterText = Symbol.for("graphql-api-parameter-text");

/** Notes the text of the parameter that a statement has failed by. It is for unreadText() alone: no log shows it. */
export function noteParameters(error: unknown, values: readonly unknown[]): void {
  const parameter = error instanceof pg.DatabaseError ? unreadParameter(error) : undefined;
  if (parameter !== undefined) Object.defineProperty(error, parameterText, { value: String(values[parameter - 1]) });
}

export function unreadText(error: pg.DatabaseError): string | undefined {
  return (error as { [parameterText]?: string })[parameterText];
}
