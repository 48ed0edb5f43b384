import { setTimeout as delay } from "node:timers/promises";
import { ServiceProcess } from "../../support/ServiceProcess.ts";
import type { Arena } from "../Arena.ts";
import { Callers } from "../Callers.ts";
import { environment } from "../Service.ts";
import { type CallOutcome, conclude } from "./calls.ts";

/** The interval of the health checks of a load balancer. */
const healthEveryMs = 50;

/** Replaces both of two instances under load, several times: starts a new one, then sends SIGTERM to the old one. */
export async function rolled(arena: Arena, times: number): Promise<CallOutcome> {
  const userIds = await arena.users(4);
  const instances: { service: ServiceProcess; url: string }[] = [];
  const ready = new Set<string>();
  let turn = 0;
  const add = async () => {
    const { ownerUrl, apiUrl } = arena.database;
    const service = new ServiceProcess({
      ...environment,
      DATABASE_URL: ownerUrl,
      API_DATABASE_URL: apiUrl,
      LOG_LEVEL: "info",
      STOP_DELAY_MS: "500",
    });
    const url = await service.printed(/"url":"(http[^"]+)"/);
    instances.push({ service, url });
    while (!(await isReady(url))) await delay(healthEveryMs);
    ready.add(url);
  };
  const health = setInterval(async () => {
    for (const url of [...ready]) if (!(await isReady(url))) ready.delete(url);
  }, healthEveryMs);

  await Promise.all([add(), add()]);
  const choose = () => [...ready][turn++ % ready.size] as string;
  const crowd = new Callers({ url: choose, sign: arena.service.sign, userIds, callers: 8 });
  await crowd.untilWell();
  let unclean = 0;
  for (let count = 0; count < 2 * times; count++) {
    await add();
    const [old] = instances.splice(0, 1);
    if ((await old?.service.end("SIGTERM")) !== 0) unclean += 1;
  }
  const outcome = await conclude(
    arena,
    `two instances are rolled ${times} times by SIGTERM`,
    crowd,
    await crowd.untilWell(),
  );
  clearInterval(health);
  await Promise.all(instances.map(({ service }) => service.end("SIGTERM")));
  return { ...outcome, isGood: outcome.isGood && unclean === 0 && outcome.counts.refused === 0 };
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
