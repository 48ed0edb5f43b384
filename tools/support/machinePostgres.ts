import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../src/embedded/cluster.ts";
import { findDataDirectory, give } from "../../src/embedded/dataDirectory.ts";
import { untilServed } from "../../src/embedded/server.ts";
import { temporaryDirectory } from "./dataDirectory.ts";
import { stopWithThisProcess } from "./throwAwayPostgres.ts";

/** The directory where Debian's and Ubuntu's packages put the programs of a PostgreSQL. */
export const programsOf = (major: number) => `/usr/lib/postgresql/${major}/bin`;

/**
 * Starts a server of a PostgreSQL that the machine has installed. Server and data are deleted at the latest when this process ends.
 *
 * @param bin the directory of its programs
 * @returns the connection string of the superuser, to the database `postgres`
 */
export async function startMachinePostgres(
  bin: string,
  settings: Record<string, string> = {},
): Promise<{ url: string; stop(): Promise<void> }> {
  const dataDir = temporaryDirectory("machine");
  const { directory, user } = findDataDirectory(dataDir);
  const data = join(directory, "cluster", "data");
  const password = randomBytes(24).toString("base64url");
  const passwordFile = join(directory, "cluster", "password");
  mkdirSync(join(directory, "cluster"), { mode: 0o700 });
  writeFileSync(passwordFile, password);
  for (const path of [join(directory, "cluster"), passwordFile]) give(path, user);
  const cluster = { dataDir, directory, user, bin, data, password, isNew: true };
  const login = ["--username=postgres", `--pwfile=${passwordFile}`, "--auth=scram-sha-256"];
  await run(cluster, "initdb", [`--pgdata=${data}`, ...login, "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]);
  const stop = stopWithThisProcess(cluster);
  const { url } = await untilServed(cluster, settings, async () => {});
  return { url, stop };
}
