import type { IncomingMessage } from "node:http";
import contentType from "content-type";
import { LRUCache } from "lru-cache";
import Negotiator from "negotiator";
import { HttpError } from "./HttpError.ts";

export const json = "application/json";
export const graphqlJson = "application/graphql-response+json";
/** GraphQL over SSE. */
export const eventStream = "text/event-stream";

/** Clients often send the charset, which is not a parameter of these types. */
const offered = [json, graphqlJson, ...[json, graphqlJson].map((type) => `${type}; charset=utf-8`)];

/** The types of the values of `Accept` that were seen last. Clients send few different ones. */
const accepted = new LRUCache<string, string>({ max: 100 });

/**
 * The response type, as `Accept` ranks them; plain JSON when the client accepts all alike. An event stream is for clients that
 * name it.
 *
 * @throws HttpError 406
 */
export function acceptedType(request: IncomingMessage): string {
  const { accept } = request.headers;
  if (!accept) return json;
  const known = accepted.get(accept);
  if (known !== undefined) return known;
  const type = negotiate(request, accept);
  accepted.set(accept, type);
  return type;
}

function negotiate(request: IncomingMessage, accept: string): string {
  const known = accept.toLowerCase().includes(eventStream) ? [...offered, eventStream] : offered;
  const [type] = new Negotiator(request).mediaType(known)?.split(";") ?? [];
  if (type === undefined) {
    const advice = `A subscription is sent as ${eventStream}, or over WebSocket; multipart answers are not supported.`;
    throw new HttpError(406, `Answers are ${json} or ${graphqlJson}. ${advice}`);
  }
  return type;
}

/** Whether a browser asks for a page, rather than a client for an answer. */
export function acceptsPage(request: IncomingMessage): boolean {
  const page = "text/html";
  return Boolean(request.headers.accept) && new Negotiator(request).mediaType([json, graphqlJson, page]) === page;
}

/** @throws HttpError 415 unless one Content-Type header says JSON, with UTF-8 if it names a charset */
export function checkContentType(request: IncomingMessage): void {
  const [header = "", ...others] = request.headersDistinct["content-type"] ?? [];
  if (header === json && others.length === 0) return;
  const type = parse(header);
  const charset = type?.parameters.charset?.toLowerCase() ?? "utf-8";
  if (others.length > 0 || type?.type !== json || !["utf-8", "utf8"].includes(charset)) {
    throw new HttpError(415, `A GraphQL request is sent as ${json} in UTF-8.`);
  }
}

function parse(header: string): contentType.ParsedMediaType | undefined {
  try {
    return contentType.parse(header);
  } catch {
    return undefined;
  }
}
