import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { growingCache } from "@content-service/support/growingCache.ts";
import { TokenBucket } from "@content-service/support/TokenBucket.ts";
import { WebSocketServer } from "ws";
import { type ClientAddress, pathOf, requestIdOf } from "../http/arrival.ts";
import type { ByteLedger } from "../memory/ByteLedger.ts";
import { ClientCounts, requesterKey } from "../rateLimits/clients.ts";
import type { Settings, SocketLimits } from "../settings.ts";
import { closeCodes, GraphQLSocket, type SocketParts } from "./GraphQLSocket.ts";
import { chooseProtocol } from "./protocols.ts";

/** The parts that all sockets share. */
interface SharedParts extends Omit<SocketParts, "limits" | "requestId" | "address" | "account" | "allowances"> {
  ledger: ByteLedger;
  clientAddress: ClientAddress;
}

export type SocketServerSettings = Pick<Settings, "corsOrigins" | "socketLimits">;

/** The largest message arrives in a handful of frames; thousands are an attack. */
const fragmentsPerMessage = 256;
/** The seconds whose units may come at once. */
const burstSeconds = 5;
/** How many times what one socket may send is allowed to all sockets of one requester. */
const socketsWorth = 10;
const maxAllowances = 100_000;

/**
 * WebSocket connections at `/graphql` (specification 4.4). Checks the handshake: path, origin, sub-protocol, number of
 * connections.
 */
export class SocketServer {
  readonly #sockets = new Set<GraphQLSocket>();
  /** Open sockets. */
  readonly #perAddress = new ClientCounts();
  readonly #webSockets: WebSocketServer;
  /** How much each requester may send, by requesterKey(). It outlives the sockets: a new one brings nothing new. */
  readonly #allowances = growingCache<TokenBucket>(maxAllowances);
  readonly #limits: SocketLimits;
  readonly #parts: SharedParts;
  readonly #corsOrigins: string[];
  #isStopping = false;

  constructor(parts: SharedParts, { corsOrigins, socketLimits }: SocketServerSettings) {
    this.#parts = parts;
    this.#corsOrigins = corsOrigins;
    this.#limits = socketLimits;
    this.#webSockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: this.#limits.messageBytes,
      maxFragments: fragmentsPerMessage,
      perMessageDeflate: false,
      // One message in each turn of the event loop: a socket's chunk of 64 KB can hold thousands.
      allowSynchronousEvents: false,
      handleProtocols: (offered) => chooseProtocol(offered)?.name ?? false,
    } as ConstructorParameters<typeof WebSocketServer>[0]);
    this.#webSockets.on("headers", (headers, request) => this.#accept(request, headers));
    // An upgrade request that is not a valid handshake.
    this.#webSockets.on("wsClientError", (_, socket, request) => this.#refuse(request, socket, "400 Bad Request"));
  }

  /** Accepts the handshakes of an HTTP server. */
  attach(server: Server): void {
    server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
  }

  get open(): number {
    return this.#sockets.size;
  }

  get subscriptions(): number {
    return [...this.#sockets].reduce((sum, socket) => sum + socket.subscriptions, 0);
  }

  /** Closes all sockets. Their clients reconnect, to another instance or after the restart. */
  stop(): void {
    this.#isStopping = true;
    for (const socket of this.#sockets) socket.close(closeCodes.restarting);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // A socket that breaks during the handshake needs no handling.
    socket.on("error", () => {});
    // The same from here on, if the client has sent none.
    request.headers["x-request-id"] = requestIdOf(request);
    // Once a request: a made-up address is counted.
    const address = this.#parts.clientAddress(request);
    const requester = requesterKey(address);
    const refusal = this.#refusal(request, requester);
    if (refusal) return this.#refuse(request, socket, refusal);
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      const protocol = chooseProtocol(new Set([webSocket.protocol]));
      if (!protocol) {
        webSocket.on("error", () => {});
        return webSocket.close(4406, "Subprotocol not acceptable");
      }
      const connection = new GraphQLSocket(webSocket, protocol, {
        ...this.#parts,
        limits: this.#limits,
        requestId: requestIdOf(request),
        address,
        account: this.#parts.ledger.account(address),
        allowances: [this.#allowance(1), this.#allowanceOf(requester)],
      });
      this.#sockets.add(connection);
      this.#perAddress.add(requester, 1);
      webSocket.once("close", () => {
        this.#sockets.delete(connection);
        this.#perAddress.add(requester, -1);
      });
    });
  }

  #allowance(sockets: number): TokenBucket {
    const perSecond = this.#limits.unitsPerSecond * sockets;
    return new TokenBucket(perSecond, perSecond * burstSeconds);
  }

  #allowanceOf(requester: string): TokenBucket {
    const allowance = this.#allowances.get(requester) ?? this.#allowance(socketsWorth);
    this.#allowances.set(requester, allowance);
    return allowance;
  }

  #accept(request: IncomingMessage, headers: string[]): void {
    headers.push(`X-Request-Id: ${this.#observe(request, 101)}`);
  }

  #refuse(request: IncomingMessage, socket: Duplex, status: string): void {
    const requestId = this.#observe(request, Number.parseInt(status, 10));
    const headers = [`HTTP/1.1 ${status}`, "Connection: close", "Content-Length: 0", `X-Request-Id: ${requestId}`];
    if (/^(429|503)/.test(status)) headers.push("Retry-After: 5");
    if (status.startsWith("400")) headers.push("Sec-WebSocket-Version: 13, 8");
    // No code reads from the socket any more, so the client's own close would go unnoticed.
    socket.once("finish", () => socket.destroy());
    socket.end(`${headers.join("\r\n")}\r\n\r\n`);
  }

  #observe(request: IncomingMessage, status: number): string {
    const requestId = requestIdOf(request);
    this.#parts.observer.handshake(requestId, pathOf(request) ?? "", status);
    return requestId;
  }

  #refusal(request: IncomingMessage, requester: string): string | undefined {
    if (request.headersDistinct.host?.length !== 1) return "400 Bad Request";
    if (pathOf(request) !== "/graphql") return "404 Not Found";
    if (this.#isStopping || this.#sockets.size >= this.#limits.sockets) return "503 Service Unavailable";
    if (!this.#isAllowedOrigin(request)) return "403 Forbidden";
    return this.#perAddress.of(requester) >= this.#limits.socketsPerAddress ? "429 Too Many Requests" : undefined;
  }

  /** Browsers always send the origin of a page; other clients need not. */
  #isAllowedOrigin({ headers: { origin, host } }: IncomingMessage): boolean {
    if (origin === undefined || this.#corsOrigins.includes(origin)) return true;
    return URL.canParse(origin) && new URL(origin).host === host;
  }
}
