import { type Request, type RequestHandler, type Response, Router } from "express";
import { MalformedRequest } from "../graphql/request/readRequest.ts";
import type { Metrics } from "../observe/Metrics.ts";
import type { Readiness } from "../observe/Readiness.ts";

/** The endpoints for operators: `/healthz` (alive), `/readyz` (ready for requests), `/metrics` (Prometheus). */
export function probes(readiness: Readiness, metrics: Metrics): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const get = (path: string, handler: (request: Request, response: Response) => Promise<void> | void) =>
    router.all(path, onlyGet, handler);
  get("/healthz", (_request, response) => {
    response.json({ status: "alive" });
  });
  get("/readyz", async (_request, response) => {
    const problem = await readiness.problem();
    if (problem !== undefined) response.status(503).setHeader("Retry-After", "1");
    response.json(problem === undefined ? { status: "ready" } : { status: "not ready", reason: problem });
  });
  get("/metrics", async (_request, response) => {
    const { contentType, text } = await metrics.print();
    response.setHeader("Content-Type", contentType).end(text);
  });
  return router;
}

const onlyGet: RequestHandler = (request, response, next) => {
  if (request.method !== "GET" && request.method !== "HEAD") {
    throw new MalformedRequest("This is read with GET.", 405, { headers: { Allow: "GET, HEAD" } });
  }
  response.setHeader("Cache-Control", "no-store");
  next();
};
