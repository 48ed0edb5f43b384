import type { IncomingMessage, ServerResponse } from "node:http";
import { parsePosition, printPosition, type WalPosition } from "@content-service/caller-pool/walPosition.ts";
import { MalformedRequest } from "../graphql/request/readRequest.ts";
import type { Standing } from "../rateLimits/Limit.ts";

/** Tells caches that the answer depends on a header of the request. */
export function vary(response: ServerResponse, name: string): void {
  const known = response.getHeader("Vary");
  response.setHeader("Vary", known === undefined ? name : `${known}, ${name}`);
}

/** Answers are data: browsers must not execute, frame or sniff them. Those that helmet recommends. */
export const securityHeaders = new Map([
  ["Content-Security-Policy", "default-src 'none';frame-ancestors 'none'"],
  ["Cross-Origin-Opener-Policy", "same-origin"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
  ["Origin-Agent-Cluster", "?1"],
  ["Referrer-Policy", "no-referrer"],
  ["Strict-Transport-Security", "max-age=31536000; includeSubDomains"],
  ["X-Content-Type-Options", "nosniff"],
  ["X-DNS-Prefetch-Control", "off"],
  ["X-Download-Options", "noopen"],
  ["X-Frame-Options", "DENY"],
  ["X-Permitted-Cross-Domain-Policies", "none"],
  ["X-XSS-Protection", "0"],
]);

/**
 * The content security policy of a page: nothing runs and nothing is loaded but what the directives allow.
 *
 * @param directives of this page
 */
export function pagePolicy(...directives: string[]): string {
  const always = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];
  return [...always, ...directives].join(";");
}

/** In an answer: the position of a mutation. In a request: the position that must have been replayed where it is read. */
export const readAfterHeader = "Read-After";
/** The same for browsers, which send it by themselves. */
const cookie = /(?:^|;)\s*read_after=([^;]*)/;

/**
 * The position that a request names. A wrong header is refused, because its client would rely on it. A wrong cookie is left over
 * from something else, and nobody could remove it.
 *
 * @throws MalformedRequest 400
 */
export function readAfterOf({ headers }: IncomingMessage): WalPosition | undefined {
  const header = headers["read-after"];
  if (header === undefined) return parsePosition(cookie.exec(headers.cookie ?? "")?.[1] ?? "");
  const position = parsePosition(String(header));
  if (!position) {
    throw new MalformedRequest(
      `${readAfterHeader} is the value of that header in the answer to a mutation, as it was.`,
      400,
    );
  }
  return position;
}

/** @param seconds after these, every replica has replayed the write */
export function sendReadAfter(response: ServerResponse, position: WalPosition, seconds: number): void {
  const value = printPosition(position);
  response.setHeader(readAfterHeader, value);
  response.setHeader("Set-Cookie", `read_after=${value}; Max-Age=${seconds}; Path=/graphql; HttpOnly; SameSite=Lax`);
}

/** The names that GitHub uses. */
export const rateLimitHeaders = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Used", "X-RateLimit-Reset"];

export function setRateLimitHeaders(response: ServerResponse, { limit, remaining, used, reset }: Standing): void {
  for (const [index, value] of [limit, remaining, used, reset].entries()) {
    response.setHeader(rateLimitHeaders[index] as string, value);
  }
}
