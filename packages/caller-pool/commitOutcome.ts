import { outcomeUnknown } from "@content-service/errors/ApiError.ts";
import type { PoolClient } from "pg";
import pg from "pg";

/** Connections whose last commit may not have reached the synchronous standby. */
const unreplicated = new WeakSet<PoolClient>();

/**
 * Notes the commits of a connection for which PostgreSQL gave up waiting for the synchronous standby. It reports them as done,
 * with a warning, known by the function that gives it: its text is translated.
 */
export function watchCommits(client: PoolClient): void {
  client.on("notice", ({ routine }) => {
    if (routine === "SyncRepWaitForLSN") unreplicated.add(client);
  });
}

/**
 * Runs what commits a mutation.
 *
 * @param isComplete whether PostgreSQL has reported every statement as done, so that only the commit can be under way
 * @throws OUTCOME_UNKNOWN when the connection broke before PostgreSQL said whether it has committed, or it has committed what a
 * failover may lose
 */
export async function commitKnowingOutcome<Result>(
  client: PoolClient,
  commit: () => Promise<Result>,
  isComplete: () => boolean,
): Promise<Result> {
  unreplicated.delete(client);
  const result = await commit().catch((error) => {
    throw isKnown(error, isComplete()) ? error : outcomeUnknown();
  });
  if (unreplicated.has(client)) throw outcomeUnknown();
  return result;
}

/** Whether an error says that nothing was committed. */
function isKnown(error: Error, isComplete: boolean): boolean {
  // Without a response of PostgreSQL; nothing was sent if node-postgres refused to.
  if (!(error instanceof pg.DatabaseError)) return error.message.endsWith("is not queryable");
  const { code = "" } = error;
  // A pooler says so when it has lost the server.
  if (code.startsWith("08")) return false;
  // PostgreSQL ends the connection. It commits after the last statement, so what came before that was not committed.
  return !(isComplete && code.startsWith("57P0"));
}
