import type { IncomingMessage } from "node:http";
import contentType from "content-type";
import Negotiator from "negotiator";
import { HttpError } from "./HttpError.ts";

export const json = "application/json";
export const graphqlJson = "application/graphql-response+json";
/** GraphQL over SSE. */
export const eventStream = "text/event-stream";

/** Clients often send the charset, which is not a parameter of these types. */
const offered = [json, graphqlJson, ...[json, graphqlJson].map((type) => `${type}; charset=utf-8`)];

/**
 * The response type, as `Accept` ranks them; plain JSON when the client accepts all alike. An event stream is for clients that
 * name it.
 *
 * @throws HttpError 406
 */
export function acceptedType(request: IncomingMessage): string {
  if (request.headers.accept === "") return json;
  const isNamed = request.headers.accept?.toLowerCase().includes(eventStream);
  const known = isNamed ? [...offered, eventStream] : offered;
  const [accepted] = new Negotiator(request).mediaType(known)?.split(";") ?? [];
  if (accepted === undefined) {
    const advice = `A subscription is sent as ${eventStream}, or over WebSocket; multipart answers are not supported.`;
    throw new HttpError(406, `Answers are ${json} or ${graphqlJson}. ${advice}`);
  }
  return accepted;
}

/** @throws HttpError 415 unless one Content-Type header says JSON, with UTF-8 if it names a charset */
export function checkContentType(request: IncomingMessage): void {
  const [header = "", ...others] = request.headersDistinct["content-type"] ?? [];
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
