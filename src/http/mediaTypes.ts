import type { IncomingMessage } from "node:http";
import { LRUCache } from "lru-cache";
import Negotiator from "negotiator";
import { MalformedRequest } from "../graphql/request/readRequest.ts";

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
 * @throws MalformedRequest 406
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
    throw new MalformedRequest(`Answers are ${json} or ${graphqlJson}. ${advice}`, 406);
  }
  return type;
}

/** Whether a browser asks for a page, rather than a client for a response. */
export function acceptsPage(request: IncomingMessage): boolean {
  const page = "text/html";
  return Boolean(request.headers.accept) && new Negotiator(request).mediaType([json, graphqlJson, page]) === page;
}
