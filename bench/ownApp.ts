import { pino } from "pino";
import { type App, startApp } from "../src/app.ts";
import { defaultSettings } from "../src/settings.ts";

/** Signs the tokens of the bench's callers. */
export const secret = "a secret of thirty-two bytes or more, for the bench";

/** Starts the service in this process, whose statements can be recorded. It writes nothing by itself. */
export function startOwnApp(apiDatabaseUrl: string): Promise<App> {
  const settings = { ...defaultSettings, port: 0, maintenanceMinutes: 0, countReads: false, token: { secret } };
  return startApp({ ...settings, apiDatabaseUrl }, pino({ level: "error" }));
}
