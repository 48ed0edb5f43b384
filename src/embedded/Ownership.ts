import { StartError } from "@content-service/support/StartError.ts";
import pg from "pg";
import { type Cluster, isAlive } from "./cluster.ts";
import { runningServer, stopServer } from "./server.ts";

/** Any number. All services use the same. */
const lock = 7_262_002;
const title = "content-service, process ";
const retryMs = 500;

/**
 * The right to use a cluster's server and to stop it. Its owner holds an advisory lock on a connection that stays open.
 * PostgreSQL frees the lock when the connection ends, so a killed service leaves nothing stale.
 */
export class Ownership {
  readonly #cluster: Cluster;
  #client: pg.Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #claiming: Promise<void> | undefined;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /**
   * @throws StartError when another process is the owner; other errors when the server cannot be reached, is not ready,
   * or has yet to notice that the owner was killed
   */
  claim(): Promise<void> {
    // Claims that run at the same time are one: the lock of the first would refuse the second.
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = undefined;
    });
    return this.#claiming;
  }

  async #claim(): Promise<void> {
    // Ask the server: the event that reports the end of the connection may still be on its way.
    if (await this.#client?.query("select").catch(() => undefined)) return;
    this.#client = undefined;
    const connectionString = runningServer(this.#cluster)?.url;
    if (!connectionString) throw new Error("the server does not run");
    const client = new pg.Client({ connectionString, application_name: title + process.pid });
    // The next query reports it.
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
      // When one backend crashes, the server closes all connections. Then the lock has to be taken again.
      client.once("end", () => this.#client === client && this.#claimAgain());
      this.#client = client;
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
  }

  #takenBy(pid: number): Error {
    if (!isAlive(pid)) return new Error("its lock is held by a process that has ended");
    return new StartError(
      `Another service is using ${this.#cluster.dataDir} (process ${pid}). ` +
        "Stop it first, or set DATA_DIR and PORT to start a second one.",
    );
  }

  /** Repeats until this service, or another one, owns the server. */
  #claimAgain(): void {
    const unlessTaken = (error: unknown) => error instanceof StartError || this.#claimAgain();
    this.#retry = setTimeout(() => void this.claim().catch(unlessTaken), retryMs);
  }

  /** Stops the server unless another process owns it. The lock is held to the end: no service takes over meanwhile. */
  async stop(): Promise<void> {
    await this.claim().then(
      async () => {
        const client = this.#client;
        // From here on, the end of its connection is no loss.
        this.#client = undefined;
        await stopServer(this.#cluster);
        await client?.end().catch(() => {});
      },
      () => {},
    );
    await this.release();
  }

  async release(): Promise<void> {
    // A claim that is on its way and fails is tried again: then, there is a timer.
    await this.#claiming?.catch(() => {});
    const client = this.#client;
    this.#client = undefined;
    clearTimeout(this.#retry);
    await client?.end().catch(() => {});
  }
}
