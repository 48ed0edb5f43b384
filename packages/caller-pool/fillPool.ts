import type pg from "pg";
import { type Log, silent } from "./Log.ts";

/** Logins take processor time on both sides, and a start has other statements to send. */
const atOnce = 4;

/** Opens all connections of the pool, so that the first requests do not wait for them. */
export async function fillPool(pool: pg.Pool, log: Log = silent): Promise<void> {
  const opened: PromiseSettledResult<pg.PoolClient>[] = [];
  while (opened.length < pool.options.max) {
    const length = Math.min(atOnce, pool.options.max - opened.length);
    opened.push(...(await Promise.allSettled(Array.from({ length }, () => pool.connect()))));
  }
  for (const result of opened) {
    // A server at its connection limit may have more later. Until then requests share the open connections.
    if (result.status === "rejected")
      log.warn({ reason: String(result.reason) }, "a database connection could not be opened");
    else result.value.release();
  }
}
