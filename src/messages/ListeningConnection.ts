import { Socket } from "node:net";
import pg from "pg";
import { channel, type Notification, readNotification } from "./notification.ts";

export interface ListeningSettings {
  /** Connection string of the API's login role. */
  connectionString: string;
  /** How long the database may take to answer. Beyond, the connection counts as lost: nothing else tells a half-open one. */
  answerWithinMs: number;
  onNotification(notification: Notification): void;
}

/**
 * One connection that listens, from its LISTEN to its loss. Not one of the pool's: it is never given back, and a proxy that
 * shares connections between clients would swallow what it hears.
 */
export class ListeningConnection {
  /** Resolves with the reason when the connection is lost, without one when it was closed. Never rejects. */
  readonly lost: Promise<Error | undefined>;
  readonly #client: pg.Client;
  readonly #socket = new Socket();
  readonly #settings: ListeningSettings;
  readonly #barriers = new Map<string, () => void>();
  #barrierCount = 0;
  /** Whoever waits for an answer, to be told when none will come. */
  readonly #unanswered = new Set<(reason: Error) => void>();
  #isLost = false;
  readonly #lose: (reason?: Error) => void;

  /** @throws when the database cannot be reached, or does not answer in time */
  static async open(settings: ListeningSettings): Promise<ListeningConnection> {
    const connection = new ListeningConnection(settings);
    try {
      await connection.#client.connect();
      await connection.ask({ text: `listen ${channel}` });
      return connection;
    } catch (error) {
      connection.fail(error as Error);
      throw error;
    }
  }

  private constructor(settings: ListeningSettings) {
    this.#settings = settings;
    const { connectionString, answerWithinMs } = settings;
    const { promise, resolve } = Promise.withResolvers<Error | undefined>();
    this.lost = promise;
    this.#lose = resolve;
    // An error without a listener would end the process.
    this.#socket.on("error", () => {});
    this.#client = new pg.Client({
      connectionString,
      application_name: "content-service messages",
      connectionTimeoutMillis: answerWithinMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      stream: () => this.#socket,
      // The server, too, is to notice when this side is gone.
      options: `-c search_path=pg_catalog -c jit=off -c statement_timeout=${answerWithinMs} -c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3`,
    });
    this.#client.on("error", (error) => this.fail(error));
    this.#client.on("end", () => this.fail(new Error("The database has ended the connection")));
    this.#client.on("notification", ({ payload, processId }) => this.#hear(payload, processId));
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Runs a statement. When no answer comes in time the connection is lost, and this rejects. */
  async ask<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<Row[]> {
    return this.#inTime(this.#client.query<Row>(query).then(({ rows }) => rows));
  }

  /**
   * Runs a statement that rings the bell itself, with the payload given to it, and waits to hear that.
   *
   * Notifications come in the order in which their transactions committed. So when this one is heard, so have been those of
   * every transaction that the statement has seen.
   */
  async askAndHear<Row extends pg.QueryResultRow>(query: (payload: string) => pg.QueryConfig): Promise<Row[]> {
    const name = String(this.#barrierCount++);
    const heard = new Promise<void>((resolve) => this.#barriers.set(name, resolve));
    try {
      const rows = await this.ask<Row>(query(`barrier:${name}`));
      await this.#inTime(heard);
      return rows;
    } finally {
      this.#barriers.delete(name);
    }
  }

  /** Gives the connection up. */
  fail(reason: Error): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#lose(reason);
    for (const reject of this.#unanswered) reject(reason);
    // Not end(): it says goodbye first, and waits for it to arrive.
    this.#socket.destroy();
  }

  async close(): Promise<void> {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#lose();
    for (const reject of this.#unanswered) reject(new Error("The connection is closed"));
    const deadline = setTimeout(() => this.#socket.destroy(), this.#settings.answerWithinMs);
    await this.#client.end().catch(() => {});
    clearTimeout(deadline);
  }

  #inTime<Result>(answer: Promise<Result>): Promise<Result> {
    const { answerWithinMs } = this.#settings;
    return new Promise<Result>((resolve, reject) => {
      const tooLate = () => this.fail(new Error(`The database has not answered for ${answerWithinMs} ms`));
      const deadline = setTimeout(tooLate, answerWithinMs);
      const settle = () => {
        clearTimeout(deadline);
        this.#unanswered.delete(reject);
      };
      this.#unanswered.add(reject);
      answer.then(resolve, reject).finally(settle);
      if (this.#isLost) reject(new Error("The connection is lost"));
    });
  }

  #hear(payload: string | undefined, processId: number): void {
    const notification = readNotification(payload);
    if (!notification || this.#isLost) return;
    if (!("barrier" in notification)) this.#settings.onNotification(notification);
    // Other services ring barriers of their own.
    else if (processId === (this.#client as pg.Client & { processID: number }).processID) {
      this.#barriers.get(notification.barrier)?.();
    }
  }
}
