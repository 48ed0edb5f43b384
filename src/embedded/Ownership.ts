import pg from "pg";
import { StartError } from "../support/StartError.ts";
import { type Cluster, isAlive } from "./cluster.ts";
import { runningServer } from "./server.ts";

/** Any number. All services use the same. */
const lock = 7_262_002;
const title = "content-service, process ";
const retryMs = 500;

/**
 * The right to use and to stop a cluster's server. The service that owns it holds an advisory lock, on a connection that
 * it keeps open. PostgreSQL frees the lock when the connection ends, so a killed service leaves nothing stale.
 */
export class Ownership {
  readonly #cluster: Cluster;
  #client: pg.Client | undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /**
   * @returns true when this process is the owner, else the owner's pid: 0 if that process has just ended
   * @throws pg's errors when the server cannot be reached or is not ready; StartError when it refuses the password
   */
  async claim(): Promise<true | number> {
    const held = this.#client;
    // Ask the server: the event that reports the end of the connection may still be on its way.
    if (held && (await held.query("select").catch(() => undefined))) return true;
    this.#client = undefined;
    const connectionString = runningServer(this.#cluster)?.url;
    if (!connectionString) throw new Error("the server does not run");
    const client = new pg.Client({ connectionString, application_name: title + process.pid });
    // The next query reports it.
    client.on("error", () => {});
    try {
      await client.connect();
      const { rows } = await client.query("select pg_try_advisory_lock($1) as is_ours", [lock]);
      if (rows[0].is_ours) {
        this.#client = client;
        // When one backend crashes, the server closes all connections. Then the lock has to be taken again.
        client.once("end", () => this.#client === client && this.#claimAgain());
        return true;
      }
      const pid = await holder(client);
      await client.end();
      return pid;
    } catch (error) {
      await client.end().catch(() => {});
      if ((error as { code?: string }).code !== "28P01") throw error;
      throw new StartError(
        `The database in ${this.#cluster.directory} refuses the password in ${this.#cluster.passwordFile}: ` +
          "it was changed by hand. Write the new one into that file.",
      );
    }
  }

  async release(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    clearTimeout(this.#retry);
    await client?.end().catch(() => {});
  }

  /** Repeats until the server is back and this service, or another one, owns it. */
  #claimAgain(): void {
    this.#retry = setTimeout(async () => {
      if ((await this.claim().catch(() => 0)) === 0) this.#claimAgain();
    }, retryMs);
  }
}

async function holder(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ application_name: string }>(
    `select application_name from pg_catalog.pg_stat_activity join pg_catalog.pg_locks using (pid)
     where locktype = 'advisory' and objid = $1 and objsubid = 1 and granted`,
    [lock],
  );
  const pid = Number(rows[0]?.application_name.slice(title.length)) || 0;
  return isAlive(pid) ? pid : 0;
}
