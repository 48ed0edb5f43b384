import { once } from "node:events";
import { request } from "node:http";
import { WebSocket } from "ws";

export const transports = ["graphql-transport-ws", "graphql-ws", "sse"] as const;
export type Transport = (typeof transports)[number];

export interface Viewer {
  /** Undefined for an anonymous client. */
  authorization: string | undefined;
  /** The address that a proxy reports. */
  address: string;
}

/** Results are larger than all other messages. */
const leastResult = 10_000;

/** A client that subscribes over any transport, and counts results without keeping them. */
export class Reader implements Disposable {
  received = 0;
  /** The first message that is no result, such as an error. */
  other: string | undefined;
  readonly #url: string;
  readonly #viewer: Viewer;
  readonly #ends: (() => void)[] = [];
  #told = Promise.withResolvers<void>();

  constructor(url: string, viewer: Viewer) {
    this.#url = url;
    this.#viewer = viewer;
  }

  /** Opens a subscription for each request. */
  async subscribe(transport: Transport, requests: readonly object[]): Promise<void> {
    if (transport === "sse") await Promise.all(requests.map((body) => this.#openStream(body)));
    else await this.#openSocket(transport, requests);
  }

  /** Resolves when so many results have been received. */
  async has(results: number): Promise<void> {
    while (this.received < results) {
      if (this.other !== undefined) throw new Error(this.other);
      await this.#told.promise;
      this.#told = Promise.withResolvers();
    }
  }

  [Symbol.dispose](): void {
    for (const end of this.#ends) end();
  }

  async #openSocket(protocol: Transport, requests: readonly object[]): Promise<void> {
    const { address, authorization } = this.#viewer;
    const url = this.#url.replace("http", "ws");
    const socket = new WebSocket(url, protocol, { headers: { "x-forwarded-for": address } });
    const say = (message: object) => socket.send(JSON.stringify(message));
    socket.on("error", () => {});
    socket.on("close", () => this.#fail("closed"));
    this.#ends.push(() => socket.terminate());
    await once(socket, "open");
    say({ type: "connection_init", payload: { authToken: authorization } });
    await once(socket, "message");
    socket.on("message", (data: Buffer) => {
      if (data.length > 100) this.#count(data.length, () => data.toString());
    });
    const type = protocol === "graphql-ws" ? "start" : "subscribe";
    for (const [id, payload] of requests.entries()) say({ type, id: String(id), payload });
  }

  async #openStream(body: object): Promise<void> {
    const { address, authorization } = this.#viewer;
    const type = { accept: "text/event-stream", "content-type": "application/json" };
    const headers = { ...type, ...(authorization && { authorization }), "x-forwarded-for": address };
    const sent = request(this.#url, { method: "POST", agent: false, headers });
    sent.on("error", () => {});
    this.#ends.push(() => sent.destroy());
    sent.end(JSON.stringify(body));
    const [response] = await once(sent, "response");
    response.on("error", () => {}).on("close", () => this.#fail("closed"));
    let bytes = 0;
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (!chunk.toString("latin1", Math.max(0, chunk.length - 2)).endsWith("\n\n")) return;
      if (bytes > 100) this.#count(bytes, () => chunk.toString());
      bytes = 0;
    });
  }

  #count(bytes: number, text: () => string): void {
    if (bytes > leastResult) this.received += 1;
    else this.#fail(text().slice(0, 500));
    this.#told.resolve();
  }

  #fail(message: string): void {
    this.other ??= message;
    this.#told.resolve();
  }
}
