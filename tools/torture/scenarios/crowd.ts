import type { Arena } from "../Arena.ts";
import { isWhole, type Tally, tally } from "../tally.ts";
import type { Outcome } from "./Outcome.ts";

/** A message is read once for all subscribers, so this bound does not depend on their number. */
const statementsPerMessage = 15;
/** The heap that caches and compiled plans may keep after the subscribers have left. */
const keptMB = 24;

/** Many subscribers in one chat: one message, then a burst. */
export async function crowd(arena: Arena, size = 2_000, burst = 50): Promise<Outcome> {
  const chatId = await arena.openChat(size);
  const before = await arena.service.status();
  const listeners = await arena.listen(chatId, size, false);
  const full = await arena.service.status();
  const one = await measure(1);
  const many = await measure(burst);
  for (const listener of listeners) await listener.stop();
  await arena.service.untilListening(0);
  const after = await arena.service.status();
  const statements = one.statements + many.statements;

  async function measure(count: number): Promise<{ ms: number; statements: number; counts: Tally; last: number }> {
    const start = await arena.service.status();
    const startedAt = performance.now();
    // One transaction each, which is the most expensive case.
    for (let turn = 0; turn < count; turn++) {
      await arena.query("insert into app_public.messages (chat_id, sender_id, text) values ($1, 1, 'To all')", [
        chatId,
      ]);
    }
    const counts = await tally(listeners, await arena.written(chatId));
    const last = Math.max(...listeners.map(({ times }) => times.at(-1) ?? 0));
    const end = await arena.service.status();
    return { ms: last - startedAt, statements: end.statements - start.statements, counts, last };
  }

  return {
    title: `${size} subscribers in one chat: one message, then ${burst}`,
    counts: many.counts,
    note:
      `one to all in ${one.ms.toFixed(0)} ms with ${one.statements} statements, ` +
      `${burst} in ${many.ms.toFixed(0)} ms with ${many.statements}; heap ${before.heapMB.toFixed(0)} MB before, ` +
      `${full.heapMB.toFixed(0)} with all, ${after.heapMB.toFixed(0)} after`,
    isGood:
      isWhole(many.counts) &&
      statements <= statementsPerMessage * (1 + burst) &&
      after.heapMB - before.heapMB <= keptMB,
  };
}
