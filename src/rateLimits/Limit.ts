import { ApiError } from "@content-service/errors/ApiError.ts";
import { growingCache } from "@content-service/support/growingCache.ts";
import type { LRUCache } from "lru-cache";

const spanMs = 60_000;
/** Beyond so many keys, the one that has been idle for longest is forgotten: a client may have many IPv6 networks. */
const maxCounts = 100_000;

/** How much of a limit a caller has used. `reset` is in seconds since 1970. */
export interface Standing {
  limit: number;
  remaining: number;
  used: number;
  reset: number;
}

/** The place of a caller in its limit after a request. */
export interface Counted {
  standing: Standing;
  refusal: ApiError | undefined;
}

/** Counts by key in memory, each for a minute from its first request on. */
export class Limit {
  readonly #max: number;
  readonly #counts: LRUCache<string, { times: number; endsAt: number }>;

  constructor(max: number, maxKeys = maxCounts) {
    this.#max = max;
    this.#counts = growingCache(maxKeys);
  }

  count(key: string, times = 1): Counted {
    const now = Date.now();
    const known = this.#counts.get(key);
    const count = known && known.endsAt > now ? known : { times: 0, endsAt: now + spanMs };
    count.times += times;
    this.#counts.set(key, count);
    const used = Math.min(count.times, this.#max);
    const reset = Math.ceil(count.endsAt / 1_000);
    return {
      standing: { limit: this.#max, remaining: this.#max - used, used, reset },
      refusal: refusalOf(this.#max, count.times, count.endsAt - now),
    };
  }
}

/** @returns undefined within the limit */
export function refusalOf(max: number, asked: number, msLeft: number): ApiError | undefined {
  if (asked <= max) return undefined;
  const retryAfter = Math.max(1, Math.ceil(msLeft / 1_000));
  const message = `This is allowed ${max} times in ${spanMs / 1_000} seconds. Try again in ${retryAfter} seconds.`;
  return new ApiError("RATE_LIMITED", message, { limit: { name: "requests", max, asked }, retryAfter });
}
