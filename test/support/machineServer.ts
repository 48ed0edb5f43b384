import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "@jest/globals";
import { run } from "../../src/embedded/cluster.ts";
import { give, placeFor } from "../../src/embedded/place.ts";
import { stopWithThisProcess, untilServed } from "../../src/embedded/server.ts";

const programs = ["initdb", "pg_ctl", "postgres", "psql", "pg_dump", "pg_restore"];

/** The programs of a PostgreSQL that this machine has installed. The embedded one brings no psql and no pg_dump. */
const bin = [18, 17, 16, 15, 14]
  .map((major) => `/usr/lib/postgresql/${major}/bin`)
  .find((directory) => programs.every((program) => existsSync(join(directory, program))));

/** For tests that need the machine's PostgreSQL. Skipped where Debian's or Ubuntu's package `postgresql` is not installed. */
export const describeWithMachineServer = bin ? describe : describe.skip;

/** Whether the machine's PostgreSQL has this extension. */
export function hasExtension(name: string): boolean {
  return existsSync(`/usr/share/postgresql/${bin?.split("/")[4]}/extension/${name}.control`);
}

export interface MachineServer {
  /** Connection string of the superuser, to the database `postgres`. */
  url: string;
  /** The directory of the programs. */
  bin: string;
}

/** Starts a throw-away server of the machine's own PostgreSQL for the tests of the surrounding block. */
export function useMachineServer(settings: Record<string, string> = {}): MachineServer {
  const machine = { bin } as MachineServer;
  let stop: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    if (!bin) return;
    const dataDir = mkdtempSync(join(process.env.TEST_SERVERS_FOLDER as string, "content-service-machine-"));
    const { directory, user } = placeFor(dataDir);
    const data = join(directory, "cluster", "data");
    const password = randomBytes(24).toString("base64url");
    const passwordFile = join(directory, "cluster", "password");
    mkdirSync(join(directory, "cluster"), { mode: 0o700 });
    writeFileSync(passwordFile, password);
    for (const path of [join(directory, "cluster"), passwordFile]) give(path, user);
    const cluster = { dataDir, directory, user, bin, data, password, isNew: true };
    const login = ["--username=postgres", `--pwfile=${passwordFile}`, "--auth=scram-sha-256"];
    await run(cluster, "initdb", [`--pgdata=${data}`, ...login, "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]);
    const fast = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", autovacuum: "off" };
    const server = await untilServed(cluster, { ...fast, ...settings }, async () => {});
    stop = stopWithThisProcess(cluster);
    machine.url = server.url;
  }, 60_000);
  afterAll(() => stop?.());
  return machine;
}
