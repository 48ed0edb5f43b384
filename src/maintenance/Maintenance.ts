import type pg from "pg";
import type { Logger } from "pino";
import { allowSilence } from "../database/pool.ts";
import { transactionsOf } from "../database/Transactions.ts";
import type { Settings } from "../settings.ts";

/** Rows of one kind that one transaction deletes: a few milliseconds of work. */
const batchSize = 1_000;

/** A refresh of the rollups counts all content. A million comments take about a minute, and the service's other statements get five seconds. */
const refreshTimeoutMs = 900_000;

interface Batch {
  is_complete: boolean;
  /** Numbers of rows, by kind. */
  done: Record<string, number>;
}

/**
 * Deletes what has expired, creates the audit trail's next partitions and refreshes the rollups of the analysts' views: at the start, and
 * regularly after that. What that is, app_private.maintain() and rollups.refresh() say. One instance at a time works; the others find
 * nothing to do.
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

  /** Works in batches until nothing is left to do. A failure is logged; the next run tries again. */
  async run(): Promise<void> {
    const total: Record<string, number> = {};
    try {
      await this.#repeat(
        "select * from app_private.maintain($1, $2)",
        [batchSize, this.#settings.auditRetentionDays],
        total,
      );
      await this.#refreshRollups();
    } catch (error) {
      if (!this.#isStopped) this.#log.error({ err: error }, "maintenance failed; the next run tries again");
    }
    if (Object.keys(total).length > 0) this.#log.info({ done: total }, "maintenance");
  }

  async #repeat(batch: string, values: unknown[], total: Record<string, number>): Promise<void> {
    for (let isComplete = false; !isComplete && !this.#isStopped; ) {
      const { rows } = await this.#pool.query<Batch>(batch, values);
      isComplete = rows[0]?.is_complete ?? true;
      for (const [kind, count] of Object.entries(rows[0]?.done ?? {})) total[kind] = (total[kind] ?? 0) + count;
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

  /** The batch that is under way ends with the pool. */
  [Symbol.dispose](): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
