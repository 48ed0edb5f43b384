import { setTimeout as delay } from "node:timers/promises";
import { isTemporary } from "@content-service/support/withClient.ts";
import type { Logger } from "pino";

const firstPauseMs = 250;
const longestPauseMs = 5_000;

/** The part of the HTTP server that answers probes during the start. */
interface Waiting {
  /** Why the service is not ready yet. */
  startingReason: string;
}

/**
 * Tries again, without a limit, while the database cannot be reached or has no free connection: in a deployment it is
 * often the last part to start.
 *
 * @param attempt releases what it has opened when it fails
 */
export async function waitForDatabase<Result>(
  log: Logger,
  waiting: Waiting,
  signal: AbortSignal,
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isTemporary(error)) throw error;
      waiting.startingReason = `the database cannot be reached yet: ${reason(error)}`;
      log.warn(`The database cannot be reached yet (${reason(error)}). Trying again in ${pauseMs / 1_000} s.`);
      await delay(pauseMs, undefined, { signal });
    }
  }
}

/** A host name that resolves to several IP addresses gives an AggregateError, whose own message is empty. */
function reason(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || (code ?? "no response");
}
