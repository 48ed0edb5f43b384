import { join } from "node:path";
import type { Cluster } from "../../src/embedded/cluster.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/embedded/embedded.ts";
import { afterThisProcess } from "./afterThisProcess.ts";

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

/** Starts an embedded PostgreSQL that is fast, and deleted when it stops or this process ends. */
export async function startThrowAwayPostgres(dataDir: string): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres(dataDir, fast);
  const { dataDir: directory } = server;
  const destroy = stopWithThisProcess({ dataDir, directory, data: join(directory, "cluster", "data") });
  // After the server's end, stop() closes the connection that owned it.
  return { ...server, stop: () => destroy().then(server.stop) };
}

/**
 * Stops a throw-away server and deletes its directory, at the latest when this process ends.
 *
 * @returns does it now
 */
export function stopWithThisProcess({
  data,
  directory,
  dataDir,
}: Pick<Cluster, "data" | "directory" | "dataDir">): () => Promise<void> {
  // The processor time of a daemon is in no process that waits for it: `npm test` reads it from this file.
  const times = process.env["TEST_SERVER_TIMES"] ?? "/dev/null";
  const script = `
    pid=$(head -n 1 "$0/postmaster.pid") && { cat "/proc/$pid/stat" >> "$1"; kill -QUIT "$pid"; }
    shift
    while [ -e "$0/postmaster.pid" ] && kill -0 "$pid"; do sleep 0.1; done
    rm -rf -- "$@"`;
  return afterThisProcess(script, [data, times, directory, dataDir]);
}
