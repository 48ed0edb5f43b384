import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { networkOf } from "@content-service/support/networkOf.ts";
import express from "express";
import { LRUCache } from "lru-cache";

export type ClientAddress = (request: IncomingMessage) => string;

/**
 * The client's IP address, by the rule of express's `request.ip`: the nearest address on the request's path that is not a
 * trusted proxy.
 *
 * @param trustProxy see express, "trust proxy"; empty to trust no proxy
 * @param noteDisbelief called for a request with an address in `X-Forwarded-For` that no trusted proxy has written
 */
export function makeClientAddress(trustProxy: string | number, noteDisbelief: () => void): ClientAddress {
  const app = express();
  app.set("trust proxy", trustProxy === "" ? 0 : trustProxy);
  const isTrusted: (address: string, hop: number) => boolean = app.get("trust proxy fn");
  // An address is parsed, and compared with each network.
  const known = new LRUCache<string, boolean>({ max: 1_000, memoMethod: (address) => isTrusted(address, 0) });
  const isOurs = typeof trustProxy === "number" ? isTrusted : (address: string) => known.memo(address);
  return ({ headers, socket }) => {
    const given = headers["x-forwarded-for"];
    const direct = socket.remoteAddress ?? "";
    if (given === undefined) return direct;
    const forwarded = String(given).split(",");
    const way = [direct, ...forwarded.map((address) => address.trim()).reverse()].filter(Boolean);
    const place = way.findIndex((address, hop) => !isOurs(address, hop));
    if (place !== -1 && place < way.length - 1) noteDisbelief();
    return way.at(place) ?? "";
  };
}

/** Networks among the trusted proxies. A client with an address in one chooses the address that it is counted by. */
export function trustedNetworks(trustProxy: string | number): string[] {
  const parts = typeof trustProxy === "number" ? [] : trustProxy.split(",").map((part) => part.trim());
  return parts.filter((part) => {
    const network = networkOf(part);
    return part !== "" && (network === undefined || network.bits < network.width);
  });
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
