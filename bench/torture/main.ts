import "../../src/environment.ts";
import { DroppingProxy } from "../../test/support/DroppingProxy.ts";
import { Arena } from "./Arena.ts";
import { EmbeddedDatabase } from "./EmbeddedDatabase.ts";
import { Service } from "./Service.ts";
import { crowd } from "./scenarios/crowd.ts";
import { interrupted } from "./scenarios/interrupted.ts";
import { everyBackend, killedBackends, listeningBackend } from "./scenarios/killedBackends.ts";
import type { Outcome } from "./scenarios/Outcome.ts";
import { transactions } from "./scenarios/transactions.ts";

/* `npm run torture`: what live chat promises, counted. On a database of its own; takes about four minutes. */

/** What has been started, the last first. */
const started: (() => Promise<unknown> | undefined)[] = [];

async function stop(): Promise<void> {
  for (const undo of started.splice(0)) await undo();
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void stop().finally(() => process.exit(1)));
}

async function torture(): Promise<Outcome[]> {
  const database = new EmbeddedDatabase();
  const service = new Service();
  started.unshift(() => database.stop());
  await database.start();
  const arena = new Arena(database, service);
  const wanted = process.argv.slice(2);
  const outcomes: Outcome[] = [];

  async function run(name: string, scenario: () => Promise<Outcome>): Promise<void> {
    if (wanted.length > 0 && !wanted.includes(name)) return;
    const startedAt = performance.now();
    const outcome = await scenario();
    outcomes.push(outcome);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
    console.log(`${outcome.isGood ? "good" : "BAD "} ${name}, ${seconds} s: ${outcome.title}; ${outcome.note}`);
    if (!outcome.isGood) console.log(outcome.counts, outcome.examples);
  }

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
  return outcomes;
}

const outcomes = await torture();
console.table(
  outcomes.map(({ title, messages, counts: { longestGapMs, ...counts }, isGood }) => ({
    what: title,
    messages,
    ...counts,
    "longest gap (ms)": Number.isNaN(longestGapMs) ? "" : Math.round(longestGapMs),
    verdict: isGood ? "good" : "BAD",
  })),
);
process.exitCode = outcomes.every(({ isGood }) => isGood) ? 0 : 1;
