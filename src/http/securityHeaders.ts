import type { IncomingMessage, ServerResponse } from "node:http";
import helmet from "helmet";

type Middleware = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** Answers are data: browsers must not execute, frame or sniff them. */
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
