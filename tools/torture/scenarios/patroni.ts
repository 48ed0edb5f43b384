import { setTimeout as delay } from "node:timers/promises";
import { Random } from "@content-service/testing/Random.ts";
import { ensureRoles } from "../../../src/database/ensureRoles.ts";
import { migrate } from "../../../src/database/migrations.ts";
import { Arena } from "../Arena.ts";
import { Listener } from "../Listener.ts";
import { PersistentWriters } from "../PersistentWriters.ts";
import { PatroniCluster } from "../patroni/PatroniCluster.ts";
import { Service } from "../Service.ts";
import { tally } from "../tally.ts";
import type { Outcome } from "./Outcome.ts";

interface Options {
  failovers: number;
  seed: number;
  /** Ends what the scenario has started, also when it is interrupted. */
  ends: AsyncDisposableStack;
}

const listenerCount = 6;
const writerCount = 4;
const pauseMs = 50;
/** The service has to do what is waited for within this time. */
const patienceMs = 60_000;

interface Fault {
  /** Does it to the leader. */
  begin: (cluster: PatroniCluster, leader: number) => Promise<void> | void;
  /** Mends it, once another machine leads and the service serves writes. */
  end?: (cluster: PatroniCluster, former: number) => void;
}

const faults: Record<string, Fault> = {
  kill: {
    begin: ({ network }, leader) => network.signal(leader, "SIGKILL"),
    end: (cluster, former) => cluster.boot(former),
  },
  "cut off from all": {
    begin({ network }, leader) {
      network.cut("cluster", leader);
      network.cut("clients", leader);
    },
    end({ network }, former) {
      network.join("cluster", former);
      network.join("clients", former);
    },
  },
  "cut off from the others, not from the service": {
    begin: ({ network }, leader) => network.cut("cluster", leader),
    end: ({ network }, former) => network.join("cluster", former),
  },
  freeze: {
    begin: (cluster, leader) => cluster.freeze(leader),
    end: ({ network }, former) => network.signal(former, "SIGCONT"),
  },
  switchover: { begin: (cluster, leader) => cluster.switchOver(leader) },
};

/**
 * Three machines with PostgreSQL, Patroni and etcd, and two instances of the service, under load. The leader fails in each way in turns,
 * in an order that the seed gives. Each acknowledged write must be in the history of every later leader, also one that the former leader
 * has acknowledged to a client on its own machine, and each subscriber receives each message once.
 */
export async function patroni({ failovers, seed, ends }: Options): Promise<Outcome> {
  const cluster = ends.use(await PatroniCluster.start());
  const { ownerUrl } = cluster;
  const apiUrl = await ensureRoles(ownerUrl);
  await migrate(ownerUrl);
  const services = [new Service(), new Service()];
  const replicas = { DATABASE_REPLICA_URLS: cluster.hosts.map((host) => `postgres://${host}`).join() };
  for (const service of services) {
    ends.defer(() => service.stop());
    await service.start(apiUrl, replicas);
  }
  const arena = new Arena({ ownerUrl, apiUrl }, services[0] as Service);
  const chatId = await arena.openChat(listenerCount);
  const userIds = await arena.users(listenerCount);
  const listeners: Listener[] = [];
  for (const [index, userId] of userIds.entries()) {
    const { url, sign } = services[index % services.length] as Service;
    listeners.push(new Listener(url, (await sign(userId, 7_200)).token, chatId, true));
  }
  ends.defer(async () => void (await Promise.all(listeners.map((listener) => listener.stop()))));
  for (const service of services) await service.untilListening((2 * listenerCount) / services.length);

  const urls = services.map(({ url }) => url.replace("ws:", "http:"));
  const { sign } = arena.service;
  const acknowledged: string[] = [];
  const refusals: Record<string, number> = {};
  const counts = {
    "acknowledged writes lost": 0,
    "writes done twice": 0,
    "own writes not read": 0,
    "messages lost": 0,
    "messages twice": 0,
    "messages out of order": 0,
    "listeners without the last message": 0,
    "errors instead of messages": 0,
    "sockets closed": 0,
  };

  /** Lets the leader fail under load, and looks what has become of all that was written. @returns what to print */
  async function fail(kind: string): Promise<string> {
    const { begin, end } = faults[kind] as Fault;
    const writers = new PersistentWriters({ urls, sign, userIds, chatId, count: writerCount, pauseMs });
    let former = 0;
    let isOver = false;
    const writtenThere: string[] = [];
    /** A client on the leader's machine, which no cut separates from it. */
    const writeThere = async () => {
      for (let turn = 0; !isOver; turn++) {
        const title = `there ${acknowledged.length} after the fault ${turn}`;
        if (await cluster.write(former, title)) writtenThere.push(title);
        await delay(pauseMs);
      }
    };
    try {
      former = await soon(cluster.untilWhole(), "the cluster to be whole");
      await soon(writers.untilServed(), "the service to serve writes");
      const title = `there ${acknowledged.length}`;
      if (!(await cluster.write(former, title))) throw new Error(`The leader, node${former}, does not write`);
      writtenThere.push(title);
      writers.longestGapMs = 0;
      await begin(cluster, former);
      const there = writeThere();
      const leader = await cluster.untilLedByAnother(former);
      await soon(writers.untilServed(), `the service to serve writes on node${leader}`);
      const gapMs = writers.longestGapMs;
      end?.(cluster, former);
      await cluster.untilWhole();
      isOver = true;
      await there;
      await soon(writers.untilServed(), "the service to serve writes beside the former leader");
      await soon(writers.stop(), "the last writes");
      if (!services.every(({ isRunning }) => isRunning)) throw new Error("An instance of the service has ended");
      acknowledged.push(...writers.acknowledged, ...writtenThere);
      for (const [code, count] of Object.entries(writers.failures)) refusals[code] = (refusals[code] ?? 0) + count;
      counts["own writes not read"] += writers.notRead;
      const written = await count();
      return `node${former} → node${leader}, ${(gapMs / 1_000).toFixed(1)} s without writes, ${acknowledged.length} writes acknowledged, ${writtenThere.length - 1} of them by the former leader to a client on its machine after the fault; ${written} messages`;
    } catch (error) {
      isOver = true;
      writers.abandon();
      throw error;
    }
  }

  /** @returns how many messages there are */
  async function count(): Promise<number> {
    const stored = await arena.query<{ text: string; count: number }>(
      `select text, count(*)::int from (select text from app_public.messages union all select title from app_public.posts) as all_texts
        group by text`,
    );
    const texts = new Set(stored.map(({ text }) => text));
    const written = await arena.written(chatId);
    const { lost, twice, outOfOrder, silent, errors } = await tally(listeners, written);
    Object.assign(counts, {
      "acknowledged writes lost": acknowledged.filter((text) => !texts.has(text)).length,
      "writes done twice": stored.filter((one) => one.count > 1).length,
      "messages lost": lost,
      "messages twice": twice,
      "messages out of order": outOfOrder,
      "listeners without the last message": silent,
      "errors instead of messages": errors,
      "sockets closed": listeners.reduce((sum, { closes }) => sum + closes, 0),
    });
    return written.length;
  }

  const isGood = () => Object.values(counts).every((number) => number === 0);
  const examples: unknown[] = [];
  let done = 0;
  for (const kind of inTurns(Object.keys(faults), failovers, new Random(seed))) {
    try {
      console.log(`     ${done + 1}. ${kind}: ${await fail(kind)}`);
    } catch (error) {
      examples.push(`${done + 1}. ${kind}: ${(error as Error).message}`);
    }
    if (examples.length > 0 || !isGood()) {
      examples.push(...listeners.flatMap(({ errors }) => errors).slice(0, 3), cluster.logs());
      break;
    }
    done += 1;
  }
  return {
    title: `${failovers} failovers of three machines with Patroni and etcd, two instances of the service`,
    note: `seed ${seed}; ${done} failovers without a fault; requests refused: ${JSON.stringify(refusals)}`,
    counts,
    examples,
    isGood: done === failovers,
  };
}

/** Each kind once before any of them again, in a random order. */
function inTurns(kinds: readonly string[], times: number, random: Random): string[] {
  const turns: string[] = [];
  while (turns.length < times) {
    const left = [...kinds];
    while (left.length > 0) turns.push(...left.splice(random.below(left.length), 1));
  }
  return turns.slice(0, times);
}

async function soon<Result>(waited: Promise<Result>, what: string): Promise<Result> {
  const late = new AbortController();
  const tooLate = delay(patienceMs, undefined, { signal: late.signal }).then(() => {
    throw new Error(`Waited ${patienceMs / 1_000} s for ${what}.`);
  });
  try {
    return await Promise.race([waited, tooLate]);
  } finally {
    tooLate.catch(() => {});
    late.abort();
  }
}
