import { setTimeout as delay } from "node:timers/promises";
import { retryDelay } from "@content-service/support/retryDelay.ts";
import type { Route } from "@content-service/support/route.ts";
import { ListeningConnection, type StatementLimits } from "./ListeningConnection.ts";
import type { Log } from "./Log.ts";

/** The database to listen to, and how its connection is watched. */
export interface ListenerSettings {
  /** Connection string of the API's login role. */
  connectionString: string;
  /** Where it leads; by default, to PostgreSQL itself. */
  route?: Route;
  log: Log;
  /** Further settings of its sessions, by name. */
  settings?: Readonly<Record<string, string>>;
  /** How long the database may take to answer before the connection counts as lost. */
  respondWithinMs?: number;
  /** How often the database has to answer, so that a half-open connection is noticed. */
  heartbeatMs?: number;
}

/** The name of a channel, or how to read it from the database. It is read again on each new connection. */
export type Channel = string | ((connection: ListeningConnection) => Promise<string>);

/** The user of a channel. An error that a method throws is logged, and reaches no other channel. */
export interface ChannelHandler {
  notified(payload: string, connection: ListeningConnection): void;
  /** From now on notifications may be missed. */
  lost?(connection: ListeningConnection): void;
  /** A new connection listens. Notifications may have been missed in between. */
  restored(connection: ListeningConnection): void;
}

/** A connection that has lived for so long was a good one: after its loss the next is tried at once. */
const goodAfterMs = 1_000;

/** Everybody waits for a statement of the connection that listens. */
const sharedLimits: StatementLimits = { statementMs: 500, lockMs: 100 };

/** The one connection of the service that listens, to several channels. A lost one is replaced until close(). */
export class Listener {
  readonly #settings: Required<ListenerSettings>;
  readonly #handlers = new Map<Channel, ChannelHandler>();
  readonly #closing = new AbortController();
  #connection: ListeningConnection | undefined;
  #running: Promise<void> | undefined;

  constructor(settings: ListenerSettings) {
    this.#settings = { route: "direct", settings: {}, heartbeatMs: 5_000, respondWithinMs: 5_000, ...settings };
  }

  /** Registers the user of a channel. Only before start(). */
  handle(channel: Channel, handler: ChannelHandler): void {
    this.#handlers.set(channel, handler);
  }

  /** @throws when the database cannot be reached now; it may be away later */
  async start(): Promise<ListeningConnection> {
    const connection = await this.#open();
    this.#running = this.#keepListening(connection);
    return connection;
  }

  /**
   * Opens a connection for statements that may take longer. It ends with the connection that listens.
   *
   * @throws when the database cannot be reached
   */
  async openAside(limits: StatementLimits): Promise<ListeningConnection> {
    const main = this.#connection;
    const aside = new ListeningConnection({ ...this.#settings, limits, onNotification: () => {} });
    void main?.lost.then((reason) => aside.fail(reason));
    await aside.open(async () => []);
    return aside;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connection?.close();
    await this.#running;
  }

  async #open(): Promise<ListeningConnection> {
    const handlers = new Map<string, ChannelHandler>();
    const connection = new ListeningConnection({
      ...this.#settings,
      limits: sharedLimits,
      onNotification: (name, payload) =>
        this.#tell([handlers.get(name)], (handler) => handler?.notified(payload, connection)),
    });
    // From now on, so that close() ends an opening connection too.
    this.#connection = connection;
    await connection.open(async () => {
      for (const [channel, handler] of this.#handlers) {
        handlers.set(typeof channel === "string" ? channel : await channel(connection), handler);
      }
      return handlers.keys();
    });
    return connection;
  }

  async #keepListening(first: ListeningConnection): Promise<void> {
    const { log, heartbeatMs } = this.#settings;
    for (let connection = first; ; ) {
      const openedAt = performance.now();
      // Where another server can take over, a frozen one is noticed sooner.
      const pauseMs = connection.hasChoice ? Math.min(heartbeatMs, 1_000) : heartbeatMs;
      const heartbeat = setInterval(() => connection.check(), pauseMs);
      const reason = await connection.lost;
      clearInterval(heartbeat);
      if (this.#closing.signal.aborted) return;
      const lostAt = performance.now();
      log.warn({ err: reason }, "the connection that listens was lost");
      this.#tell(this.#handlers.values(), (handler) => handler.lost?.(connection));
      const next = await this.#reopen(lostAt - openedAt > goodAfterMs ? 0 : 1);
      if (!next) return;
      connection = next;
      log.info({ afterMs: Math.round(performance.now() - lostAt) }, "listening again");
      this.#tell(this.#handlers.values(), (handler) => handler.restored(connection));
    }
  }

  /** Tries until a connection listens, or until close(). */
  async #reopen(firstAttempt: number): Promise<ListeningConnection | undefined> {
    const { signal } = this.#closing;
    for (let attempt = firstAttempt; ; attempt++) {
      try {
        await delay(retryDelay(attempt), undefined, { signal });
        signal.throwIfAborted();
        return await this.#open();
      } catch (error) {
        if (signal.aborted) return undefined;
        this.#settings.log.warn({ err: error, attempt }, "cannot listen");
      }
    }
  }

  #tell<Handler>(handlers: Iterable<Handler>, tell: (handler: Handler) => void): void {
    for (const handler of handlers) {
      try {
        tell(handler);
      } catch (error) {
        this.#settings.log.error({ err: error }, "a notification could not be handled");
      }
    }
  }
}
