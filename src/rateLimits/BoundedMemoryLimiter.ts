import { LRUCache } from "lru-cache";
import { type IRateLimiterOptions, RateLimiterMemory, type RateLimiterRes } from "rate-limiter-flexible";

/**
 * Counts by key in memory, with a bound on the keys. RateLimiterMemory keeps each key, with a timer, until its span of time
 * is over: a client with many IPv6 networks could fill the memory.
 */
export class BoundedMemoryLimiter extends RateLimiterMemory {
  readonly #keys: LRUCache<string, true>;

  /** @param maxKeys beyond which the key that has been idle for longest is forgotten */
  constructor(options: IRateLimiterOptions, maxKeys = 100_000) {
    super(options);
    this.#keys = new LRUCache({ max: maxKeys, dispose: (_, key) => void this.delete(key) });
  }

  override consume(key: string, points: number): Promise<RateLimiterRes> {
    this.#keys.set(key, true);
    return super.consume(key, points);
  }
}
