import type pg from "pg";
import type { Logger } from "pino";

/** Looked at this often, because nobody tells the service of new times: a post is published within a second of its time. */
const maxWaitMs = 1_000;

interface Due {
  /** The time until the next post is due. */
  wait_ms?: number | null;
  are_more_due?: boolean;
}

/**
 * Publishes posts when they are due, and tells users of changes in their inboxes. Each service does, and PostgreSQL's locks see that one of
 * them does each.
 */
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
    const [posts, inboxes] = await Promise.all([
      this.#run("app_hidden.publish_due_posts()", "due posts cannot be published; it is tried again"),
      this.#run("app_hidden.record_inbox_changes()", "nobody is told of changes in inboxes; it is tried again"),
    ]);
    const waitMs = inboxes?.are_more_due ? 0 : (posts?.wait_ms ?? maxWaitMs);
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.start(), Math.min(waitMs, maxWaitMs)).unref();
  }

  async #run(call: string, failure: string): Promise<Due | undefined> {
    try {
      return (await this.#pool.query<Due>(`select * from ${call}`)).rows[0];
    } catch (error) {
      if (!this.#isStopped) this.#log.warn({ err: error }, failure);
      return undefined;
    }
  }

  [Symbol.dispose](): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
