import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import Negotiator from "negotiator";

/** A shorter answer fits into one packet as it is. */
const minBytes = 1_024;
/** Higher levels take several times as long, for a few per cent. */
const level = 4;

const encoders: Record<string, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: level } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level }),
};

export interface Compressed {
  /** Undefined for an answer as it is. */
  encoding?: string;
  compressed: Buffer;
}

/** Compresses an answer as the client accepts it, outside the event loop. A short one stays as it is. */
export async function compress(request: IncomingMessage, bytes: Buffer): Promise<Compressed> {
  if (bytes.length < minBytes) return { compressed: bytes };
  const accepted = new Negotiator(request).encodings(Object.keys(encoders));
  // Browsers rank all that they know alike.
  const encoding = Object.keys(encoders).find((one) => accepted.includes(one));
  return encoding ? { encoding, compressed: (await encoders[encoding]?.(bytes)) ?? bytes } : { compressed: bytes };
}
