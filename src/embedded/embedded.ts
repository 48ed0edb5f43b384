import { openCluster } from "./cluster.ts";
import { Ownership } from "./Ownership.ts";
import { runningServer, stopWithThisProcess, untilServed } from "./server.ts";

export interface EmbeddedOptions {
  /** The database's directory. Where the server's user cannot enter, this becomes a link to a directory elsewhere. */
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

const fast = {
  max_connections: 300,
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  autovacuum: "off",
  io_method: "sync",
  wal_level: "minimal",
  max_wal_senders: "0",
};

/**
 * Starts a PostgreSQL server of the caller's own, or takes over the one that a killed service has left running.
 *
 * @throws StartError when the directory cannot be used, another service uses it, or the server does not start
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, throwaway = false } = options;
  const cluster = await openCluster(dataDir, throwaway);
  const ownership = new Ownership(cluster);
  const { url, port } = await untilServed(cluster, throwaway ? fast : {}, () => ownership.claim());
  const stopThrowaway = throwaway ? stopWithThisProcess(cluster) : undefined;
  return {
    url,
    port,
    isNew: cluster.isNew,
    dataDir: cluster.directory,
    async stop() {
      await (stopThrowaway ? ownership.release().then(stopThrowaway) : ownership.stop());
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
  const { url } = await untilServed(cluster, {}, async () => {});
  return { url, giveBack: async () => (wasRunning ? undefined : new Ownership(cluster).stop()) };
}
