import { fork } from "node:child_process";
import { once } from "node:events";
import { cpus, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { freePort } from "../support/freePort.ts";
import type { Place } from "./Attacker.ts";
import { attacks } from "./attacks/index.ts";
import { Bystander, Latencies } from "./Bystander.ts";
import { type Memory, Stage } from "./Stage.ts";

const maxRatio = 2;
/** The memory beside the heap is bounded, too. */
const maxMBBesideHeap = 256;
/** What clients cause and the ledger does not count: the caches of plans, and what V8 compiles. */
const maxMBBesideLedger = 64;
/** The smallest heap that the service promises to live with. */
const usualHeapMB = 256;
/** The users before this one are bystanders. */
const firstAttacker = 101;
const warmUpSeconds = 2;
/** An attacker has used up what its limits allow at once after this time: a second of long work at a fifth of the event loop. */
const usualBurstSeconds = 12;
const longestRecoveryMs = 5_000;
const patienceMs = 30_000;
const longestStopMs = 130_000;

interface Row {
  attack: string;
  "p50 alone": string;
  "p50 beside": string;
  "p50 ratio": string;
  "p99 alone": string;
  "p99 beside": string;
  "p99 ratio": string;
  "p99 in burst": string;
  "message p50": string;
  "message p90": string;
  drift: string;
  failed: number;
  verdict: "good" | "BAD";
}

/**
 * Measures a bystander alone, beside each attack, and alone again, on a service that starts anew for each attack.
 *
 * @returns whether no median is more than twice as long, no request of a bystander failed and the service lived on within its memory
 */
export async function measureAttacks(names: readonly string[], seconds: number): Promise<boolean> {
  const stage = new Stage();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void stage.close().finally(() => process.exit(1)));
  }
  console.log(
    `${cpus().length} cores and ${Math.round(totalmem() / 2 ** 30)} GB for the service, its database, the attacker and the ` +
      `bystander together. The ratios of busy-machine and busy-backend are the noise of this machine. Milliseconds; each phase takes ${seconds} s.`,
  );
  const rows: Row[] = [];
  try {
    await stage.build();
    for (const [index, name] of names.entries()) {
      rows.push(await measureAttack(stage, name, String(firstAttacker + index), seconds));
    }
  } finally {
    await stage.close();
  }
  console.table(rows);
  return rows.every(({ attack, verdict }) => verdict === "good" || attack.startsWith("busy-"));
}

async function measureAttack(stage: Stage, name: string, userId: string, seconds: number): Promise<Row> {
  const { prepare, environment, burstSeconds = usualBurstSeconds, heapMB = usualHeapMB } = attacks[name] ?? {};
  const port = await freePort();
  if (prepare) await stage.query(prepare.replaceAll("$1", userId));
  await stage.restartService(heapMB, environment?.(port));
  const bystander = new Bystander(await stage.seats());
  await phase(bystander, warmUpSeconds);

  const before = await phase(bystander, seconds);
  const memoryBefore = await stage.memory();
  const attack = await begin(name, {
    url: stage.url,
    analystUrl: stage.analystUrl,
    ownerUrl: stage.ownerUrl,
    port,
    userId,
    authorization: await stage.authorizationOf(userId),
  });
  const burst = await phase(bystander, burstSeconds);
  const beside = await phase(bystander, seconds);
  const memoryBeside = await stage.memory();
  const outcomes = await attack.end();
  const memoryAfter = await stage.memory();
  const isServing = stage.isServing;
  if (!isServing) console.log(stage.lastOutput);
  const killed = await stage.calm();
  if (!isServing || killed > 0) await stage.restartService(heapMB);
  const last = isServing && killed === 0 ? bystander : new Bystander(await stage.seats());
  const recoveryMs = await recover(last, before.reads.quantile(0.5));
  const after = await phase(last, seconds);
  bystander.close();
  last.close();

  const alone = { reads: new Latencies(), messages: new Latencies() };
  for (const { reads, messages } of [before, after]) {
    alone.reads.add(reads);
    alone.messages.add(messages);
  }
  const ratio = (kind: keyof Phase, share: number) => beside[kind].quantile(share) / alone[kind].quantile(share);
  const [p50, p99] = [ratio("reads", 0.5), ratio("reads", 0.99)];
  // A phase has too few messages for a p99.
  const [messageP50, messageP90] = [ratio("messages", 0.5), ratio("messages", 0.9)];
  const failed = [burst, beside].reduce((sum, { reads, messages }) => sum + reads.failed + messages.failed, 0);
  const memories = [memoryBefore, memoryBeside, memoryAfter];
  const inMB = (key: keyof Memory) => memories.map((memory) => memory[key] ?? "?").join(" → ");
  const failures = {
    "a median is more than twice as long": [p50, messageP50].some((one) => one > maxRatio),
    "requests of the bystander failed": failed > 0,
    "the service ended": !isServing,
    "the service did not answer": isServing && memories.some(({ rssMB }) => rssMB === undefined),
    "clients hold more than the ledger says": memories.some(
      ({ unaccountedMB = 0 }) => unaccountedMB > (memoryBefore.unaccountedMB ?? 0) + maxMBBesideLedger,
    ),
    "the service is too large": memories.some(({ rssMB = 0 }) => rssMB > heapMB + maxMBBesideHeap),
    "the database refused a statement of its owner": memories.some(({ backendsMB }) => backendsMB === undefined),
    "statements still ran half a minute later": killed > 0,
    "the service needed more than five seconds to recover": recoveryMs > longestRecoveryMs,
  };
  const found = Object.entries(failures).flatMap(([failure, isFound]) => (isFound ? [failure] : []));
  console.log(
    `${name}: ${attacks[name]?.title}\n  the attacker got ${JSON.stringify(outcomes)}\n` +
      `  p50 times ${p50.toFixed(2)}, p99 times ${p99.toFixed(2)}; of messages, p50 times ${messageP50.toFixed(2)}, p90 times ${messageP90.toFixed(2)}\n` +
      `  MB before, beside, after: resident ${inMB("rssMB")}, heap ${inMB("heapMB")}, ` +
      `ledger ${inMB("chargedMB")}, reachable beside it ${inMB("unaccountedMB")}, backends ${inMB("backendsMB")}` +
      found.map((failure) => `\n  BAD: ${failure}`).join(""),
  );
  const ms = ({ reads }: Phase, share: number) => reads.quantile(share).toFixed(1);
  return {
    attack: name,
    "p50 alone": ms(alone, 0.5),
    "p50 beside": ms(beside, 0.5),
    "p50 ratio": p50.toFixed(2),
    "p99 alone": ms(alone, 0.99),
    "p99 beside": ms(beside, 0.99),
    "p99 ratio": p99.toFixed(2),
    "p99 in burst": ms(burst, 0.99),
    "message p50": messageP50.toFixed(2),
    "message p90": messageP90.toFixed(2),
    drift: (after.reads.quantile(0.5) / before.reads.quantile(0.5)).toFixed(2),
    failed,
    verdict: found.length === 0 ? "good" : "BAD",
  };
}

/** The latencies that a bystander saw in one phase. */
interface Phase {
  reads: Latencies;
  messages: Latencies;
}

async function phase(bystander: Bystander, seconds: number): Promise<Phase> {
  const [reads, messages] = await Promise.all([bystander.read(seconds), bystander.follow(seconds)]);
  return { reads, messages };
}

/** Waits until half of the requests are about as quick as before, for half a minute at most. @returns the time in ms */
async function recover(bystander: Bystander, p50: number): Promise<number> {
  const from = performance.now();
  const passed = () => performance.now() - from;
  while ((await bystander.read(0.5)).quantile(0.5) > maxRatio * p50 && passed() < patienceMs);
  return passed();
}

/** Starts an attack in its own process. */
async function begin(name: string, place: Place): Promise<{ end(): Promise<Record<string, number>> }> {
  const child = fork(fileURLToPath(new URL("attackProcess.ts", import.meta.url)), [name, JSON.stringify(place)]);
  await once(child, "message");
  return {
    async end() {
      const exited = once(child, "exit").then((): [Record<string, number>] => [{ "the attacker ended": 1 }]);
      const killing = setTimeout(() => child.kill("SIGKILL"), longestStopMs);
      child.send("end");
      const [outcomes] = await Promise.race([once(child, "message"), exited]);
      await exited;
      clearTimeout(killing);
      return outcomes;
    },
  };
}
