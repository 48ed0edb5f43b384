import { ApiError } from "@content-service/errors/ApiError.ts";
import type pg from "pg";
import type { Logger } from "pino";
import { type RateLimiterAbstract, RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import type { Settings } from "../settings.ts";
import { BoundedMemoryLimiter } from "./BoundedMemoryLimiter.ts";
import { requesterKey } from "./requesterKey.ts";
import { VerifiedUsers } from "./VerifiedUsers.ts";

/** Seconds that the limits are for. */
const duration = 60;

/** How much of a limit a caller has used. `reset` is in seconds since 1970. */
export interface Standing {
  limit: number;
  remaining: number;
  used: number;
  reset: number;
}

interface Counted {
  standing: Standing;
  refusal: ApiError | undefined;
}

/** `standing` and `refusal` are those of the limit that is nearest; undefined when there is no limit. */
export interface CountedQuota extends Partial<Counted> {
  /** The user, or the address that an anonymous or unverified user shares with others. */
  quotaKey: string;
}

/**
 * Limits how often a caller may ask. Each instance counts requests in its own memory. Guarded calls, which are rare, are
 * counted in PostgreSQL for all instances together. Refused requests and calls count as well.
 */
export class RateLimits {
  readonly #ofAddress: BoundedMemoryLimiter | undefined;
  readonly #ofUser: BoundedMemoryLimiter | undefined;
  readonly #guardedHere: BoundedMemoryLimiter | undefined;
  readonly #guardedEverywhere: RateLimiterPostgres;
  readonly #verified: VerifiedUsers;
  readonly #log: Logger;

  constructor(
    settings: Pick<Settings, "rateLimitAddress" | "rateLimitUser" | "rateLimitSignIn">,
    pool: pg.Pool,
    log: Logger,
  ) {
    this.#ofAddress = memoryLimiter(settings.rateLimitAddress);
    this.#ofUser = memoryLimiter(settings.rateLimitUser);
    this.#guardedHere = memoryLimiter(settings.rateLimitSignIn);
    this.#guardedEverywhere = new RateLimiterPostgres({
      points: settings.rateLimitSignIn,
      duration,
      storeClient: clientThatCounts(pool),
      storeType: "client",
      keyPrefix: "",
      // The migrations create the table, and the maintenance deletes expired rows.
      tableCreated: true,
      clearExpiredByTimeout: false,
    });
    this.#verified = new VerifiedUsers(pool, log);
    this.#log = log;
  }

  /**
   * Counts a request against its user, or without a user against the address. A user who is not verified counts against
   * both: new accounts must not multiply the limit of an address.
   */
  async countRequest(userId: string | undefined, address: string): Promise<CountedQuota> {
    const requester = requesterKey(address);
    const isTrusted = userId !== undefined && (!this.#ofAddress || (await this.#verified.has(userId)));
    const quotaKey = isTrusted ? `user ${userId}` : requester;
    const counts = await Promise.all([
      isTrusted ? undefined : this.#count(this.#ofAddress, requester),
      userId === undefined ? undefined : this.#count(this.#ofUser, userId),
    ]);
    const [tightest] = counts.filter((count) => count !== undefined).sort((one, other) => left(one) - left(other));
    return { quotaKey, ...tightest };
  }

  async #count(limiter: BoundedMemoryLimiter | undefined, key: string): Promise<Counted | undefined> {
    if (!limiter) return undefined;
    const { points: limit } = limiter;
    const counted = await consume(limiter, key, 1);
    const { consumedPoints, remainingPoints: remaining, msBeforeNext } = counted;
    const reset = Math.ceil((Date.now() + msBeforeNext) / 1_000);
    return {
      standing: { limit, remaining, used: Math.min(consumedPoints, limit), reset },
      refusal: refusalOf(limit, counted),
    };
  }

  /**
   * Counts the guarded calls of an operation against the address, before any of them runs. An operation that this instance
   * refuses by its own count does not reach the database; without a database, that count is the limit.
   *
   * @throws RATE_LIMITED
   */
  async countGuarded(calls: number, address: string): Promise<void> {
    const here = this.#guardedHere;
    if (!here || calls === 0) return;
    const { points: limit } = here;
    const key = requesterKey(address);
    // Capped, because the library parses counts as text: it reads 1e21 as 1.
    const capped = Math.min(calls, limit + 1);
    let refusal = refusalOf(limit, await consume(here, key, capped));
    try {
      refusal ??= refusalOf(limit, await consume(this.#guardedEverywhere, key, capped));
    } catch (error) {
      this.#log.warn({ err: error }, "rate-limited calls could not be counted in the database");
    }
    if (refusal) throw refusal;
  }
}

/**
 * The library writes the table itself. The service's login may only count, through a function, so this takes the key, the
 * number of calls and the time from the library's statement.
 */
function clientThatCounts(pool: pg.Pool) {
  const count = "select points, $3::bigint + ms_left as expire from app_private.count_rate_limited_calls($1, $2)";
  return {
    query: ({ values: [key, calls, , now] }: { values: unknown[] }) => pool.query(count, [key, calls, now]),
  };
}

function memoryLimiter(points: number): BoundedMemoryLimiter | undefined {
  return points === 0 ? undefined : new BoundedMemoryLimiter({ points, duration });
}

/** A refused request has less left than one that uses up a limit. */
function left({ standing, refusal }: Counted): number {
  return refusal ? -1 : standing.remaining;
}

/** The library rejects when the limit is exceeded; here this is a result like any other. */
async function consume(limiter: RateLimiterAbstract, key: string, points: number): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(key, points);
  } catch (error) {
    if (error instanceof RateLimiterRes) return error;
    throw error;
  }
}

function refusalOf(limit: number, { consumedPoints, msBeforeNext }: RateLimiterRes): ApiError | undefined {
  if (consumedPoints <= limit) return undefined;
  const retryAfter = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  const message = `This is allowed ${limit} times in ${duration} seconds. Try again in ${retryAfter} seconds.`;
  return new ApiError("RATE_LIMITED", message, {
    limit: { name: "requests", max: limit, asked: consumedPoints },
    retryAfter,
  });
}
