import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A way to the database that can be cut, which PostgreSQL's own would not let a test do. */
export class DatabaseProxy {
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  /** @param targetUrl connection string of the database itself */
  constructor(targetUrl: string) {
    this.#target = new URL(targetUrl);
  }

  /** The same database and user, through here. */
  through(url: string): string {
    return Object.assign(new URL(url), { hostname: "127.0.0.1", port: String(this.#port) }).href;
  }

  /** Takes a port for good: it is the same each time. */
  async open(): Promise<void> {
    this.#server = createServer((client) => this.#forward(client));
    await new Promise<void>((resolve) => this.#server?.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Breaks every connection; new ones are refused until it is opened again. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    this.breakAll();
    await closed;
  }

  /** Breaks every connection, and takes new ones. */
  breakAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #forward(client: Socket): void {
    const server = connect(Number(this.#target.port), this.#target.hostname);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        this.#sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }
}
