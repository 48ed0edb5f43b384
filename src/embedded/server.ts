import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { StartError } from "../support/StartError.ts";
import { type Cluster, dataOf, environment, passwordFileOf, superuser } from "./cluster.ts";
import { freePort } from "./freePort.ts";
import { give } from "./systemUser.ts";

/** A server that runs, ready or about to be. */
const stopPollMs = 50;

export interface Server {
  pid: number;
  port: number;
  /** Connection string of the superuser, to the database `postgres`. */
  url: string;
}

/** What a later attempt may find mended: a server that another start brings up or that is not quite gone, a port taken. */
const passing = /lock file|shared memory|could not bind|could not create any TCP\/IP sockets/;

/** The server of this cluster, if it runs. */
export function runningServer(cluster: Cluster): Server | undefined {
  const [pid, , , port] = pidFile(cluster).map(Number);
  if (!pid || !port || !isServerOf(cluster, pid)) return undefined;
  const password = encodeURIComponent(readFileSync(passwordFileOf(cluster), "utf8").trim());
  return { pid, port, url: `postgres://${superuser}:${password}@127.0.0.1:${port}/postgres` };
}

/**
 * Starts the server, in a process group of its own: Ctrl-C is for the service, which then ends the server itself. It
 * outlives a service that is killed, and the next start finds it.
 *
 * @returns when it is ready, or when it had to give way to something that passes: then there may be one or not
 * @throws StartError with the end of its log, when it does not start
 */
export async function launch(cluster: Cluster): Promise<void> {
  forgetStalePid(cluster);
  const port = await freePort(rememberedPort(cluster));
  const startedAt = Date.now();
  const log = openSync(startLog(cluster), "w");
  give(startLog(cluster), cluster.user);
  const child = spawn(cluster.binaries.postgres, ["-D", dataOf(cluster), ...options(cluster, port)], {
    ...cluster.user,
    cwd: "/",
    env: environment,
    detached: true,
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  child.unref();
  if (await becomesReady(cluster, child)) return writePort(cluster, port);
  const words = lastWords(cluster, startedAt);
  if (!passing.test(words)) throw new StartError(`The database in ${cluster.directory} does not start:\n${words}`);
}

/** Ends the server: open transactions are undone, what is committed stays. */
export async function stopServer(cluster: Cluster): Promise<void> {
  const stopping = runningServer(cluster)?.pid;
  const child = spawn(
    cluster.binaries.pg_ctl,
    ["stop", `--pgdata=${dataOf(cluster)}`, "--mode=fast", "--wait", "--timeout=60", "--silent"],
    // Detached, so that a second Ctrl-C does not cut the waiting short.
    { ...cluster.user, cwd: "/", env: environment, stdio: "ignore", detached: true },
  );
  const ended = new Promise((resolve) => child.once("close", resolve).once("error", resolve));
  // pg_ctl waits for the pid file to go, and would wait for another start's server that has written its own meanwhile.
  const replaced = (async () => {
    while (child.exitCode === null && [stopping, undefined].includes(runningServer(cluster)?.pid))
      await delay(stopPollMs);
  })();
  await Promise.race([ended, replaced]);
}

function options({ throwaway }: Cluster, port: number): string[] {
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
          log_rotation_size: "0",
          log_truncate_on_rotation: "on",
        }),
  };
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

async function becomesReady(cluster: Cluster, child: ChildProcess): Promise<boolean> {
  let hasEnded = false;
  let failure: Error | undefined;
  child.once("exit", () => {
    hasEnded = true;
  });
  child.once("error", (error) => {
    hasEnded = true;
    failure = error;
  });
  while (!hasEnded) {
    const lines = pidFile(cluster);
    if (Number(lines[0]) === child.pid && lines[7]?.trim() === "ready") return true;
    await delay(20);
  }
  if (failure) throw new StartError(`${cluster.binaries.postgres} cannot be run: ${failure.message}`);
  return false;
}

/** The end of what the server has said since then: at first to its start log, later to the collector's file. */
function lastWords(cluster: Cluster, since: number): string {
  const current = join(dataOf(cluster), "current_logfiles");
  const collected = existsSync(current) ? readFileSync(current, "utf8").trim().replace(/^\S+ /, "") : undefined;
  return [startLog(cluster), ...(collected ? [join(dataOf(cluster), collected)] : [])]
    .filter((file) => existsSync(file) && statSync(file).mtimeMs >= since)
    .flatMap((file) => readFileSync(file, "utf8").trim().split("\n"))
    .filter((line) => !/logging collector|directory "log"/.test(line))
    .slice(-8)
    .join("\n");
}

const startLog = ({ directory }: Cluster) => join(directory, "start.log");

const pidFileOf = (cluster: Cluster) => join(dataOf(cluster), "postmaster.pid");

/** Its lines: pid, directory, time, port, socket, address, memory, state. None if there is no such file. */
function pidFile(cluster: Cluster): string[] {
  try {
    return readFileSync(pidFileOf(cluster), "utf8").split("\n");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** A crash leaves the file with the server's pid, which another program may have by now. */
function forgetStalePid(cluster: Cluster): void {
  const [pid] = pidFile(cluster);
  if (!pid || isServerOf(cluster, Number(pid))) return;
  const aside = `${pidFileOf(cluster)}.${process.pid}`;
  try {
    renameSync(pidFileOf(cluster), aside);
    // Another start may have been quicker: a server that misses its file gives up.
    if (readFileSync(aside, "utf8").split("\n")[0] !== pid) linkSync(aside, pidFileOf(cluster));
  } catch (error) {
    if (!["ENOENT", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
  rmSync(aside, { force: true });
}

/** Whether that process is this cluster's server: the number alone proves nothing. */
function isServerOf(cluster: Cluster, pid: number): boolean {
  return `${commandLine(pid)} `.includes(`postgres -D ${dataOf(cluster)} `);
}

function commandLine(pid: number): string {
  if (process.platform !== "linux") {
    const { stdout, signal } = spawnSync("ps", ["-ww", "-o", "args=", "-p", String(pid)], { encoding: "utf8" });
    // Ctrl-C reaches it too: no answer is not the answer that there is no such process.
    return signal ? commandLine(pid) : (stdout ?? "");
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

const portFileOf = ({ directory }: Cluster) => join(directory, "port");

function rememberedPort(cluster: Cluster): number {
  if (!existsSync(portFileOf(cluster))) return 0;
  const port = Number(readFileSync(portFileOf(cluster), "utf8"));
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0;
}

function writePort(cluster: Cluster, port: number): void {
  writeFileSync(portFileOf(cluster), `${port}\n`);
  give(portFileOf(cluster), cluster.user);
}
