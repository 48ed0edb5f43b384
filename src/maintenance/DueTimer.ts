import type pg from "pg";
import type { Logger } from "pino";
import { doNow } from "../database/DueWork.ts";

/** Looked at this often, because nobody tells the service of new times. */
const maxWaitMs = 5_000;

/**
 * Does what is due at its moment, so that subscribers, analysts and standby servers see it then. Requests do not depend on it: they
 * do what is due before them.
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
    const waitMs = await this.#run();
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.start(), Math.min(waitMs, maxWaitMs)).unref();
  }

  /** @returns the time until something is due */
  async #run(): Promise<number> {
    try {
      const { wait_ms } = await doNow(this.#pool);
      return wait_ms;
    } catch (error) {
      if (!this.#isStopped) this.#log.warn({ err: error }, "what is due cannot be done; it is tried again");
      return maxWaitMs;
    }
  }

  [Symbol.dispose](): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
