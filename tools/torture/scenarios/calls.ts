import { setTimeout as delay } from "node:timers/promises";
import { holdLock } from "../../support/holdLock.ts";
import type { Arena } from "../Arena.ts";
import { Callers, type CallTally } from "../Callers.ts";
import { everyBackend } from "./killedBackends.ts";

/** What came of a trouble that callers over HTTP were in. */
export interface CallOutcome {
  title: string;
  counts: CallTally;
  /** How long after its end everybody was served again, in ms; the longest of several. */
  backAfterMs: number;
  examples: string[];
  isGood: boolean;
}

/** Full service is to be back within this time. */
const longestReturnMs = 1_000;
/** More than there are connections. */
const callers = 32;

/** Callers read and write all the time; `trouble` comes over them so many times. */
export async function calls(
  arena: Arena,
  title: string,
  times: number,
  trouble: (callers: Callers) => Promise<void>,
): Promise<CallOutcome> {
  const userIds = await arena.users(4);
  const url = arena.service.url.replace("ws:", "http:").replace("/graphql", "");
  const crowd = new Callers({ url: () => url, sign: arena.service.sign, userIds, callers });
  let backAfterMs = 0;
  await crowd.untilWell();
  for (let turn = 0; turn < times; turn++) {
    await trouble(crowd);
    backAfterMs = Math.max(backAfterMs, await crowd.untilWell());
  }
  return conclude(arena, title, crowd, backAfterMs);
}

/** Ends the calls, and counts. */
export async function conclude(arena: Arena, title: string, crowd: Callers, backAfterMs: number): Promise<CallOutcome> {
  const counts = await crowd.stop(async () => {
    const rows = await arena.query<{ title: string }>("select title from app_public.posts");
    return rows.map((row) => row.title);
  });
  const isWhole = counts.broken + counts.wrong + counts.lost + counts.twice === 0;
  return { title, counts, backAfterMs, examples: crowd.examples, isGood: isWhole && backAfterMs <= longestReturnMs };
}

/** Nobody can get at the posts, until nearly all connections wait for them. */
export async function lockPosts(arena: Arena, forMs: number): Promise<void> {
  const lock = await holdLock(arena.database.ownerUrl, "lock app_public.posts in access exclusive mode");
  await delay(forMs);
  await lock.release();
}

/** Every connection of the service's ends, whatever is under way on it. */
export async function killAll(arena: Arena): Promise<void> {
  await delay(100);
  await arena.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like $1",
    [everyBackend],
  );
}
