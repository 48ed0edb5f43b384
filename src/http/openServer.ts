import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { unavailable } from "@content-service/errors/ApiError.ts";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import type { Settings } from "../settings.ts";
import { json } from "./mediaTypes.ts";

export type ServerSettings = Pick<Settings, "host" | "port" | "headersTimeoutMs" | "requestTimeoutMs">;

export interface OpenServer {
  /** The URL, without a trailing slash: `http://127.0.0.1:4000`. */
  url: string;
  /** The reason that `/readyz` gives during the start. */
  startingReason: string;
  /** For listeners to other events than requests, such as upgrades. */
  server: Server;
  /** Makes `listener` answer from now on. Until then every request gets a 503. */
  serve(listener: RequestListener): void;
  /** Accepts no more connections. Open ones go on, idle ones too. */
  closePort(): Promise<void>;
  /**
   * Accepts no more connections, closes idle ones, and drains the rest.
   *
   * @param patienceMs after which the remaining connections are cut
   * @param idleMs after which idle connections are closed. A proxy first has to notice that the port is closed: a request that it
   *   sends on a connection while that is closed is lost
   */
  close(patienceMs: number, idleMs?: number): Promise<void>;
}

/** When the port may close: see closeListener(). */
const shortTurnMs = 0.2;
const quietMs = 1;
const longestWaitMs = 1_000;

/**
 * Listens, and answers probes until a listener is given.
 *
 * @throws OperatorError when the port is taken
 */
export async function openServer(settings: ServerSettings): Promise<OpenServer> {
  const starting = { startingReason: "starting" };
  let current: RequestListener = (request, response) => respondStarting(request, response, starting.startingReason);
  let closesIdle = false;
  const server = createHttpServer((request, response) => {
    // While draining, close a keep-alive connection as soon as its request is done.
    response.once("close", () => closesIdle && void setImmediate().then(() => server.closeIdleConnections()));
    return current(request, response);
  }, settings);
  // Node counts a connection without a request as busy, for as long as the headers may take.
  const connections = new Set<Socket>();
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  await once(server.listen(settings.port, settings.host), "listening").catch((error) => {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    const taken = settings.port;
    throw new OperatorError(
      `Port ${taken} is taken by another program. Choose another one: PORT=${taken + 1} npm start`,
    );
  });
  const { family, address, port } = server.address() as AddressInfo;
  const closed = new Promise<void>((resolve) => server.once("close", () => resolve()));
  let closingPort: Promise<void> | undefined;
  let closing: Promise<void> | undefined;
  const closePort = () => {
    closingPort ??= closeListener(server);
    return closingPort;
  };
  const drain = async (patienceMs: number, idleMs: number) => {
    const drained = new AbortController();
    void closed.then(() => drained.abort());
    const after = (ms: number) => delay(ms, undefined, { signal: drained.signal }).catch(() => {});
    await closePort();
    const cut = after(patienceMs).then(() => server.closeAllConnections());
    await after(Math.min(idleMs, patienceMs));
    closesIdle = true;
    // Closes idle connections as well.
    server.close();
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
    await Promise.all([closed, cut]);
  };
  return Object.assign(starting, {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}`,
    server,
    serve(listener: RequestListener) {
      current = listener;
    },
    closePort,
    close(patienceMs: number, idleMs = 0) {
      closing ??= drain(patienceMs, idleMs);
      return closing;
    },
  });
}

/**
 * Closes the port while nothing arrives. The kernel resets connections that it has established and the process has not accepted yet, and
 * a proxy cannot know that their requests did not arrive. So this waits for a turn of the event loop that was short, and in which
 * nothing was accepted or answered for a while: a response makes its client send the next request.
 */
async function closeListener(server: Server): Promise<void> {
  let turnAt = performance.now();
  let eventAt = turnAt;
  const giveUpAt = turnAt + longestWaitMs;
  const noteEvent = () => {
    eventAt = performance.now();
  };
  server.on("connection", noteEvent);
  server.on("request", (_, response: ServerResponse) => response.once("close", noteEvent));
  for (let isQuiet = false; !isQuiet; ) {
    await setImmediate();
    const now = performance.now();
    isQuiet = (now - turnAt < shortTurnMs && now - eventAt > quietMs) || now > giveUpAt;
    turnAt = now;
  }
  // An HTTP server's own close() closes idle connections, too.
  NetServer.prototype.close.call(server);
}

const startingError = unavailable("The service is starting.");

/** Answers during the start: alive, not ready. */
function respondStarting({ url }: IncomingMessage, response: ServerResponse, reason: string): void {
  const isAlive = url === "/healthz";
  const body = isAlive
    ? { status: "alive" }
    : url === "/readyz"
      ? { status: "not ready", reason }
      : { errors: [{ message: startingError.message, extensions: startingError.extensions }] };
  response.writeHead(isAlive ? 200 : 503, STATUS_CODES[isAlive ? 200 : 503], {
    "Cache-Control": "no-store",
    "Content-Type": `${json}; charset=utf-8`,
    ...(isAlive ? null : { "Retry-After": "1" }),
  });
  response.end(JSON.stringify(body));
}

/** Longer than the idle timeout of any common proxy, so that the proxy closes the connection and never finds it closed. */
const keepAliveMs = 65_000;

/** An HTTP server. Node itself answers what is too slow, has too large headers, or is no HTTP. */
function createHttpServer(
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
