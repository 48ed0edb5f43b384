import type pg from "pg";
import type { Logger } from "pino";

/** Opens all connections that the pool may have, so that the first requests do not wait for any. */
export async function fillPool(pool: pg.Pool, log: Logger): Promise<void> {
  const opened = await Promise.allSettled(Array.from({ length: pool.options.max }, () => pool.connect()));
  for (const result of opened) {
    // A server that has no more to give will do so later, or not: requests then wait for those there are.
    if (result.status === "rejected")
      log.warn({ reason: String(result.reason) }, "a database connection could not be opened");
    else result.value.release();
  }
}
