import { allowSilence } from "@content-service/caller-pool/pool.ts";
import { transactionsOf } from "@content-service/caller-pool/Transactions.ts";
import type pg from "pg";
import type { Logger } from "pino";
import type { Settings } from "../settings.ts";

/** Rows that one transaction deletes: a few milliseconds of work. */
const batchSize = 1_000;

/** A refresh of the rollups counts all content. A million comments take about a minute, and the service's other statements get five seconds. */
const refreshTimeoutMs = 900_000;

/**
 * Runs the maintenance jobs that are due: at the start, and regularly after that. The table app_private.jobs has them. Each batch is a
 * transaction of its own, and jobs take turns, so that neither a failure nor a long job keeps the others from their work. The rollups of
 * the analysts' views come last, with a time limit of their own. One instance at a time runs a job; the others find nothing to do.
 */
export class Maintenance implements Disposable {
  readonly #settings: Pick<Settings, "maintenanceMinutes" | "auditRetentionDays">;
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(settings: Pick<Settings, "maintenanceMinutes" | "auditRetentionDays">, pool: pg.Pool, log: Logger) {
    this.#settings = settings;
    this.#pool = pool;
    this.#log = log;
  }

  /** Runs now, and again after each interval. The next run is scheduled when the last one is over, so that two never overlap. */
  async start(): Promise<void> {
    const { maintenanceMinutes } = this.#settings;
    if (maintenanceMinutes === 0) return;
    await this.run();
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.start(), maintenanceMinutes * 60_000).unref();
  }

  /** Works until nothing is left to do. A failure is logged; the next run tries again. */
  async run(): Promise<void> {
    /** Numbers of rows, by job. */
    const done: Record<string, number> = {};
    try {
      await this.#runJobs(done);
      await this.#refreshRollups();
    } catch (error) {
      this.#logFailure(error);
    }
    if (Object.keys(done).length > 0) this.#log.info({ done }, "maintenance");
  }

  async #runJobs(done: Record<string, number>): Promise<void> {
    const { rows } = await this.#pool.query<{ name: string }>("select name from app_private.due_jobs() as name");
    for (let names = rows.map(({ name }) => name); names.length > 0; ) {
      const incomplete: string[] = [];
      for (const name of names) {
        if (this.#isStopped) return;
        if (!(await this.#runBatch(name, done))) incomplete.push(name);
      }
      names = incomplete;
    }
  }

  /** @returns whether the job has nothing left to do, or has failed */
  async #runBatch(name: string, done: Record<string, number>): Promise<boolean> {
    try {
      const { rows } = await this.#pool.query<{ is_complete: boolean; rows: number }>(
        "select * from app_private.run_job($1, $2, $3)",
        [name, batchSize, this.#settings.auditRetentionDays],
      );
      const [batch] = rows;
      if (batch?.rows) done[name] = (done[name] ?? 0) + batch.rows;
      return batch?.is_complete ?? true;
    } catch (error) {
      this.#logFailure(error, name);
      await this.#pool.query("select app_private.note_failed_job($1, $2)", [name, String(error)]);
      return true;
    }
  }

  /** Refreshes once an hour at most, and after midnight UTC. */
  async #refreshRollups(): Promise<void> {
    if (this.#isStopped) return;
    const client = await this.#pool.connect();
    const endSilence = allowSilence(client, refreshTimeoutMs);
    let failure: Error | undefined;
    try {
      await client.query(`${transactionsOf(this.#pool).begin}; set local statement_timeout = ${refreshTimeoutMs}`);
      const { rows } = await client.query("select rollups.refresh('1 hour') as done");
      await client.query("commit");
      if (rows[0]?.done) this.#log.debug({ done: rows[0].done }, "the analysts' rollups are refreshed");
    } catch (error) {
      failure = error as Error;
      throw error;
    } finally {
      endSilence();
      // A connection whose transaction failed is closed, which rolls back.
      client.release(failure);
    }
  }

  #logFailure(error: unknown, job?: string): void {
    if (this.#isStopped) return;
    this.#log.error({ err: error, ...(job ? { job } : null) }, "maintenance failed; the next run tries again");
  }

  /** The batch that is under way ends with the pool. */
  [Symbol.dispose](): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
