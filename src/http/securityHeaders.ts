import type { RequestHandler } from "express";
import helmet from "helmet";

/** Answers are data: no browser is to run, frame or guess anything in them. */
export const securityHeaders: RequestHandler = helmet({
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  xFrameOptions: { action: "deny" },
});

/**
 * The policy that lets a page of ours run: its own scripts, those inside of it, and nothing from elsewhere.
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
      // The editor writes its colours into the page as it goes.
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", "data:"],
      fontSrc: ["'self'", "data:"],
      connectSrc: ["'self'", "ws:", "wss:"],
    },
  });
}
