import type { IncomingMessage } from "node:http";
import contentType from "content-type";
import Negotiator from "negotiator";
import { HttpRefusal } from "./httpRefusal.ts";

export const json = "application/json";
export const graphqlJson = "application/graphql-response+json";

/** With the one charset they have, which is no parameter of theirs but is often sent. */
const offered = [json, graphqlJson, ...[json, graphqlJson].map((type) => `${type}; charset=utf-8`)];

/**
 * The type to answer with, as `Accept` ranks them; plain JSON where the client has no opinion.
 *
 * @throws HttpRefusal 406
 */
export function acceptedType(request: IncomingMessage): string {
  if (request.headers.accept === "") return json;
  const [accepted] = new Negotiator(request).mediaType(offered)?.split(";") ?? [];
  if (accepted === undefined) throw new HttpRefusal(406, `Answers are ${json} or ${graphqlJson}.`);
  return accepted;
}

/** @throws HttpRefusal 415 unless the body is said once to be JSON, in UTF-8 if a charset is named */
export function checkContentType(request: IncomingMessage): void {
  const [header = "", ...others] = request.headersDistinct["content-type"] ?? [];
  const type = parse(header);
  const charset = type?.parameters.charset?.toLowerCase() ?? "utf-8";
  if (others.length > 0 || type?.type !== json || !["utf-8", "utf8"].includes(charset)) {
    throw new HttpRefusal(415, `A GraphQL request is sent as ${json} in UTF-8.`);
  }
}

function parse(header: string): contentType.ParsedMediaType | undefined {
  try {
    return contentType.parse(header);
  } catch {
    return undefined;
  }
}
