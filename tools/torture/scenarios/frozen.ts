import { setTimeout as delay } from "node:timers/promises";
import { holdLock } from "../../support/holdLock.ts";
import { ServiceProcess } from "../../support/ServiceProcess.ts";
import type { Arena } from "../Arena.ts";
import { environment } from "../Service.ts";
import { type Check, check } from "./Check.ts";

/** The advisory lock that graphile-migrate takes. */
const migratorsLock = "4727445306447283";
const drainMs = 2_000;
/** The service must be gone within this time after SIGTERM. */
const longestStopMs = drainMs + 5_000;
/** After this time it is killed. */
const patienceMs = 30_000;

/**
 * SIGTERM while no process of the database moves: with requests in flight, at the start of the service, and while it waits
 * for another migrator.
 */
export async function frozen(arena: Arena): Promise<Check> {
  const { ownerUrl, apiUrl, freeze, thaw } = arena.database;
  const start = () =>
    new ServiceProcess({
      ...environment,
      DATABASE_URL: ownerUrl,
      API_DATABASE_URL: apiUrl,
      LOG_LEVEL: "info",
      DRAIN_TIMEOUT_MS: String(drainMs),
    });
  const listening = /"url":"(http[^"]+)"/;

  const busy = start();
  const url = await busy.printed(listening);
  await busy.printed(/"msg":"(ready)"/);
  await freeze();
  const asked = Array.from({ length: 8 }, () => ask(url));
  await delay(200);
  const busyMs = await stopTime(busy);
  await Promise.all(asked);
  const starting = start();
  await starting.printed(listening);
  const startingMs = await stopTime(starting);
  await thaw();

  const migrator = await holdLock(ownerUrl, `select pg_advisory_lock(${migratorsLock})`);
  const waiting = start();
  await waiting.printed(listening);
  // The lock is asked for again and again, so no waiting shows in the database.
  await delay(2_000);
  const waitingMs = await stopTime(waiting);
  await migrator.release();

  const times = { "requests in flight": busyMs, "the start": startingMs, "a waiting migrator": waitingMs };
  return check(
    `SIGTERM while the database is frozen or locked: the service is gone within ${longestStopMs} ms`,
    Object.entries(times)
      .map(([name, ms]) => `${name}: ${Number.isFinite(ms) ? `${Math.round(ms)} ms` : "not within 30 s"}`)
      .join(", "),
    { tooSlow: Object.values(times).filter((ms) => ms > longestStopMs).length },
  );
}

async function ask(url: string): Promise<void> {
  const body = JSON.stringify({ query: "{ posts(limit: 1) { id } }" });
  await fetch(`${url}/graphql`, { method: "POST", headers: { "content-type": "application/json" }, body }).catch(
    () => {},
  );
}

/** Sends SIGTERM. @returns the time until the process ended; infinity when it had to be killed */
async function stopTime(service: ServiceProcess): Promise<number> {
  const from = performance.now();
  let isKilled = false;
  const killing = setTimeout(() => {
    isKilled = true;
    service.child.kill("SIGKILL");
  }, patienceMs);
  await service.end("SIGTERM");
  clearTimeout(killing);
  return isKilled ? Number.POSITIVE_INFINITY : performance.now() - from;
}
