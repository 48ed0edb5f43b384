import type { Request, Response } from "express";
import type { FormattedExecutionResult, GraphQLFormattedError } from "graphql";
import { type ErrorCode, hasCode } from "../errors/ApiError.ts";
import type { Outcome } from "../graphql/RequestPipeline.ts";
import type { MalformedRequest } from "../graphql/request/readRequest.ts";
import { noteErrors, notesOf } from "../observe/RequestNotes.ts";
import { HttpError } from "./HttpError.ts";
import { acceptedType, graphqlJson, json } from "./mediaTypes.ts";

/** The status of each code for clients that read statuses (`application/graphql-response+json`); 400 for the others. */
const statuses = new Map<unknown, number>([
  ["UNAUTHORIZED", 401],
  ["RATE_LIMITED", 429],
  ["SERVICE_UNAVAILABLE", 503],
  ["INTERNAL_SERVER_ERROR", 500],
] satisfies [ErrorCode, number][]);

/** These apply to all clients: proxies read them too, and retry later. */
const retryStatuses = new Set([429, 503]);

/** Sends the outcome of a request. */
export function answer(
  request: Request,
  response: Response,
  { result, json: text, isRequestError, malformed }: Outcome,
) {
  noteErrors(notesOf(response), result);
  if (malformed) return answerMalformed(response, malformed, result);
  const { errors = [] } = result;
  const codes = errors.map(({ extensions }) => statuses.get(extensions?.["code"]) ?? 400);
  const isRefused = isRequestError || isUnavailable(result);
  const retry = isRefused ? codes.find((status) => retryStatuses.has(status)) : undefined;
  const type = acceptedType(request);
  if (retry) response.setHeader("Retry-After", String(retryAfter(errors)));
  response.vary("Accept");
  send(response, retry ?? (isRequestError && type === graphqlJson ? (codes[0] ?? 400) : 200), type, text ?? result);
}

function answerMalformed(response: Response, error: MalformedRequest, result: FormattedExecutionResult): void {
  if (error instanceof HttpError) response.set(error.headers);
  send(response, error.status, json, result);
}

/** The database was unavailable for every part of the operation, so nothing of it was executed. */
function isUnavailable(result: FormattedExecutionResult): boolean {
  const { errors = [] } = result;
  const isRefused = errors.length > 0 && errors.every((error) => hasCode(error, "SERVICE_UNAVAILABLE"));
  return isRefused && Object.values(result.data ?? {}).every((value) => value === null);
}

function retryAfter(errors: readonly GraphQLFormattedError[]): number {
  return Math.max(1, ...errors.map(({ extensions }) => Number(extensions?.["retryAfter"]) || 0));
}

function send(response: Response, status: number, type: string, body: string | FormattedExecutionResult): void {
  response.status(status);
  // Not response.type(), which knows neither media type; not response.send(), which would hash each answer for an ETag.
  response.setHeader("Content-Type", `${type}; charset=utf-8`);
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  response.setHeader("Content-Length", bytes.length);
  response.end(bytes);
}
