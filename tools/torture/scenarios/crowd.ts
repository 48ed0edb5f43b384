import type { Arena } from "../Arena.ts";
import { isWhole, tally } from "../tally.ts";
import type { Outcome } from "./Outcome.ts";

/** Many subscribers in one chat: one message, then a burst. test/messages/load counts the statements for it. */
export async function crowd(arena: Arena, size = 2_000, burst = 50): Promise<Outcome> {
  const chatId = await arena.openChat(size);
  const listeners = await arena.listen(chatId, size, false);
  const oneMs = await send(1);
  const manyMs = await send(burst);
  const counts = await tally(listeners, await arena.written(chatId));
  for (const listener of listeners) await listener.stop();
  await arena.service.untilListening(0);

  /** @returns the time until all have the last one */
  async function send(count: number): Promise<number> {
    const startedAt = performance.now();
    // One transaction each, which is the most expensive case.
    for (let turn = 0; turn < count; turn++) {
      await arena.query("insert into app_public.messages (chat_id, sender_id, text) values ($1, 1, 'To all')", [
        chatId,
      ]);
    }
    await tally(listeners, await arena.written(chatId));
    return Math.max(...listeners.map(({ times }) => times.at(-1) ?? 0)) - startedAt;
  }

  return {
    title: `${size} subscribers in one chat: one message, then ${burst}`,
    counts,
    note: `one to all in ${oneMs.toFixed(0)} ms, ${burst} in ${manyMs.toFixed(0)} ms`,
    isGood: isWhole(counts),
  };
}
