import { setTimeout as delay } from "node:timers/promises";
import type { Arena } from "../Arena.ts";
import { isWhole, tally } from "../tally.ts";
import { Writers } from "../Writers.ts";
import type { Outcome } from "./Outcome.ts";

/** A longer gap is noticed by the users of a chat. */
const longestGapMs = 2_000;

/** Patterns of application_name. */
export const listeningBackend = "content-service listener";
export const everyBackend = "content-service%";

/** Terminates backends of the service again and again. No listener may notice. */
export async function killedBackends(arena: Arena, kills: number, pattern: string): Promise<Outcome> {
  const chatId = await arena.openChat(10);
  const listeners = await arena.listen(chatId, 10);
  const writers = new Writers(arena.database.ownerUrl, chatId);
  let killed = 0;
  while (killed < kills) {
    const rows = await arena.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like $1`,
      [pattern],
    );
    if (rows.length > 0) killed += 1;
    await delay(200);
  }
  await writers.stop();
  const written = await arena.written(chatId);
  const counts = await tally(listeners, written);
  const closes = listeners.reduce((sum, listener) => sum + listener.closes, 0);
  for (const listener of listeners) await listener.stop();
  return {
    title: `${pattern === everyBackend ? "all backends are" : "the listening backend is"} killed ${killed} times, 20 messages a second, 10 listeners`,
    counts,
    note: `${written.length} messages; ${closes} sockets closed`,
    isGood: isWhole(counts) && closes === 0 && counts.longestGapMs <= longestGapMs,
  };
}
