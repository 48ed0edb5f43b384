import { openCluster } from "./cluster.ts";
import { Ownership } from "./Ownership.ts";
import { runningServer, untilServed } from "./server.ts";

export interface EmbeddedPostgres {
  /** Connection string of the superuser, to the database `postgres`. */
  url: string;
  /** The same from start to start, unless another program has taken it. */
  port: number;
  /** Whether this start has made the database. */
  isNew: boolean;
  /** The database's directory, with the links followed. */
  dataDir: string;
  /** Stops the server and waits for its end. Committed data stays. */
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL server of the caller's own, or takes over the one that a killed service has left running.
 *
 * @param dataDir the database's directory. Where the server's user cannot enter, this becomes a link to a directory elsewhere
 * @param settings further ones of the server
 * @throws OperatorError when the directory cannot be used, another service uses it, or the server does not start
 */
export async function startEmbeddedPostgres(dataDir: string, settings: object = {}): Promise<EmbeddedPostgres> {
  const cluster = await openCluster(dataDir);
  const ownership = new Ownership(cluster);
  const { url, port } = await untilServed(cluster, settings, () => ownership.claim());
  return { url, port, isNew: cluster.isNew, dataDir: cluster.directory, stop: () => ownership.stop() };
}

/**
 * The embedded database for a short task, whether a service uses it or not. A server that this call has started is
 * stopped again, unless a service has taken it over meanwhile.
 *
 * @throws OperatorError as startEmbeddedPostgres() does
 */
export async function borrowEmbeddedPostgres(dataDir: string): Promise<{ url: string; giveBack(): Promise<void> }> {
  const cluster = await openCluster(dataDir);
  const wasRunning = runningServer(cluster) !== undefined;
  const { url } = await untilServed(cluster, {}, async () => {});
  return { url, giveBack: async () => (wasRunning ? undefined : new Ownership(cluster).stop()) };
}
