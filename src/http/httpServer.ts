import { createServer, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { MalformedRequest } from "../graphql/request/readRequest.ts";
import type { Settings } from "../settings.ts";

export type ServerSettings = Pick<Settings, "host" | "port" | "headersTimeoutMs" | "requestTimeoutMs">;

/** Longer than the idle timeout of any common proxy, so that the proxy closes the connection and never finds it closed. */
const keepAliveMs = 65_000;

/** Answers to the errors of Node's HTTP parser, by error code; any other is a 400. */
const faults: Record<string, { status: number; message: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: "The headers are too large." },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: "The chunk extensions are too large." },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: "The request took too long to arrive." },
};

/** An HTTP server that answers malformed and slow requests in JSON, too. */
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
      // The app checks it, and answers in JSON.
      requireHostHeader: false,
      // Clients that prefer HTTP/2 send an upgrade header, too. HTTP allows answering them by HTTP/1.1.
      shouldUpgradeCallback: ({ headers }) =>
        headers.upgrade?.toLowerCase() === "websocket" && server.listenerCount("upgrade") > 0,
    },
    listener,
  );
  const current = new WeakMap<Duplex, ServerResponse>();
  server.prependListener("request", (request, response) => current.set(request.socket, response));
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const response = current.get(socket);
    // An answer, or the refusal of the body, is already on its way.
    const isAnswered = response?.headersSent && !(response.writableFinished && response.req.complete);
    if (!socket.writable || isAnswered || error.code === "ECONNRESET") return void socket.destroy();
    socket.end(rawAnswer(faults[error.code ?? ""]), () => socket.destroy());
  });
  return server;
}

function rawAnswer({ status, message } = { status: 400, message: "This is not HTTP." }): string {
  const { extensions } = new MalformedRequest(message, status);
  const body = JSON.stringify({ errors: [{ message, extensions }] });
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
