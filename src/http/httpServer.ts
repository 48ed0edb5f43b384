import { createServer, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";

export interface ServerSettings {
  host: string;
  port: number;
  /** Within which a request's headers, and all of it, have to arrive. */
  headersTimeoutMs: number;
  requestTimeoutMs: number;
}

/** Longer than any proxy keeps its connections idle, so that it is the proxy that closes them. */
const keepAliveMs = 65_000;

/** What Node's parser found, by its name for it; anything else is a 400. */
const faults: Record<string, { status: number; message: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: "The headers are too large." },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: "The chunk extensions are too large." },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: "The request took too long to arrive." },
};

/** A server that answers what is no HTTP, or comes too slowly, in JSON as well. */
export function createHttpServer(
  listener: RequestListener,
  { headersTimeoutMs, requestTimeoutMs }: Pick<ServerSettings, "headersTimeoutMs" | "requestTimeoutMs">,
): Server {
  const server: Server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(1_000, headersTimeoutMs, requestTimeoutMs),
      keepAliveTimeout: keepAliveMs,
      // Refused by the app, in JSON.
      requireHostHeader: false,
      // Clients that would rather speak HTTP/2 ask for that in the same way; they are answered by HTTP/1.1, as it allows.
      shouldUpgradeCallback: ({ headers }) =>
        headers.upgrade?.toLowerCase() === "websocket" && server.listenerCount("upgrade") > 0,
    },
    listener,
  );
  const current = new WeakMap<Duplex, ServerResponse>();
  server.prependListener("request", (request, response) => current.set(request.socket, response));
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const response = current.get(socket);
    // In the midst of an answer, or of a body that has been refused already.
    const isAnswered = response?.headersSent && !(response.writableFinished && response.req.complete);
    if (!socket.writable || isAnswered || error.code === "ECONNRESET") return void socket.destroy();
    socket.end(rawAnswer(faults[error.code ?? ""]), () => socket.destroy());
  });
  return server;
}

function rawAnswer({ status, message } = { status: 400, message: "This is not HTTP." }): string {
  const body = JSON.stringify({ errors: [{ message, extensions: { code: "VALIDATION_ERROR" } }] });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}

export function listen(server: Server, { port, host }: Pick<ServerSettings, "host" | "port">): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve(server.address() as AddressInfo);
    });
  });
}
