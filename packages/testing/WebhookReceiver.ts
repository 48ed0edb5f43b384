import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";

export interface WebhookMessage {
  id: string;
  type: string;
  data: { id: string; key: string; row?: Record<string, unknown> };
  /** What a cache is told. */
  cacheTags: string[];
  /** Whether the signature is good. */
  isVerified: boolean;
}

/** A certificate and its key, as PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

/** A real endpoint on any free port, with TLS if it has a certificate, which takes what it receives unless `respond` says otherwise. */
export class WebhookReceiver implements AsyncDisposable {
  readonly messages: WebhookMessage[] = [];
  secret = "";
  /** May set a status, write, or destroy the connection. */
  respond: (message: WebhookMessage, response: ServerResponse) => unknown = () => {};
  readonly #certificate: Certificate | undefined;
  #server: Server | undefined;
  #port = 0;

  constructor(certificate?: Certificate) {
    this.#certificate = certificate;
  }

  /** The same port is used by the next start(). */
  async start(): Promise<this> {
    const receive = (request: IncomingMessage, response: ServerResponse) => void this.#receive(request, response);
    this.#server = this.#certificate ? createTlsServer(this.#certificate, receive) : createServer(receive);
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as { port: number }).port;
    return this;
  }

  get url(): string {
    return `${this.#certificate ? "https" : "http"}://127.0.0.1:${this.#port}/hook?token=secret`;
  }

  async stop(): Promise<void> {
    const closed = this.#server && once(this.#server, "close");
    this.#server?.closeAllConnections();
    this.#server?.close();
    await closed;
    this.#server = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => undefined);
    // The sender has ended.
    if (body === undefined) return;
    const headers = request.headers as Record<string, string>;
    let isVerified = true;
    try {
      new Webhook(this.secret).verify(body, headers);
    } catch {
      isVerified = false;
    }
    const message = {
      ...JSON.parse(body),
      id: headers["webhook-id"],
      cacheTags: headers["cache-tag"]?.split(","),
      isVerified,
    };
    await this.respond(message, response);
    if (response.writableEnded || response.destroyed) return;
    if (response.statusCode < 300) this.messages.push(message);
    response.end();
  }
}
