import { LRUCache } from "lru-cache";
import type pg from "pg";
import type { Logger } from "pino";

/** A count, as one instance believes it to be. */
interface Count {
  /** By everybody, as far as the database has told, and by this instance since. */
  used: number;
  /** What of it the database has not been told of. */
  untold: number;
  /** When it begins anew, in milliseconds since 1970. */
  resetAt: number;
}

/** Of all that ask, as many are remembered at once. Who is forgotten is still in the database. */
const remembered = 100_000;

/** How long counts are collected before the database is told: so far apart can two instances be. */
const collectMs = 250;

const tell = "select key, total, ms_left from app_private.count_requests($1, $2, $3)";

/**
 * Counts requests by key, together with all other instances. Asking costs no round trip: each instance counts by itself
 * and tells the database of everybody at once, four times a second, which answers with what the others have counted.
 * So a limit may be exceeded by what several instances let through within that time, and not by more.
 */
export class RequestCounts {
  readonly #counts = new LRUCache<string, Count>({ max: remembered });
  readonly #untold = new Map<string, Count>();
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  readonly #seconds: number;
  #timer: NodeJS.Timeout | undefined;
  #telling: Promise<void> = Promise.resolve();

  /** @param seconds after which a count begins anew */
  constructor(pool: pg.Pool, log: Logger, seconds: number) {
    this.#pool = pool;
    this.#log = log;
    this.#seconds = seconds;
  }

  /** The count of `key`, from now on with `requests` more. */
  add(key: string, requests: number): Readonly<Count> {
    const count = this.#current(key);
    count.used += requests;
    count.untold += requests;
    this.#untold.set(key, count);
    this.#timer ??= setTimeout(() => void this.settle(), collectMs);
    return count;
  }

  /** The count of `key` as it is. */
  peek(key: string): Readonly<Count> {
    return this.#current(key);
  }

  /** Tells the database of everything now: afterwards the counts are everybody's. Without a database, ours have to do. */
  async settle(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#telling = this.#telling.then(() => this.#tell());
    await this.#telling;
  }

  #current(key: string): Count {
    const now = Date.now();
    const known = this.#counts.get(key);
    if (known && known.resetAt > now) return known;
    const fresh = { used: 0, untold: 0, resetAt: now + this.#seconds * 1_000 };
    this.#counts.set(key, fresh);
    return fresh;
  }

  async #tell(): Promise<void> {
    const told = [...this.#untold].map(([key, count]) => ({ key, count, requests: count.untold }));
    this.#untold.clear();
    if (told.length === 0) return;
    for (const { count } of told) count.untold = 0;
    try {
      const values = [told.map(({ key }) => key), told.map(({ requests }) => requests), this.#seconds];
      const { rows } = await this.#pool.query<{ key: string; total: string; ms_left: number }>(tell, values);
      const byKey = new Map(rows.map((row) => [row.key, row]));
      for (const { key, count } of told) {
        const row = byKey.get(key);
        if (!row) continue;
        count.used = Number(row.total) + count.untold;
        count.resetAt = Date.now() + row.ms_left;
      }
    } catch (error) {
      // No reason to refuse anybody: the next turn tells of these as well.
      this.#log.warn({ err: error }, "the counts of requests could not be shared");
      for (const { key, count, requests } of told) {
        count.untold += requests;
        this.#untold.set(key, count);
      }
    }
  }
}
