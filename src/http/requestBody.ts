import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { ApiError } from "@content-service/errors/ApiError.ts";
import contentType from "content-type";
import getRawBody from "raw-body";
import { MalformedRequest } from "../graphql/request/readRequest.ts";
import type { HeldBytes } from "../rateLimits/RequestBytes.ts";
import { json } from "./mediaTypes.ts";

/** @throws MalformedRequest 415 unless one Content-Type header says JSON, with UTF-8 if it names a charset */
export function checkContentType(request: IncomingMessage): void {
  const [header = "", ...others] = request.headersDistinct["content-type"] ?? [];
  if (header === json && others.length === 0) return;
  const type = parse(header);
  const charset = type?.parameters.charset?.toLowerCase() ?? "utf-8";
  if (others.length > 0 || type?.type !== json || !["utf-8", "utf8"].includes(charset)) {
    throw new MalformedRequest(`A GraphQL request is sent as ${json} in UTF-8.`, 415);
  }
}

function parse(header: string): contentType.ParsedMediaType | undefined {
  try {
    return contentType.parse(header);
  } catch {
    return undefined;
  }
}

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
 * @throws ApiError if there is no room for them; MalformedRequest 413, 415, or 400 for a body that is incomplete or cannot be decompressed
 */
export async function readBytes(request: IncomingMessage, limit: number, held: HeldBytes): Promise<Buffer> {
  const encoding = request.headers["content-encoding"]?.toLowerCase() ?? "identity";
  const inflater = Object.hasOwn(inflaters, encoding) ? inflaters[encoding]?.() : undefined;
  if (!inflater && encoding !== "identity") throw new MalformedRequest("This content encoding is not supported.", 415);
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
      throw new MalformedRequest(`A request has at most ${limit} bytes.`, 413);
    }
    throw new MalformedRequest("The body could not be read.", 400);
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

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** @throws MalformedRequest */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    throw new MalformedRequest("The body is not JSON in UTF-8.");
  }
}
