import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { connect } from "node:tls";

/**
 * A port of 127.0.0.1 whose connections go on to a server by TLS, its certificate checked. So the callers and listeners of the other tools,
 * which speak HTTP, use it.
 */
export class TlsTunnel implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  /** @param to where, and the only authority that is trusted */
  static async open(to: { port: number; servername: string; ca: string }): Promise<TlsTunnel> {
    const tunnel = new TlsTunnel(to);
    await once(tunnel.#server.listen(0, "127.0.0.1"), "listening");
    return tunnel;
  }

  private constructor({ port, servername, ca }: { port: number; servername: string; ca: string }) {
    this.#server = createServer((inner) => {
      const outer = connect({ host: "127.0.0.1", port, servername, ca });
      inner.pipe(outer).pipe(inner);
      for (const [one, other] of [
        [inner, outer],
        [outer, inner],
      ] as const) {
        this.#sockets.add(one);
        one.on("error", () => other.destroy());
        one.on("close", () => {
          other.destroy();
          this.#sockets.delete(one);
        });
      }
    });
  }

  /** The endpoint's URL, `http:`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/graphql`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}
