import "../../src/environment.js";
import { DroppingProxy } from "../support/DroppingProxy.ts";
import { EmbeddedDatabase } from "../support/EmbeddedDatabase.ts";
import { readOptions } from "../support/readOptions.ts";
import { Arena } from "./Arena.ts";
import { findMissing } from "./patroni/needs.ts";
import { Service } from "./Service.ts";
import { anyTable } from "./scenarios/anyTable.ts";
import { calls, killAll, lockPosts } from "./scenarios/calls.ts";
import { crowd } from "./scenarios/crowd.ts";
import { declarations } from "./scenarios/declarations.ts";
import { failover } from "./scenarios/failover.ts";
import { interrupted } from "./scenarios/interrupted.ts";
import { everyBackend, killedBackends, listeningBackend } from "./scenarios/killedBackends.ts";
import { mails } from "./scenarios/mails.ts";
import type { Outcome } from "./scenarios/Outcome.ts";
import { patroni } from "./scenarios/patroni.ts";
import { releases } from "./scenarios/releases.ts";
import { restore } from "./scenarios/restore.ts";
import { webhooks } from "./scenarios/webhooks.ts";

const started = new AsyncDisposableStack();
const database = started.adopt(new EmbeddedDatabase(), (each) => each.stop());
let proxy: DroppingProxy | undefined;
// Stops after the service, which has its connections through the proxy.
started.defer(() => proxy?.stop());
const service = started.adopt(new Service(), (each) => each.stop());
const arena = new Arena(database, service);

const scenarios: Record<string, () => Promise<Outcome>> = {
  kills: () => killedBackends(arena, 100, listeningBackend),
  "all-kills": () => killedBackends(arena, 20, everyBackend),
  crowd: () => crowd(arena),
  service: () =>
    interrupted(arena, "the service restarts 3 times, clients resume with after", 3, async () => {
      await service.stop();
      await service.start(database.apiUrl);
    }),
  database: () => interrupted(arena, "the database restarts 10 times", 10, () => database.restart()),
  lock: () =>
    calls(arena, "the posts are locked for 8 s, 3 times: time-outs, all connections are busy", 3, () =>
      lockPosts(arena, 8_000),
    ),
  aborts: () => calls(arena, "callers abort 2,000 requests", 1, (callers) => callers.abort(2_000)),
  mutations: () => calls(arena, "all backends are killed during mutations, 20 times", 20, () => killAll(arena)),
  restarts: () => calls(arena, "the database restarts under load, 5 times", 5, () => database.restart()),
  absence: () => calls(arena, "the database is down for a minute", 1, () => database.absent(60_000)),
  mails: () => mails(arena, { mails: 10_000, rounds: 10, interruptDatabase: () => database.restart() }),
  "half-open": async () => {
    await service.stop();
    proxy = await DroppingProxy.start(database.apiUrl);
    await service.start(proxy.url);
    return interrupted(arena, "all connections to the database become half-open, 10 times", 10, async () => {
      // TCP keepalive does not pass the proxy. Without this, the server would run out of connections.
      proxy?.forget();
      proxy?.drop();
    });
  },
  releases: () => releases(arena),
  "any-table": () => anyTable(arena, { changes: 1_000, cuts: 900, seed }),
  declarations: () => declarations(arena, { tables: 6, harms: 30, instances: 1, seed }),
  "declarations-on-two": () => declarations(arena, { tables: 6, harms: 30, instances: 2, seed }),
  failover: () => failover(10),
  restore: () => restore(6),
  webhooks: () => webhooks({ rounds: 5, seed }),
  patroni: () => patroni({ failovers, seed, ends: started }),
};
const names = Object.keys(scenarios);

const {
  positionals: wanted,
  failovers,
  seed,
} = readOptions({
  script: "torture",
  purpose:
    "Counts lost messages and failed requests while the service and its database are killed, locked and restarted. Runs on " +
    "its own database for a quarter of an hour. Exits with status 1 if a scenario fails, with 2 if the machine lacks what one needs " +
    `that is named. Scenarios, all by default:\n${names.join(", ")}`,
  numbers: { failovers: 20, seed: 1 + (Date.now() % 1_000_000) },
  positionals: "[scenario …]",
  known: names,
});

const missing = findMissing();
if (missing.length > 0 && (wanted.length === 0 || wanted.includes("patroni"))) {
  console.error(`patroni is left out. It needs: ${missing.join("; ")}`);
  if (wanted.length > 0) process.exit(2);
  delete scenarios["patroni"];
}

let ending: Promise<void> | undefined;
/** Ends what has been started; a second call waits for the first one. */
const end = () => {
  ending ??= started.disposeAsync();
  return ending;
};
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void end().finally(() => process.exit(1)));
}

try {
  await database.start();
  await service.start(database.apiUrl);
  for (const [name, scenario] of Object.entries(scenarios)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const startedAt = performance.now();
    const { isGood, title, note = "", counts, examples = [] } = await scenario();
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
    console.log(`${isGood ? "good" : "BAD "} ${name}, ${seconds} s: ${title}${note && `\n     ${note}`}`, counts);
    if (isGood) continue;
    console.log(examples);
    process.exitCode = 1;
  }
} finally {
  await end();
}
