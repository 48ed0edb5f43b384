import cluster from "node:cluster";
import { EventEmitter, once } from "node:events";
import type { Envelope, ToPrimary, ToWorker } from "./messages.ts";

/* What this process knows of the other processes of the service. Without a primary process, it is the service. */
export const { isWorker } = cluster;

const known: ToWorker = {};
const events = new EventEmitter<{ [Name in keyof ToWorker]-?: [NonNullable<ToWorker[Name]>] }>();

if (isWorker) {
  process.on("message", ({ contentService = {} }: Envelope<ToWorker>) => {
    Object.assign(known, contentService);
    for (const [name, value] of Object.entries(contentService)) events.emit(name as keyof ToWorker, value as never);
  });
}

/** The connection string of the API's login, once the primary process has made the database ready. */
export async function preparedDatabaseUrl(): Promise<string> {
  return known.apiDatabaseUrl ?? ((await once(events, "apiDatabaseUrl"))[0] as string);
}

/** Passes on why the primary process has not made the database ready yet. */
export function onStartingReason(listener: (reason: string) => void): void {
  events.on("startingReason", listener);
}

/** Whether no other process of the service is still starting. */
export function areOthersReady(): boolean {
  return !isWorker || known.areReady === true;
}

/** @param url of this worker, which is ready */
export function sayReady(url: string): void {
  send({ url });
}

/** The metrics of all workers together, in Prometheus' text format. */
export async function metricsOfAll(): Promise<string> {
  send({ asksMetrics: true });
  const [metrics] = (await once(events, "metrics")) as [NonNullable<ToWorker["metrics"]>];
  if ("fault" in metrics) throw new Error(`The workers' metrics: ${metrics.fault}`);
  return metrics.text;
}

function send(contentService: ToPrimary): void {
  process.send?.({ contentService } satisfies Envelope<ToPrimary>);
}
