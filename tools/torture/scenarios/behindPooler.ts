import { setTimeout as delay } from "node:timers/promises";
import { PgBouncer } from "../../support/PgBouncer.ts";
import type { Arena } from "../Arena.ts";
import { type CallOutcome, calls, killAll } from "./calls.ts";
import { interrupted } from "./interrupted.ts";
import type { Outcome } from "./Outcome.ts";

const pauseMs = 500;
/**
 * Every caller must be served again within this time. A statement that waits in PgBouncer looks like use of the database by its caller,
 * who then waits for twice as long. And a PostgreSQL that restarts admits no connection at first, which PgBouncer repeats later.
 */
const longestReturnMs = 2_500;

/**
 * Callers and subscribers, while PgBouncer in transaction mode, before the service, is killed, paused and reloaded, and its server
 * connections break.
 *
 * @returns the outcome for the subscribers, and for the callers by fault
 */
export async function behindPooler(arena: Arena, times: number): Promise<[Outcome, CallOutcome[]]> {
  const { database, service } = arena;
  await service.stop();
  const pooler = await PgBouncer.start([database.apiUrl]);
  const faults: Record<string, () => Promise<unknown>> = {
    "is killed": async () => {
      await pooler.kill();
      await delay(200);
      await pooler.run();
    },
    "is paused": async () => {
      await pooler.admin("pause");
      await delay(pauseMs);
      await pooler.admin("resume");
    },
    "is reloaded": () => pooler.admin("reload"),
    "loses its connections": () => killAll(arena),
    "has a database that restarts": () => database.restart(),
  };
  try {
    await service.start(pooler.through(database.apiUrl), { DATABASE_LISTEN_URL: database.apiUrl });
    const callOutcomes: CallOutcome[] = [];
    const outcome = await interrupted(arena, `behind ${pooler.version}, with all of its faults`, 1, async () => {
      for (const [name, fault] of Object.entries(faults)) {
        const title = `${pooler.version} ${name}, ${times} times`;
        callOutcomes.push(await calls(arena, title, times, async () => void (await fault()), longestReturnMs));
      }
    });
    return [outcome, callOutcomes];
  } finally {
    await service.stop();
    await pooler[Symbol.asyncDispose]();
    await service.start(database.apiUrl);
  }
}
