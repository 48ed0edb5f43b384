import { LRUCache } from "lru-cache";

/** The seconds that calls are counted for, from the first one on. */
export const duration = 60;

/** The calls of one key in its current span of time. */
export interface Used {
  points: number;
  msLeft: number;
}

/** Counts calls by key, in memory. */
export class CallCounts {
  readonly #counts: LRUCache<string, number>;

  /** @param maxKeys beyond which the key that has been idle for longest is forgotten: a client with many IPv6 networks has many keys */
  constructor(maxKeys = 100_000) {
    this.#counts = new LRUCache({ max: maxKeys, ttl: duration * 1_000, noUpdateTTL: true });
  }

  count(key: string, calls: number): Used {
    const points = (this.#counts.get(key) ?? 0) + calls;
    this.#counts.set(key, points);
    return { points, msLeft: this.#counts.getRemainingTTL(key) };
  }
}
