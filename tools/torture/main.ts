import "../../src/environment.ts";
import { DroppingProxy } from "../support/DroppingProxy.ts";
import { Arena } from "./Arena.ts";
import { EmbeddedDatabase } from "./EmbeddedDatabase.ts";
import { Service } from "./Service.ts";
import { type CallOutcome, calls, killAll, lockPosts } from "./scenarios/calls.ts";
import { crowd } from "./scenarios/crowd.ts";
import { interrupted } from "./scenarios/interrupted.ts";
import { everyBackend, killedBackends, listeningBackend } from "./scenarios/killedBackends.ts";
import type { Outcome } from "./scenarios/Outcome.ts";
import { rolled } from "./scenarios/rolled.ts";
import { transactions } from "./scenarios/transactions.ts";

/*
 * `npm run torture [-- <scenario> …]`: what live chat and the API promise in times of trouble, counted. On a database of its
 * own; takes about seven minutes.
 */
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
  "half-open",
] as const;
type Scenario = (typeof scenarios)[number];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(scenarios as readonly string[]).includes(name));
if (unknown.length > 0) {
  console.error(
    `There is no scenario ${unknown.join(", ")}. npm run torture [-- <scenario> …]: ${scenarios.join(", ")}`,
  );
  process.exit(2);
}

const outcomes: Outcome[] = [];
const callOutcomes: CallOutcome[] = [];

/** What has been started, the last first. */
const started: (() => Promise<unknown> | undefined)[] = [];

async function stop(): Promise<void> {
  for (const undo of started.splice(0)) await undo();
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void stop().finally(() => process.exit(1)));
}

async function torture(): Promise<void> {
  const database = new EmbeddedDatabase();
  const service = new Service();
  started.unshift(() => database.stop());
  await database.start();
  const arena = new Arena(database, service);

  try {
    started.unshift(() => service.stop());
    await service.start(database.apiUrl);
    await run("kills", () => killedBackends(arena, 100, listeningBackend));
    await run("all-kills", () => killedBackends(arena, 20, everyBackend));
    await run("transactions", () => transactions(arena));
    await run("crowd", () => crowd(arena));
    await run("service", () =>
      interrupted(arena, "the service restarts 3 times, clients go on with after", 3, async () => {
        await service.stop();
        await service.start(database.apiUrl);
      }),
    );
    await run("database", () => interrupted(arena, "the database restarts 10 times", 10, () => database.restart()));
    await runCalls("lock", () =>
      calls(arena, "3 times nobody gets at the posts for 8 s: time-outs, all connections taken", 3, () =>
        lockPosts(arena, 8_000),
      ),
    );
    await runCalls("aborts", () =>
      calls(arena, "2,000 requests are given up by their callers", 1, (crowd) => crowd.abort(2_000)),
    );
    await runCalls("mutations", () =>
      calls(arena, "20 times all backends are killed amid mutations", 20, () => killAll(arena)),
    );
    await runCalls("restarts", () =>
      calls(arena, "5 times the database restarts under load", 5, () => database.restart()),
    );
    await runCalls("absence", () =>
      calls(arena, "the database is away for a minute", 1, () => database.absent(60_000)),
    );
    await runCalls("rolled", () => rolled(arena, 3));
    await run("half-open", async () => {
      await service.stop();
      const proxy = await DroppingProxy.start(database.apiUrl);
      started.splice(1, 0, () => proxy.stop());
      await service.start(proxy.url);
      return interrupted(arena, "10 times all connections to the database go half-open", 10, async () => {
        // Or the server would run out of connections: through this proxy its keepalives notice nothing.
        proxy.forget();
        proxy.drop();
      });
    });
  } finally {
    await stop();
  }
}

/** Runs a scenario, if it is wanted, and says what came of it. */
async function measure<Result extends { title: string; isGood: boolean }>(
  name: Scenario,
  scenario: () => Promise<Result>,
): Promise<Result | undefined> {
  if (wanted.length > 0 && !wanted.includes(name)) return undefined;
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

await torture();
const verdict = (isGood: boolean) => (isGood ? "good" : "BAD");
if (outcomes.length > 0) {
  console.table(
    outcomes.map(({ title, messages, counts: { longestGapMs, ...counts }, isGood }) => ({
      "what happens to listeners": title,
      messages,
      ...counts,
      "longest gap (ms)": Number.isNaN(longestGapMs) ? "" : Math.round(longestGapMs),
      verdict: verdict(isGood),
    })),
  );
}
if (callOutcomes.length > 0) {
  console.table(
    callOutcomes.map(({ title, counts: { slowestRefusalMs, ...counts }, backAfterMs, isGood }) => ({
      "what happens to callers": title,
      ...counts,
      "slowest refusal (ms)": Math.round(slowestRefusalMs),
      "back after (ms)": Math.round(backAfterMs),
      verdict: verdict(isGood),
    })),
  );
}
process.exitCode = [...outcomes, ...callOutcomes].every(({ isGood }) => isGood) ? 0 : 1;
