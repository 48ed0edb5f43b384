import type { RequestHandler } from "express";
import helmet from "helmet";

/** Answers are data: browsers must not execute, frame or sniff them. */
export const securityHeaders: RequestHandler = helmet({
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  xFrameOptions: { action: "deny" },
});

/**
 * The content security policy of GraphiQL: its own scripts and inline scripts run, and nothing from another origin.
 *
 * @param scripts the SHA-256 of each inline script, in Base64
 */
export function pagePolicy(scripts: string[]): RequestHandler {
  return helmet.contentSecurityPolicy({
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
  });
}
