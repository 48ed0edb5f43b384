import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import helmet from "helmet";
import { parsePosition, printPosition, type WalPosition } from "pg-caller-pool";
import { MalformedRequest } from "../graphql/request/readRequest.ts";
import type { Standing } from "../rateLimits/Limit.ts";

/** Tells caches that the response depends on a header of the request. */
export function vary(response: ServerResponse, name: string): void {
  const known = response.getHeader("Vary");
  response.setHeader("Vary", known === undefined ? name : `${known}, ${name}`);
}

type Middleware = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** Responses are data: browsers must not execute, frame or sniff them. */
export const securityHeaders = headersOf(
  helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    xFrameOptions: { action: "deny" },
  }),
);

/**
 * The content security policy of GraphiQL: its own scripts and inline scripts run, and nothing from another origin.
 *
 * @param scripts the SHA-256 of each inline script, in Base64
 */
export function pagePolicy(scripts: string[]): Map<string, string> {
  return headersOf(
    helmet.contentSecurityPolicy({
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
        scriptSrc: ["'self'", ...scripts.map((hash) => `'sha256-${hash}'`)],
        workerSrc: ["'self'", "blob:"],
        // The editor adds inline styles at run time.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", "data:"],
        fontSrc: ["'self'", "data:"],
        connectSrc: ["'self'", "ws:", "wss:"],
      },
    }),
  );
}

/** The content security policy of a page that has one inline style, and runs and loads nothing. */
export function stillPagePolicy(style: string): string {
  const hash = createHash("sha256").update(style).digest("base64");
  return `default-src 'none';style-src 'sha256-${hash}';base-uri 'none';form-action 'none';frame-ancestors 'none'`;
}

/** The headers that the middleware sets. They are the same for all requests, so it runs once. */
function headersOf(middleware: Middleware): Map<string, string> {
  const headers = new Map<string, string>();
  const response = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: (name: string) => headers.delete(name),
  };
  middleware({} as IncomingMessage, response as unknown as ServerResponse, (error) => {
    if (error) throw error;
  });
  return headers;
}

/** In a response: the position of a mutation. In a request: the position that must have been replayed where it is read. */
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
      `${readAfterHeader} is the value of that header in the response to a mutation, as it was.`,
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
