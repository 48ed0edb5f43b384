import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { type Cluster, read, run } from "./cluster.ts";
import { give } from "./dataDirectory.ts";

/** A running PostgreSQL server. It may still be starting, or already be stopping. */
export interface EmbeddedServer {
  pid: number;
  port: number;
  /** Connection string of the superuser, to the database `postgres`. */
  url: string;
}

const pollMs = 50;
const timeoutMs = 60_000;
const maxLogBytes = 10_000_000;

/** Reasons that pass: another server starts or has not quite ended, the port was taken, the pid file was stale. */
const passing = /lock file|PID file|shared memory|could not bind|could not create any TCP\/IP sockets/;

const pidFileOf = ({ data }: Cluster) => join(data, "postmaster.pid");
const portFileOf = ({ directory }: Cluster) => join(directory, "port");
const logOf = ({ directory }: Cluster) => join(directory, "postgres.log");

/** The server of this cluster, if one runs. */
export function runningServer(cluster: Cluster): EmbeddedServer | undefined {
  const [pid = "", data, , port] = read(pidFileOf(cluster)).split("\n");
  // After a crash, another program may have that pid. In a copied directory, the file names the original's server.
  if (data !== cluster.data || !new RegExp(`postgres.*\\bport=${port}\\b`).test(commandLine(pid))) return undefined;
  const url = `postgres://postgres:${encodeURIComponent(cluster.password)}@127.0.0.1:${port}/postgres`;
  return { pid: Number(pid), port: Number(port), url };
}

/** Empty when no process has this pid. */
function commandLine(pid: string): string {
  if (existsSync("/proc/self")) return read(`/proc/${pid}/cmdline`);
  const { stdout, signal } = spawnSync("ps", ["-ww", "-o", "args=", "-p", pid], { encoding: "utf8" });
  // Ctrl-C ends the program too, which says nothing about the process.
  return signal ? commandLine(pid) : stdout;
}

/**
 * Starts a server unless one runs, and waits until `use` succeeds. Meanwhile the server may start, recover or stop, and
 * other processes may start one.
 *
 * @throws OperatorError as `use` does; or with the end of the server's log, when it does not start
 */
export async function untilServed(
  cluster: Cluster,
  settings: object,
  use: (server: EmbeddedServer) => Promise<void>,
): Promise<EmbeddedServer> {
  let reason = "";
  let isStarter = false;
  for (const startedAt = Date.now(); Date.now() - startedAt < timeoutMs; await delay(pollMs)) {
    try {
      if (!runningServer(cluster)) {
        await launch(cluster, settings);
        isStarter = true;
      }
      const server = runningServer(cluster);
      if (!server) continue;
      await use(server);
      return server;
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      reason = (error as Error).message;
      if ((error as { code?: string }).code !== "28P01") continue;
      // The password is wrong, and stays so.
      if (isStarter) await stopServer(cluster);
      break;
    }
  }
  throw new OperatorError(
    `The database in ${cluster.directory} cannot be used: ${reason}. ` +
      "Its password is in cluster/password there, its log in postgres.log. Mend that, then start again.",
  );
}

/** @throws Error when the server does not start: OperatorError unless the reason passes */
async function launch(cluster: Cluster, more: object): Promise<void> {
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
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) rmSync(log, { force: true });
  const logged = read(log).length;
  try {
    // The log's path is relative: pg_ctl gives it to a shell, which would interpret the directory's name.
    await run(cluster, "pg_ctl", ["start", "--log=postgres.log", `--options=${options.join(" ")}`], cluster.data);
  } catch (error) {
    const words = read(log).slice(logged).trim() || (error as Error).message;
    const isRunning = runningServer(cluster) !== undefined;
    // After a crash, the file may be empty, or have a pid that another program has by now.
    if (!isRunning && /lock file|PID file/.test(words)) rmSync(pidFileOf(cluster), { force: true });
    if (isRunning || passing.test(words)) throw new Error(words);
    const end = words.split("\n").slice(-8).join("\n");
    throw new OperatorError(`The database in ${cluster.directory} does not start:\n${end}`);
  }
  writeFileSync(portFileOf(cluster), `${port}\n`);
  give(portFileOf(cluster), cluster.user);
}

/** The wished port if it is free, so that connection strings stay valid. 0 asks for any port. */
async function freePort(wish: number): Promise<number> {
  const probe = createServer().listen(wish, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

/** Stops the server: open transactions are rolled back, committed data stays. */
export async function stopServer(cluster: Cluster): Promise<void> {
  const pid = runningServer(cluster)?.pid;
  await run(cluster, "pg_ctl", ["stop", "--mode=fast", "--no-wait"], cluster.data).catch(() => {});
  // pg_ctl would go on waiting if another process starts a server as soon as this one has ended.
  for (const startedAt = Date.now(); Date.now() - startedAt < timeoutMs; await delay(pollMs)) {
    if (pid === undefined || runningServer(cluster)?.pid !== pid) return;
  }
}
