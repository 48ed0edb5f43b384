import type { FormattedExecutionResult, GraphQLFormattedError } from "graphql";
import type { RawData, WebSocket } from "ws";
import { Refusal } from "../errors.ts";
import { type Engine, type GraphQLRequest, refusal } from "../graphql/Engine.ts";
import type { ResolvePersisted } from "../graphql/request/persistedOperations.ts";
import type { Subscription } from "../graphql/Subscription.ts";
import { readConnectionParams } from "../identity/readConnectionParams.ts";
import { clockSkewSeconds, type VerifiedToken, type VerifyToken } from "../identity/verifyToken.ts";
import type { SocketObserver } from "../observe/SocketObserver.ts";
import type { Tracing } from "../observe/tracing.ts";
import type { RateLimits } from "../rateLimits/RateLimits.ts";
import type { Protocol } from "./protocols.ts";
import type { SocketLimits } from "./socketLimits.ts";

export interface SocketParts {
  engine: Engine;
  verifyToken: VerifyToken;
  rateLimits: RateLimits;
  resolvePersisted: ResolvePersisted;
  tracing: Tracing;
  observer: SocketObserver;
  limits: SocketLimits;
  /** Of the handshake; it marks what the log says of this socket. */
  requestId: string;
  /** Where the client is. */
  address: string;
}

/**
 * Why a socket is closed. Clients do not come back after 4400 to 4429, so those are for faults of their own. A reason may
 * have 123 bytes, so nothing a client has sent is part of one.
 */
export const closeCodes = {
  restarting: [1012, "The service restarts"],
  overloaded: [1013, "Try again later"],
  badRequest: [4400, "Invalid message"],
  unauthorized: [4401, "Unauthorized"],
  forbidden: [4403, "Forbidden"],
  initTimeout: [4408, "Connection initialisation timeout"],
  takenId: [4409, "Subscriber for this id already exists"],
  duplicateInit: [4429, "Too many initialisation requests"],
} as const;
type CloseCode = readonly [number, string];

/** setTimeout cannot wait longer. */
const longestTimeoutMs = 2 ** 31 - 1;
/** A socket whose client does not answer the close is cut off after this. */
const closeWithinMs = 2_000;

interface ClientMessage {
  type: string;
  id?: unknown;
  payload?: unknown;
}

/** What runs under an id. Not the id alone says which it is: a client may use it again at once. */
interface Operation {
  id: string;
  /** Undefined for a query or a mutation, and until it is known what it is. */
  subscription?: Subscription;
}

/** One client's connection, in either sub-protocol (specification 6; DECISIONS.md, "Chat"). */
export class GraphQLSocket {
  readonly #socket: WebSocket;
  readonly #protocol: Protocol;
  readonly #parts: SocketParts;
  /** What the client waits for, by its id. */
  readonly #operations = new Map<string, Operation>();
  /** How many are worked on: a query that the client has stopped runs to its end. */
  #running = 0;
  /** Operations that were sent before it was known who sends them. */
  #deferred: ClientMessage[] = [];
  readonly #timers = new Set<NodeJS.Timeout>();
  #caller: VerifiedToken | undefined;
  #state: "new" | "initialising" | "ready" | "closed" = "new";
  readonly #gone = new AbortController();
  #isAlive = true;

  constructor(socket: WebSocket, protocol: Protocol, parts: SocketParts) {
    this.#socket = socket;
    this.#protocol = protocol;
    this.#parts = parts;
    socket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    // ws closes the socket by itself, with the code that fits; without a listener the process would end.
    socket.on("error", () => {});
    socket.on("pong", () => {
      this.#isAlive = true;
    });
    // ws answers it; whoever asks and does not read would fill the memory with answers.
    socket.on("ping", () => this.#hasRoom());
    socket.once("close", () => this.#release());
    this.#after(parts.limits.initWithinMs, () => {
      if (this.#state === "new") this.close(closeCodes.initTimeout);
    });
    const ping = setInterval(() => this.#ping(), parts.limits.pingEveryMs);
    this.#timers.add(ping);
  }

  /** How many subscriptions are open on it: what is committed from now on is heard by so many. */
  get subscriptions(): number {
    return [...this.#operations.values()].filter(({ subscription }) => subscription).length;
  }

  close([code, reason]: CloseCode): void {
    if (this.#state === "closed") return;
    this.#release();
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), closeWithinMs).unref();
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (this.#state === "closed") return;
    const message = isBinary ? undefined : parseMessage(data);
    if (!message) return this.close(closeCodes.badRequest);
    const { subscribe, unsubscribe } = this.#protocol;
    switch (message.type) {
      case "connection_init":
        return void this.#initialise(message.payload);
      case "connection_terminate":
        return this.close([1000, "Goodbye"]);
      case "ping":
        return this.#send({ type: "pong" });
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
      return this.#refuse(error instanceof Refusal ? error : this.#parts.engine.unforeseen(error));
    }
    // A client that has left meanwhile.
    if (this.#state !== "initialising") return;
    this.#state = "ready";
    if (this.#caller) this.#expireAt(this.#caller.expiresAt);
    this.#send({ type: "connection_ack" });
    if (!this.#protocol.isModern) this.#send({ type: "ka" });
    for (const message of this.#deferred) this.#start(message);
    this.#deferred = [];
  }

  #refuse(error: Refusal): void {
    if (!this.#protocol.isModern) this.#send({ type: "connection_error", payload: refusal(error) });
    this.close(error.code === "UNAUTHORIZED" ? closeCodes.forbidden : closeCodes.overloaded);
  }

  #expireAt(moment: Date): void {
    const wait = moment.getTime() + clockSkewSeconds * 1_000 - Date.now();
    this.#after(Math.min(Math.max(wait, 0), longestTimeoutMs), () => this.close(closeCodes.forbidden));
  }

  #start(message: ClientMessage): void {
    // The older protocol's clients do not wait for connection_ack.
    if (this.#state === "initialising" && !this.#protocol.isModern) return this.#defer(message);
    const { id, payload } = message;
    if (this.#state !== "ready") return this.close(closeCodes.unauthorized);
    if (typeof id !== "string" || id === "" || !isObject(payload)) return this.close(closeCodes.badRequest);
    if (this.#operations.has(id)) return this.close(closeCodes.takenId);
    const { operations: max } = this.#parts.limits;
    if (this.#running >= max) {
      const limit = { name: "socketOperations", max, asked: this.#running + 1 };
      const message = `A socket carries at most ${max} operations at once.`;
      return this.#sendError(id, [refusal(new Refusal("VALIDATION_ERROR", message, { limit }))]);
    }
    const operation = { id };
    this.#operations.set(id, operation);
    void this.#run(operation, payload);
  }

  #defer(message: ClientMessage): void {
    if (this.#deferred.length >= this.#parts.limits.operations) return this.close(closeCodes.badRequest);
    this.#deferred.push(message);
  }

  async #run(operation: Operation, payload: Record<string, unknown>): Promise<void> {
    const { engine, address, rateLimits, requestId, resolvePersisted, tracing } = this.#parts;
    const userId = this.#caller?.userId;
    const observed = this.#parts.observer.operation(requestId, userId);
    this.#running += 1;
    try {
      const counted = await rateLimits.countRequest(userId, address);
      if (counted?.refusal) throw counted.refusal;
      const request = readRequest(await resolvePersisted(payload));
      if (!request) return this.close(closeCodes.badRequest);
      const reply = await tracing.socketOperation(() =>
        engine.open(request, { userId, address, signal: this.#gone.signal }),
      );
      if ("subscription" in reply) {
        observed.answered(reply.operation, {});
        await this.#forward(operation, reply.subscription);
        return observed.ended(reply.subscription.endReason);
      }
      const { result, isRequestError } = reply;
      observed.answered(reply.operation, result);
      if (isRequestError) return this.#fail(operation, result.errors ?? []);
      this.#sendResult(operation, result);
      this.#complete(operation);
    } catch (error) {
      const errors = [refusal(error instanceof Refusal ? error : engine.unforeseen(error))];
      observed.answered(undefined, { errors });
      this.#fail(operation, errors);
    } finally {
      this.#running -= 1;
    }
  }

  async #forward(operation: Operation, subscription: Subscription): Promise<void> {
    // Stopped by the client before it had begun.
    if (!this.#isWanted(operation)) return void subscription.stop();
    operation.subscription = subscription;
    for await (const result of subscription.results) this.#sendResult(operation, result);
    if (!this.#isWanted(operation)) return;
    switch (subscription.endReason) {
      case "forbidden":
        return this.#fail(operation, [refusal(new Refusal("UNAUTHORIZED", "You may no longer listen to this."))]);
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
    void operation.subscription?.stop();
    // The older protocol's clients wait to be told that it has stopped.
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

  #sendResult(operation: Operation, result: FormattedExecutionResult): void {
    if (this.#isWanted(operation)) this.#send({ type: this.#protocol.next, id: operation.id, payload: result });
  }

  #send(message: ClientMessage): void {
    if (this.#state === "closed" || !this.#hasRoom()) return;
    this.#socket.send(JSON.stringify(message), () => {});
  }

  /** Whether the client reads what it is sent. Whoever does not gets nothing more to keep here. */
  #hasRoom(): boolean {
    const hasRoom = this.#socket.bufferedAmount <= this.#parts.limits.waitingBytes;
    if (!hasRoom) this.close(closeCodes.overloaded);
    return hasRoom;
  }

  #ping(): void {
    if (!this.#isAlive) return this.#socket.terminate();
    this.#isAlive = false;
    this.#socket.ping();
  }

  #after(ms: number, act: () => void): void {
    this.#timers.add(setTimeout(act, ms));
  }

  #release(): void {
    this.#state = "closed";
    this.#gone.abort();
    for (const timer of this.#timers) clearTimeout(timer);
    for (const { subscription } of this.#operations.values()) void subscription?.stop();
    this.#operations.clear();
  }
}

function parseMessage(data: RawData): ClientMessage | undefined {
  try {
    const message: unknown = JSON.parse(String(data));
    const isMessage = typeof message === "object" && message !== null && "type" in message;
    return isMessage && typeof message.type === "string" ? (message as ClientMessage) : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function readRequest({
  query,
  variables,
  operationName,
  extensions,
}: Record<string, unknown>): GraphQLRequest | undefined {
  const mayBeMissing = (value: unknown) => value === undefined || value === null || isObject(value);
  if (typeof query !== "string" || !mayBeMissing(variables) || !mayBeMissing(extensions)) return undefined;
  if (operationName !== undefined && operationName !== null && typeof operationName !== "string") return undefined;
  return {
    query,
    variables: (variables ?? {}) as Record<string, unknown>,
    operationName: operationName || undefined,
    extensions: (extensions ?? {}) as Record<string, unknown>,
  };
}
