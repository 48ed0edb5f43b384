import type pg from "pg";
import type { Logger } from "pino";

/** Looked at this often, because nobody tells the service of new times: a post is published within a second of its time. */
const maxWaitMs = 1_000;

/** Publishes posts when they are due. Each service does, and PostgreSQL's locks see that one of them publishes each post. */
export class DueTimer implements Disposable {
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(pool: pg.Pool, log: Logger) {
    this.#pool = pool;
    this.#log = log;
  }

  async start(): Promise<void> {
    const waitMs = await this.#run();
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.start(), Math.min(waitMs, maxWaitMs)).unref();
  }

  /** @returns the time until something is due */
  async #run(): Promise<number> {
    try {
      const { rows } = await this.#pool.query<{ wait_ms: number | null }>(
        "select wait_ms from app_hidden.publish_due_posts()",
      );
      return rows[0]?.wait_ms ?? maxWaitMs;
    } catch (error) {
      if (!this.#isStopped) this.#log.warn({ err: error }, "due posts cannot be published; it is tried again");
      return maxWaitMs;
    }
  }

  [Symbol.dispose](): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
