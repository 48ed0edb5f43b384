import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * Stands between a client and a server, and can drop what passes without closing anything, as a firewall that forgets a
 * connection does: both sides believe that the other is silent.
 */
export class DroppingProxy {
  /** Where the server is to be found through it. */
  url = "";
  readonly #server = createServer((client) => this.#accept(client));
  readonly #sockets = new Set<Socket>();
  readonly #dropped = new WeakSet<Socket>();
  readonly #target: URL;

  /**
   * @param targetUrl the server's address, with host and port
   * @param port where to stand; any free one unless it is given
   */
  static async start(targetUrl: string, port = 0): Promise<DroppingProxy> {
    const proxy = new DroppingProxy(targetUrl);
    await new Promise<void>((resolve) => proxy.#server.listen(port, "127.0.0.1", resolve));
    const address = proxy.#server.address() as AddressInfo;
    proxy.url = Object.assign(new URL(targetUrl), { hostname: "127.0.0.1", port: String(address.port) }).href;
    return proxy;
  }

  private constructor(targetUrl: string) {
    this.#target = new URL(targetUrl);
  }

  /** From now on nothing passes through the connections there are; new ones work. */
  drop(): void {
    for (const socket of this.#sockets) this.#dropped.add(socket);
  }

  /** Closes everything. Once more does nothing. */
  /** Closes what was dropped, as keepalives do on both sides in the end. */
  forget(): void {
    for (const socket of this.#sockets) if (this.#dropped.has(socket)) socket.destroy();
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #accept(client: Socket): void {
    const server = connect(Number(this.#target.port), this.#target.hostname);
    this.#forward(client, server);
    this.#forward(server, client);
  }

  #forward(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.on("data", (bytes) => {
      if (!this.#dropped.has(from)) to.write(bytes);
    });
    from.on("error", () => {});
    from.on("close", () => {
      this.#sockets.delete(from);
      if (!this.#dropped.has(from)) to.destroy();
    });
  }
}
