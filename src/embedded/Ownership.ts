import { OperatorError } from "@content-service/support/OperatorError.ts";
import pg from "pg";
import { type Cluster, isAlive } from "./cluster.ts";
import { runningServer, stopServer } from "./server.ts";

/** Any number. All services use the same. */
const lock = 7_262_002;
const title = "content-service, process ";

/**
 * The right to use a cluster's server and to stop it. Its owner holds an advisory lock on a connection that stays open.
 * PostgreSQL frees the lock when the connection ends, so a killed service leaves nothing stale.
 */
export class Ownership {
  readonly #cluster: Cluster;
  #client: pg.Client | undefined;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /**
   * @throws OperatorError when another process is the owner; other errors when the server cannot be reached, is not ready,
   * or has yet to notice that the owner was killed
   */
  async claim(): Promise<void> {
    // When one backend crashes, the server closes all connections. Then the lock has to be taken again.
    if (await this.#client?.query("select").catch(() => undefined)) return;
    this.#client = undefined;
    const connectionString = runningServer(this.#cluster)?.url;
    if (!connectionString) throw new Error("the server does not run");
    const client = new pg.Client({ connectionString, application_name: title + process.pid });
    // The next claim reports it.
    client.on("error", () => {});
    try {
      await client.connect();
      const { rows } = await client.query(
        `select pg_try_advisory_lock($1) as is_ours,
           (select application_name from pg_catalog.pg_locks join pg_catalog.pg_stat_activity using (pid)
             where locktype = 'advisory' and objid = $1 and objsubid = 1 and granted) as holder`,
        [lock],
      );
      if (!rows[0].is_ours) throw this.#takenBy(Number(rows[0].holder?.slice(title.length)));
      this.#client = client;
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
  }

  #takenBy(pid: number): Error {
    if (!isAlive(pid)) return new Error("its lock is held by a process that has ended");
    return new OperatorError(
      `Another service is using ${this.#cluster.dataDir} (process ${pid}). ` +
        "Stop it first, or set DATA_DIR and PORT to start a second one.",
    );
  }

  /** Stops the server unless another process owns it. The lock is held to the end: no service takes over meanwhile. */
  async stop(): Promise<void> {
    await this.claim().then(
      () => stopServer(this.#cluster),
      () => {},
    );
    await this.release();
  }

  async release(): Promise<void> {
    await this.#client?.end().catch(() => {});
    this.#client = undefined;
  }
}
