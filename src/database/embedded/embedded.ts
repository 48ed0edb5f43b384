import { createHash } from "node:crypto";
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import pg from "pg";
import { StartError } from "../../startError.ts";
import { canEnter, packagedBinaries, reachableBinaries, type SystemUser, serverUser } from "./binaries.ts";
import { type Cluster, checkVersion, initialize, runningUrl, start, stop } from "./cluster.ts";

export interface EmbeddedPostgres {
  /** Connection string of the superuser, to the database `postgres`. */
  url: string;
  /** Whether the database was made by this start. */
  isNew: boolean;
  stop(): Promise<void>;
}

/** Any number; every start of ours asks for the same. */
const ownershipLock = 7_262_002;

/**
 * Starts a real PostgreSQL of one's own, or takes over the one that a killed service has left running.
 *
 * @param dataDir where it lives from now on. As root, in a place that the database's own user can reach, with a link here
 * @param throwaway for tests: quick, and deleted when stopped
 * @throws StartError when another service uses this directory, another version wrote it, or it cannot be written
 */
export async function startEmbeddedPostgres(dataDir: string, throwaway = false): Promise<EmbeddedPostgres> {
  const { cluster, url, isNew } = await openCluster(dataDir, throwaway);
  const owner = await own(url, dataDir);
  return {
    url,
    isNew,
    async stop() {
      await owner.end();
      await stop(cluster);
      if (throwaway) for (const path of [cluster.directory, dataDir]) rmSync(path, { recursive: true, force: true });
    },
  };
}

/**
 * The same database for a moment's work, whether a service is using it or not. Who needed to start it stops it again,
 * unless a service has taken it over meanwhile.
 */
export async function borrowEmbeddedPostgres(dataDir: string): Promise<{ url: string; giveBack(): Promise<void> }> {
  const { cluster, url, wasRunning } = await openCluster(dataDir, false);
  return {
    url,
    async giveBack() {
      if (wasRunning || runningUrl(cluster) === undefined) return;
      let owner: pg.Client;
      try {
        owner = await own(url, dataDir);
      } catch (error) {
        if (error instanceof StartError) return;
        throw error;
      }
      await owner.end();
      await stop(cluster);
    },
  };
}

async function openCluster(dataDir: string, throwaway: boolean) {
  const user = serverUser();
  const directory = placeFor(resolve(dataDir), user);
  const binaries = reachableBinaries(await packagedBinaries(), user, directory);
  const cluster: Cluster = { directory, binaries, user, throwaway };
  const { isNew } = initialize(cluster);
  checkVersion(cluster);
  const wasRunning = runningUrl(cluster) !== undefined;
  if (!wasRunning) await start(cluster);
  const url = runningUrl(cluster);
  if (!url) throw new StartError(`The database in ${directory} ended as soon as it had started.`);
  return { cluster, url, isNew, wasRunning };
}

/** The directory itself where the server's user can reach it; else one elsewhere, and a link here. */
function placeFor(dataDir: string, user: SystemUser): string {
  try {
    mkdirSync(dirname(dataDir), { recursive: true });
    if (existsSync(dataDir)) return realpathSync(dataDir);
    // A link to what has been deleted meanwhile.
    if (lstatSync(dataDir, { throwIfNoEntry: false })) rmSync(dataDir);
    const isReachable = canEnter(user, dirname(dataDir));
    const place = isReachable ? dataDir : join(stateDirectory(), `content-service-${fingerprint(dataDir)}`);
    mkdirSync(place, { recursive: true, mode: 0o700 });
    if (user) chownSync(place, user.uid, user.gid);
    if (!isReachable) symlinkSync(place, dataDir);
    return realpathSync(place);
  } catch (error) {
    throw new StartError(
      `${dataDir} cannot be used for the database: ${(error as Error).message}. Set DATA_DIR to a directory that can be written.`,
    );
  }
}

function stateDirectory(): string {
  try {
    accessSync("/var/lib", constants.W_OK);
    return "/var/lib";
  } catch {
    return tmpdir();
  }
}

function fingerprint(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, 12);
}

/** Holds the database for as long as this process lives: PostgreSQL itself lets go when the connection ends. */
async function own(url: string, dataDir: string): Promise<pg.Client> {
  const owner = new pg.Client({ connectionString: url, application_name: `content-service, process ${process.pid}` });
  // The server may be killed at any time; whoever asks it next will hear of it.
  owner.on("error", () => {});
  await owner.connect();
  const { rows } = await owner.query("select pg_try_advisory_lock($1) as is_ours", [ownershipLock]);
  if (rows[0].is_ours) return owner;
  const holder = await owner.query(
    "select application_name from pg_stat_activity join pg_locks using (pid) where locktype = 'advisory' and objid = $1 and granted",
    [ownershipLock],
  );
  await owner.end();
  throw new StartError(
    `Another service is using ${dataDir} (${holder.rows[0]?.application_name ?? "it has just ended"}). ` +
      "Stop it first, or set DATA_DIR and PORT to start a second one.",
  );
}
