import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { ApiError } from "@content-service/errors/ApiError.ts";
import getRawBody from "raw-body";
import type { HeldBytes } from "../rateLimits/RequestBytes.ts";
import { HttpError } from "./HttpError.ts";

const inflaters: Record<string, () => Transform> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Reads and decompresses a request's body. A body that is too long is refused at once; express's own parser would read it
 * to its end first.
 *
 * @param limit in bytes, after decompression
 * @param held counts the bytes as they arrive
 * @throws ApiError if there is no room for them; HttpError 413, 415, or 400 for a body that is incomplete or cannot be decompressed
 */
export async function readBytes(request: IncomingMessage, limit: number, held: HeldBytes): Promise<Buffer> {
  const encoding = request.headers["content-encoding"]?.toLowerCase() ?? "identity";
  const inflater = Object.hasOwn(inflaters, encoding) ? inflaters[encoding]?.() : undefined;
  if (!inflater && encoding !== "identity") throw new HttpError(415, "This content encoding is not supported.");
  const length = (inflater ? null : request.headers["content-length"]) ?? null;
  const body = inflater ? decompressed(request, inflater) : request;
  const count = (chunk: Buffer) => {
    try {
      held.add(chunk.length);
    } catch (error) {
      // getRawBody() stops reading, and fails with it.
      body.emit("error", error);
    }
  };
  try {
    body.on("data", count);
    return await getRawBody(body, { limit, length });
  } catch (error) {
    if (inflater) request.unpipe(inflater);
    inflater?.destroy();
    if (error instanceof ApiError) throw error;
    if ((error as { status?: number }).status === 413) {
      throw new HttpError(413, `A request has at most ${limit} bytes.`);
    }
    throw new HttpError(400, "The body could not be read.");
  } finally {
    body.off("data", count);
  }
}

function decompressed(request: IncomingMessage, inflater: Transform): Transform {
  request.once("close", () => {
    if (!request.complete) inflater.destroy(new Error("the client hung up"));
  });
  return request.pipe(inflater);
}
