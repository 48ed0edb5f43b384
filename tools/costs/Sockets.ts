import { once } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { WebSocket } from "ws";

/** Clients with a WebSocket each, which speak graphql-transport-ws and only count what they receive. */
export class Sockets implements Disposable {
  readonly #url: string;
  readonly #sockets: WebSocket[] = [];
  #received = 0;
  #awaited: { count: number; resolve(): void } | undefined;
  #subscriptions = 0;

  /** @param url of the HTTP endpoint */
  constructor(url: string) {
    this.#url = url.replace(/^http/, "ws");
  }

  get size(): number {
    return this.#sockets.length;
  }

  /** Opens a socket that waits until the service has accepted its token. */
  async open(authToken: string): Promise<void> {
    const number = this.#sockets.length;
    const socket = new WebSocket(this.#url, "graphql-transport-ws", {
      headers: { "x-forwarded-for": `10.1.${number >> 8}.${number & 255}` },
    });
    this.#sockets.push(socket);
    await once(socket, "open");
    socket.send(JSON.stringify({ type: "connection_init", payload: { authToken } }));
    const [answer] = await once(socket, "message");
    const { type } = JSON.parse(String(answer));
    if (type !== "connection_ack") throw new Error(`A socket was answered with ${answer}`);
    socket.on("message", (data) => this.#receive(String(data)));
  }

  /** Subscribes a socket to a chat's messages after one of them. */
  subscribe(socket: number, chatId: string, after: string): void {
    this.#subscriptions += 1;
    const query =
      "subscription($chatId: ID!, $after: ID) { messageAdded(chatId: $chatId, after: $after) { id text sender { name } } }";
    const payload = { query, variables: { chatId, after } };
    this.#sockets[socket]?.send(JSON.stringify({ id: String(this.#subscriptions), type: "subscribe", payload }));
  }

  /** Runs something after which so many messages arrive, and waits for them. */
  async receive(count: number, act: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#awaited = { count: this.#received + count, resolve };
    await act();
    this.#look();
    await promise;
    await turn();
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  #receive(text: string): void {
    if (text.startsWith('{"type":"ping"')) return;
    if (!text.includes('"type":"next"') || text.includes('"errors"')) throw new Error(`A socket received ${text}`);
    this.#received += 1;
    this.#look();
  }

  #look(): void {
    if (this.#awaited && this.#received >= this.#awaited.count) this.#awaited.resolve();
  }
}
