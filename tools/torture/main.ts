import "../../src/environment.ts";
import { DroppingProxy } from "../support/DroppingProxy.ts";
import { EmbeddedDatabase } from "../support/EmbeddedDatabase.ts";
import { pgBouncer } from "../support/PgBouncer.ts";
import { readOptions } from "../support/readOptions.ts";
import { Arena } from "./Arena.ts";
import { Service } from "./Service.ts";
import { behindPooler } from "./scenarios/behindPooler.ts";
import type { Check } from "./scenarios/Check.ts";
import { type CallOutcome, calls, killAll, lockPosts } from "./scenarios/calls.ts";
import { crowd } from "./scenarios/crowd.ts";
import { failover } from "./scenarios/failover.ts";
import { fewConnections } from "./scenarios/fewConnections.ts";
import { frozen } from "./scenarios/frozen.ts";
import { interrupted } from "./scenarios/interrupted.ts";
import { everyBackend, killedBackends, listeningBackend } from "./scenarios/killedBackends.ts";
import type { Outcome } from "./scenarios/Outcome.ts";
import { patroni, patroniIsMissing } from "./scenarios/patroni.ts";
import { releases } from "./scenarios/releases.ts";
import { replicas } from "./scenarios/replicas.ts";
import { rolled } from "./scenarios/rolled.ts";
import { transactions } from "./scenarios/transactions.ts";
import { twoTabs } from "./scenarios/twoTabs.ts";

const scenarios = [
  "kills",
  "all-kills",
  "transactions",
  "crowd",
  "service",
  "database",
  "lock",
  "aborts",
  "mutations",
  "restarts",
  "absence",
  "rolled",
  "releases",
  "few-connections",
  "two-tabs",
  "frozen",
  "pooler",
  "half-open",
  "replicas",
  "failover",
  "patroni",
] as const;
type Scenario = (typeof scenarios)[number];

const { positionals } = readOptions({
  script: "torture",
  purpose:
    "Counts lost messages and failed requests while the service and its database are killed, locked and restarted. Runs on " +
    "its own database for a quarter of an hour. Exits with status 1 if a scenario fails. Scenarios, all by default:\n" +
    scenarios.join(", ") +
    ".\nreleases=v1.2.3 rolls from that tag or commit; otherwise, from the newest tag.",
  positionals: "[scenario …]",
});
const revision = positionals.find((name) => name.startsWith("releases="))?.slice("releases=".length);
const wanted = positionals.map((name) => name.replace(/^releases=.*/, "releases"));
const unknown = wanted.filter((name) => !(scenarios as readonly string[]).includes(name));
if (unknown.length > 0) {
  console.error(`Unknown scenario: ${unknown.join(", ")}. Choose from: ${scenarios.join(", ")}`);
  process.exit(2);
}

const outcomes: Outcome[] = [];
const callOutcomes: CallOutcome[] = [];
const checks: Check[] = [];
const started = new AsyncDisposableStack();

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void started.disposeAsync().finally(() => process.exit(1)));
}

async function torture(): Promise<void> {
  const database = started.adopt(new EmbeddedDatabase(), (each) => each.stop());
  await database.start();
  let proxy: DroppingProxy | undefined;
  // Stops after the service, which has its connections through the proxy.
  started.defer(() => proxy?.stop());
  const service = started.adopt(new Service(), (each) => each.stop());
  const arena = new Arena(database, service);

  try {
    await service.start(database.apiUrl);
    await run("kills", () => killedBackends(arena, 100, listeningBackend));
    await run("all-kills", () => killedBackends(arena, 20, everyBackend));
    await run("transactions", () => transactions(arena));
    await run("crowd", () => crowd(arena));
    await run("service", () =>
      interrupted(arena, "the service restarts 3 times, clients resume with after", 3, async () => {
        await service.stop();
        await service.start(database.apiUrl);
      }),
    );
    await run("database", () => interrupted(arena, "the database restarts 10 times", 10, () => database.restart()));
    await runCalls("lock", () =>
      calls(arena, "the posts are locked for 8 s, 3 times: time-outs, all connections are busy", 3, () =>
        lockPosts(arena, 8_000),
      ),
    );
    await runCalls("aborts", () => calls(arena, "callers abort 2,000 requests", 1, (crowd) => crowd.abort(2_000)));
    await runCalls("mutations", () =>
      calls(arena, "all backends are killed during mutations, 20 times", 20, () => killAll(arena)),
    );
    await runCalls("restarts", () =>
      calls(arena, "the database restarts under load, 5 times", 5, () => database.restart()),
    );
    await runCalls("absence", () =>
      calls(arena, "the database is down for a minute", 1, () => database.absent(60_000)),
    );
    await runCalls("rolled", () => rolled(arena, 3));
    await runCheck("releases", () => releases(arena, revision));
    await runCalls("few-connections", () => fewConnections(arena));
    await runCheck("two-tabs", () => twoTabs(arena, 20));
    await runCheck("frozen", () => frozen(arena));
    if (!pgBouncer.isInstalled) console.log("left out pooler: PgBouncer is not installed");
    else
      await run("pooler", async () => {
        const [outcome, byFault] = await behindPooler(arena, 4);
        callOutcomes.push(...byFault);
        return outcome;
      });
    await runCheck("replicas", () => replicas(60));
    await run("half-open", async () => {
      await service.stop();
      proxy = await DroppingProxy.start(database.apiUrl);
      await service.start(proxy.url);
      return interrupted(arena, "all connections to the database become half-open, 10 times", 10, async () => {
        // TCP keepalive does not pass the proxy. Without this, the server would run out of connections.
        proxy?.forget();
        proxy?.drop();
      });
    });
    await runCheck("failover", () => failover(10));
    if (patroniIsMissing && isWanted("patroni")) console.log(`skip patroni: ${patroniIsMissing}`);
    else {
      await runCheck("patroni", () => patroni(3, "servers"));
      await runCheck("patroni", () => patroni(3, "haproxy"));
    }
  } finally {
    await started.disposeAsync();
  }
}

function isWanted(name: Scenario): boolean {
  return wanted.length === 0 || wanted.includes(name);
}

/** Runs a scenario if it is chosen, and prints its verdict. */
async function measure<Result extends { title: string; isGood: boolean }>(
  name: Scenario,
  scenario: () => Promise<Result>,
): Promise<Result | undefined> {
  if (!isWanted(name)) return undefined;
  const startedAt = performance.now();
  const outcome = await scenario();
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(`${outcome.isGood ? "good" : "BAD "} ${name}, ${seconds} s: ${outcome.title}`);
  return outcome;
}

async function run(name: Scenario, scenario: () => Promise<Outcome>): Promise<void> {
  const outcome = await measure(name, scenario);
  if (!outcome) return;
  outcomes.push(outcome);
  console.log(`     ${outcome.note}`);
  if (!outcome.isGood) console.log(outcome.counts, outcome.examples);
}

async function runCalls(name: Scenario, scenario: () => Promise<CallOutcome>): Promise<void> {
  const outcome = await measure(name, scenario);
  if (!outcome) return;
  callOutcomes.push(outcome);
  if (!outcome.isGood) console.log(outcome.counts, outcome.examples);
}

async function runCheck(name: Scenario, scenario: () => Promise<Check>): Promise<void> {
  const outcome = await measure(name, scenario);
  if (!outcome) return;
  checks.push(outcome);
  console.log(`     ${outcome.note}`, outcome.isGood ? "" : outcome.faults);
}

await torture();
const verdict = (isGood: boolean) => (isGood ? "good" : "BAD");
if (outcomes.length > 0) {
  console.table(
    outcomes.map(({ title, messages, counts: { longestGapMs, ...counts }, isGood }) => ({
      scenario: title,
      messages,
      ...counts,
      "longest gap (ms)": Number.isNaN(longestGapMs) ? "" : Math.round(longestGapMs),
      verdict: verdict(isGood),
    })),
  );
}
if (callOutcomes.length > 0) {
  console.table(
    callOutcomes.map(({ title, counts: { slowestRefusalMs, slowestSuccessMs, ...counts }, backAfterMs, isGood }) => ({
      scenario: title,
      ...counts,
      "slowest refusal (ms)": Math.round(slowestRefusalMs),
      "slowest success (ms)": Math.round(slowestSuccessMs),
      "back after (ms)": Math.round(backAfterMs),
      verdict: verdict(isGood),
    })),
  );
}
process.exitCode = [...outcomes, ...callOutcomes, ...checks].every(({ isGood }) => isGood) ? 0 : 1;
