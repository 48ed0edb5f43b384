import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { StartError } from "../../startError.ts";
import type { Binaries, SystemUser } from "./binaries.ts";

/** A database cluster on disk, and what it takes to run it. */
export interface Cluster {
  /** Holds `data/`, `password` and `start.log`; belongs to the server's user. */
  directory: string;
  binaries: Binaries;
  user: SystemUser;
  /** Faster, and lost with the machine: for tests. */
  throwaway: boolean;
}

const superuser = "postgres";
const startAttempts = 20;

/** Makes the cluster unless it is there. Whole or not at all: a start that is killed half-way leaves nothing usable. */
export function initialize({ directory, binaries, user, throwaway }: Cluster): { isNew: boolean } {
  if (existsSync(join(directory, "cluster"))) return { isNew: false };
  const draft = join(directory, `draft-${process.pid}`);
  mkdirSync(draft, { mode: 0o700 });
  const passwordFile = join(draft, "password");
  writeFileSync(passwordFile, randomBytes(24).toString("base64url"), { mode: 0o600 });
  for (const path of [draft, passwordFile]) if (user) chownSync(path, user.uid, user.gid);
  const run = spawnSync(
    binaries.initdb,
    [
      `--pgdata=${join(draft, "data")}`,
      `--username=${superuser}`,
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      // PostgreSQL's own locale: the same on every machine, whatever LANG says and the system has installed.
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--locale=C",
      "--no-instructions",
      ...(throwaway ? ["--no-sync"] : []),
    ],
    { ...user, cwd: "/", env: environment(), encoding: "utf8" },
  );
  if (run.status !== 0) {
    rmSync(draft, { recursive: true, force: true });
    throw new StartError(`The database in ${directory} could not be made: ${run.error?.message ?? run.stderr.trim()}`);
  }
  try {
    renameSync(draft, join(directory, "cluster"));
    return { isNew: true };
  } catch {
    // Another start was quicker.
    rmSync(draft, { recursive: true, force: true });
    return { isNew: false };
  }
}

/** @throws StartError when another major version wrote the data */
export function checkVersion({ directory, binaries, user }: Cluster): void {
  const written = readFileSync(join(directory, "cluster", "data", "PG_VERSION"), "utf8").trim();
  const { stdout } = spawnSync(binaries.postgres, ["--version"], {
    ...user,
    cwd: "/",
    env: environment(),
    encoding: "utf8",
  });
  const brought = /\d+/.exec(stdout)?.[0];
  if (written !== brought) {
    throw new StartError(
      `The data in ${directory} was written by PostgreSQL ${written}, and this service brings ${brought}. ` +
        "Move it away to begin anew, or serve it with its own version through DATABASE_URL.",
    );
  }
}

/** The connection string of the superuser, if the server runs; its port is the one it runs on. */
export function runningUrl(cluster: Cluster): string | undefined {
  const lines = pidFile(cluster)?.split("\n");
  const [pid, port] = [Number(lines?.[0]), lines?.[3]];
  if (!pid || !port || !isServerOf(cluster, pid)) return undefined;
  const password = readFileSync(join(cluster.directory, "cluster", "password"), "utf8");
  return `postgres://${superuser}:${password}@127.0.0.1:${port}/postgres`;
}

/** Starts the server. It outlives this process: who started it stops it, or the next start adopts it. */
export async function start(cluster: Cluster): Promise<void> {
  forgetStalePid(cluster);
  const port = await freePort(rememberedPort(cluster));
  for (let attempt = 1; ; attempt++) {
    const { status, output } = await control(cluster, [
      "start",
      "--wait",
      "--timeout=60",
      `--log=${join(cluster.directory, "start.log")}`,
      `--options=${options(cluster, port)}`,
    ]);
    if (status === 0 || runningUrl(cluster)) break;
    // After a kill -9 the old server's children may need a moment to notice, and hold its memory until then.
    if (attempt === startAttempts || !/shared memory|lock file/.test(serverLog(cluster))) {
      throw new StartError(`The database in ${cluster.directory} does not start: ${output}\n${serverLog(cluster)}`);
    }
    await delay(250);
  }
  writeFileSync(join(cluster.directory, "port"), String(port));
}

/** Ends the server: open transactions are undone, what is committed stays. */
export async function stop(cluster: Cluster): Promise<void> {
  await control(cluster, ["stop", "--mode=fast", "--wait", "--timeout=60"]);
}

function options({ throwaway }: Cluster, port: number): string {
  const settings = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: throwaway ? 300 : 100,
    timezone: "UTC",
    log_timezone: "UTC",
    jit: "off",
    ...(throwaway
      ? { fsync: "off", synchronous_commit: "off", full_page_writes: "off", autovacuum: "off" }
      : {
          // A week of logs, each day over the one of the week before.
          logging_collector: "on",
          log_filename: "postgres-%a.log",
          log_rotation_age: "1d",
          log_truncate_on_rotation: "on",
        }),
  };
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value === "" ? "''" : value}`)
    .join(" ");
}

async function control(
  { directory, binaries, user }: Cluster,
  args: string[],
): Promise<{ status: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(binaries.pg_ctl, [`--pgdata=${join(directory, "cluster", "data")}`, ...args], {
      ...user,
      cwd: "/",
      env: environment(),
      stdio: ["ignore", "ignore", "pipe"],
    });
    let output = "";
    child.stderr.on("data", (chunk) => {
      output += chunk;
    });
    child.on("error", (error) => resolve({ status: null, output: error.message }));
    // Not "close": the server inherits the pipe and keeps it open.
    child.on("exit", (status) => {
      child.stderr.destroy();
      resolve({ status, output: output.trim() });
    });
  });
}

/** Nothing of the caller's: PGDATA, PGPORT or LANG would change what is started. */
function environment(): NodeJS.ProcessEnv {
  return { PATH: "/usr/bin:/bin", LC_ALL: "C" };
}

function serverLog({ directory }: Cluster): string {
  const file = join(directory, "start.log");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").slice(-5).join("\n") : "";
}

function pidFile({ directory }: Cluster): string | undefined {
  const file = join(directory, "cluster", "data", "postmaster.pid");
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** A crash leaves the file with the server's pid, which another program may have by now. */
function forgetStalePid(cluster: Cluster): void {
  const pid = Number(pidFile(cluster)?.split("\n")[0]);
  if (pid && !isServerOf(cluster, pid))
    rmSync(join(cluster.directory, "cluster", "data", "postmaster.pid"), { force: true });
}

function isServerOf({ directory }: Cluster, pid: number): boolean {
  const data = join(directory, "cluster", "data");
  const commandLine = existsSync(`/proc/${pid}/cmdline`)
    ? readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
    : (spawnSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" }).stdout ?? "");
  return commandLine.includes("postgres") && commandLine.includes(data);
}

function rememberedPort({ directory }: Cluster): number {
  const file = join(directory, "port");
  return existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
}

/** The port wished for if it is free, so that a connection string goes on working; else any other. */
function freePort(wish: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) => (wish === 0 ? reject(error) : resolve(freePort(0))));
    probe.listen(wish, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
