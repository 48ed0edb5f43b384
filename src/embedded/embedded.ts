import { resolve } from "node:path";
import { StartError } from "../support/StartError.ts";
import { openCluster } from "./cluster.ts";
import { Ownership } from "./Ownership.ts";
import { runningServer, type ServerSettings, stopServer, stopWithThisProcess, untilServed } from "./server.ts";

export interface EmbeddedOptions {
  /** The database's directory. Where the server's user cannot enter it, a link to another one is made here. */
  dataDir: string;
  /** For tests: fast, and deleted when stopped or when this process ends. */
  throwaway?: boolean;
}

export interface EmbeddedPostgres {
  /** Connection string of the superuser, to the database `postgres`. */
  url: string;
  /** The same from start to start, unless another program has taken it. */
  port: number;
  /** Whether this start has made the database. */
  isNew: boolean;
  /** The database's directory, with the links followed. */
  dataDir: string;
  /** Stops the server and waits for its end. Committed data stays, except that of a throw-away database. */
  stop(): Promise<void>;
}

/** The server may notice that late that the process which held the lock has ended. */
const lockOutlivesMs = 3_000;

const settingsOf = (throwaway: boolean): ServerSettings =>
  throwaway
    ? { max_connections: 300, fsync: "off", synchronous_commit: "off", full_page_writes: "off", autovacuum: "off" }
    : { max_connections: 100 };

/**
 * Starts a PostgreSQL server of the caller's own, or takes over the one that a killed service has left running.
 *
 * @throws StartError when the directory cannot be used, another service uses it, or the server does not start
 */
export async function startEmbeddedPostgres({
  dataDir,
  throwaway = false,
}: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const cluster = await openCluster(dataDir, throwaway);
  const ownership = new Ownership(cluster);
  const startedAt = Date.now();
  const { url, port } = await untilServed(cluster, settingsOf(throwaway), async (server) => {
    const owner = await ownership.claim();
    if (owner === true) return server;
    if (owner === 0 && Date.now() - startedAt < lockOutlivesMs) return undefined;
    throw new StartError(
      `Another service is using ${dataDir} (${owner ? `process ${owner}` : "its process is unknown"}). ` +
        "Stop it first, or set DATA_DIR and PORT to start a second one.",
    );
  });
  const stopThrowaway = throwaway ? stopWithThisProcess(cluster, resolve(dataDir)) : undefined;

  async function stop(): Promise<void> {
    // The lock is held until the server has ended, so that no other service takes over a server that is stopping.
    if (stopThrowaway) await stopThrowaway();
    else if ((await ownership.claim().catch(() => 0)) === true) await stopServer(cluster);
    await ownership.release();
  }
  let stopping: Promise<void> | undefined;
  return {
    url,
    port,
    isNew: cluster.isNew,
    dataDir: cluster.directory,
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}

/**
 * The embedded database for a short task, whether a service uses it or not. A server that this call has started is
 * stopped again, unless a service has taken it over meanwhile.
 *
 * @throws StartError as startEmbeddedPostgres() does
 */
export async function borrowEmbeddedPostgres(dataDir: string): Promise<{ url: string; giveBack(): Promise<void> }> {
  const cluster = await openCluster(dataDir);
  const wasRunning = runningServer(cluster) !== undefined;
  const { url } = await untilServed(cluster, settingsOf(false), async (server) => server);
  return {
    url,
    async giveBack() {
      if (wasRunning) return;
      const ownership = new Ownership(cluster);
      if ((await ownership.claim().catch(() => 0)) === true) await stopServer(cluster);
      await ownership.release();
    },
  };
}
