import { randomUUID } from "node:crypto";
import type { RequestHandler } from "express";

/** Nothing that could break a log line or a header, and not so long that logs fill up with it. */
const sane = /^[\w.:=+/-]{1,128}$/;

/** `X-Request-Id`, the caller's where it is sane and ours where it is not, comes back with every answer. */
export const requestId: RequestHandler = (request, response, next) => {
  const [given = "", ...others] = request.headersDistinct["x-request-id"] ?? [];
  response.setHeader("X-Request-Id", others.length === 0 && sane.test(given) ? given : randomUUID());
  next();
};
