import type { IncomingMessage } from "node:http";
import { MalformedRequest } from "../graphql/request/readRequest.ts";

/** Headers that a page of another origin can send only after a preflight. Apollo's clients send them for that. */
const preflightHeaders = ["apollo-require-preflight", "x-apollo-operation-name", "graphql-require-preflight"];

/**
 * Reads a request from the query string of a GET, by GraphQL over HTTP.
 *
 * @throws MalformedRequest when `variables` or `extensions` is not JSON
 */
export function readQueryString(request: IncomingMessage): Record<string, unknown> {
  const given = new URL(request.url ?? "", "http://host").searchParams;
  const text = (name: string) => given.get(name) ?? undefined;
  const json = (name: string) => {
    const value = given.get(name);
    if (value === null || value === "") return undefined;
    try {
      return JSON.parse(value);
    } catch {
      throw new MalformedRequest(`${name} is not JSON.`);
    }
  };
  return {
    query: text("query"),
    operationName: text("operationName"),
    documentId: text("documentId"),
    id: text("id"),
    variables: json("variables"),
    extensions: json("extensions"),
  };
}

/**
 * Refuses the GET that a browser sends for an image, a script, a form or a link of another site. A page can cause these
 * without asking the service first, so a visitor's browser could be made to send expensive queries.
 *
 * @throws MalformedRequest 403
 */
export function refuseForeignPage({ headers }: IncomingMessage): void {
  const isForeign = ["cross-site", "same-site"].includes(String(headers["sec-fetch-site"]));
  const isAskedFirst =
    headers["sec-fetch-mode"] === "cors" ||
    headers["content-type"]?.startsWith("application/json") ||
    preflightHeaders.some((name) => headers[name] !== undefined);
  if (isForeign && !isAskedFirst) {
    throw new MalformedRequest(
      `A page of another site sends a GET with one of these headers: ${preflightHeaders.join(", ")}.`,
      403,
    );
  }
}
