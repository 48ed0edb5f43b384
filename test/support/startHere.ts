import { type Logger, pino } from "pino";
import type { AppSettings } from "../../src/app.ts";
import { readSettings } from "../../src/settings.ts";
import { startService } from "../../src/startService.ts";

export interface Started extends AsyncDisposable {
  url: string;
}

/**
 * Starts the service in this process, with all that `npm start` does but the check of the database. A test that is not about processes,
 * signals or output needs no other one, whose start takes a second of processor time.
 *
 * @param environment the whole environment, but for what `pg` reads
 * @param more `reuseSchema` is for databases of the tests' server: the versions of schemas are those of one server
 * @throws OperatorError as startService() does, after releasing what it had begun
 */
export async function startHere(
  environment: NodeJS.ProcessEnv,
  log: Logger = pino({ level: "silent" }),
  more: Pick<AppSettings, "reuseSchema" | "selfCheck"> = {},
): Promise<Started> {
  const started = new AsyncDisposableStack();
  const { signal } = new AbortController();
  try {
    const settings = {
      ...readSettings({ PORT: "0", MAINTENANCE_MINUTES: "0", ...environment }),
      selfCheck: false,
      ...more,
    };
    const url = await startService(settings, { log, started, signal });
    return { url: `${url}/graphql`, [Symbol.asyncDispose]: () => started.disposeAsync() };
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
}
