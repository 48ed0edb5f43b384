import type { IncomingMessage } from "node:http";
import { isApiError } from "@content-service/errors/ApiError.ts";
import contentType from "content-type";
import getRawBody from "raw-body";
import { MalformedRequest } from "../graphql/request/readRequest.ts";
import type { Held } from "../memory/ByteLedger.ts";
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

/** A semicolon with no parameter, which RFC 9110, 5.6.6, allows and the parser does not. */
const emptyParameter = /;[\t ]*(?=;|$)/g;

function parse(header: string): contentType.ParsedMediaType | undefined {
  try {
    return contentType.parse(header.replaceAll(emptyParameter, ""));
  } catch {
    return undefined;
  }
}

/**
 * Reads a request's body. One that is too long is refused at once; express's own parser would read it to its end first.
 *
 * @param limit in bytes
 * @param held counts the bytes as they arrive
 * @throws ApiError if there is no room for them; MalformedRequest 413, 415 for a compressed body, or 400 for one that is incomplete
 */
export async function readBytes(request: IncomingMessage, limit: number, held: Held): Promise<Buffer> {
  const { "content-encoding": encoding = "identity", "content-length": length = null } = request.headers;
  if (encoding.toLowerCase() !== "identity") {
    throw new MalformedRequest("A body is sent uncompressed.", 415, { headers: { "Accept-Encoding": "identity" } });
  }
  const count = (chunk: Buffer) => {
    try {
      held.add(chunk.length);
    } catch (error) {
      // getRawBody() stops reading, and fails with it.
      request.emit("error", error);
    }
  };
  try {
    request.on("data", count);
    return await getRawBody(request, { limit, length });
  } catch (error) {
    if (isApiError(error)) throw error;
    if ((error as { status?: number }).status === 413) {
      throw new MalformedRequest(`A request has at most ${limit} bytes.`, 413);
    }
    throw new MalformedRequest("The body could not be read.", 400);
  } finally {
    request.off("data", count);
  }
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
