import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import getRawBody from "raw-body";
import { HttpRefusal } from "./httpRefusal.ts";

const inflaters: Record<string, () => Transform> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Reads a request's body, unpacked. Too long a one is refused at its first byte too many, so that the answer does not
 * wait for the rest, which express's own parser reads to its end.
 *
 * @param limit in bytes, after decompression
 * @throws HttpRefusal 413, 415, or 400 for what ends too soon or does not unpack
 */
export async function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  const encoding = request.headers["content-encoding"]?.toLowerCase() ?? "identity";
  const inflater = Object.hasOwn(inflaters, encoding) ? inflaters[encoding]?.() : undefined;
  if (!inflater && encoding !== "identity") throw new HttpRefusal(415, "This content encoding is not supported.");
  const length = (inflater ? null : request.headers["content-length"]) ?? null;
  try {
    return await getRawBody(inflater ? unpacked(request, inflater) : request, { limit, length });
  } catch (error) {
    if (inflater) request.unpipe(inflater);
    inflater?.destroy();
    if ((error as { status?: number }).status === 413) {
      throw new HttpRefusal(413, `A request has at most ${limit} bytes.`);
    }
    throw new HttpRefusal(400, "The body could not be read.");
  }
}

function unpacked(request: IncomingMessage, inflater: Transform): Transform {
  request.once("close", () => {
    if (!request.complete) inflater.destroy(new Error("the client hung up"));
  });
  return request.pipe(inflater);
}
