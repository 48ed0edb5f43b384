import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "pino";
import { sqlStateOf } from "../errors/sqlStates.ts";
import { StartError } from "../support/StartError.ts";

const firstPauseMs = 250;
const longestPauseMs = 5_000;

/** Not there yet: no connection, no room, or still starting. Anything else will not mend itself. */
const isTemporary = /^(08|53|57P0)/;

/**
 * Waits until the database takes connections, however long that is: where everything starts at once, it is often the last.
 *
 * @throws StartError when it answers, and will not have us
 */
export async function waitForDatabase(connectionString: string, log: Logger): Promise<void> {
  const { host } = new URL(connectionString);
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const error = await connectOnce(connectionString);
    if (error === undefined) return;
    if (!isTemporary.test(sqlStateOf(error))) {
      throw new StartError(`The database at ${host} refuses the connection: ${(error as Error).message}`);
    }
    log.warn(`The database at ${host} cannot be reached yet (${reason(error)}). Trying again in ${pauseMs / 1_000} s.`);
    await delay(pauseMs);
  }
}

async function connectOnce(connectionString: string): Promise<unknown> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 });
  client.on("error", () => {});
  try {
    await client.connect();
  } catch (error) {
    return error ?? new Error("unknown");
  } finally {
    await client.end().catch(() => {});
  }
  return undefined;
}

/** An address with several numbers gives an AggregateError, whose own message is empty. */
function reason(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || (code ?? "no answer");
}
