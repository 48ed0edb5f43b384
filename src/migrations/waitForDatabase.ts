import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "pino";
import { sqlStateOf } from "../errors/sqlStates.ts";
import { StartError } from "../support/StartError.ts";

const firstPauseMs = 250;
const longestPauseMs = 5_000;

/** SQLSTATE classes worth a retry: no connection, no free connection slot, or still starting. */
const isTemporary = /^(08|53|57P0)/;

/**
 * Waits, without a limit, until the database accepts connections: in a deployment it is often the last part to start.
 *
 * @throws StartError when the database rejects the login
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

/** A host name that resolves to several IP addresses gives an AggregateError, whose own message is empty. */
function reason(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || (code ?? "no answer");
}
