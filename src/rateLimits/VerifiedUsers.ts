import { LRUCache } from "lru-cache";
import type pg from "pg";
import type { Logger } from "pino";

/** How many users are remembered, and for how long. */
const maxUsers = 10_000;
const rememberMs = 60_000;

/**
 * Knows which users are verified. The database is asked for the first request of a user; later on a remembered answer is
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
