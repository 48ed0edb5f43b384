import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import pg from "pg";
import { type Cluster, openCluster, run } from "../../src/embedded/cluster.ts";
import { give } from "../../src/embedded/dataDirectory.ts";
import { runningServer, untilServed } from "../../src/embedded/server.ts";
import { copyMadeDatabase, temporaryDirectory } from "./dataDirectory.ts";
import { stopWithThisProcess } from "./throwAwayPostgres.ts";

export interface ReplicatedServersOptions {
  standbys: number;
  /** Whether a commit waits until a standby has it on disk. */
  synchronous?: boolean;
}

/** A PostgreSQL server and its streaming standbys, all of them embedded and throw-away. */
export class ReplicatedServers implements AsyncDisposable {
  /** The first one began as the primary. */
  readonly servers: readonly ReplicatedServer[];

  private constructor(servers: readonly ReplicatedServer[]) {
    this.servers = servers;
  }

  /** The connection string of the superuser, with all servers as hosts. */
  get url(): string {
    const { username, password } = new URL(this.servers[0]?.url ?? "");
    const hosts = this.servers.map(({ port }) => `127.0.0.1:${port}`).join();
    return `postgres://${username}:${password}@${hosts}/postgres`;
  }

  static async start({ standbys, synchronous = false }: ReplicatedServersOptions): Promise<ReplicatedServers> {
    const settings = {
      max_connections: 100,
      fsync: "off",
      autovacuum: "off",
      wal_keep_size: "1GB",
      wal_receiver_status_interval: "100ms",
      wal_retrieve_retry_interval: "100ms",
      ...(synchronous && { synchronous_standby_names: "'ANY 1 (*)'" }),
    };
    const directory = temporaryDirectory("replicated");
    copyMadeDatabase(directory);
    const cluster = await openCluster(directory);
    const primary = new ReplicatedServer("server_0", cluster, settings);
    const servers = [primary];
    const started = new ReplicatedServers(servers);
    try {
      await primary.start();
      for (let number = 1; number <= standbys; number++) {
        const standby = new ReplicatedServer(`server_${number}`, placeBeside(cluster), settings);
        servers.push(standby);
        await standby.follow(primary);
      }
      return started;
    } catch (error) {
      await started[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.servers.map((server) => server.destroy()));
  }
}

/** One of the servers. Its port and password stay the same while it is stopped, promoted or made anew. */
export class ReplicatedServer {
  /** Its name in `pg_stat_replication` while it is a standby. */
  readonly name: string;
  readonly #cluster: Cluster;
  readonly #settings: object;
  readonly #destroy: () => Promise<void>;
  #port = 0;
  #frozen: number[] = [];

  constructor(name: string, cluster: Cluster, settings: object) {
    this.name = name;
    this.#cluster = cluster;
    this.#settings = settings;
    this.#destroy = stopWithThisProcess(cluster);
  }

  get port(): number {
    return this.#port;
  }

  /** Connection string of the superuser, to the database `postgres`. */
  get url(): string {
    return `postgres://postgres:${encodeURIComponent(this.#cluster.password)}@127.0.0.1:${this.#port}/postgres`;
  }

  /** The id of the server's first process. */
  get pid(): number | undefined {
    return runningServer(this.#cluster)?.pid;
  }

  /** Starts the server as what it was: a primary, or a standby of the same primary. */
  async start(): Promise<void> {
    this.#port = (await untilServed(this.#cluster, this.#settings, async () => {})).port;
  }

  /** @param mode `fast` writes all that was committed to the standbys first; `immediate` is a crash */
  async stop(mode: "fast" | "immediate"): Promise<void> {
    await run(this.#cluster, "pg_ctl", ["stop", `--mode=${mode}`], this.#cluster.data);
  }

  /** Makes this standby a primary, and waits until it accepts writes. */
  async promote(): Promise<void> {
    await run(this.#cluster, "pg_ctl", ["promote"], this.#cluster.data);
  }

  /** Makes this server a standby of another one: at once if it is a standby already, else from a copy of the other's data. */
  async follow(primary: ReplicatedServer): Promise<void> {
    const isStandby =
      this.pid !== undefined && (await this.query("select pg_is_in_recovery() as is_standby"))[0]?.is_standby;
    if (isStandby) {
      await this.query(`alter system set primary_conninfo = '${this.#conninfo(primary)}'`);
      await this.query("select pg_reload_conf()");
      return;
    }
    if (this.pid !== undefined) await this.stop("immediate");
    await primary.#copyTo(this.#cluster);
    const { data, user } = this.#cluster;
    writeFileSync(join(data, "standby.signal"), "");
    // The last line holds: the copy has that of the other server.
    const settings = join(data, "postgresql.auto.conf");
    writeFileSync(settings, `\nprimary_conninfo = '${this.#conninfo(primary)}'\n`, { flag: "a" });
    for (const path of [settings, join(data, "standby.signal")]) give(path, user);
    await this.start();
  }

  /**
   * Copies the data: while the server is stopped, or as a base backup, which it recovers from on a timeline of its own.
   *
   * @returns puts the copy in the place of the data, and starts the server
   */
  async backUp(kind: "cold" | "base"): Promise<() => Promise<void>> {
    const copy = placeBeside(this.#cluster);
    const { data, user } = this.#cluster;
    if (kind === "cold") {
      await this.stop("fast");
      mkdirSync(copy.data, { mode: 0o700 });
      cpSync(data, copy.data, { recursive: true });
      await this.start();
    } else {
      await this.#copyTo(copy);
      cpSync(join(data, "pg_wal"), join(copy.data, "pg_wal"), { recursive: true });
      writeFileSync(join(copy.data, "recovery.signal"), "");
      writeFileSync(join(copy.data, "postgresql.auto.conf"), "\nrestore_command = 'false'\n", { flag: "a" });
    }
    return async () => {
      await this.stop("fast");
      rmSync(data, { recursive: true, force: true });
      renameSync(copy.data, data);
      if (user) execFileSync("chown", ["-R", `${user.uid}:${user.gid}`, data]);
      await this.start();
      while ((await this.query("select pg_is_in_recovery() as is_recovering"))[0]?.is_recovering);
    };
  }

  /** Stops applying what the standby receives. */
  async pauseReplay(): Promise<void> {
    await this.query("select pg_wal_replay_pause()");
    while ((await this.query("select pg_get_wal_replay_pause_state() as state"))[0]?.state !== "paused");
  }

  async resumeReplay(): Promise<void> {
    await this.query("select pg_wal_replay_resume()");
  }

  /** Stops all processes of the server where they are. Its connections stay open, and nothing answers on them. */
  freeze(): void {
    const children = execFileSync("ps", ["-o", "pid=", "--ppid", String(this.pid)], { encoding: "utf8" });
    // The first process first, so that it starts no others meanwhile.
    this.#frozen = [this.pid as number, ...children.trim().split(/\s+/).map(Number)];
    this.#signal("SIGSTOP");
  }

  thaw(): void {
    this.#signal("SIGCONT");
    this.#frozen = [];
  }

  #signal(signal: NodeJS.Signals): void {
    for (const pid of this.#frozen) {
      try {
        process.kill(pid, signal);
      } catch {
        // The process has ended.
      }
    }
  }

  /** Runs SQL as the superuser, on a connection of its own. */
  async query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    try {
      return (await client.query<Row>(sql, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** Stops the server for good and deletes its data. */
  destroy(): Promise<void> {
    this.thaw();
    return this.#destroy();
  }

  #conninfo({ port }: ReplicatedServer): string {
    const { password } = this.#cluster;
    return `host=127.0.0.1 port=${port} user=postgres password=${password} application_name=${this.name}`;
  }

  /** Copies the data while the server runs, as a base backup does. */
  async #copyTo({ directory, data, user }: Cluster): Promise<void> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    try {
      await client.query("select pg_backup_start('copy', fast => true)");
      rmSync(data, { recursive: true, force: true });
      mkdirSync(data, { mode: 0o700 });
      copyData(this.#cluster.data, data);
      for (const name of ["pg_wal", "pg_wal/archive_status", "pg_wal/summaries"]) mkdirSync(join(data, name));
      const { rows } = await client.query<{ labelfile: string }>("select labelfile from pg_backup_stop(false)");
      writeFileSync(join(data, "backup_label"), rows[0]?.labelfile ?? "");
    } finally {
      await client.end();
    }
    if (user) execFileSync("chown", ["-R", `${user.uid}:${user.gid}`, join(directory, "cluster")]);
  }
}

/**
 * Copies a data directory without its WAL, which the standby receives from the primary. A file that PostgreSQL deletes meanwhile is not
 * needed: the WAL says so too.
 */
function copyData(from: string, to: string): void {
  const isCopied = (path: string) => !/^(postmaster\.|pg_wal$|standby\.signal$)/.test(relative(from, path));
  try {
    cpSync(from, to, { recursive: true, filter: isCopied });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    copyData(from, to);
  }
}

/** The place of another server with the same programs, user and password. */
function placeBeside({ bin, user, password }: Cluster): Cluster {
  const directory = temporaryDirectory("replicated");
  mkdirSync(join(directory, "cluster"), { mode: 0o700 });
  for (const path of [directory, join(directory, "cluster")]) give(path, user);
  const data = join(directory, "cluster", "data");
  return { dataDir: directory, directory, user, bin, data, password, isNew: true };
}
