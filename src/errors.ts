import { types } from "node:util";
import type { GraphQLFormattedError } from "graphql";
import { GraphQLError, Kind } from "graphql";
import pg from "pg";

/** What `extensions.code` can say (specification 7; the codes beyond it are in DECISIONS.md and the README). */
export type ErrorCode =
  | "UNAUTHORIZED"
  | "VALIDATION_ERROR"
  | "NOT_FOUND"
  | "CONFLICT"
  | "RATE_LIMITED"
  | "TIMEOUT"
  | "SERVICE_UNAVAILABLE"
  | "GRAPHQL_PARSE_FAILED"
  | "GRAPHQL_VALIDATION_FAILED"
  | "INTERNAL_SERVER_ERROR";

/** One fault of the input. `path` leads to it from the field's arguments; `field` is its last name. */
export interface ValidationFault {
  path: (string | number)[];
  field: string | null;
  code: string;
  message: string;
  params?: Record<string, unknown>;
}

/** A refusal whose words and code are meant for the client. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly extensions: Record<string, unknown>;

  constructor(code: ErrorCode, message: string, extensions: Record<string, unknown> = {}) {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.extensions = extensions;
  }
}

/** All that a client is told of a fault of ours, but for the errorId to report it with. */
export const internalErrorMessage = "Something went wrong on our side.";

const notFoundMessage = "There is no such record, or it is not yours to see.";

/** Missing and invisible alike, to the letter, so that nobody can probe. */
export function notFound(): Refusal {
  return new Refusal("NOT_FOUND", notFoundMessage);
}

/** What a client is told of each SQLSTATE, the most exact entry first. Whatever is not here is our fault, not theirs. */
const bySqlState: { state: RegExp; code: ErrorCode; message: string }[] = [
  { state: /^FAULT$/, code: "VALIDATION_ERROR", message: "Input failed validation" },
  { state: /^22(003|007|008|021|P02|P05|001)$/, code: "VALIDATION_ERROR", message: "Input failed validation" },
  { state: /^NTFND$/, code: "NOT_FOUND", message: notFoundMessage },
  { state: /^42501$/, code: "UNAUTHORIZED", message: "You may not do this." },
  { state: /^TOKEN$/, code: "UNAUTHORIZED", message: "The access token is not valid." },
  { state: /^40(001|P01)$|^55P03$/, code: "CONFLICT", message: "Another change came in between. Try again." },
  { state: /^RATEL$/, code: "RATE_LIMITED", message: "Too many attempts. Wait a while." },
  { state: /^57014$/, code: "TIMEOUT", message: "This took too long and was stopped." },
  {
    state: /^(08...|53...|57P0.|25006)$/,
    code: "SERVICE_UNAVAILABLE",
    message: "The database cannot answer at the moment.",
  },
];

/** node-postgres names these by message only: the connection broke, or there was none to be had in time. */
const noConnection =
  /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Client was closed|Cannot use a pool)/;
const noServer = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ETIMEDOUT",
  "EPIPE",
  "ENOTFOUND",
  "EHOSTUNREACH",
  "EAI_AGAIN",
]);

/** A fault as SQL tells it, before the API's names are put on it. See app_hidden.faults(). */
interface SqlFault {
  column: string;
  code: string;
  message: string;
  index?: number;
  params?: Record<string, unknown>;
}

/**
 * Turns whatever was thrown while a field was answered into what the client is told, and only that: a code, words that
 * name no table and quote no value, and the path.
 *
 * @param onInternal is given what nobody foresaw, with the `errorId` that the client is told.
 */
export function formatError(error: GraphQLError, onInternal: (error: GraphQLError) => string): GraphQLFormattedError {
  const { code, message, extensions } = explain(error, onInternal);
  return {
    message,
    ...(error.locations && error.locations.length > 0 ? { locations: error.locations } : null),
    ...(error.path ? { path: error.path } : null),
    extensions: { code, ...extensions },
  };
}

type Explanation = { code: ErrorCode; message: string; extensions?: Record<string, unknown> };

function explain(error: GraphQLError, onInternal: (error: GraphQLError) => string): Explanation {
  const cause = error.originalError ?? error;
  if (cause instanceof Refusal) return { code: cause.code, message: cause.message, extensions: cause.extensions };
  if (cause instanceof GraphQLError && cause.extensions.code !== undefined) {
    const { code, ...extensions } = cause.extensions;
    return { code: code as ErrorCode, message: cause.message, extensions };
  }
  const state = sqlState(cause);
  const known = bySqlState.find((row) => row.state.test(state));
  if (!known) {
    return {
      code: "INTERNAL_SERVER_ERROR",
      message: internalErrorMessage,
      extensions: { errorId: onInternal(error) },
    };
  }
  if (known.code === "VALIDATION_ERROR") {
    return { ...known, extensions: { validationErrors: validationErrors(error, cause as pg.DatabaseError) } };
  }
  if (known.code === "RATE_LIMITED") {
    return { ...known, extensions: { retryAfter: Number((cause as pg.DatabaseError).detail) } };
  }
  if (state === "TOKEN") return { ...known, extensions: { reason: "TOKEN_INVALID" } };
  return known;
}

/** The SQLSTATE of an error of PostgreSQL's or of the way to it; "" for anything else. */
export function sqlState(error: unknown): string {
  if (error instanceof pg.DatabaseError) return error.code ?? "";
  // Not instanceof: Node's own errors may come from another realm, as under Jest.
  if (!types.isNativeError(error)) return "";
  const systemCode = "code" in error ? String(error.code) : "";
  return noConnection.test(error.message) || noServer.has(systemCode) ? "08006" : "";
}

function validationErrors(error: GraphQLError, cause: pg.DatabaseError): ValidationFault[] {
  const faults: SqlFault[] =
    cause.code === "FAULT" && cause.detail
      ? JSON.parse(cause.detail)
      : [{ column: "", code: "INVALID", message: "This value cannot be stored." }];
  return faults.map(({ column, code, message, index, params }) => {
    const path = faultPath(error, camelCase(column), index);
    const field = path.findLast((step) => typeof step === "string") ?? null;
    return { path, field, code, message, ...(params ? { params } : null) };
  });
}

/**
 * SQL names a column; the client wants the way to it through the field's arguments: an argument of that name, else a
 * field of the `input` argument, else the one argument there is.
 */
function faultPath(error: GraphQLError, name: string, index: number | undefined): (string | number)[] {
  const node = error.nodes?.find((candidate) => candidate.kind === Kind.FIELD);
  const given = node?.kind === Kind.FIELD ? (node.arguments ?? []).map((argument) => argument.name.value) : [];
  const place = index === undefined ? [] : [index];
  if (name === "") return given.slice(0, 1);
  if (!given.includes(name) && given.includes("input")) return ["input", name, ...place];
  return [name, ...place];
}

function camelCase(column: string): string {
  return column.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
