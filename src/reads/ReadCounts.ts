import type pg from "pg";
import type { Logger } from "pino";

/** How long a count may wait in memory. */
const flushMs = 10_000;

/** Different rows that may wait. A flood of others is not counted, rather than held in memory. */
const maxRows = 10_000;

/** What was returned, and the SQL function that stores counts of it, with its schema. */
export interface CountedRead {
  storedBy: string;
  /** The id of the row, or the argument that found it. */
  id: string;
}

/**
 * Counts reads of single rows in memory and stores them every some seconds, and at the stop. Nothing about the reader is known here. A
 * crash loses the counts of some seconds.
 */
export class ReadCounts implements AsyncDisposable {
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  readonly #maxRows: number;
  /** By the SQL function that stores them, then by id. */
  #counts = new Map<string, Map<string, number>>();
  #rows = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(pool: pg.Pool, log: Logger, { maxRows: bound = maxRows }: { maxRows?: number } = {}) {
    this.#pool = pool;
    this.#log = log;
    this.#maxRows = bound;
  }

  /** Counts what `find` returns. Never throws, because no request may fail for a count. */
  add(find: () => CountedRead[]): void {
    try {
      for (const { storedBy, id } of find()) this.#count(storedBy, id, 1);
    } catch (error) {
      this.#log.warn({ reason: (error as Error).message }, "a read could not be counted");
    }
  }

  #count(storedBy: string, id: string, times: number): void {
    const counts = this.#counts.get(storedBy) ?? new Map<string, number>();
    const known = counts.get(id);
    if (known === undefined && ++this.#rows > this.#maxRows) {
      this.#rows = this.#maxRows;
      return;
    }
    this.#counts.set(storedBy, counts.set(id, (known ?? 0) + times));
    this.#timer ??= setTimeout(() => void this.flush(), flushMs).unref();
  }

  /** Stores the counts. Those that cannot be stored wait for the next time. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const pending = this.#counts;
    this.#counts = new Map();
    this.#rows = 0;
    for (const [storedBy, counts] of pending) {
      try {
        await this.#pool.query(`select ${storedBy}($1, $2)`, [[...counts.keys()], [...counts.values()]]);
      } catch (error) {
        this.#log.warn({ reason: (error as Error).message }, "reads could not be stored; the next flush tries again");
        for (const [id, times] of counts) this.#count(storedBy, id, times);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush();
    clearTimeout(this.#timer);
  }
}
