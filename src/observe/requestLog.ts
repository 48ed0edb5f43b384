import type { ServerResponse } from "node:http";
import type { Logger } from "pino";
import type { Metrics } from "./Metrics.ts";
import { describeNotes, notesOf } from "./RequestNotes.ts";

/** A request as it arrived. */
interface Arrived {
  requestId: string;
  method: string | undefined;
  path: string;
}

/** Counts each request and logs it, once its answer is sent or its client has disconnected. */
export function logRequests(log: Logger, metrics: Metrics) {
  return ({ requestId, method, path }: Arrived, response: ServerResponse): void => {
    const startedAt = performance.now();
    const isEndpoint = path === "/graphql" || path === "/graphql/";
    response.once("close", () => {
      const ms = performance.now() - startedAt;
      const notes = notesOf(response);
      const isAborted = !response.writableFinished;
      // nginx's status for a request that the client closed.
      const status = isAborted ? 499 : response.statusCode;
      const isPage = String(response.getHeader("Content-Type")).startsWith("text/html");
      if (isEndpoint && !isPage && !notes.isCounted && (method === "POST" || method === "GET"))
        metrics.countRequest({ ...notes, transport: "http", status, seconds: ms / 1_000 });
      const line = {
        requestId,
        method,
        path: path.slice(0, 200),
        status,
        ms: Math.round(ms * 10) / 10,
        ...describeNotes(notes),
      };
      // Probes arrive every few seconds.
      log[isEndpoint ? "info" : "debug"](line, "request");
    });
  };
}
