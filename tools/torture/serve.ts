import "../../src/environment.ts";
import pg from "pg";
import { pino } from "pino";
import { type App, startApp } from "../../src/app.ts";
import { readSettings } from "../../src/settings.ts";

/* Runs the service in its own process, so that its memory is measured without that of its clients. See Service.ts. */

/** A message from Service.ts. */
export type Order = "status" | "subscriptions" | "stop";

export interface Status {
  subscriptions: number;
  /** All statements sent to PostgreSQL so far, including `begin` and `commit`. */
  statements: number;
  /** The heap after a garbage collection. */
  heapMB: number;
}

let statements = 0;
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  statements += 1;
  return (query as (...args: unknown[]) => unknown).apply(this, args);
} as never;

function status(app: App): Status {
  globalThis.gc?.();
  return { subscriptions: app.subscriptions, statements, heapMB: process.memoryUsage().heapUsed / 2 ** 20 };
}

const settings = readSettings(process.env);
const apiDatabaseUrl = settings.apiDatabaseUrl ?? "";
const app = await startApp({ ...settings, apiDatabaseUrl }, pino({ level: settings.logLevel }));
process.on("message", async (order: Order) => {
  if (order === "status") return process.send?.(status(app));
  if (order === "subscriptions") return process.send?.(app.subscriptions);
  await app.close();
  process.exit();
});
// The parent process has ended.
process.on("disconnect", () => process.exit());
process.send?.(app.url);
