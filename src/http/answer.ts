import { createHash } from "node:crypto";
import type { Request, Response } from "express";
import type { FormattedExecutionResult, GraphQLFormattedError } from "graphql";
import { type ErrorCode, hasCode } from "../errors/ApiError.ts";
import { failedEntirely } from "../graphql/failedEntirely.ts";
import type { Outcome } from "../graphql/RequestPipeline.ts";
import type { MalformedRequest } from "../graphql/request/readRequest.ts";
import { noteErrors, notesOf } from "../observe/RequestNotes.ts";
import { compress } from "./compress.ts";
import { completeEvent, nextEvent } from "./EventStreams.ts";
import { HttpError } from "./HttpError.ts";
import { acceptedType, eventStream, graphqlJson, json } from "./mediaTypes.ts";

/** The status of each code for clients that read statuses (`application/graphql-response+json`); 400 for the others. */
const statuses = new Map<unknown, number>([
  ["UNAUTHORIZED", 401],
  ["RATE_LIMITED", 429],
  ["SERVICE_UNAVAILABLE", 503],
  ["INTERNAL_SERVER_ERROR", 500],
  // Not failures: the client asks again with the text.
  ["PERSISTED_QUERY_NOT_FOUND", 200],
  ["PERSISTED_QUERY_NOT_SUPPORTED", 200],
] satisfies [ErrorCode, number][]);

/** These apply to all clients: proxies read them too, and retry later. */
const retryStatuses = new Set([429, 503]);

/** Sends the outcome of a request. */
export async function answer(
  request: Request,
  response: Response,
  { result, json: text, isRequestError, malformed }: Outcome,
): Promise<void> {
  noteErrors(notesOf(response), result);
  if (malformed) return answerMalformed(request, response, malformed, result);
  const { errors = [] } = result;
  const codes = errors.map(({ extensions }) => statuses.get(extensions?.["code"]) ?? 400);
  const isRefused = isRequestError || isUnavailable(result);
  const retry = isRefused ? codes.find((status) => retryStatuses.has(status)) : undefined;
  const type = acceptedType(request);
  if (retry) response.setHeader("Retry-After", String(retryAfter(errors)));
  response.vary("Accept");
  const status = retry ?? (isRequestError && type === graphqlJson ? (codes[0] ?? 400) : 200);
  if (status === 401) response.setHeader("WWW-Authenticate", 'Bearer error="invalid_token"');
  if (type === eventStream) {
    const events = nextEvent(text ?? JSON.stringify(result)) + completeEvent;
    response.status(status).setHeader("Content-Type", `${type}; charset=utf-8`).setHeader("Cache-Control", "no-store");
    response.end(events);
    return;
  }
  await send(request, response, status, type, text ?? result);
}

function answerMalformed(
  request: Request,
  response: Response,
  error: MalformedRequest,
  result: FormattedExecutionResult,
): Promise<void> {
  if (error instanceof HttpError) response.set(error.headers);
  else if (error.status === 405) response.setHeader("Allow", "POST");
  return send(request, response, error.status, json, result);
}

/** The database was unavailable for every part of the operation, so nothing of it was executed. */
function isUnavailable(result: FormattedExecutionResult): boolean {
  return failedEntirely(result, (error) => hasCode(error, "SERVICE_UNAVAILABLE"));
}

function retryAfter(errors: readonly GraphQLFormattedError[]): number {
  return Math.max(1, ...errors.map(({ extensions }) => Number(extensions?.["retryAfter"]) || 0));
}

async function send(
  request: Request,
  response: Response,
  status: number,
  type: string,
  body: string | FormattedExecutionResult,
): Promise<void> {
  response.status(status);
  // Not response.type(), which knows neither media type; not response.send(), which would hash each answer for an ETag.
  response.setHeader("Content-Type", `${type}; charset=utf-8`);
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  if (isCacheable(response)) {
    response.setHeader("ETag", `W/"${createHash("sha256").update(bytes).digest("base64url")}"`);
    if (request.fresh) {
      response.status(304).end();
      return;
    }
  }
  const { encoding, compressed } = await compress(request, bytes);
  response.vary("Accept-Encoding");
  if (encoding) response.setHeader("Content-Encoding", encoding);
  response.setHeader("Content-Length", compressed.length);
  response.end(compressed);
}

function isCacheable(response: Response): boolean {
  return String(response.getHeader("Cache-Control")).startsWith("public");
}
