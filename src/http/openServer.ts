import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { type Server, STATUS_CODES } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { unavailable } from "../errors/ApiError.ts";
import { createHttpServer, listen, type ServerSettings } from "./httpServer.ts";
import { json } from "./mediaTypes.ts";

export interface OpenServer {
  /** The URL, without a trailing slash: `http://127.0.0.1:4000`. */
  url: string;
  /** The reason that `/readyz` gives during the start. */
  startingReason: string;
  /** For listeners to other events than requests, such as upgrades. */
  server: Server;
  /** Makes `listener` answer from now on. Until then every request gets a 503. */
  serve(listener: RequestListener): void;
  /**
   * Accepts no more connections, closes idle ones, and drains the rest.
   *
   * @param patienceMs after which the remaining connections are cut
   */
  close(patienceMs: number): Promise<void>;
}

/** Listens at once, so that a taken port is reported first, and probes are answered during the start. */
export async function openServer(settings: ServerSettings): Promise<OpenServer> {
  const starting = { startingReason: "starting" };
  let current: RequestListener = (request, response) => answerStarting(request, response, starting.startingReason);
  const server = createHttpServer((request, response) => {
    // While draining, close a keep-alive connection as soon as its request is done.
    response.once("close", () => server.listening || setImmediate(() => server.closeIdleConnections()));
    return current(request, response);
  }, settings);
  const { family, address, port } = await listen(server, settings);
  let closing: Promise<void> | undefined;
  return Object.assign(starting, {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}`,
    server,
    serve(listener: RequestListener) {
      current = listener;
    },
    close(patienceMs: number) {
      closing ??= closeServer(server, patienceMs);
      return closing;
    },
  });
}

async function closeServer(server: Server, patienceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const patience = new AbortController();
  const ranOut = delay(patienceMs, undefined, { signal: patience.signal }).then(
    () => server.closeAllConnections(),
    () => {},
  );
  await Promise.race([closed, ranOut]);
  patience.abort();
  await closed;
}

const startingError = unavailable("The service is starting.");

/** Answers during the start: alive, not ready. */
function answerStarting({ url }: IncomingMessage, response: ServerResponse, reason: string): void {
  const isAlive = url === "/healthz";
  const body = isAlive
    ? { status: "alive" }
    : url === "/readyz"
      ? { status: "not ready", reason }
      : { errors: [{ message: startingError.message, extensions: startingError.extensions }] };
  response.writeHead(isAlive ? 200 : 503, STATUS_CODES[isAlive ? 200 : 503], {
    "Content-Type": `${json}; charset=utf-8`,
    ...(isAlive ? null : { "Retry-After": "1" }),
  });
  response.end(JSON.stringify(body));
}
