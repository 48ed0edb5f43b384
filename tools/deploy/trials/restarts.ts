import type { Composition } from "../Composition.ts";
import { must, seconds, startLoad, type Trial } from "../Stage.ts";

/** Those whose restart no request may notice, then those that all requests need. */
const order = ["content-1", "content-2", "replica", "prometheus", "pgbouncer", "postgres", "nginx"];
const unnoticed = 4;

/** Restarts each container under load, one after the other, then kills an instance and PostgreSQL. */
export const restarts: Trial = async (stage) => {
  const { composition } = stage;
  const load = await startLoad(stage);
  const notes: string[] = [];
  const during = async (title: string, act: () => Promise<unknown>) => {
    const before = load.seen;
    const from = performance.now();
    await act();
    await load.untilWell();
    const { requests, refused, failed } = load.seen;
    const bad = [
      failed - before.failed && `${failed - before.failed} failed`,
      refused - before.refused && `${refused - before.refused} refused`,
    ];
    notes.push(
      `${title}: ${[`${requests - before.requests} requests`, ...bad.filter(Boolean)].join(", ")}, ${seconds(performance.now() - from)}`,
    );
    return bad.every((count) => !count);
  };
  for (const [index, service] of order.entries()) {
    const isUnnoticed = await during(service, async () => {
      await composition.compose("restart", service);
      await composition.untilHealthy(service);
    });
    must(isUnnoticed || index >= unnoticed, `${notes.at(-1)}: ${load.seen.reasons.join("; ")}`);
  }
  for (const service of ["content-1", "postgres"]) await during(`${service} killed`, () => kill(composition, service));
  const { requests, messages, lost, reasons } = await load.stop();
  must(lost === 0, `${lost} messages or writes lost or doubled: ${notes.join("; ")}; ${reasons.join("; ")}`);
  return [
    `${requests} requests, ${messages} messages, none lost, no write lost or doubled`,
    ...notes,
    ...reasons.map((reason) => `reason: ${reason}`),
  ].join("\n       ");
};

async function kill(composition: Composition, service: string): Promise<void> {
  await composition.compose("kill", service);
  await composition.compose("start", service);
  await composition.untilHealthy(service);
}
