import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { StartError } from "../support/StartError.ts";
import { type Cluster, environment, read, run } from "./cluster.ts";
import { give } from "./systemUser.ts";

/** A running PostgreSQL server. It may still be starting, or already be stopping. */
export interface Server {
  pid: number;
  port: number;
  /** Connection string of the superuser, to the database `postgres`. */
  url: string;
}

/** Server settings by name. The values pass through a shell. */
export type ServerSettings = Record<string, string | number>;

const pollMs = 50;
const timeoutMs = 60_000;
const keptLogBytes = 10_000_000;

/** Reasons that pass: another server is starting or has not quite ended, the port was taken, a pid file was stale. */
const passing = /lock file|PID file|shared memory|could not bind|could not create any TCP\/IP sockets/;

/** The server of this cluster, if one runs. */
export function runningServer(cluster: Cluster): Server | undefined {
  const [pid = "", data, , port] = read(pidFileOf(cluster)).split("\n");
  // After a crash, another program may have that pid. In a copied directory, the file names the original's server.
  if (data !== cluster.data || !new RegExp(`postgres.*\\bport=${port}\\b`).test(commandLine(pid))) return undefined;
  const url = `postgres://postgres:${encodeURIComponent(cluster.password)}@127.0.0.1:${port}/postgres`;
  return { pid: Number(pid), port: Number(port), url };
}

/**
 * Starts a server unless one runs, and waits until `use` succeeds. Meanwhile the server may start, recover or stop, and
 * other processes may start one.
 *
 * @param use returns undefined, or throws, while the server is not ready for it; a StartError ends the wait
 * @throws StartError with the end of the server's log, when it does not start
 */
export async function untilServed<T>(
  cluster: Cluster,
  settings: ServerSettings,
  use: (server: Server) => Promise<T | undefined>,
): Promise<T> {
  let reason = "";
  for (const startedAt = Date.now(); Date.now() - startedAt < timeoutMs; await delay(pollMs)) {
    try {
      if (!runningServer(cluster)) await launch(cluster, settings);
      const server = runningServer(cluster);
      const result = server && (await use(server));
      if (result !== undefined) return result;
    } catch (error) {
      if (error instanceof StartError) throw error;
      reason = `: ${(error as Error).message}`;
    }
  }
  throw new StartError(
    `The database in ${cluster.directory} is not ready after ${timeoutMs / 1000} s${reason}\n` +
      `Its log is ${logOf(cluster)}. Then start again.`,
  );
}

/**
 * Starts the server, which outlives this process.
 *
 * @throws Error with the end of the server's log: a StartError unless the reason passes
 */
async function launch(cluster: Cluster, more: ServerSettings): Promise<void> {
  const port = await freePort(Number(read(portFileOf(cluster)))).catch(() => freePort(0));
  const settings = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    timezone: "UTC",
    log_timezone: "UTC",
    jit: "off",
    ...more,
  };
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const log = logOf(cluster);
  if (sizeOf(log) > keptLogBytes) rmSync(log, { force: true });
  const logged = sizeOf(log);
  try {
    // The log's path is relative, since pg_ctl hands it to a shell.
    await run(cluster, "pg_ctl", ["start", "--log=postgres.log", `--options=${options.join(" ")}`], cluster.data);
  } catch (error) {
    const words = (sizeOf(log) > logged && readFileSync(log).subarray(logged).toString().trim()) || String(error);
    if (/lock file|PID file/.test(words) && !runningServer(cluster)) rmSync(pidFileOf(cluster), { force: true });
    if (passing.test(words) || runningServer(cluster)) throw new Error(words);
    throw new StartError(
      `The database in ${cluster.directory} does not start:\n${words.split("\n").slice(-8).join("\n")}`,
    );
  }
  writeFileSync(portFileOf(cluster), `${port}\n`);
  give(portFileOf(cluster), cluster.user);
}

/** Stops the server: open transactions are rolled back, committed data stays. */
export async function stopServer(cluster: Cluster): Promise<void> {
  const pid = runningServer(cluster)?.pid;
  await run(cluster, "pg_ctl", ["stop", "--mode=fast", "--no-wait"], cluster.data).catch(() => {});
  // pg_ctl itself would also wait for the server that another process may start as soon as this one has ended.
  for (const startedAt = Date.now(); Date.now() - startedAt < timeoutMs; await delay(pollMs)) {
    if (pid === undefined || runningServer(cluster)?.pid !== pid) return;
  }
}

/**
 * Stops a throw-away server and deletes its directory, at the latest when this process ends, even by kill -9: a shell
 * waits for the end of its input, which only this process holds open.
 *
 * @returns does it now
 */
export function stopWithThisProcess(cluster: Cluster, dataDir: string): () => Promise<void> {
  const script = `
    read -r _
    pid=$(head -n 1 "$0/postmaster.pid") && kill -QUIT "$pid"
    while [ -e "$0/postmaster.pid" ] && kill -0 "$pid"; do sleep 0.1; done
    rm -rf -- "$@"`;
  const shell = spawn("/bin/sh", ["-c", script, cluster.data, cluster.directory, dataDir], {
    cwd: "/",
    env: environment,
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = once(shell, "close");
  return async () => {
    shell.stdin.end();
    await ended;
  };
}

const pidFileOf = ({ data }: Cluster) => join(data, "postmaster.pid");
const portFileOf = ({ directory }: Cluster) => join(directory, "port");
const logOf = ({ directory }: Cluster) => join(directory, "postgres.log");
const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

function commandLine(pid: string): string {
  const script = 'cat "/proc/$0/cmdline" || ps -ww -o args= -p "$0"';
  const { stdout, signal } = spawnSync("/bin/sh", ["-c", script, pid], { encoding: "utf8" });
  // Ctrl-C ends the shell too, which says nothing about the process.
  return signal ? commandLine(pid) : stdout;
}

/** The port wished for if it is free, so that connection strings stay valid. 0 asks for any port. */
async function freePort(wish: number): Promise<number> {
  const probe = createServer().listen(wish, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
