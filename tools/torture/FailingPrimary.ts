import { setTimeout as delay } from "node:timers/promises";
import { checkConnectionString } from "@content-service/support/connectionString.ts";
import pg from "pg";
import { ensureRoles } from "../../src/database/ensureRoles.ts";
import { migrate } from "../../src/database/migrations.ts";
import { type ReplicatedServer, ReplicatedServers } from "../support/ReplicatedServers.ts";
import type { ArenaDatabase } from "./Arena.ts";

/** A migrated database on a primary and two standbys, one of which confirms each commit. */
export class FailingPrimary implements ArenaDatabase, AsyncDisposable {
  readonly ownerUrl: string;
  readonly apiUrl: string;
  /** Host and port of each server. */
  readonly hosts: readonly string[];
  readonly #servers: ReplicatedServers;
  #primary: ReplicatedServer;
  #standbys: ReplicatedServer[];

  private constructor(servers: ReplicatedServers, urls: ArenaDatabase, hosts: readonly string[]) {
    this.#servers = servers;
    this.ownerUrl = urls.ownerUrl;
    this.apiUrl = urls.apiUrl;
    this.hosts = hosts;
    [this.#primary, ...this.#standbys] = servers.servers as [ReplicatedServer, ...ReplicatedServer[]];
  }

  static async start(): Promise<FailingPrimary> {
    const servers = await ReplicatedServers.start({ standbys: 2, synchronous: true });
    const { username, password } = new URL(servers.servers[0]?.url ?? "");
    const hosts = servers.servers.map(({ port }) => `127.0.0.1:${port}`);
    const ownerUrl = checkConnectionString(`postgres://${username}:${password}@${hosts}/postgres`);
    const apiUrl = await ensureRoles(ownerUrl);
    await migrate(ownerUrl);
    return new FailingPrimary(servers, { ownerUrl, apiUrl }, hosts);
  }

  /**
   * The primary crashes or freezes, and the standby that has received the most takes its place.
   *
   * @returns a function that makes the former primary a standby
   */
  async failOver(how: "crash" | "freeze"): Promise<() => Promise<void>> {
    const former = this.#primary;
    if (how === "crash") await former.stop("immediate");
    else former.freeze();
    this.#primary = await promoteNewest(this.#standbys);
    this.#standbys = this.#standbys.filter((standby) => standby !== this.#primary);
    for (const standby of this.#standbys) await standby.follow(this.#primary);
    await untilItCommits(this.#primary.url);
    return async () => {
      former.thaw();
      if (former.pid !== undefined) await former.stop("immediate");
      await former.follow(this.#primary);
      this.#standbys.push(former);
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#servers[Symbol.asyncDispose]();
  }
}

/** Promotes the standby that has received the most: it has each acknowledged commit. */
async function promoteNewest(standbys: readonly ReplicatedServer[]): Promise<ReplicatedServer> {
  const received = await Promise.all(
    standbys.map(async (standby) => {
      const [row] = await standby.query<{ bytes: string }>("select pg_last_wal_receive_lsn() - '0/0' as bytes");
      return BigInt(row?.bytes ?? 0);
    }),
  );
  const most = received.reduce((one, other) => (one > other ? one : other));
  const newest = standbys[received.indexOf(most)] as ReplicatedServer;
  await newest.promote();
  return newest;
}

/** Waits until a server commits what is written, with its standby. */
async function untilItCommits(url: string): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    try {
      await client.connect();
      await client.query("select pg_logical_emit_message(true, 'torture', 'x')");
      return;
    } catch {
      await delay(20);
    } finally {
      await client.end().catch(() => {});
    }
  }
}
