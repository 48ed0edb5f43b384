import { randomBytes } from "node:crypto";
import { ApiError, hasCode } from "@content-service/errors/ApiError.ts";
import type { FormatError } from "@content-service/errors/formatError.ts";
import { isObject } from "@content-service/support/isObject.ts";
import type { TokenBucket } from "@content-service/support/TokenBucket.ts";
import type { GraphQLFormattedError } from "graphql";
import { latest, type WalPosition } from "pg-caller-pool";
import { cannotFollow, type EndReason, mayNotListen, positionLost } from "postgraphile-change-feed";
import type { RawData, WebSocket } from "ws";
import type { OpenSubscription } from "../graphql/OpenSubscription.ts";
import type { RequestPipeline } from "../graphql/RequestPipeline.ts";
import type { OpenCredential, OpenCredentials } from "../identity/OpenCredentials.ts";
import { readConnectionParams } from "../identity/readToken.ts";
import { msUntilExpiry, type VerifiedToken, type VerifyToken } from "../identity/verifyToken.ts";
import type { Account, Held, UnreadBytes } from "../memory/ByteLedger.ts";
import { connectionHeap, heapPerMessageByte } from "../memory/heap.ts";
import type { ObservedOperation, ObservedSocket, SocketObserver } from "../observe/SocketObserver.ts";
import { traceSocketOperation } from "../observe/tracing.ts";
import type { SocketLimits } from "../settings.ts";
import type { Protocol } from "./protocols.ts";

export interface SocketParts {
  pipeline: RequestPipeline;
  verifyToken: VerifyToken;
  credentials: OpenCredentials;
  observer: SocketObserver;
  formatError: FormatError;
  limits: SocketLimits;
  /** The handshake's request id, which all log lines of this socket carry. */
  requestId: string;
  /** The client's IP address. */
  address: string;
  account: Account;
  /** How much may be read: of this socket, and of all sockets of the client. */
  allowances: readonly TokenBucket[];
}

/**
 * Reasons for closing a socket. Clients do not reconnect after 4400 to 4429, so these are for errors of the client only.
 */
export const closeCodes = {
  restarting: [1012, "The service restarts"],
  overloaded: [1013, "Try again later"],
  badRequest: [4400, "Invalid message"],
  unauthorized: [4401, "Unauthorized"],
  forbidden: [4403, "Forbidden"],
  initTimeout: [4408, "Connection initialisation timeout"],
  duplicateInit: [4429, "Too many initialisation requests"],
} as const;
type CloseCode = readonly [number, string];

/** A reason has at most 123 bytes, and clients choose ids. */
function takenId(id: string): CloseCode {
  const reason = `Subscriber for ${id} already exists`;
  return [4409, Buffer.byteLength(reason) <= 123 ? reason : "Subscriber for this id already exists"];
}

/** Units of an allowance for each KB of a message, and for an operation. */
const bytesPerUnit = 1_024;
const operationUnits = 5;
/** The longest time between two `ka`. Without one for 30 seconds, `subscriptions-transport-ws` gives its connection up. */
const keepAliveMs = 12_000;
/** A socket is terminated when its client does not answer the close frame within this time. */
const closeTimeoutMs = 2_000;

interface ClientMessage {
  type: string;
  /** The bytes of its text. Of a message from the client. */
  bytes?: number;
  id?: unknown;
  payload?: unknown;
}

/** An operation under a client's id. The id alone does not identify it: a client may reuse an id at once. */
interface Operation {
  id: string;
  /** Undefined for a query or a mutation, and until the document has been read. */
  subscription?: OpenSubscription;
  /** Ends the wait for its subscription to open. */
  stop?: () => void;
}

/** One client's connection, in either sub-protocol (specification 6; docs/decisions.md, "Chat"). */
export class GraphQLSocket {
  readonly #socket: WebSocket;
  readonly #protocol: Protocol;
  readonly #parts: SocketParts;
  readonly #observed: ObservedSocket;
  /** Operations that the client waits for, by id. */
  readonly #operations = new Map<string, Operation>();
  /** Operations in progress. A query that the client has stopped still runs to its end. */
  #running = 0;
  /** Operations that arrived before the client was authenticated. */
  #deferred: ClientMessage[] = [];
  readonly #deferredBytes: Held;
  readonly #timers = new Set<NodeJS.Timeout>();
  #caller: VerifiedToken | undefined;
  #credential: OpenCredential | undefined;
  #state: "new" | "initialising" | "ready" | "closed" = "new";
  readonly #disconnected = new AbortController();
  /** The payload of the last ping, until the client has repeated it in a pong. */
  #asked: Buffer | undefined;
  /** The position of what the client has written last. */
  #readAfter: WalPosition | undefined;
  /** Set while nothing is read from the socket, because the client has sent more than its allowance. */
  #pause: NodeJS.Timeout | undefined;
  readonly #unread: UnreadBytes;

  constructor(socket: WebSocket, protocol: Protocol, parts: SocketParts) {
    this.#socket = socket;
    this.#protocol = protocol;
    this.#parts = parts;
    this.#observed = parts.observer.socket(parts.requestId);
    this.#deferredBytes = parts.account.hold("requests");
    this.#unread = parts.account.connect(() => this.close(closeCodes.overloaded));
    socket.on("message", (data, isBinary) => {
      this.#spend(1 + (data as Buffer).length / bytesPerUnit);
      if (this.#state === "closed") return;
      const message = isBinary ? undefined : parseMessage(data);
      this.#receive(message && { ...message, bytes: (data as Buffer).length });
    });
    // ws closes the socket itself, with the right code. Without a listener, the error would end the process.
    socket.on("error", () => {});
    socket.on("pong", (payload) => {
      this.#spend(1);
      if (this.#asked?.equals(payload)) this.#asked = undefined;
    });
    // ws answers pings. A client that does not read the pongs would fill the memory.
    socket.on("ping", () => {
      this.#spend(1);
      this.#hasRoom();
    });
    socket.once("close", () => this.#release());
    this.#after(parts.limits.initTimeoutMs, () => {
      if (this.#state === "new") this.close(closeCodes.initTimeout);
    });
    const ping = setInterval(() => this.#ping(), parts.limits.pingIntervalMs);
    this.#timers.add(ping);
    const held = parts.account.hold("connections");
    socket.once("close", () => held.release());
    if (errorOf(() => held.add(connectionHeap))) this.close(closeCodes.overloaded);
  }

  /** The number of open subscriptions. */
  get subscriptions(): number {
    return [...this.#operations.values()].filter(({ subscription }) => subscription).length;
  }

  close([code, reason]: CloseCode): void {
    if (this.#state === "closed") return;
    this.#release();
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), closeTimeoutMs).unref();
  }

  #receive(message: ClientMessage | undefined): void {
    if (!message) return this.close(closeCodes.badRequest);
    const { subscribe, unsubscribe } = this.#protocol;
    switch (message.type) {
      case "connection_init":
        return void this.#initialise(message.payload);
      case "connection_terminate":
        return this.close([1000, "Goodbye"]);
      case "ping":
        return this.#pong(message.payload);
      case "pong":
        return;
      case subscribe:
        return this.#start(message);
      case unsubscribe:
        return this.#stop(message.id);
      default:
        return this.close(closeCodes.badRequest);
    }
  }

  async #initialise(params: unknown): Promise<void> {
    if (this.#state !== "new") return this.close(closeCodes.duplicateInit);
    this.#state = "initialising";
    try {
      const token = readConnectionParams(params);
      this.#caller = token === undefined ? undefined : await this.#parts.verifyToken(token);
    } catch (error) {
      return this.#refuse(error);
    }
    // The client may have disconnected in the meantime.
    if (this.#state !== "initialising") return;
    this.#state = "ready";
    if (this.#caller) {
      const end = () => this.close(closeCodes.forbidden);
      this.#after(msUntilExpiry(this.#caller.expiresAt), end);
      this.#credential = this.#parts.credentials.add(this.#caller, end);
    }
    this.#send({ type: "connection_ack" });
    if (!this.#protocol.isModern) this.#keepAlive();
    this.#deferredBytes.release();
    for (const message of this.#deferred) this.#start(message);
    this.#deferred = [];
  }

  /** Clients of the older protocol expect `ka` again and again once they have had one. They do not see the pings of WebSocket. */
  #keepAlive(): void {
    const send = () => this.#send({ type: "ka" });
    send();
    this.#timers.add(setInterval(send, Math.min(this.#parts.limits.pingIntervalMs, keepAliveMs)));
  }

  #pong(payload: unknown): void {
    let text: string;
    try {
      text = JSON.stringify(payload ? { type: "pong", payload } : { type: "pong" });
    } catch {
      // It is nested too deeply to be written, though it could be read.
      return this.close(closeCodes.badRequest);
    }
    this.#sendText(text);
  }

  #refuse(error: unknown): void {
    const formatted = this.#parts.formatError(error);
    if (!this.#protocol.isModern) this.#send({ type: "connection_error", payload: formatted });
    this.close(hasCode(formatted, "UNAUTHORIZED") ? closeCodes.forbidden : closeCodes.overloaded);
  }

  #start(message: ClientMessage): void {
    // The older protocol's clients do not wait for connection_ack.
    if (this.#state === "initialising" && !this.#protocol.isModern) return this.#defer(message);
    const { id, payload, bytes = 0 } = message;
    if (this.#state !== "ready") return this.close(closeCodes.unauthorized);
    if (typeof id !== "string" || id === "" || !isObject(payload)) return this.close(closeCodes.badRequest);
    if (this.#operations.has(id)) return this.close(takenId(id));
    const { operations: max } = this.#parts.limits;
    if (this.#running >= max) {
      const limit = { name: "socketOperations", max, asked: this.#running + 1 };
      const message = `A socket carries at most ${max} operations at once.`;
      return this.#sendError(id, [this.#parts.formatError(new ApiError("VALIDATION_ERROR", message, { limit }))]);
    }
    this.#spend(operationUnits);
    const operation: Operation = { id };
    this.#operations.set(id, operation);
    void this.#run(operation, payload, bytes);
  }

  #defer(message: ClientMessage): void {
    if (this.#deferred.length >= this.#parts.limits.operations) return this.close(closeCodes.badRequest);
    const { bytes = 0 } = message;
    if (errorOf(() => this.#deferredBytes.add(bytes * heapPerMessageByte))) return this.close(closeCodes.overloaded);
    this.#deferred.push(message);
  }

  async #run(operation: Operation, payload: unknown, bytes: number): Promise<void> {
    const { pipeline, account, address } = this.#parts;
    const userId = this.#caller?.userId;
    const observed = this.#observed.operation(userId);
    const held = account.hold("requests");
    const heldResult = account.hold("results");
    const refusal = errorOf(() => held.add(bytes * heapPerMessageByte));
    const stopped = new AbortController();
    operation.stop = () => stopped.abort();
    const receive = () => {
      if (refusal) throw refusal;
      return payload;
    };
    const client = {
      authenticate: async () => this.#caller,
      openCredential: () => this.#credential,
      address,
      account,
      held,
      heldResult,
      signal: this.#disconnected.signal,
      stopped: stopped.signal,
      canSubscribe: true,
      readAfter: this.#readAfter,
    };
    this.#running += 1;
    const outcome = await traceSocketOperation(() => pipeline.handle(receive, client));
    const { errors, subscription, isRequestError, malformed } = outcome;
    this.#readAfter = latest(this.#readAfter, outcome.readAfter);
    if (malformed) this.close(closeCodes.badRequest);
    else observed.answered(outcome.operation, errors, isRequestError);
    held.release();
    delete operation.stop;
    if (subscription) {
      heldResult.release();
      // Not awaited: a subscription may be open for days, and would keep what its request has needed.
      return void this.#follow(operation, subscription, observed);
    }
    if (isRequestError) {
      this.#fail(operation, errors ?? []);
    } else {
      this.#sendResult(operation, heldResult.content);
      this.#complete(operation);
    }
    this.#running -= 1;
    heldResult.release();
  }

  async #follow(operation: Operation, subscription: OpenSubscription, observed: ObservedOperation): Promise<void> {
    operation.subscription = subscription;
    // The client may have stopped it already.
    if (!this.#isWanted(operation)) await subscription.stop();
    await subscription.forward({
      send: (result) => this.#sendResult(operation, result),
      turn: (act) => this.#unread.turn(act),
    });
    if (this.#isWanted(operation)) this.#end(operation, subscription.endReason);
    observed.ended(subscription.endReason);
    this.#running -= 1;
  }

  #end(operation: Operation, reason: EndReason | undefined): void {
    switch (reason) {
      case "forbidden":
        return this.#fail(operation, [this.#parts.formatError(mayNotListen())]);
      case "lost":
        return this.#fail(operation, [this.#parts.formatError(positionLost())]);
      case "failed":
        return this.#fail(operation, [this.#parts.formatError(cannotFollow())]);
      case "stopping":
        return this.close(closeCodes.restarting);
      case "too-slow":
      case "unavailable":
        return this.close(closeCodes.overloaded);
      default:
        return this.#complete(operation);
    }
  }

  #stop(id: unknown): void {
    if (typeof id !== "string") return this.close(closeCodes.badRequest);
    this.#deferred = this.#deferred.filter((message) => message.id !== id);
    const operation = this.#operations.get(id);
    if (!operation) return;
    this.#operations.delete(id);
    operation.stop?.();
    void operation.subscription?.stop();
    // Clients of the older protocol wait for `complete`.
    if (!this.#protocol.isModern) this.#send({ type: "complete", id });
  }

  #isWanted(operation: Operation): boolean {
    return this.#operations.get(operation.id) === operation;
  }

  #complete(operation: Operation): void {
    if (!this.#isWanted(operation)) return;
    this.#operations.delete(operation.id);
    this.#send({ type: "complete", id: operation.id });
  }

  #fail(operation: Operation, errors: readonly GraphQLFormattedError[]): void {
    if (!this.#isWanted(operation)) return;
    this.#operations.delete(operation.id);
    this.#sendError(operation.id, errors);
  }

  #sendError(id: string, errors: readonly GraphQLFormattedError[]): void {
    this.#send({ type: "error", id, payload: this.#protocol.isModern ? errors : errors[0] });
  }

  #sendResult(operation: Operation, result: Buffer): void {
    if (!this.#isWanted(operation)) return;
    const begin = Buffer.from(`{"type":"${this.#protocol.next}","id":${JSON.stringify(operation.id)},"payload":`);
    this.#sendText(Buffer.concat([begin, result, end]));
  }

  #send(message: ClientMessage): void {
    this.#sendText(JSON.stringify(message));
  }

  #sendText(text: string | Buffer): void {
    if (this.#state === "closed" || !this.#hasRoom()) return;
    this.#unread.write(
      (done) => this.#socket.send(text, { binary: false }, done),
      () => this.#socket.bufferedAmount,
    );
  }

  /** Applies back-pressure: a client that does not read is disconnected before its buffer grows further. */
  #hasRoom(): boolean {
    const hasRoom = this.#socket.bufferedAmount <= this.#parts.limits.bufferBytes;
    if (!hasRoom) this.close(closeCodes.overloaded);
    return hasRoom;
  }

  /** Applies back-pressure: a client that sends more than its allowance is read no faster. */
  #spend(units: number): void {
    const wait = Math.max(...this.#parts.allowances.map((allowance) => allowance.take(units)));
    if (wait === 0 || this.#pause || this.#state === "closed") return;
    this.#socket.pause();
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      this.#socket.resume();
      // Frames that were read before the pause may have cost more.
      this.#spend(0);
    }, wait);
  }

  /** The ping waits behind all messages, and its content is random: a client that does not read cannot answer it. */
  #ping(): void {
    // Its pong is not read during a pause.
    if (this.#pause) return;
    if (this.#asked) return this.#socket.terminate();
    this.#asked = randomBytes(8);
    this.#socket.ping(this.#asked);
  }

  #after(ms: number, act: () => void): void {
    this.#timers.add(setTimeout(act, ms));
  }

  #release(): void {
    this.#state = "closed";
    this.#credential?.close();
    this.#unread.close();
    this.#deferred = [];
    this.#deferredBytes.release();
    this.#disconnected.abort();
    this.#observed.closed();
    clearTimeout(this.#pause);
    for (const timer of this.#timers) clearTimeout(timer);
    for (const { subscription } of this.#operations.values()) void subscription?.stop();
    this.#operations.clear();
  }
}

/** Of the message with a result. */
const end = Buffer.from("}");

/** Messages whose payload is an object, null or missing. That of an operation is checked when it starts. */
const withParameters = new Set(["connection_init", "ping", "pong"]);

function parseMessage(data: RawData): ClientMessage | undefined {
  try {
    const message: unknown = JSON.parse(String(data));
    if (!isObject(message) || typeof message["type"] !== "string") return undefined;
    const { type, payload } = message as unknown as ClientMessage;
    const isValid = !withParameters.has(type) || payload === undefined || payload === null || isObject(payload);
    return isValid ? (message as unknown as ClientMessage) : undefined;
  } catch {
    return undefined;
  }
}

function errorOf(act: () => void): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}
