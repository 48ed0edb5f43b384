import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";

/** Between two looks at the locks. Far shorter than any lock_timeout of a test. */
const pauseMs = 5;

export interface HeldLock {
  /** Resolves when another transaction waits for the lock. */
  somebodyWaits(): Promise<void>;
  /** Resolves when no transaction waits for the lock. */
  nobodyWaits(): Promise<void>;
  /** Runs more SQL in the transaction. */
  run(sql: string): Promise<unknown>;
  release(): Promise<void>;
  /** Keeps what the SQL has changed, and releases the lock. */
  commit(): Promise<void>;
}

/** Runs SQL that takes a lock, and keeps its transaction open until `release()` rolls it back, or `commit()`. */
export async function holdLock(url: string, sql: string): Promise<HeldLock> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("begin");
  await client.query(sql);

  async function until(somebodyWaits: boolean): Promise<void> {
    for (;;) {
      // Not from pg_stat_activity, which does not change within a transaction.
      const { rows } = await client.query(
        "select exists (select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))) as is_waiting",
      );
      if (rows[0].is_waiting === somebodyWaits) return;
      // Others need the processor to get there.
      await delay(pauseMs);
    }
  }
  return {
    somebodyWaits: () => until(true),
    nobodyWaits: () => until(false),
    run: (more) => client.query(more),
    release: () => client.end(),
    commit: async () => {
      await client.query("commit");
      await client.end();
    },
  };
}
