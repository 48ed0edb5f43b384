import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../../src/embedded/cluster.ts";
import { findDataDirectory, give } from "../../src/embedded/dataDirectory.ts";
import { untilServed } from "../../src/embedded/server.ts";
import { stopWithThisProcess } from "../../tools/support/throwAwayPostgres.ts";
import { serverPrograms } from "./machine.ts";

/** For tests that need the machine's PostgreSQL. Skipped where Debian's or Ubuntu's package `postgresql` is not installed. */
export function describeWithMachineServer(name: string, define: () => void): void {
  (serverPrograms ? describe : describe.skip)(name, define);
}

export interface MachineServer {
  /** Connection string of the superuser, to the database `postgres`. */
  url: string;
  /** The directory of the programs. */
  bin: string;
}

/** Starts a throw-away server of the machine's own PostgreSQL for the tests of the surrounding block. */
export function useMachineServer(settings: Record<string, string> = {}): MachineServer {
  const machine = { bin: serverPrograms } as MachineServer;
  let stop: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    if (!serverPrograms) return;
    const dataDir = join(mkdtempSync(join(tmpdir(), "content-service-machine-")), "postgres");
    const { directory, user } = findDataDirectory(dataDir);
    const data = join(directory, "cluster", "data");
    const password = randomBytes(24).toString("base64url");
    const passwordFile = join(directory, "cluster", "password");
    mkdirSync(join(directory, "cluster"), { mode: 0o700 });
    writeFileSync(passwordFile, password);
    for (const path of [join(directory, "cluster"), passwordFile]) give(path, user);
    const cluster = { dataDir, directory, user, bin: serverPrograms, data, password, isNew: true };
    const login = ["--username=postgres", `--pwfile=${passwordFile}`, "--auth=scram-sha-256"];
    await run(cluster, "initdb", [`--pgdata=${data}`, ...login, "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]);
    const fast = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", autovacuum: "off" };
    const server = await untilServed(cluster, { ...fast, ...settings }, async () => {});
    stop = stopWithThisProcess(cluster);
    machine.url = server.url;
  });
  afterAll(() => stop?.());
  return machine;
}
