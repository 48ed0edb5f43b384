import type pg from "pg";
import type { Logger } from "pino";
import { runForLong } from "../database/runForLong.ts";
import { unstopped } from "./repeatUntilStopped.ts";

/** Rows that one transaction deletes: a few milliseconds of work. */
const batchSize = 1_000;

/** A refresh of the rollups counts all content. A million comments take about a minute, and the service's other statements get five seconds. */
const refreshTimeoutMs = 900_000;

/**
 * Runs the maintenance jobs that are due, until nothing is left to do. The table app_private.jobs has them. Each batch is a transaction
 * of its own, and jobs take turns, so that neither a failure nor a long job keeps the others from their work. The rollups of the
 * analysts' views come last, with a time limit of their own. One instance at a time runs a job; the others find nothing to do. A failure
 * is logged; the next run tries again.
 *
 * @param signal after it, no batch begins. The one that is under way ends with the pool
 */
export async function maintain(
  pool: pg.Pool,
  log: Logger,
  auditRetentionDays: number,
  signal = unstopped,
): Promise<void> {
  /** Numbers of rows, by job. */
  const done: Record<string, number> = {};

  function logFailure(error: unknown, job?: string): void {
    if (signal.aborted) return;
    log.error({ err: error, ...(job ? { job } : null) }, "maintenance failed; the next run tries again");
  }

  /** @returns whether the job has nothing left to do, or has failed */
  async function runBatch(name: string): Promise<boolean> {
    try {
      const { rows } = await pool.query<{ is_complete: boolean; rows: number }>(
        "select * from app_private.run_job($1, $2, $3)",
        [name, batchSize, auditRetentionDays],
      );
      const [batch] = rows;
      if (batch?.rows) done[name] = (done[name] ?? 0) + batch.rows;
      return batch?.is_complete ?? true;
    } catch (error) {
      logFailure(error, name);
      await pool.query("select app_private.note_failed_job($1, $2)", [name, String(error)]);
      return true;
    }
  }

  async function runJobs(): Promise<void> {
    const { rows } = await pool.query<{ name: string }>("select name from app_private.due_jobs() as name");
    for (let names = rows.map(({ name }) => name); names.length > 0; ) {
      const incomplete: string[] = [];
      for (const name of names) {
        if (signal.aborted) return;
        if (!(await runBatch(name))) incomplete.push(name);
      }
      names = incomplete;
    }
  }

  try {
    await runJobs();
    if (!signal.aborted) await refreshRollups(pool, log);
  } catch (error) {
    logFailure(error);
  }
  if (Object.keys(done).length > 0) log.info({ done }, "maintenance");
}

/** Refreshes once an hour at most, and after midnight UTC. */
async function refreshRollups(pool: pg.Pool, log: Logger): Promise<void> {
  const refresh = "select rollups.refresh('1 hour') as done";
  const [refreshed] = await runForLong<{ done: unknown }>(pool, refresh, refreshTimeoutMs);
  if (refreshed?.done) log.debug({ done: refreshed.done }, "the analysts' rollups are refreshed");
}
