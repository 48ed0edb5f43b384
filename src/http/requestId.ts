import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";

/** Characters that are safe in a log line and a header. Bounded, so that clients cannot fill the log. */
const valid = /^[\w.:=+/-]{1,128}$/;

/** The client's `X-Request-Id` if it is valid, else a new id. */
export function requestIdOf(request: IncomingMessage): string {
  const [given = "", ...others] = request.headersDistinct["x-request-id"] ?? [];
  return others.length === 0 && valid.test(given) ? given : randomUUID();
}

/** Sends the request id with every answer. */
export const requestId: RequestHandler = (request, response, next) => {
  response.setHeader("X-Request-Id", requestIdOf(request));
  next();
};
