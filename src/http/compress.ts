import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import Negotiator from "negotiator";

/** A shorter answer fits into one packet as it is. */
const minBytes = 1_024;
/** Higher levels take several times as long, for a few per cent. */
const level = 4;

const encoders: Record<string, (text: string) => Promise<Buffer>> = {
  br: (text) => promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: level } }),
  gzip: (text) => promisify(gzip)(text, { level }),
};

/** Compresses an answer as the client accepts it, outside the event loop. @returns undefined for one that stays as it is */
export async function compress(
  request: IncomingMessage,
  text: string,
): Promise<{ encoding: string; bytes: Buffer } | undefined> {
  if (!request.headers["accept-encoding"] || Buffer.byteLength(text) < minBytes) return undefined;
  const accepted = new Negotiator(request).encodings(Object.keys(encoders));
  // Browsers rank all that they know alike.
  const encoding = Object.keys(encoders).find((one) => accepted.includes(one));
  const bytes = encoding && (await encoders[encoding]?.(text));
  return bytes ? { encoding, bytes } : undefined;
}
