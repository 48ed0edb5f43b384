import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { checkConnectionString } from "@content-service/support/connectionString.ts";
import { findDataDirectory, give, type SystemUser } from "../../../src/embedded/dataDirectory.ts";
import { serverPrograms } from "../../../test/support/machine.ts";
import { temporaryDirectory } from "../../support/dataDirectory.ts";
import { Network } from "./Network.ts";
import { settings } from "./settings.ts";

const machines = [1, 2, 3];
const scope = "torture";
const pollMs = 200;
/** The cluster has to do what is waited for within this time. */
const patienceMs = 120_000;

/** A member, as Patroni's REST API tells of it. */
interface Member {
  name: string;
  role: string;
  state: string;
  timeline?: number;
  lag?: number | string;
}

/** Three machines, each with PostgreSQL, Patroni and etcd. A machine is named by its number, from 1 on. */
export class PatroniCluster implements AsyncDisposable {
  readonly network: Network;
  readonly #directory: string;
  readonly #user: SystemUser;
  readonly #password = randomBytes(24).toString("base64url");

  readonly #etcd = new Map<number, number>();

  private constructor() {
    const { directory, user } = findDataDirectory(temporaryDirectory("patroni"));
    this.#directory = directory;
    this.#user = user;
    this.network = new Network(machines.length, user, directory);
  }

  static async start(): Promise<PatroniCluster> {
    const cluster = new PatroniCluster();
    try {
      for (const number of machines) cluster.#prepare(number);
      for (const number of machines) cluster.boot(number);
      await cluster.untilWhole();
      return cluster;
    } catch (error) {
      const logs = cluster.logs();
      await cluster[Symbol.asyncDispose]();
      throw new Error(`${(error as Error).message}\n${logs}`, { cause: error });
    }
  }

  /** The connection string of the superuser, with all machines. */
  get ownerUrl(): string {
    return checkConnectionString(`postgres://postgres:${this.#password}@${this.hosts}/postgres`);
  }

  /** The machines as clients reach them, each as host and port. */
  get hosts(): string[] {
    return machines.map((number) => `${this.network.address("clients", number)}:5432`);
  }

  /** Starts etcd and Patroni, which starts PostgreSQL. */
  boot(number: number): void {
    const own = this.network.address("cluster", number);
    const peers = machines.map((each) => `etcd${each}=http://${this.network.address("cluster", each)}:2380`);
    const etcd = this.network.start(number, this.#file(number, "etcd.log"), [
      "etcd",
      `--name=etcd${number}`,
      `--data-dir=${this.#file(number, "etcd")}`,
      `--listen-peer-urls=http://${own}:2380`,
      `--initial-advertise-peer-urls=http://${own}:2380`,
      `--listen-client-urls=http://${own}:2379`,
      `--advertise-client-urls=http://${own}:2379`,
      `--initial-cluster=${peers}`,
      "--log-level=warn",
    ]);
    this.#etcd.set(number, etcd.pid as number);
    this.network.start(number, this.#file(number, "patroni.log"), ["patroni", this.#file(number, "patroni.yml")]);
  }

  /** Stops PostgreSQL and Patroni where they are. Not etcd: when its leader wakes, it may revoke the locks of others (etcd's issue 15247). */
  freeze(number: number): void {
    this.network.signal(number, "SIGSTOP", this.#etcd.get(number));
  }

  /** Waits until the three machines replicate, one of them confirming each commit. @returns the leader */
  async untilWhole(): Promise<number> {
    return this.#until("had three members that replicate", machines, (members) => {
      const leader = members.find(({ role }) => role === "leader");
      const isWell = ({ state, timeline, lag, role }: Member) =>
        /^(running|streaming)$/.test(state) && timeline === leader?.timeline && (role === "leader" || lag === 0);
      const isWhole = members.length === machines.length && members.every(isWell);
      return isWhole && members.some(({ role }) => role === "sync_standby") ? leader : undefined;
    });
  }

  /** Waits until another machine than `former` leads, as the others see it. @returns its number */
  async untilLedByAnother(former: number): Promise<number> {
    const others = machines.filter((number) => number !== former);
    return this.#until("elected another leader", others, (members) =>
      members.find(({ role, name, state }) => role === "leader" && name !== nameOf(former) && state === "running"),
    );
  }

  /** Hands the leadership over to the standby that confirms commits. */
  async switchOver(leader: number): Promise<void> {
    const { status, output } = await this.network.run(leader, [
      "patronictl",
      `--config-file=${this.#file(leader, "patroni.yml")}`,
      "switchover",
      "--force",
      `--leader=${nameOf(leader)}`,
      `--candidate=${(await this.#members(leader)).find(({ role }) => role === "sync_standby")?.name}`,
      scope,
    ]);
    if (status !== 0) throw new Error(`patronictl switchover failed: ${output}`);
  }

  /** Writes a post on this machine, whatever others think of it. @returns whether PostgreSQL has acknowledged it */
  async write(number: number, title: string): Promise<boolean> {
    const sql = `insert into app_public.posts (author_id, title, content) values (1, '${title}', '')`;
    const { status, output } = await this.network.run(
      number,
      ["timeout", "3", join(serverPrograms as string, "psql"), "--no-psqlrc", "--command", sql],
      { PGHOST: "127.0.0.1", PGUSER: "postgres", PGPASSWORD: this.#password, PGCONNECT_TIMEOUT: "2" },
    );
    return status === 0 && !output.includes("WARNING");
  }

  /** The ends of the logs of Patroni. */
  logs(): string {
    const lines = (number: number) => readFileSync(this.#file(number, "patroni.log"), "utf8").split("\n");
    const end = (number: number) =>
      lines(number)
        .filter((line) => !line.includes("INFO: no action"))
        .slice(-15);
    return machines.map((number) => `--- ${nameOf(number)}\n${end(number).join("\n")}`).join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.network[Symbol.asyncDispose]();
  }

  #file(number: number, name: string): string {
    return join(this.#directory, String(number), name);
  }

  #prepare(number: number): void {
    mkdirSync(this.#file(number, ""), { mode: 0o700 });
    const file = this.#file(number, "patroni.yml");
    const { network } = this;
    const text = settings({
      scope,
      name: nameOf(number),
      address: network.address("cluster", number),
      etcd: machines.map((each) => `${network.address("cluster", each)}:2379`),
      networks: network.networks,
      directory: this.#file(number, ""),
      bin: serverPrograms as string,
      password: this.#password,
    });
    writeFileSync(file, text);
    for (const path of [this.#file(number, ""), file]) give(path, this.#user);
  }

  /** @throws when the machine does not respond */
  async #members(number: number): Promise<Member[]> {
    const url = `http://${this.network.address("clients", number)}:8008/cluster`;
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    return ((await response.json()) as { members: Member[] }).members;
  }

  async #until(
    what: string,
    asked: readonly number[],
    find: (members: Member[]) => Member | undefined,
  ): Promise<number> {
    const until = performance.now() + patienceMs;
    let seen: unknown;
    while (performance.now() < until) {
      const views = await Promise.all(asked.map((number) => this.#members(number).catch(() => [])));
      const names = new Set(views.map((members) => find(members)?.name));
      const [name] = names;
      // One that was cut off still shows for a while who led before.
      if (names.size === 1 && name) return machines.find((each) => nameOf(each) === name) as number;
      seen = views;
      await delay(pollMs);
    }
    throw new Error(`The cluster has not ${what} within ${patienceMs / 1_000} s: ${JSON.stringify(seen)}`);
  }
}

function nameOf(number: number): string {
  return `node${number}`;
}
