import type { ApiError } from "@content-service/errors/ApiError.ts";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import type { Logger } from "pino";
import type { Settings } from "../settings.ts";
import { requesterKey } from "./clients.ts";
import { type Counted, Limit, refusalOf } from "./Limit.ts";

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
  readonly #ofAddress: Limit | undefined;
  readonly #ofUser: Limit | undefined;
  readonly #guardedHere: Limit | undefined;
  readonly #verified: VerifiedUsers;
  readonly #pool: pg.Pool;
  readonly #log: Logger;

  constructor(
    settings: Pick<Settings, "rateLimitAddress" | "rateLimitUser" | "rateLimitSignIn">,
    pool: pg.Pool,
    log: Logger,
  ) {
    const limitOf = (max: number) => (max === 0 ? undefined : new Limit(max));
    this.#ofAddress = limitOf(settings.rateLimitAddress);
    this.#ofUser = limitOf(settings.rateLimitUser);
    this.#guardedHere = limitOf(settings.rateLimitSignIn);
    this.#verified = new VerifiedUsers(pool, log);
    this.#pool = pool;
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
    const counts = [
      isTrusted ? undefined : this.#ofAddress?.count(requester),
      userId === undefined ? undefined : this.#ofUser?.count(userId),
    ];
    const [tightest] = counts.filter((count) => count !== undefined).sort((one, other) => left(one) - left(other));
    return { quotaKey, ...tightest };
  }

  /**
   * Counts the guarded calls of an operation against the address, before any of them runs. An operation that this instance
   * refuses by its own count does not reach the database; without a database, that count is the limit.
   *
   * @throws RATE_LIMITED
   */
  async countGuarded(calls: number, address: string): Promise<void> {
    if (!this.#guardedHere || calls === 0) return;
    const key = requesterKey(address);
    const { standing, refusal } = this.#guardedHere.count(key, calls);
    const refused = refusal ?? (await this.#countEverywhere(key, calls, standing.limit));
    if (refused) throw refused;
  }

  async #countEverywhere(key: string, calls: number, max: number): Promise<ApiError | undefined> {
    try {
      const { rows } = await this.#pool.query<{ points: number; ms_left: string }>(
        "select points, ms_left from app_private.count_rate_limited_calls($1, $2)",
        [key, calls],
      );
      return refusalOf(max, rows[0]?.points ?? 0, Number(rows[0]?.ms_left));
    } catch (error) {
      this.#log.warn({ err: error }, "rate-limited calls could not be counted in the database");
      return undefined;
    }
  }
}

/** A refused request has less left than one that uses up a limit. */
function left({ standing, refusal }: Counted): number {
  return refusal ? -1 : standing.remaining;
}

/** How many users are remembered, and for how long. */
const maxUsers = 10_000;
const rememberMs = 60_000;

/**
 * Knows which users are verified. The database is asked for the first request of a user; later on a remembered one is
 * given at once, while a new one is fetched. A user whom the database cannot tell is unverified.
 */
export class VerifiedUsers {
  readonly #known: LRUCache<string, boolean>;

  constructor(pool: pg.Pool, log: Logger) {
    this.#known = new LRUCache<string, boolean>({
      max: maxUsers,
      ttl: rememberMs,
      allowStale: true,
      fetchMethod: async (userId, known) => {
        try {
          const { rows } = await pool.query("select app_private.is_verified($1) as verified", [userId]);
          return rows[0].verified;
        } catch (error) {
          log.warn({ err: error }, "the database could not say whether a user is verified");
          return known;
        }
      },
    });
  }

  async has(userId: string): Promise<boolean> {
    return (await this.#known.fetch(userId)) ?? false;
  }
}
