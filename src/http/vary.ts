import type { ServerResponse } from "node:http";

/** Tells caches that the answer depends on a header of the request. */
export function vary(response: ServerResponse, name: string): void {
  const known = response.getHeader("Vary");
  response.setHeader("Vary", known === undefined ? name : `${known}, ${name}`);
}
