import type { ServerResponse } from "node:http";
import { ApiError, unavailable } from "@content-service/errors/ApiError.ts";
import type { FormatError } from "@content-service/errors/formatError.ts";
import { cannotFollow, type EndReason, mayNotListen, positionLost } from "postgraphile-change-feed";
import type { OpenSubscription } from "../graphql/OpenSubscription.ts";
import type { Outcome } from "../graphql/RequestPipeline.ts";
import { bytesOf } from "../graphql/results.ts";
import { TokenError } from "../identity/readToken.ts";
import { msUntilExpiry } from "../identity/verifyToken.ts";
import type { Account, UnreadBytes } from "../memory/ByteLedger.ts";
import { connectionHeap } from "../memory/heap.ts";
import { notesOf } from "../observe/requestLog.ts";
import type { SocketObserver } from "../observe/SocketObserver.ts";
import { ClientCounts, requesterKey } from "../rateLimits/clients.ts";
import type { Settings } from "../settings.ts";
import { eventStream } from "./mediaTypes.ts";

export type EventStreamSettings = Pick<Settings, "responseTimeoutMs"> & {
  socketLimits: Pick<Settings["socketLimits"], "bufferBytes" | "pingIntervalMs" | "sockets" | "socketsPerAddress">;
};

export interface StreamParts {
  observer: SocketObserver;
  formatError: FormatError;
}

/** A comment. Proxies close a connection that is silent for long. */
const keepAlive = Buffer.from(":\n\n");

const [begin, end] = ["event: next\ndata: ", "\n\n"].map((text) => Buffer.from(text)) as [Buffer, Buffer];
/** EventSource ignores an event without data, so the field is there, empty. */
const completeEvent = Buffer.from("event: complete\ndata:\n\n");
const [lineFeed, carriageReturn, space] = Buffer.from("\n\r ") as unknown as [number, number, number];

/** The event of a result, by GraphQL over SSE. */
function nextEvent(result: Buffer): Buffer {
  return Buffer.concat([begin, result, end]);
}

/**
 * The events of one response.
 *
 * @param result is changed: PostgreSQL puts line breaks between the values of JSON, and a line break ends an event's data
 */
export function eventsOf(result: Buffer): Buffer {
  for (const lineBreak of [lineFeed, carriageReturn]) {
    for (let at = result.indexOf(lineBreak); at >= 0; at = result.indexOf(lineBreak, at)) result[at] = space;
  }
  return Buffer.concat([nextEvent(result), completeEvent]);
}

/**
 * Subscriptions by GraphQL over SSE, in its distinct connections mode: each one is an HTTP response that goes on. It ends with
 * `complete`. When the service ends it, the last result before that has an error with the reason.
 */
export class SseConnections {
  readonly #open = new Map<ServerResponse, (error: ApiError) => void>();
  readonly #unreadOf = new WeakMap<ServerResponse, UnreadBytes>();
  /** Requests for a stream that are open or on their way. */
  readonly #requests = new ClientCounts();
  readonly #parts: StreamParts;
  readonly #settings: EventStreamSettings;
  #isStopping = false;

  constructor(parts: StreamParts, settings: EventStreamSettings) {
    this.#parts = parts;
    this.#settings = settings;
  }

  /** The number of open subscriptions. */
  get subscriptions(): number {
    return this.#open.size;
  }

  /**
   * Admits a request that accepts a stream, until its connection closes.
   *
   * @throws SERVICE_UNAVAILABLE while the service stops or is full, RATE_LIMITED for too many streams of one client
   */
  admit(address: string, account: Account, response: ServerResponse): void {
    const { sockets, socketsPerAddress } = this.#settings.socketLimits;
    const client = requesterKey(address);
    const count = this.#requests.of(client);
    if (this.#isStopping || this.#requests.total >= sockets)
      throw unavailable("The service takes no more streams for now.");
    if (count >= socketsPerAddress) {
      const limit = { name: "eventStreamsPerAddress", max: socketsPerAddress, asked: count + 1 };
      const message = `An IP address has at most ${socketsPerAddress} event streams.`;
      throw new ApiError("RATE_LIMITED", message, { retryAfter: 5, limit });
    }
    const held = account.hold("connections");
    held.add(connectionHeap);
    this.#requests.add(client, 1);
    const unread = account.connect(() => response.destroy());
    this.#unreadOf.set(response, unread);
    response.once("close", () => {
      this.#requests.add(client, -1);
      held.release();
      unread.close();
    });
  }

  /**
   * Sends the results of a subscription, until it ends or the client disconnects.
   *
   * @param expiresAt when the client's token expires; undefined for an anonymous client
   */
  async send(
    response: ServerResponse,
    { errors, operation, userId }: Outcome,
    subscription: OpenSubscription,
    expiresAt: Date | undefined,
  ): Promise<void> {
    notesOf(response).isCounted = true;
    const observed = this.#parts.observer.socket(String(response.getHeader("X-Request-Id")), "sse").operation(userId);
    observed.answered(operation, errors, false);
    // The client may have disconnected in the meantime.
    if (response.destroyed) await subscription.stop();
    else await this.#forward(response, subscription, expiresAt);
    observed.ended(subscription.endReason);
  }

  /** Ends the stream of a response, if it has begun. */
  end(response: ServerResponse, error: ApiError): void {
    this.#open.get(response)?.(error);
  }

  /** Ends all streams. Their clients subscribe again, at another instance or after the restart. */
  stop(): void {
    this.#isStopping = true;
    for (const end of this.#open.values()) end(unavailable("The service restarts."));
  }

  async #forward(response: ServerResponse, subscription: OpenSubscription, expiresAt: Date | undefined): Promise<void> {
    const { pingIntervalMs } = this.#settings.socketLimits;
    this.#writeHead(response);
    const end = (error: ApiError | undefined) => {
      if (response.writableEnded || response.destroyed) return;
      if (error) this.#write(response, nextEvent(bytesOf({ result: { errors: [this.#parts.formatError(error)] } })));
      this.#write(response, completeEvent);
      response.end();
      void subscription.stop();
    };
    this.#open.set(response, end);
    const ping = setInterval(() => this.#write(response, keepAlive), pingIntervalMs);
    const expiry = expiresAt && setTimeout(() => end(new TokenError("TOKEN_EXPIRED")), msUntilExpiry(expiresAt));
    response.once("close", () => void subscription.stop());
    if (this.#isStopping) end(unavailable("The service restarts."));
    await subscription.forward({
      send: (result) => this.#write(response, nextEvent(result)),
      turn: (act) => (this.#unreadOf.get(response) as UnreadBytes).turn(act),
    });
    clearInterval(ping);
    clearTimeout(expiry);
    this.#open.delete(response);
    const { endReason } = subscription;
    if (endReason === "too-slow") response.destroy();
    else end(errorFor(endReason));
  }

  #writeHead(response: ServerResponse): void {
    const { responseTimeoutMs, socketLimits } = this.#settings;
    response.writeHead(200, {
      "Content-Type": `${eventStream}; charset=utf-8`,
      "Cache-Control": "no-store",
      // nginx would collect the events in a buffer.
      "X-Accel-Buffering": "no",
      Vary: "Accept",
    });
    response.flushHeaders();
    // Node cuts a connection on which nothing moved for that time: its client reads not even the comments.
    response.setTimeout(socketLimits.pingIntervalMs + responseTimeoutMs);
  }

  /** Applies back-pressure: a client that does not read is disconnected before its buffer grows further. */
  #write(response: ServerResponse, event: Buffer): void {
    if (response.writableEnded || response.destroyed) return;
    if (response.writableLength > this.#settings.socketLimits.bufferBytes) return void response.destroy();
    const unread = this.#unreadOf.get(response) as UnreadBytes;
    unread.write(
      (done) => {
        response.write(event, done);
        // Node holds writes back until the next tick. Many events of one tick would look like a client that does not read.
        response.socket?.uncork();
      },
      () => response.writableLength,
    );
  }
}

function errorFor(reason: EndReason | undefined): ApiError | undefined {
  if (reason === "forbidden") return mayNotListen();
  if (reason === "lost") return positionLost();
  return reason && cannotFollow();
}
