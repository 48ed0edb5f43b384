import "../../src/environment.ts";
import pg from "pg";
import { pino } from "pino";
import { type App, startApp } from "../../src/app.ts";
import { readSettings } from "../../src/settings.ts";

/* The service in a process of its own, so that what it uses can be told from what its clients use. See Service.ts. */

/** What the torturer asks of the process. */
export type Order = "status" | "stop";

export interface Status {
  subscriptions: number;
  /** All that have been sent to PostgreSQL so far, `begin` and `commit` among them. */
  statements: number;
  /** Of the heap, after it has been cleaned up. */
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
  await app.close();
  process.exit();
});
// Whoever has started it is gone.
process.on("disconnect", () => process.exit());
process.send?.(app.url);
