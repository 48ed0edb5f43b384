import { resolve } from "node:path";
import { StartError } from "../support/StartError.ts";
import { packagedBinaries, reachableBinaries } from "./binaries.ts";
import { type Cluster, checkVersion, initialize } from "./cluster.ts";
import { Ownership } from "./Ownership.ts";
import { placeFor } from "./place.ts";
import { launch, runningServer, stopServer } from "./server.ts";
import { serverUser } from "./systemUser.ts";

/**
 * The embedded database for a moment's work, whether a service is using it or not. Who needed to start it stops it again,
 * unless a service has taken it over meanwhile.
 *
 * @throws StartError as startEmbeddedPostgres() does
 */
export async function borrowEmbeddedPostgres(dataDir: string): Promise<{ url: string; giveBack(): Promise<void> }> {
  const { directory, user } = placeFor(resolve(dataDir), serverUser());
  const binaries = reachableBinaries(await packagedBinaries(), user);
  const cluster: Cluster = { directory, binaries, user, throwaway: false };
  await initialize(cluster);
  checkVersion(cluster);
  const wasRunning = runningServer(cluster) !== undefined;
  if (!wasRunning) await launch(cluster);
  const url = runningServer(cluster)?.url;
  if (!url) throw new StartError(`The database in ${directory} does not start. Its log is in cluster/data/log there.`);
  return {
    url,
    async giveBack() {
      if (wasRunning || !runningServer(cluster)) return;
      const ownership = new Ownership(() => runningServer(cluster)?.url);
      if ((await ownership.claim()) === true) await stopServer(cluster);
      await ownership.release();
    },
  };
}
