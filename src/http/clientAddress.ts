import type { IncomingMessage } from "node:http";
import express from "express";

export type ClientAddress = (request: IncomingMessage) => string;

/**
 * Where a request comes from that express does not see, found as express finds `request.ip`: the nearest address on its way
 * that is no proxy of ours.
 *
 * @param trustProxy see express, "trust proxy"; empty for nobody
 */
export function makeClientAddress(trustProxy: string | number): ClientAddress {
  const app = express();
  if (trustProxy !== "") app.set("trust proxy", trustProxy);
  const isOurs: (address: string, hop: number) => boolean = app.get("trust proxy fn");
  return ({ headers, socket }) => {
    const forwarded = String(headers["x-forwarded-for"] ?? "").split(",");
    const way = [socket.remoteAddress ?? "", ...forwarded.map((address) => address.trim()).reverse()].filter(Boolean);
    return way.find((address, hop) => !isOurs(address, hop)) ?? way.at(-1) ?? "";
  };
}
