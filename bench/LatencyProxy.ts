import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A TCP proxy that stands for a network: all that passes it arrives later, in each direction. */
export class LatencyProxy {
  /** The URL of the target, through the proxy. */
  url = "";
  readonly #server: Server;
  readonly #target: URL;
  readonly #delayMs: number;

  /** @param targetUrl with host and port @param delayMs for one direction */
  constructor(targetUrl: string, delayMs: number) {
    this.#target = new URL(targetUrl);
    this.#delayMs = delayMs;
    this.#server = createServer({ noDelay: true }, (client) => this.#forward(client));
  }

  async start(): Promise<this> {
    await once(this.#server.listen(0, "127.0.0.1"), "listening");
    const { port } = this.#server.address() as AddressInfo;
    this.url = Object.assign(new URL(this.#target), { hostname: "127.0.0.1", port: String(port) }).href;
    return this;
  }

  stop(): void {
    this.#server.close();
  }

  #forward(client: Socket): void {
    const server = connect({ port: Number(this.#target.port), host: this.#target.hostname, noDelay: true });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      // Timers of the same length run in the order in which they were set.
      from.on("data", (bytes) => setTimeout(() => to.write(bytes), this.#delayMs));
      from.on("close", () => setTimeout(() => to.destroy(), this.#delayMs));
      from.on("error", () => {});
    }
  }
}
