import type { DocumentNode, OperationDefinitionNode } from "graphql";
import { ApiError } from "../errors/ApiError.ts";
import { guardedCalls } from "./guardedCalls.ts";
import type { RequestCounts } from "./RequestCounts.ts";
import { requesterKey } from "./requesterKey.ts";

/** How often within a span of time; 0 for without limit. */
export interface RateLimitSettings {
  /** Requests of one address, of nobody who is signed in. */
  rateLimitAddress: number;
  /** Requests of one signed-in user. */
  rateLimitUser: number;
  /** Calls of `signIn` and `createUser` from one address. */
  rateLimitSignIn: number;
}

/** The span of time that limits are for, in seconds. */
export const rateLimitSeconds = 60;

/** Where a caller stands, in whole numbers; `reset` in seconds since 1970. */
export interface Standing {
  limit: number;
  remaining: number;
  used: number;
  reset: number;
}

/** Says no to who asks too often. */
export class RateLimits {
  readonly #counts: RequestCounts;
  readonly #settings: RateLimitSettings;

  constructor(counts: RequestCounts, settings: RateLimitSettings) {
    this.#counts = counts;
    this.#settings = settings;
  }

  /**
   * Counts a request: against its user, or without one against the address.
   *
   * @returns the caller's standing, and the refusal if there is one; undefined where there is no limit
   */
  countRequest(userId: string | undefined, address: string): { standing: Standing; refusal?: ApiError } | undefined {
    const { rateLimitUser, rateLimitAddress } = this.#settings;
    return userId === undefined
      ? this.#count(`address ${requesterKey(address)}`, 1, rateLimitAddress)
      : this.#count(`user ${userId}`, 1, rateLimitUser);
  }

  /**
   * Counts what an operation calls that strangers try again and again, before any of it is done. Few do, so these wait
   * for what all instances have counted.
   *
   * @throws ApiError RATE_LIMITED
   */
  async countGuarded(document: DocumentNode, operation: OperationDefinitionNode, address: string): Promise<void> {
    const limit = this.#settings.rateLimitSignIn;
    const calls = guardedCalls(document, operation);
    if (limit === 0 || calls === 0) return;
    const key = `signing in ${requesterKey(address)}`;
    const counted = this.#count(key, calls, limit);
    if (counted?.refusal) throw counted.refusal;
    await this.#counts.settle();
    const { used, resetAt } = this.#counts.peek(key);
    if (used > limit) throw tooOften(limit, resetAt);
  }

  /** What is refused is not counted, so that who goes on asking is let in again all the same. */
  #count(key: string, requests: number, limit: number): { standing: Standing; refusal?: ApiError } | undefined {
    if (limit === 0) return undefined;
    const before = this.#counts.peek(key);
    const isTooMuch = before.used + requests > limit;
    const { used, resetAt } = isTooMuch ? before : this.#counts.add(key, requests);
    const standing = { limit, used, remaining: Math.max(0, limit - used), reset: Math.ceil(resetAt / 1_000) };
    return isTooMuch ? { standing, refusal: tooOften(limit, resetAt) } : { standing };
  }
}

function tooOften(limit: number, resetAt: number): ApiError {
  const retryAfter = Math.max(1, Math.ceil((resetAt - Date.now()) / 1_000));
  const message = `This is allowed ${limit} times in ${rateLimitSeconds} seconds. Try again in ${retryAfter} seconds.`;
  return new ApiError("RATE_LIMITED", message, { limit, retryAfter });
}
