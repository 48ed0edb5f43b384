import { execFileSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { migrate } from "@content-service/migration-review/migrations/migrate.ts";
import { ensureRoles } from "@content-service/migration-review/migrations/roles.ts";
import { checkConnectionString } from "@content-service/support/connectionString.ts";
import pg from "pg";
import { type ReplicatedServer, ReplicatedServers } from "../../support/ReplicatedServers.ts";
import { Arena } from "../Arena.ts";
import { PersistentWriters } from "../PersistentWriters.ts";
import { Service } from "../Service.ts";
import { tally } from "../tally.ts";
import { type Check, check } from "./Check.ts";

/** After the new primary has committed for the first time, every client must be served within this time. */
const longestReturnMs = 2_000;
const listenerCount = 10;
const writerCount = 8;

/** Servers of which one is the primary. */
export interface Cluster {
  /** The owner's connection string, with all servers. */
  ownerUrl: string;
  /** Connection strings of servers that answer queries while they are standbys, separated by commas. */
  replicaUrls?: string;
  /** Takes the primary away. Resolves with the connection string of the new one as soon as it accepts connections. */
  failOver(): Promise<string>;
  /** Brings the former primary back as a standby. */
  rejoin(): Promise<void>;
}

/** A primary and two standbys, one of which confirms each commit. The primary crashes, or freezes, in turns. */
export async function failover(times: number): Promise<Check> {
  await using servers = await ReplicatedServers.start({ standbys: 2, synchronous: true });
  const { username, password } = new URL(servers.servers[0]?.url ?? "");
  const hosts = servers.servers.map(({ port }) => `127.0.0.1:${port}`).join();
  let [primary, ...standbys] = servers.servers as [ReplicatedServer, ...ReplicatedServer[]];
  let thaw = () => {};
  let turn = 0;
  return await underFailovers(
    {
      ownerUrl: checkConnectionString(`postgres://${username}:${password}@${hosts}/postgres`),
      replicaUrls: servers.servers.map(({ port }) => `postgres://127.0.0.1:${port}`).join(),
      async failOver() {
        if (turn++ % 2 === 0) await primary.stop("immediate");
        else thaw = freeze(primary);
        const received = await Promise.all(standbys.map(receivedBy));
        // One of the two has each acknowledged commit.
        const newest = standbys[received.indexOf(received.reduce((one, other) => (one > other ? one : other)))];
        const next = newest as ReplicatedServer;
        await next.promote();
        const others = standbys.filter((standby) => standby !== next);
        standbys = [...others, primary];
        primary = next;
        for (const other of others) await other.follow(primary);
        return primary.url;
      },
      async rejoin() {
        thaw();
        thaw = () => {};
        const former = standbys.at(-1) as ReplicatedServer;
        if (former.pid !== undefined) await former.stop("immediate");
        await former.follow(primary);
      },
    },
    times,
    "a primary with two standbys, which answer queries and of which one confirms each commit, crashes or freezes in turns",
  );
}

/** Stops every process of a server where it is. @returns lets them go on */
function freeze(server: ReplicatedServer): () => void {
  const children = () => {
    const found = execFileSync("ps", ["-o", "pid=", "--ppid", String(server.pid)], { encoding: "utf8" });
    return found.trim().split(/\s+/).map(Number);
  };
  const postmaster = server.pid as number;
  // The first process first, so that it starts no others meanwhile.
  process.kill(postmaster, "SIGSTOP");
  const pids = [postmaster, ...children()];
  for (const pid of pids) process.kill(pid, "SIGSTOP");
  return () => {
    for (const pid of pids) process.kill(pid, "SIGCONT");
  };
}

async function receivedBy(standby: ReplicatedServer): Promise<bigint> {
  const [row] = await standby.query<{ bytes: string }>("select pg_last_wal_receive_lsn() - '0/0' as bytes");
  return BigInt(row?.bytes ?? 0);
}

/** Counts what clients notice while servers fail over again and again under load. */
export async function underFailovers(cluster: Cluster, times: number, title: string): Promise<Check> {
  const { ownerUrl, replicaUrls = "" } = cluster;
  const apiUrl = await ensureRoles(ownerUrl);
  await migrate(ownerUrl);
  const service = new Service();
  const no = () => Promise.reject(new Error("not here"));
  const arena = new Arena({ ownerUrl, apiUrl, restart: no, absent: no, freeze: no, thaw: no }, service);
  await service.start(apiUrl, { DATABASE_REPLICA_URLS: replicaUrls });
  try {
    const chatId = await arena.openChat(listenerCount);
    const userIds = await arena.users(listenerCount);
    const listeners = await arena.listen(chatId, listenerCount);
    const url = service.url.replace("ws:", "http:");
    const writers = new PersistentWriters({ url, sign: service.sign, userIds, chatId, count: writerCount });
    const returns: number[] = [];
    const failing: number[] = [];
    const away: number[] = [];
    const usual: number[] = [];
    for (let done = 0; done < times; done++) {
      usual.push(await writers.untilServed());
      const from = performance.now();
      await untilItCommits(await cluster.failOver());
      const acceptedAt = performance.now();
      away.push(acceptedAt - from);
      returns.push(await writers.untilServed());
      failing.push(Math.max(0, writers.lastFailureAt - acceptedAt));
      await cluster.rejoin();
    }
    await writers.untilServed();
    await writers.stop();
    const written = await arena.written(chatId);
    const { lost, twice, outOfOrder, silent, errors } = await tally(listeners, written);
    const closes = listeners.reduce((sum, listener) => sum + listener.closes, 0);
    for (const listener of listeners) await listener.stop();
    const stored = await arena.query<{ text: string; count: number }>(
      `select text, count(*)::int from (select text from app_public.messages union all select title from app_public.posts) as all_texts
        group by text`,
    );
    const counts = new Map(stored.map(({ text, count }) => [text, count]));
    const list = (numbers: number[]) => numbers.map((number) => Math.round(number)).join(", ");
    return check(
      `${title}, ${times} times`,
      `${writers.acknowledged.length} acknowledged writes, ${written.length} messages to ${listenerCount} subscribers, ` +
        `${closes} sockets closed; requests refused: ${JSON.stringify(writers.failures)}; ` +
        `all writers served without a failover (ms): ${list(usual.slice(1))}; no primary for (ms): ${list(away)}; all writers served again after (ms): ${list(returns)}; ` +
        `last refusal after (ms): ${list(failing)}`,
      {
        "acknowledged writes lost": writers.acknowledged.filter((text) => !counts.has(text)).length,
        "writes done twice": stored.filter(({ count }) => count > 1).length,
        "own writes not read": writers.notRead,
        "messages lost": lost,
        "messages twice": twice,
        "messages out of order": outOfOrder,
        silent,
        errors,
        tooLate: [...returns, ...failing].filter((ms) => ms > longestReturnMs).length,
      },
    );
  } finally {
    await service.stop();
  }
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
