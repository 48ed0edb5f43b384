import type { IncomingMessage, ServerResponse } from "node:http";
import { parsePosition, printPosition, type WalPosition } from "@content-service/caller-pool/walPosition.ts";
import { HttpError } from "./HttpError.ts";

/** In an answer: the position of a mutation. In a request: the position that must have been replayed where it is read. */
export const readAfterHeader = "Read-After";
/** The same for browsers, which send it by themselves. */
const cookie = /(?:^|;)\s*read_after=([^;]*)/;

/**
 * The position that a request names. A wrong header is refused, because its client would rely on it. A wrong cookie is left over
 * from something else, and nobody could remove it.
 *
 * @throws HttpError 400
 */
export function readAfterOf({ headers }: IncomingMessage): WalPosition | undefined {
  const header = headers["read-after"];
  if (header === undefined) return parsePosition(cookie.exec(headers.cookie ?? "")?.[1] ?? "");
  const position = parsePosition(String(header));
  if (!position) {
    throw new HttpError(400, `${readAfterHeader} is the value of that header in the answer to a mutation, as it was.`);
  }
  return position;
}

/** @param seconds after these, every replica has replayed the write */
export function sendReadAfter(response: ServerResponse, position: WalPosition, seconds: number): void {
  const value = printPosition(position);
  response.setHeader(readAfterHeader, value);
  response.setHeader("Set-Cookie", `read_after=${value}; Max-Age=${seconds}; Path=/graphql; HttpOnly; SameSite=Lax`);
}
