import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { type ErrorCode, hasCode } from "@content-service/errors/ApiError.ts";
import type { GraphQLFormattedError } from "graphql";
import Negotiator from "negotiator";
import type { Outcome } from "../graphql/RequestPipeline.ts";
import type { Held } from "../memory/ByteLedger.ts";
import { noteErrors, notesOf } from "../observe/requestLog.ts";
import { vary } from "./headers.ts";
import { acceptedType, eventStream, graphqlJson, json } from "./mediaTypes.ts";
import { eventsOf } from "./SseConnections.ts";

/** The status of each code for clients that read statuses (`application/graphql-response+json`); 400 for the others. */
const statuses = new Map<unknown, number>([
  ["UNAUTHORIZED", 401],
  ["RATE_LIMITED", 429],
  ["SERVICE_UNAVAILABLE", 503],
  ["OUTCOME_UNKNOWN", 503],
  ["INTERNAL_SERVER_ERROR", 500],
  // Not failures: the client asks again with the text.
  ["PERSISTED_QUERY_NOT_FOUND", 200],
  ["PERSISTED_QUERY_NOT_SUPPORTED", 200],
] satisfies [ErrorCode, number][]);

/** These apply to all clients: proxies read them too, and retry later. */
const retryStatuses = new Set([429, 503]);

/**
 * Sends the outcome of a request.
 *
 * @param held the bytes of the response. From the end of the response on, they count as unread
 */
export async function sendOutcome(
  request: IncomingMessage,
  response: ServerResponse,
  { errors = [], isRequestError, isUnavailable, malformed }: Outcome,
  held: Held,
): Promise<void> {
  noteErrors(notesOf(response), errors);
  if (malformed) {
    response.setHeaders(new Map(Object.entries(malformed.headers)));
    return send(request, response, malformed.status, json, held);
  }
  const codes = errors.map(({ extensions }) => statuses.get(extensions?.["code"]) ?? 400);
  const retry = isRequestError || isUnavailable ? codes.find((status) => retryStatuses.has(status)) : undefined;
  const type = acceptedType(request);
  // Software that retries by itself would do a mutation twice.
  const isOutcomeKnown = !errors.some((error) => hasCode(error, "OUTCOME_UNKNOWN"));
  if (retry && isOutcomeKnown) response.setHeader("Retry-After", String(retryAfter(errors)));
  vary(response, "Accept");
  const status = retry ?? (isRequestError && type === graphqlJson ? (codes[0] ?? 400) : 200);
  if (status === 401) response.setHeader("WWW-Authenticate", 'Bearer error="invalid_token"');
  if (type === eventStream) {
    response.statusCode = status;
    response.setHeader("Content-Type", `${type}; charset=utf-8`).setHeader("Cache-Control", "no-store");
    response.end(eventsOf(held.content));
    return;
  }
  await send(request, response, status, type, held);
}

function retryAfter(errors: readonly GraphQLFormattedError[]): number {
  return Math.max(1, ...errors.map(({ extensions }) => Number(extensions?.["retryAfter"]) || 0));
}

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  type: string,
  held: Held,
): Promise<void> {
  response.statusCode = status;
  response.setHeader("Content-Type", `${type}; charset=utf-8`);
  vary(response, "Accept-Encoding");
  // Caches may keep a 404 or a 405, too, if nothing is said (RFC 9111, 4.2.2).
  if (!response.hasHeader("Cache-Control")) response.setHeader("Cache-Control", "no-store");
  if (isCacheable(response)) {
    const tag = `"${createHash("sha256").update(held.content).digest("base64url")}"`;
    response.setHeader("ETag", `W/${tag}`);
    if (isKnown(request, tag)) {
      response.statusCode = 304;
      response.end();
      return;
    }
  }
  const encoding = await compress(request, held);
  if (encoding) response.setHeader("Content-Encoding", encoding);
  response.setHeader("Content-Length", held.bytes).end(held.content);
}

/** Whether the client has this response already (RFC 9110, 13.1.2). It is new, so `no-cache` makes no difference. */
function isKnown({ headers }: IncomingMessage, tag: string): boolean {
  const known = headers["if-none-match"]?.split(",").map((one) => one.trim().replace(/^W\//, "")) ?? [];
  return known.some((one) => one === tag || one === "*");
}

function isCacheable(response: ServerResponse): boolean {
  return String(response.getHeader("Cache-Control")).startsWith("public");
}

/** A shorter response fits into one packet as it is. */
const minBytes = 1_024;
/** Higher levels take several times as long, for a few per cent. */
const level = 4;

const encoders: Record<string, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: level } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level }),
};

/**
 * Compresses a response as the client accepts it, outside the event loop.
 *
 * @returns the encoding; undefined for a response that stays as it is
 */
async function compress(request: IncomingMessage, held: Held): Promise<string | undefined> {
  if (!request.headers["accept-encoding"] || held.bytes < minBytes) return undefined;
  // Browsers rank all that they know alike. An encoding that the client does not name has less weight than `identity`.
  const names = Object.keys(encoders);
  // Its types lack the options.
  const negotiator: { encoding(known: string[], options: { preferred: string[] }): string | undefined } =
    new Negotiator(request);
  const encoding = negotiator.encoding([...names, "identity"], { preferred: names }) ?? "identity";
  const encode = encoders[encoding];
  if (!encode) return undefined;
  held.keep(await encode(held.content));
  return encoding;
}
