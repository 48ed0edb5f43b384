import type { GraphQLFormattedError, OperationDefinitionNode } from "graphql";
import type { Logger } from "pino";
import type { EndReason } from "postgraphile-change-feed";
import type { Metrics, Transport } from "./Metrics.ts";
import { describeNotes, noteErrors, noteOperation, type RequestNotes } from "./requestLog.ts";

/** A socket's refused operations have at most one line in this time. */
const refusedEveryMs = 1_000;

/**
 * Log and metrics of WebSockets: a line for each handshake, for each operation's response and for each subscription's end.
 * `requestId` is the handshake's. Refused operations cost a client nothing, so they share a line: `refused` counts those since
 * the line before.
 */
export class SocketObserver {
  readonly #log: Logger;
  readonly #metrics: Metrics;

  constructor(log: Logger, metrics: Metrics) {
    this.#log = log;
    this.#metrics = metrics;
  }

  handshake(requestId: string, path: string, status: number): void {
    this.#log.info({ requestId, method: "GET", path: path.slice(0, 200), status }, "request");
  }

  socket(requestId: string, transport: Transport = "websocket"): ObservedSocket {
    return new ObservedSocket(this.#log, this.#metrics, requestId, transport);
  }
}

/** Observes one WebSocket, or one event stream. */
export class ObservedSocket {
  readonly metrics: Metrics;
  readonly transport: Transport;
  readonly #log: Logger;
  readonly #requestId: string;
  #refused = 0;
  #nextRefusedAt = 0;

  constructor(log: Logger, metrics: Metrics, requestId: string, transport: Transport) {
    this.metrics = metrics;
    this.transport = transport;
    this.#log = log;
    this.#requestId = requestId;
  }

  operation(userId: string | undefined): ObservedOperation {
    return new ObservedOperation(this, userId);
  }

  log(line: object, message: string): void {
    this.#log.info({ requestId: this.#requestId, ...line }, message);
  }

  refused(line: object): void {
    this.#refused += 1;
    if (performance.now() >= this.#nextRefusedAt) this.#logRefused(line);
  }

  /** May be called more than once. */
  closed(): void {
    if (this.#refused > 0) this.#logRefused({});
  }

  #logRefused(line: object): void {
    this.log({ ...line, ...(this.#refused > 1 ? { refused: this.#refused } : null) }, "operation");
    this.#refused = 0;
    this.#nextRefusedAt = performance.now() + refusedEveryMs;
  }
}

/** Observes one operation on a socket. */
export class ObservedOperation {
  readonly #socket: ObservedSocket;
  readonly #startedAt = performance.now();
  readonly #notes: RequestNotes;

  constructor(socket: ObservedSocket, userId: string | undefined) {
    this.#socket = socket;
    this.#notes = { userId, codes: [], errorIds: [] };
  }

  /** Called when the response is sent, and when a subscription is open or refused. */
  answered(
    operation: OperationDefinitionNode | undefined,
    errors: readonly GraphQLFormattedError[] | undefined,
    isRefused: boolean,
  ): void {
    const { metrics, transport } = this.#socket;
    noteOperation(this.#notes, operation);
    noteErrors(this.#notes, errors);
    metrics.countRequest({ ...this.#notes, transport, seconds: this.#elapsedMs() / 1_000 });
    if (isRefused) this.#socket.refused(this.#line());
    else this.#socket.log(this.#line(), "operation");
  }

  /** Called when a subscription ends. @param reason undefined when the client ended it */
  ended(reason: EndReason | undefined): void {
    this.#socket.log({ ...this.#line(), ...(reason ? { reason } : null) }, "subscription over");
  }

  #line(): object {
    return { ms: this.#elapsedMs(), ...describeNotes(this.#notes) };
  }

  #elapsedMs(): number {
    return Math.round((performance.now() - this.#startedAt) * 10) / 10;
  }
}
