import type { IncomingMessage } from "node:http";
import { LRUCache } from "lru-cache";
import Negotiator from "negotiator";
import { MalformedRequest } from "../graphql/request/readRequest.ts";

export const json = "application/json";
export const graphqlJson = "application/graphql-response+json";
/** GraphQL over SSE. */
export const eventStream = "text/event-stream";

const offered = [json, graphqlJson];

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
  const type = negotiate(accept);
  accepted.set(accept, type);
  return type;
}

function negotiate(accept: string): string {
  const type = preferred(accept, accept.toLowerCase().includes(eventStream) ? [...offered, eventStream] : offered);
  if (type === undefined) {
    const advice = `A subscription is sent as ${eventStream}, or over WebSocket; multipart responses are not supported.`;
    throw new MalformedRequest(`Responses are ${json} or ${graphqlJson}. ${advice}`, 406);
  }
  return type;
}

/** Whether a browser asks for a page, rather than a client for a response. */
export function acceptsPage({ headers: { accept } }: IncomingMessage): boolean {
  const page = "text/html";
  return accept ? preferred(accept, [...offered, page]) === page : false;
}

/** The parameters of media types, except the quality. A quoted value that does not end reaches to the end. */
const parameters = /;(?![\t ]*q[\t ]*=)(?:[^;,"]|"(?:[^"\\]|\\.)*"?)*/gi;

/**
 * The type that `Accept` ranks highest. Parameters do not matter: these types have none, yet clients send a charset, and Negotiator would
 * find no type with it.
 */
function preferred(accept: string, types: string[]): string | undefined {
  return new Negotiator({ headers: { accept: accept.replaceAll(parameters, "") } }).mediaType(types);
}
