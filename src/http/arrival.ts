import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import express from "express";

export type ClientAddress = (request: IncomingMessage) => string;

/**
 * The client's IP address, by the rule of express's `request.ip`: the nearest address on the request's path that is not a
 * trusted proxy.
 *
 * @param trustProxy see express, "trust proxy"; empty to trust no proxy
 */
export function makeClientAddress(trustProxy: string | number): ClientAddress {
  if (trustProxy === "") return ({ socket }) => socket.remoteAddress ?? "";
  const app = express();
  app.set("trust proxy", trustProxy);
  const isOurs: (address: string, hop: number) => boolean = app.get("trust proxy fn");
  return ({ headers, socket }) => {
    const forwarded = String(headers["x-forwarded-for"] ?? "").split(",");
    const way = [socket.remoteAddress ?? "", ...forwarded.map((address) => address.trim()).reverse()].filter(Boolean);
    return way.find((address, hop) => !isOurs(address, hop)) ?? way.at(-1) ?? "";
  };
}

/** Characters that are safe in a log line and a header. Bounded, so that clients cannot fill the log. */
const valid = /^[\w.:=+/-]{1,128}$/;

/** The client's `X-Request-Id` if it is valid, else a new id. Node joins several headers with a comma, which is not valid. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = String(headers["x-request-id"] ?? "");
  return valid.test(given) ? given : randomUUID();
}

/**
 * The path of a request, without its query string, which may contain a token. A client may send a whole URL (RFC 9112, 3.2.2). Undefined for what is neither: of
 * that, Express makes a page of its own.
 */
export function pathOf({ url = "/" }: IncomingMessage): string | undefined {
  const path = url.startsWith("/") || url === "*" ? url : URL.parse(url)?.pathname;
  return path?.split(/[?#]/, 1)[0];
}
