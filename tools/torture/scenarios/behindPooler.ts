import { setTimeout as delay } from "node:timers/promises";
import { PgBouncer } from "../../support/PgBouncer.ts";
import type { Arena } from "../Arena.ts";
import { type CallOutcome, calls, killAll } from "./calls.ts";
import { interrupted } from "./interrupted.ts";
import type { Outcome } from "./Outcome.ts";

/** Statements wait in PgBouncer for so long. To the service this looks like use of the database. So callers pause for twice as long. */
const pauseMs = 500;
const longestReturnMs = 2_000;

/**
 * Callers and subscribers, while PgBouncer in transaction mode, before the service, is killed, paused and reloaded, and its server
 * connections break.
 */
export async function behindPooler(arena: Arena, turns: number): Promise<[Outcome, CallOutcome]> {
  const { database, service } = arena;
  await service.stop();
  const pooler = await PgBouncer.start([database.apiUrl]);
  try {
    await service.start(pooler.through(database.apiUrl), { DATABASE_LISTEN_URL: database.apiUrl });
    const faults = [
      async () => {
        await pooler.kill();
        await delay(200);
        await pooler.run();
      },
      async () => {
        await pooler.admin("pause");
        await delay(pauseMs);
        await pooler.admin("resume");
      },
      async () => void (await pooler.admin("reload")),
      () => killAll(arena),
      () => database.restart(),
    ];
    let turn = 0;
    const fault = () => faults[turn++ % faults.length]?.() as Promise<void>;
    let callOutcome: CallOutcome | undefined;
    const title = `behind ${pooler.version}: killed, paused, reloaded, its connections killed, the database restarted; ${turns} times each`;
    const outcome = await interrupted(arena, title, 1, async () => {
      callOutcome = await calls(arena, title, turns * faults.length, fault, longestReturnMs);
    });
    return [outcome, callOutcome as CallOutcome];
  } finally {
    await service.stop();
    await pooler[Symbol.asyncDispose]();
    await service.start(database.apiUrl);
  }
}
