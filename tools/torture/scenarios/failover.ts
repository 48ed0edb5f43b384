import { Arena } from "../Arena.ts";
import { FailingPrimary } from "../FailingPrimary.ts";
import { PersistentWriters } from "../PersistentWriters.ts";
import { Service } from "../Service.ts";
import { tally } from "../tally.ts";
import type { Outcome } from "./Outcome.ts";

/** After the new primary has committed for the first time, every client must be served within this time. */
const longestReturnMs = 2_000;
const listenerCount = 10;
const writerCount = 8;

/**
 * A primary and two standbys, one of which confirms each commit. The primary crashes, or freezes, in turns, and comes back as a
 * standby. Counts what clients notice.
 */
export async function failover(times: number): Promise<Outcome> {
  await using database = await FailingPrimary.start();
  const service = new Service();
  const arena = new Arena(database, service);
  const replicas = database.hosts.map((host) => `postgres://${host}`).join();
  await service.start(database.apiUrl, { DATABASE_REPLICA_URLS: replicas });
  try {
    const chatId = await arena.openChat(listenerCount);
    const userIds = await arena.users(listenerCount);
    const listeners = await arena.listen(chatId, listenerCount);
    const urls = [service.url.replace("ws:", "http:")];
    const writers = new PersistentWriters({ urls, sign: service.sign, userIds, chatId, count: writerCount });
    const returns: number[] = [];
    const failing: number[] = [];
    for (let turn = 0; turn < times; turn++) {
      await writers.untilServed();
      const rejoin = await database.failOver(turn % 2 === 0 ? "crash" : "freeze");
      const committedAt = performance.now();
      returns.push(await writers.untilServed());
      failing.push(Math.max(0, writers.lastFailureAt - committedAt));
      await rejoin();
    }
    await writers.untilServed();
    await writers.stop();
    const { lost, twice, outOfOrder, silent, errors } = await tally(listeners, await arena.written(chatId));
    for (const listener of listeners) await listener.stop();
    const stored = await arena.query<{ text: string; count: number }>(
      `select text, count(*)::int from (select text from app_public.messages union all select title from app_public.posts) as all_texts
        group by text`,
    );
    const storedTexts = new Set(stored.map(({ text }) => text));
    const list = (numbers: number[]) => numbers.map((number) => Math.round(number)).join(", ");
    const counts = {
      "acknowledged writes lost": writers.acknowledged.filter((text) => !storedTexts.has(text)).length,
      "writes done twice": stored.filter(({ count }) => count > 1).length,
      "own writes not read": writers.notRead,
      "messages lost": lost,
      "messages twice": twice,
      "messages out of order": outOfOrder,
      silent,
      errors,
      tooLate: [...returns, ...failing].filter((ms) => ms > longestReturnMs).length,
    };
    return {
      title: `a primary with two standbys, of which one confirms each commit, crashes or freezes in turns, ${times} times`,
      counts,
      note:
        `${writers.acknowledged.length} acknowledged writes; requests refused: ${JSON.stringify(writers.failures)}; ` +
        `all writers served again after (ms): ${list(returns)}; last refusal after (ms): ${list(failing)}`,
      isGood: Object.values(counts).every((count) => count === 0),
    };
  } finally {
    await service.stop();
  }
}
