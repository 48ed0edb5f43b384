import type { Request, Response } from "express";
import type { FormattedExecutionResult, GraphQLFormattedError } from "graphql";
import type { Refusal } from "../errors.ts";
import { refusal } from "../graphql/Engine.ts";
import { noteErrors, notesOf } from "../observe/RequestNotes.ts";
import { HttpRefusal } from "./httpRefusal.ts";
import { acceptedType, graphqlJson, json } from "./mediaTypes.ts";

/** The status under which each code is sent to clients that read statuses (`application/graphql-response+json`). */
const statusByCode: Record<string, number> = {
  UNAUTHORIZED: 401,
  RATE_LIMITED: 429,
  SERVICE_UNAVAILABLE: 503,
  INTERNAL_SERVER_ERROR: 500,
};

/** These hold for every client: whoever is between us and it is to read them too, and to try again later. */
const statusForAll = new Set([429, 503]);

/**
 * Sends what a GraphQL request came to.
 *
 * @param isRequestError that nothing was executed for it
 */
export function answer(
  request: Request,
  response: Response,
  result: FormattedExecutionResult,
  isRequestError: boolean,
): void {
  noteErrors(notesOf(response), result);
  const refused = isRequestError || nothingWasDone(result);
  const codes = (result.errors ?? []).map(codeOf);
  const later = refused
    ? codes.map((code) => statusByCode[code] ?? 400).find((status) => statusForAll.has(status))
    : undefined;
  const type = acceptedType(request);
  const status = later ?? (isRequestError && type === graphqlJson ? (statusByCode[codes[0] ?? ""] ?? 400) : 200);
  if (later) response.setHeader("Retry-After", String(retryAfter(result.errors ?? [])));
  response.vary("Accept");
  end(response, status, type, result);
}

/** Sends a refusal of the whole request, which no field of it is to blame for. */
export function answerRefusal(request: Request, response: Response, known: Refusal): void {
  if (!(known instanceof HttpRefusal)) {
    return answer(request, response, { errors: [refusal(known)], data: null }, true);
  }
  const result = { errors: [refusal(known)] };
  noteErrors(notesOf(response), result);
  response.set(known.headers);
  end(response, known.status, json, result);
}

function codeOf({ extensions }: GraphQLFormattedError): string {
  return String(extensions?.code ?? "");
}

/** The database was gone for every part of the operation: nothing of it has happened, as far as anybody can tell. */
function nothingWasDone({ data, errors = [] }: FormattedExecutionResult): boolean {
  const isEmpty = Object.values(data ?? {}).every((value) => value === null);
  return isEmpty && errors.length > 0 && errors.every((error) => codeOf(error) === "SERVICE_UNAVAILABLE");
}

function retryAfter(errors: readonly GraphQLFormattedError[]): number {
  return Math.max(1, ...errors.map(({ extensions }) => Number(extensions?.retryAfter) || 0));
}

function end(response: Response, status: number, type: string, body: object): void {
  response.status(status);
  // Not response.type(), which knows neither of the two; not response.send(), which would hash each answer for an ETag.
  response.setHeader("Content-Type", `${type}; charset=utf-8`);
  const text = Buffer.from(JSON.stringify(body));
  response.setHeader("Content-Length", text.length);
  response.end(text);
}
