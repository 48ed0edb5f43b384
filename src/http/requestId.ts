import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Characters that are safe in a log line and a header. Bounded, so that clients cannot fill the log. */
const valid = /^[\w.:=+/-]{1,128}$/;

/** The client's `X-Request-Id` if it is valid, else a new id. Node joins several headers with a comma, which is not valid. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = String(headers["x-request-id"] ?? "");
  return valid.test(given) ? given : randomUUID();
}
