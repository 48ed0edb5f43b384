import { setTimeout as delay } from "node:timers/promises";
import { holdLock } from "../../support/holdLock.ts";
import type { Arena } from "../Arena.ts";
import { Callers } from "../Callers.ts";
import { everyBackend } from "./killedBackends.ts";
import type { Outcome } from "./Outcome.ts";

/** Every caller must be served again within this time. */
const longestReturnMs = 1_000;
/** More than the connections of the pool. */
const callers = 32;

/** Runs `fault` several times while callers read and write. */
export async function calls(
  arena: Arena,
  title: string,
  times: number,
  fault: (callers: Callers) => Promise<void>,
): Promise<Outcome> {
  const userIds = await arena.users(4);
  const url = arena.service.url.replace("ws:", "http:");
  const crowd = new Callers({ url, sign: arena.service.sign, userIds, callers });
  /** From the end of a fault until every caller was served again; the longest time of several. */
  let backAfterMs = 0;
  await crowd.untilWell();
  for (let turn = 0; turn < times; turn++) {
    await fault(crowd);
    backAfterMs = Math.max(backAfterMs, await crowd.untilWell());
  }
  const counts = await crowd.stop(() => arena.titles());
  const isWhole = counts.broken + counts.wrong + counts.lost + counts.twice === 0;
  return {
    title,
    counts: { ...counts, backAfterMs },
    examples: crowd.examples,
    isGood: isWhole && backAfterMs <= longestReturnMs,
  };
}

/** Locks the posts, until nearly all connections of the pool wait for the lock. */
export async function lockPosts(arena: Arena, forMs: number): Promise<void> {
  const lock = await holdLock(arena.database.ownerUrl, "lock app_public.posts in access exclusive mode");
  await delay(forMs);
  await lock.release();
}

/** Terminates every backend of the service, whatever it runs. */
export async function killAll(arena: Arena): Promise<void> {
  await delay(100);
  await arena.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like $1",
    [everyBackend],
  );
}
