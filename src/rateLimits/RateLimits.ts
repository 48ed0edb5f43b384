import { ApiError } from "@content-service/errors/ApiError.ts";
import type pg from "pg";
import type { Logger } from "pino";
import type { Settings } from "../settings.ts";
import { CallCounts, duration, type Used } from "./CallCounts.ts";
import { requesterKey } from "./requesterKey.ts";
import { VerifiedUsers } from "./VerifiedUsers.ts";

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
  readonly #ofAddress: Limit | undefined;
  readonly #ofUser: Limit | undefined;
  readonly #guarded: Limit | undefined;
  readonly #verified: VerifiedUsers;
  readonly #pool: pg.Pool;
  readonly #log: Logger;

  constructor(
    settings: Pick<Settings, "rateLimitAddress" | "rateLimitUser" | "rateLimitSignIn">,
    pool: pg.Pool,
    log: Logger,
  ) {
    this.#ofAddress = limitOf(settings.rateLimitAddress);
    this.#ofUser = limitOf(settings.rateLimitUser);
    this.#guarded = limitOf(settings.rateLimitSignIn);
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
      isTrusted ? undefined : count(this.#ofAddress, requester),
      userId === undefined ? undefined : count(this.#ofUser, userId),
    ];
    const [tightest] = counts.filter((one) => one !== undefined).sort((one, other) => left(one) - left(other));
    return { quotaKey, ...tightest };
  }

  /**
   * Counts the guarded calls of an operation against the address, before any of them runs. An operation that this instance
   * refuses by its own count does not reach the database; without a database, that count is the limit.
   *
   * @throws RATE_LIMITED
   */
  async countGuarded(calls: number, address: string): Promise<void> {
    if (!this.#guarded || calls === 0) return;
    const { max, counts } = this.#guarded;
    const key = requesterKey(address);
    // PostgreSQL counts with an int.
    const capped = Math.min(calls, max + 1);
    let refusal = refusalOf(max, counts.count(key, capped));
    try {
      refusal ??= refusalOf(max, await this.#countEverywhere(key, capped));
    } catch (error) {
      this.#log.warn({ err: error }, "rate-limited calls could not be counted in the database");
    }
    if (refusal) throw refusal;
  }

  async #countEverywhere(key: string, calls: number): Promise<Used> {
    const { rows } = await this.#pool.query<{ points: number; msLeft: string }>(
      'select points, ms_left as "msLeft" from app_private.count_rate_limited_calls($1, $2)',
      [key, calls],
    );
    const [{ points, msLeft }] = rows as [(typeof rows)[number]];
    return { points, msLeft: Number(msLeft) };
  }
}

/** The calls that a key may make, and has made. */
interface Limit {
  max: number;
  counts: CallCounts;
}

function limitOf(max: number): Limit | undefined {
  return max === 0 ? undefined : { max, counts: new CallCounts() };
}

function count(limit: Limit | undefined, key: string): Counted | undefined {
  if (!limit) return undefined;
  const { max } = limit;
  const used = limit.counts.count(key, 1);
  const reset = Math.ceil((Date.now() + used.msLeft) / 1_000);
  return {
    standing: { limit: max, remaining: Math.max(max - used.points, 0), used: Math.min(used.points, max), reset },
    refusal: refusalOf(max, used),
  };
}

/** A refused request has less left than one that uses up a limit. */
function left({ standing, refusal }: Counted): number {
  return refusal ? -1 : standing.remaining;
}

function refusalOf(limit: number, { points, msLeft }: Used): ApiError | undefined {
  if (points <= limit) return undefined;
  const retryAfter = Math.max(1, Math.ceil(msLeft / 1_000));
  const message = `This is allowed ${limit} times in ${duration} seconds. Try again in ${retryAfter} seconds.`;
  return new ApiError("RATE_LIMITED", message, { limit, retryAfter });
}
