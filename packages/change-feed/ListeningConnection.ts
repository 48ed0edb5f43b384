import { randomUUID } from "node:crypto";
import { Socket } from "node:net";
import { MultiHostClient } from "@content-service/support/MultiHostClient.ts";
import type { Route } from "@content-service/support/route.ts";
import { keepAlives, startupOptions } from "@content-service/support/startupOptions.ts";
import pg from "pg";

export interface ListeningSettings {
  /** Connection string of the API's login role. */
  connectionString: string;
  /** Where it leads. Through a pooler in transaction mode no notification arrives. */
  route: Route;
  settings: Readonly<Record<string, string>>;
  /** How long the database may take to answer. After that the connection counts as lost: a half-open one reports no error. */
  respondWithinMs: number;
  /** How long a statement may run, and may wait for a lock. Less than `respondWithinMs`. */
  limits: StatementLimits;
  onNotification(channel: string, payload: string): void;
}

export interface StatementLimits {
  statementMs: number;
  lockMs: number;
}

/** The notification that a statement has to send. */
export interface Barrier {
  channel: string;
  payload: string;
}

/**
 * One connection that listens, from its LISTEN to its loss. Not a pooled one: it is never given back, and a proxy that shares
 * connections between clients would swallow the notifications.
 */
export class ListeningConnection {
  /** Resolves with the reason when the connection is lost or closed. Never rejects. */
  readonly lost: Promise<Error>;
  readonly #client: MultiHostClient;
  readonly #socket = new Socket();
  readonly #respondWithinMs: number;
  /** Settings that a pooler does not take at the start of the connection. */
  readonly #settings: Readonly<Record<string, string>>;
  readonly #limits: StatementLimits;
  /** A channel of this connection alone. */
  readonly #barrierChannel = `barrier_${randomUUID()}`;
  readonly #barriers = new Map<string, () => void>();
  #barrierCount = 0;
  /** Rejects each response that is still awaited. */
  readonly #unanswered = new Set<(reason: Error) => void>();
  #isLost = false;
  readonly #lose: (reason: Error) => void;

  constructor({
    connectionString,
    route,
    settings: given,
    respondWithinMs,
    limits,
    onNotification,
  }: ListeningSettings) {
    this.#respondWithinMs = respondWithinMs;
    this.#limits = limits;
    const settings = { ...given, search_path: "pg_catalog", jit: "off" };
    this.#settings = route === "direct" ? {} : settings;
    const { promise, resolve } = Promise.withResolvers<Error>();
    this.lost = promise;
    this.#lose = resolve;
    // An error without a listener would end the process.
    this.#socket.on("error", () => {});
    this.#client = new MultiHostClient({
      connectionString,
      application_name: "content-service listener",
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      stream: () => this.#socket,
      ...(route === "direct" && { options: startupOptions({ ...settings, ...keepAlives }) }),
    });
    this.#client.on("error", (error) => this.fail(error));
    this.#client.on("end", () => this.fail(new Error("The database has ended the connection")));
    this.#client.on("notification", ({ channel, payload = "" }) => {
      if (this.#isLost) return;
      if (channel === this.#barrierChannel) this.#barriers.get(payload)?.();
      else onNotification(channel, payload);
    });
  }

  /**
   * @param readChannels the channels to listen to; may ask the database for their names
   * @throws when the database cannot be reached, or does not answer in time
   */
  async open(readChannels: () => Promise<Iterable<string>>): Promise<void> {
    try {
      await this.#inTime(this.#client.connect());
      if (Object.keys(this.#settings).length > 0) {
        const text = "select pg_catalog.set_config(key, value, false) from pg_catalog.jsonb_each_text($1)";
        await this.ask({ text, values: [JSON.stringify(this.#settings)] });
      }
      const names = [this.#barrierChannel, ...(await readChannels())];
      const { statementMs, lockMs } = this.#limits;
      // Not before: a busy server takes longer for the first statements of a connection.
      const limits = [`set statement_timeout = ${statementMs}`, `set lock_timeout = ${lockMs}`];
      await this.ask({ text: [...names.map((name) => `listen ${pg.escapeIdentifier(name)}`), ...limits].join(";") });
    } catch (error) {
      this.fail(error as Error);
      throw error;
    }
  }

  /** Whether another server may take the place of this one. */
  get hasChoice(): boolean {
    return this.#client.hasChoice;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Runs a statement. When no response comes in time the connection is lost, and this rejects. */
  async ask<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<Row[]> {
    return this.#inTime(this.#client.query<Row>(query).then(({ rows }) => rows));
  }

  /**
   * Waits, during `ask`, for the notification that its statement sends, on this connection or on another one.
   *
   * PostgreSQL delivers notifications, of all channels, in the order in which their transactions committed. So when this
   * one has arrived, those of every transaction that the statement has seen have arrived before.
   */
  async withBarrier<Result>(ask: (barrier: Barrier) => Promise<Result>): Promise<Result> {
    const payload = String(this.#barrierCount++);
    const heard = new Promise<void>((resolve) => this.#barriers.set(payload, resolve));
    try {
      const result = await ask({ channel: this.#barrierChannel, payload });
      await this.#inTime(heard);
      return result;
    } finally {
      this.#barriers.delete(payload);
    }
  }

  /** Makes sure that the database answers in time. A statement under way does so already. */
  check(): void {
    if (this.#unanswered.size === 0) this.ask({ text: "select" }).catch((error) => this.fail(error));
  }

  /** Gives the connection up. */
  fail(reason: Error): void {
    this.#end(reason);
    // Not end(): it would wait until the other side has taken the farewell.
    this.#socket.destroy();
  }

  async close(): Promise<void> {
    if (this.#isLost) return;
    this.#end(new Error("The connection is closed"));
    const deadline = setTimeout(() => this.#socket.destroy(), this.#respondWithinMs);
    await this.#client.end().catch(() => {});
    clearTimeout(deadline);
  }

  #end(reason: Error): void {
    this.#isLost = true;
    this.#lose(reason);
    for (const reject of this.#unanswered) reject(reason);
  }

  async #inTime<Result>(result: Promise<Result>): Promise<Result> {
    const { promise: failed, reject } = Promise.withResolvers<never>();
    const tooLate = () => this.fail(new Error(`The database has not answered for ${this.#respondWithinMs} ms`));
    const deadline = setTimeout(tooLate, this.#respondWithinMs);
    const looking = this.#client.watchServers();
    this.#unanswered.add(reject);
    if (this.#isLost) reject(new Error("The connection is lost"));
    try {
      return await Promise.race([result, failed]);
    } finally {
      clearTimeout(deadline);
      clearInterval(looking);
      this.#unanswered.delete(reject);
    }
  }
}
