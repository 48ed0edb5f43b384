import { setTimeout as delay } from "node:timers/promises";
import { checkConnectionString } from "@content-service/support/connectionString.ts";
import pg from "pg";
import { ensureRoles } from "../../../src/database/ensureRoles.ts";
import { migrate } from "../../../src/database/migrations.ts";
import { type ReplicatedServer, ReplicatedServers } from "../../support/ReplicatedServers.ts";
import { Arena } from "../Arena.ts";
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
  await using servers = await ReplicatedServers.start({ standbys: 2, synchronous: true });
  const { username, password } = new URL(servers.servers[0]?.url ?? "");
  const hosts = servers.servers.map(({ port }) => `127.0.0.1:${port}`);
  const ownerUrl = checkConnectionString(`postgres://${username}:${password}@${hosts}/postgres`);
  let [primary, ...standbys] = servers.servers as [ReplicatedServer, ...ReplicatedServer[]];
  const apiUrl = await ensureRoles(ownerUrl);
  await migrate(ownerUrl);
  const service = new Service();
  const arena = new Arena({ ownerUrl, apiUrl }, service);
  await service.start(apiUrl, { DATABASE_REPLICA_URLS: hosts.map((host) => `postgres://${host}`).join() });
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
      if (turn % 2 === 0) await primary.stop("immediate");
      else primary.freeze();
      const former = primary;
      primary = await promoteNewest(standbys);
      standbys = standbys.filter((standby) => standby !== primary);
      for (const standby of standbys) await standby.follow(primary);
      await untilItCommits(primary.url);
      const committedAt = performance.now();
      returns.push(await writers.untilServed());
      failing.push(Math.max(0, writers.lastFailureAt - committedAt));
      former.thaw();
      if (former.pid !== undefined) await former.stop("immediate");
      await former.follow(primary);
      standbys.push(former);
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

/** Promotes the standby that has received the most: it has each acknowledged commit. */
async function promoteNewest(standbys: readonly ReplicatedServer[]): Promise<ReplicatedServer> {
  const received = await Promise.all(
    standbys.map(async (standby) => {
      const [row] = await standby.query<{ bytes: string }>("select pg_last_wal_receive_lsn() - '0/0' as bytes");
      return BigInt(row?.bytes ?? 0);
    }),
  );
  const most = received.reduce((one, other) => (one > other ? one : other));
  const newest = standbys[received.indexOf(most)] as ReplicatedServer;
  await newest.promote();
  return newest;
}

/** Waits until a server commits what is written, with its standby. */
async function untilItCommits(url: string): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    try {
      await client.connect();
      await client.query("select pg_logical_emit_message(true, 'torture', 'x')");
      return;
    } catch {
      await delay(20);
    } finally {
      await client.end().catch(() => {});
    }
  }
}
