import type { RequestListener } from "node:http";
import { type Server, STATUS_CODES } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { createHttpServer, listen, type ServerSettings } from "./httpServer.ts";
import { json } from "./mediaTypes.ts";

export interface OpenServer {
  /** Where it is, without a slash at the end: `http://127.0.0.1:4000`. */
  url: string;
  /** For who listens to more than requests. */
  server: Server;
  /** From now on `listener` answers. Until then everything is told to try again. */
  serve(listener: RequestListener): void;
  /**
   * Takes no more connections, closes those that are idle, and lets the rest finish.
   *
   * @param patienceMs after which what is not finished is cut off
   */
  close(patienceMs: number): Promise<void>;
}

/** Listens at once, so that a port that is taken is found first and probes are answered while the rest starts. */
export async function openServer(settings: ServerSettings): Promise<OpenServer> {
  let current: RequestListener = starting;
  const server = createHttpServer((request, response) => {
    // Once nobody new is let in, who is done is to go.
    response.once("close", () => server.listening || setImmediate(() => server.closeIdleConnections()));
    return current(request, response);
  }, settings);
  const { family, address, port } = await listen(server, settings);
  let closing: Promise<void> | undefined;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}`,
    server,
    serve(listener) {
      current = listener;
    },
    close(patienceMs) {
      closing ??= closeServer(server, patienceMs);
      return closing;
    },
  };
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

/** Alive, and not ready for anything yet. */
const starting: RequestListener = ({ url }, response) => {
  const isAlive = url === "/healthz";
  const body = isAlive
    ? { status: "alive" }
    : url === "/readyz"
      ? { status: "not ready", reason: "starting" }
      : { errors: [{ message: "The service is starting.", extensions: { code: "SERVICE_UNAVAILABLE" } }] };
  response.writeHead(isAlive ? 200 : 503, STATUS_CODES[isAlive ? 200 : 503], {
    "Content-Type": `${json}; charset=utf-8`,
    ...(isAlive ? null : { "Retry-After": "1" }),
  });
  response.end(JSON.stringify(body));
};
