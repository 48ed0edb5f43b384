import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { freePort } from "./freePort.ts";

/**
 * A TCP proxy with faults. It refuses new connections, breaks open ones, or silently drops their data as a firewall
 * does that has forgotten a connection. With a delay it stands for a network: all arrives so much later, in each direction.
 */
export class DroppingProxy {
  /** The URL of the target, through the proxy. */
  url = "";
  /** How many connections it has accepted so far. */
  connections = 0;
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #dropped = new WeakSet<Socket>();
  #isFrozen = false;
  #isMuted = false;
  readonly #target: URL;
  readonly #delayMs: number;

  /** @param targetUrl with host and port @param port any free one by default @param delayMs for one direction */
  static async start(targetUrl: string, port?: number, delayMs = 0): Promise<DroppingProxy> {
    const proxy = new DroppingProxy(targetUrl, delayMs);
    await proxy.accept(port ?? (await freePort()));
    return proxy;
  }

  private constructor(targetUrl: string, delayMs: number) {
    this.#target = new URL(targetUrl);
    this.#delayMs = delayMs;
  }

  /** Accepts connections again after `stop()`, on the same port. */
  async accept(port = Number(new URL(this.url).port)): Promise<void> {
    this.#server = createServer({ noDelay: true }, (client) => this.#forwardBoth(client)).listen(port, "127.0.0.1");
    await once(this.#server, "listening");
    this.url = Object.assign(new URL(this.#target), { hostname: "127.0.0.1", port: String(port) }).href;
  }

  /** Refuses new connections and breaks the open ones. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => (this.#server ? this.#server.close(resolve) : resolve(undefined)));
    this.breakAll();
    await closed;
  }

  /** Breaks the open connections. New ones work. */
  breakAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Drops all data of the open connections from now on, without closing them. New ones work. */
  drop(): void {
    for (const socket of this.#sockets) this.#dropped.add(socket);
  }

  /** Drops all data of all connections from now on, open and new ones, as a frozen server does. */
  freeze(): void {
    this.#isFrozen = true;
  }

  /** Drops what the server sends from now on, on all connections. What clients send still reaches it. */
  mute(): void {
    this.#isMuted = true;
  }

  /** Breaks the open connections, and drops nothing any more. */
  recover(): void {
    this.breakAll();
    this.#isMuted = false;
  }

  /** Closes the dropped connections, as TCP keepalive does on both sides in the end. */
  forget(): void {
    for (const socket of this.#sockets) if (this.#dropped.has(socket)) socket.destroy();
  }

  #forwardBoth(client: Socket): void {
    this.connections += 1;
    const server = connect({ port: Number(this.#target.port), host: this.#target.hostname, noDelay: true });
    this.#forward(client, server, () => this.#isFrozen);
    this.#forward(server, client, () => this.#isFrozen || this.#isMuted);
  }

  #forward(from: Socket, to: Socket, drops: () => boolean): void {
    this.#sockets.add(from);
    from.on("data", (bytes) => {
      if (!drops() && !this.#dropped.has(from)) this.#later(() => to.write(bytes));
    });
    from.on("error", () => {});
    from.on("close", () => {
      this.#sockets.delete(from);
      if (!this.#dropped.has(from)) this.#later(() => to.destroy());
    });
  }

  /** Timers of the same length run in the order in which they were set. */
  #later(act: () => void): void {
    if (this.#delayMs > 0) setTimeout(act, this.#delayMs);
    else act();
  }
}
