import { setTimeout as delay } from "node:timers/promises";
import type { Arena } from "../Arena.ts";
import type { Listener } from "../Listener.ts";
import { isWhole, tally } from "../tally.ts";
import { Writers } from "../Writers.ts";
import type { Outcome } from "./Outcome.ts";

/** The time without a fault between two interruptions. */
const restMs = 500;
/** The longest time that an interruption may last. */
const longestGapMs = 30_000;

/**
 * Runs `interrupt` several times while 20 messages a second are written. Each time, waits until messages arrive again.
 */
export async function interrupted(
  arena: Arena,
  title: string,
  times: number,
  interrupt: () => Promise<void>,
): Promise<Outcome> {
  const chatId = await arena.openChat(10);
  const listeners = await arena.listen(chatId, 10);
  // Every listener needs a last message, to resume after it.
  await untilHeard("First");
  const writers = new Writers(arena.database.ownerUrl, chatId);
  for (let turn = 0; turn < times; turn++) {
    await interrupt();
    await untilHeard("After that");
    await delay(restMs);
  }
  await writers.stop();
  const written = await arena.written(chatId);
  const counts = await tally(listeners, written);
  const closes = listeners.reduce((sum, listener) => sum + listener.closes, 0);
  for (const listener of listeners) await listener.stop();

  /** Writes a message and waits until every listener has received it. */
  async function untilHeard(text: string): Promise<void> {
    const [message] = await arena.query<{ id: string }>(
      "insert into app_public.messages (chat_id, sender_id, text) values ($1, 1, $2) returning id",
      [chatId, text],
    );
    const until = performance.now() + longestGapMs;
    const id = message?.id as string;
    const isHeard = ({ ids, newestInInbox = "0" }: Listener) => ids.includes(id) && Number(newestInInbox) >= Number(id);
    while (!listeners.every(isHeard) && performance.now() < until) await delay(20);
  }

  return {
    title,
    counts,
    note: `${written.length} messages; ${closes} times a socket was closed or not opened`,
    examples: listeners.flatMap(({ errors }) => errors).slice(0, 3),
    isGood: isWhole(counts) && counts.longestGapMs <= longestGapMs,
  };
}
