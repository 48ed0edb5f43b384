import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { StartError } from "../support/StartError.ts";
import { packagedBinaries, reachableBinaries } from "./binaries.ts";
import { type Cluster, checkVersion, initialize, passwordFileOf } from "./cluster.ts";
import { endWithUs } from "./endWithUs.ts";
import { Ownership } from "./Ownership.ts";
import { placeFor } from "./place.ts";
import { launch, runningServer, type Server, stopServer } from "./server.ts";
import { serverUser } from "./systemUser.ts";

export interface EmbeddedOptions {
  /** Where it lives from now on. As root, in a place that the database's own user can reach, with a link here. */
  dataDir: string;
  /** For tests: quick, and deleted when stopped. */
  throwaway?: boolean;
}

export interface EmbeddedPostgres {
  /** Connection string of the superuser, to the database `postgres`. */
  url: string;
  /** The same from start to start, unless another program has taken it. */
  port: number;
  /** Whether the database was made by this start. */
  isNew: boolean;
  /** Where everything of it is, with the links followed. */
  dataDir: string;
  /** Ends the server, and waits for that. What is committed stays; of a throw-away one nothing does. */
  stop(): Promise<void>;
}

const patienceMs = 60_000;
const attemptEveryMs = 100;
/** How long a lock may outlive the process that held it, until the server notices. */
const lockOutlivesMs = 3_000;

/**
 * Starts a real PostgreSQL of one's own, or takes over the one that a killed service has left running.
 *
 * @throws StartError when another service uses this directory, another version wrote it, or it cannot be written
 */
export async function startEmbeddedPostgres({
  dataDir,
  throwaway = false,
}: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { directory, user } = placeFor(resolve(dataDir), serverUser());
  const binaries = reachableBinaries(await packagedBinaries(), user);
  const cluster: Cluster = { directory, binaries, user, throwaway };
  const { isNew } = await initialize(cluster);
  checkVersion(cluster);
  const ownership = new Ownership(() => runningServer(cluster)?.url);
  const { url, port } = await takeOver(cluster, ownership, dataDir);
  const callOff = throwaway ? endWithUs(cluster, resolve(dataDir)) : undefined;

  async function stop(): Promise<void> {
    // Held until the server is gone, so that no other start can take it over and then lose it.
    if (await ownership.isOurs()) await stopServer(cluster);
    await ownership.release();
    callOff?.();
    if (throwaway) for (const path of [directory, resolve(dataDir)]) rmSync(path, { recursive: true, force: true });
  }
  let stopping: Promise<void> | undefined;
  return {
    url,
    port,
    isNew,
    dataDir: directory,
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}

/**
 * Until there is a server and it is ours. It may be starting, recovering or shutting down when we come, and others may
 * start at the same moment: all of that passes.
 */
async function takeOver(cluster: Cluster, ownership: Ownership, dataDir: string): Promise<Server> {
  const startedAt = Date.now();
  let lastError: unknown;
  for (; Date.now() - startedAt < patienceMs; await delay(attemptEveryMs)) {
    if (!runningServer(cluster)) await launch(cluster);
    const server = runningServer(cluster);
    if (!server) continue;
    try {
      const answer = await ownership.claim();
      if (answer === true) return server;
      if (answer > 0 || Date.now() - startedAt > lockOutlivesMs) throw ownedByAnother(dataDir, answer);
    } catch (error) {
      if (error instanceof StartError) throw error;
      if ((error as { code?: string }).code === "28P01") throw wrongPassword(cluster);
      lastError = error;
    }
  }
  throw new StartError(
    `The database in ${cluster.directory} is not ready after ${patienceMs / 1000} s` +
      `${lastError ? `: ${(lastError as Error).message}` : ""}. Its log is in cluster/data/log there. Then start again.`,
  );
}

function ownedByAnother(dataDir: string, pid: number): StartError {
  return new StartError(
    `Another service is using ${dataDir} (${pid ? `process ${pid}` : "its process is unknown"}). ` +
      "Stop it first, or set DATA_DIR and PORT to start a second one.",
  );
}

function wrongPassword(cluster: Cluster): StartError {
  return new StartError(
    `The database in ${cluster.directory} does not take the password in ${passwordFileOf(cluster)}: ` +
      "it was changed by hand. Write the new one into that file.",
  );
}
