import { readFileSync } from "node:fs";
import pg from "pg";
import { pino } from "pino";
import { type App, type AppSettings, startApp } from "../../src/app.ts";
import { defaultSettings } from "../../src/settings.ts";
import { EmbeddedDatabase } from "../support/EmbeddedDatabase.ts";

/** A service in this process, with content for the tools that compare answers. */
export interface FuzzedService extends AsyncDisposable {
  app: App;
  owner: pg.Client;
}

/** Content with something of everything. Ada is 1, Bob 2, the admin 3. */
export const content = ["../../test/support/people.sql", "everything.sql"].map(readSql);

export function readSql(file: string): string {
  return readFileSync(new URL(file, import.meta.url), "utf8");
}

/** @param sql runs before the service starts */
export async function startFuzzedService(
  sql: readonly string[],
  settings: Partial<AppSettings> = {},
): Promise<FuzzedService> {
  await using started = new AsyncDisposableStack();
  const database = new EmbeddedDatabase();
  started.defer(() => database.stop());
  await database.start();
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  started.defer(() => owner.end());
  await owner.connect();
  for (const text of sql) await owner.query(text);
  const token = { secret: "x".repeat(32) };
  const all = {
    ...defaultSettings,
    port: 0,
    apiDatabaseUrl: database.apiUrl,
    token,
    maintenanceMinutes: 0,
    ...settings,
  };
  const app = await startApp(all, pino({ level: "silent" }));
  started.defer(() => app.close());
  const running = started.move();
  return { app, owner, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
