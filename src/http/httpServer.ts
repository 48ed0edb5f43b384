import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Settings } from "../settings.ts";

export type ServerSettings = Pick<Settings, "host" | "port" | "headersTimeoutMs" | "requestTimeoutMs">;

/** Longer than the idle timeout of any common proxy, so that the proxy closes the connection and never finds it closed. */
const keepAliveMs = 65_000;

/** An HTTP server. Node itself answers what is too slow, has too large headers, or is no HTTP. */
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
  return server;
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
