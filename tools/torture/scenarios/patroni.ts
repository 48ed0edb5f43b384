import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { checkConnectionString } from "@content-service/support/connectionString.ts";
import { ofOneServer } from "@content-service/support/MultiHostClient.ts";
import { placeFor } from "../../../src/embedded/place.ts";
import type { Check } from "./Check.ts";
import { type Cluster, underFailovers } from "./failover.ts";

const bin = [18, 17, 16, 15, 14].map((major) => `/usr/lib/postgresql/${major}/bin`).find((path) => existsSync(path));
const programs = ["/usr/bin/patroni", "/usr/bin/etcd", "/usr/sbin/haproxy"];

/** Why the scenario cannot run here; undefined if it can. */
export const patroniIsMissing =
  bin && programs.every((path) => existsSync(path))
    ? undefined
    : "needs Debian's or Ubuntu's packages postgresql, patroni, python3-etcd, etcd-server and haproxy";

/**
 * Three servers under Patroni, with `synchronous_mode`: the machine of the primary dies, which Patroni notices after 20 s, and
 * comes back.
 *
 * @param way how the service finds the primary: by the names of all servers, or through HAProxy, which asks Patroni
 */
export async function patroni(times: number, way: "servers" | "haproxy"): Promise<Check> {
  await using cluster = await PatroniCluster.start(way);
  return await underFailovers(
    cluster,
    times,
    `Patroni, the service knows ${way === "servers" ? "all servers" : "HAProxy"}`,
  );
}

interface Node {
  name: string;
  port: number;
  restPort: number;
  directory: string;
  process: ChildProcess | undefined;
}

class PatroniCluster implements Cluster, AsyncDisposable {
  ownerUrl = "";
  readonly #place = placeFor(join(mkdtempSync(join(tmpdir(), "content-service-patroni-")), "patroni"));
  readonly #nodes: Node[] = [];
  readonly #others: ChildProcess[] = [];
  #dead: Node | undefined;

  static async start(way: "servers" | "haproxy"): Promise<PatroniCluster> {
    const cluster = new PatroniCluster();
    try {
      await cluster.#start(way);
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #start(way: "servers" | "haproxy"): Promise<void> {
    const [etcdPort, peerPort, proxyPort] = [await freePort(), await freePort(), await freePort()];
    const etcdUrl = `http://127.0.0.1:${etcdPort}`;
    const peerUrl = `http://127.0.0.1:${peerPort}`;
    const etcd = ["--data-dir", this.#makeDirectory("etcd"), "--initial-cluster", `default=${peerUrl}`];
    for (const name of ["listen-client-urls", "advertise-client-urls"]) etcd.push(`--${name}`, etcdUrl);
    for (const name of ["listen-peer-urls", "initial-advertise-peer-urls"]) etcd.push(`--${name}`, peerUrl);
    this.#others.push(this.#spawn("/usr/bin/etcd", etcd));
    for (let number = 1; number <= 3; number++) {
      const node = { name: `n${number}`, port: await freePort(), restPort: await freePort(), process: undefined };
      const directory = this.#makeDirectory(node.name);
      this.#nodes.push({ ...node, directory });
      // YAML includes JSON.
      writeFileSync(join(directory, "patroni.yml"), JSON.stringify(configuration({ ...node, directory }, etcdPort)));
    }
    // Before the servers: HAProxy takes a server for the primary until it has asked.
    const proxy = join(this.#makeDirectory("haproxy"), "haproxy.cfg");
    writeFileSync(proxy, proxyConfiguration(proxyPort, this.#nodes));
    this.#others.push(this.#spawn("/usr/sbin/haproxy", ["-db", "-f", proxy]));
    for (const node of this.#nodes) {
      this.#run(node);
      // The first one makes the cluster.
      await this.#primary();
    }
    await this.#untilWhole();
    const hosts = this.#nodes.map(({ port }) => `127.0.0.1:${port}`).join();
    this.ownerUrl =
      way === "servers"
        ? checkConnectionString(urlOf(hosts))
        : `${urlOf(`127.0.0.1:${proxyPort}`)}?target_session_attrs=read-write`;
    // HAProxy asks every half a second.
    while (!(await ofOneServer(this.ownerUrl).catch(() => undefined))) await delay(50);
  }

  async failOver(): Promise<string> {
    const primary = await this.#primary();
    this.#dead = primary;
    const postmaster = Number(readFileSync(join(primary.directory, "data", "postmaster.pid"), "utf8").split("\n")[0]);
    await end(primary.process, "SIGKILL");
    process.kill(postmaster, "SIGKILL");
    return urlOf(`127.0.0.1:${(await this.#primary()).port}`);
  }

  async rejoin(): Promise<void> {
    if (this.#dead) this.#run(this.#dead);
    this.#dead = undefined;
    await this.#untilWhole();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Patroni stops its server.
    await Promise.all(this.#nodes.map(({ process: patroni }) => end(patroni, "SIGTERM")));
    await Promise.all(this.#others.map((other) => end(other, "SIGKILL")));
    rmSync(this.#place.directory, { recursive: true, force: true });
  }

  #makeDirectory(name: string): string {
    const directory = join(this.#place.directory, name);
    mkdirSync(directory, { mode: 0o700 });
    if (this.#place.user) chownSync(directory, this.#place.user.uid, this.#place.user.gid);
    return directory;
  }

  #run(node: Node): void {
    node.process = this.#spawn("/usr/bin/patroni", [join(node.directory, "patroni.yml")]);
  }

  #spawn(program: string, args: string[]): ChildProcess {
    const stdio = process.env.LOG_LEVEL ? "inherit" : "ignore";
    const env = { PATH: `${bin}:/usr/bin:/bin`, LC_ALL: "C.UTF-8", HOME: this.#place.directory };
    const child = spawn(program, args, { ...this.#place.user, cwd: this.#place.directory, env, stdio });
    process.once("exit", () => child.kill("SIGTERM"));
    return child;
  }

  /** Waits until Patroni says of one of the servers that runs that it is the primary. */
  async #primary(): Promise<Node> {
    for (;;) {
      for (const node of this.#nodes) {
        const status =
          node === this.#dead
            ? 0
            : await fetch(`http://127.0.0.1:${node.restPort}/primary`).then(
                (r) => r.status,
                () => 0,
              );
        if (status === 200) return node;
      }
      await delay(50);
    }
  }

  /** Waits until a standby confirms commits, and the other one streams as well. */
  async #untilWhole(): Promise<void> {
    for (;;) {
      const { restPort } = await this.#primary();
      const answer = await fetch(`http://127.0.0.1:${restPort}/cluster`).then(
        (r) => r.json(),
        () => ({}),
      );
      const { members = [] } = answer as { members?: { role: string; state: string }[] };
      const roles = members.filter(({ state }) => /^(running|streaming)$/.test(state)).map(({ role }) => role);
      if (roles.length === 3 && roles.includes("sync_standby")) return;
      await delay(100);
    }
  }
}

async function end(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}

const password = "patroni";

function urlOf(hosts: string): string {
  return `postgres://postgres:${password}@${hosts}/postgres`;
}

function configuration({ name, port, restPort, directory }: Omit<Node, "process">, etcdPort: number): object {
  const rest = `127.0.0.1:${restPort}`;
  return {
    scope: "content",
    name,
    restapi: { listen: rest, connect_address: rest },
    etcd3: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ttl: 20,
        loop_wait: 1,
        retry_timeout: 5,
        synchronous_mode: true,
        postgresql: {
          use_pg_rewind: true,
          parameters: { wal_log_hints: "on", max_connections: 100, wal_keep_size: "1GB", fsync: "off" },
        },
      },
      initdb: [{ encoding: "UTF8" }, { locale: "C.UTF-8" }],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: join(directory, "data"),
      pgpass: join(directory, "pgpass"),
      bin_dir: bin,
      authentication: {
        superuser: { username: "postgres", password },
        replication: { username: "replicator", password },
      },
      parameters: { unix_socket_directories: directory },
      pg_hba: ["host all all 127.0.0.1/32 scram-sha-256", "host replication replicator 127.0.0.1/32 scram-sha-256"],
    },
  };
}

function proxyConfiguration(port: number, nodes: readonly Node[]): string {
  const servers = nodes.map((node) => `  server ${node.name} 127.0.0.1:${node.port} check port ${node.restPort}`);
  return `defaults
  mode tcp
  timeout connect 2s
  timeout check 5s
  timeout client 30m
  timeout server 30m
listen primary
  bind 127.0.0.1:${port}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join("\n")}
`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
