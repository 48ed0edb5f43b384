import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";

/** Nothing that could break a log line or a header, and not so long that logs fill up with it. */
const sane = /^[\w.:=+/-]{1,128}$/;

/** The caller's `X-Request-Id` where it is sane, and ours where it is not. */
export function requestIdOf(request: IncomingMessage): string {
  const [given = "", ...others] = request.headersDistinct["x-request-id"] ?? [];
  return others.length === 0 && sane.test(given) ? given : randomUUID();
}

/** It comes back with every answer. */
export const requestId: RequestHandler = (request, response, next) => {
  response.setHeader("X-Request-Id", requestIdOf(request));
  next();
};
