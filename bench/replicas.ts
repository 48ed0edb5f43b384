import { migrate, migrateCurrent } from "@content-service/migration-review/migrations/migrate.ts";
import { ensureRoles } from "@content-service/migration-review/migrations/roles.ts";
import pg from "pg";
import { type ReplicatedServer, ReplicatedServers } from "../tools/support/ReplicatedServers.ts";
import { type Case, cases } from "./cases.ts";
import { cpuOfFamily } from "./cpu.ts";
import { fill } from "./data.ts";
import { load, warmUpSeconds } from "./load.ts";
import type { Server } from "./Server.ts";
import { service } from "./servers.ts";
import { median, table } from "./table.ts";

const standbys = 2;
const connections = 16;

/** A service that reads from some standbys. */
interface Setup {
  replicas: number;
  server: Server;
}

interface Sample {
  rate: number;
  /** Milliseconds of processor time for each request: the service, the primary, and all standbys together. */
  cpu: readonly [service: number, primary: number, standbys: number];
}

/**
 * Compares the throughput of reads with 0, 1 and 2 standbys.
 *
 * @returns a Markdown table of medians
 */
export async function measureReplicas({
  rounds,
  seconds,
  posts,
}: {
  rounds: number;
  seconds: number;
  posts: number;
}): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const { servers } = stack.use(await ReplicatedServers.start({ standbys }));
  const [primary, ...others] = servers as [ReplicatedServer, ...ReplicatedServer[]];
  await ensureRoles(primary.url);
  await migrate(primary.url);
  await migrateCurrent(primary.url);
  await fill(primary.url, { users: 1_000, posts });
  await Promise.all(others.map((standby) => caughtUp(primary, standby)));
  const setups: Setup[] = [];
  for (let replicas = 0; replicas <= standbys; replicas++) {
    const server = makeService(primary, others.slice(0, replicas));
    stack.defer(() => server.stop());
    setups.push({ replicas, server: await server.start() });
  }
  const rows: (string | number)[][] = [];
  for (const name of ["feed", "post"]) {
    const one = cases[name] as Case;
    const samples = new Map<Setup, Sample[]>(setups.map((setup) => [setup, []]));
    for (const { server } of setups) await load(server, one, connections, warmUpSeconds);
    for (let round = 0; round < rounds; round++) {
      for (let index = 0; index < setups.length; index++) {
        const setup = setups[(index + round) % setups.length] as Setup;
        samples.get(setup)?.push(await measure(setup, one, seconds, primary, others));
      }
    }
    rows.push(...rowsOf(name, samples));
  }
  return table(["case", "replicas", "requests/s", "ratio", "CPU ms: service + primary + replicas"], rows);
}

function makeService(primary: ReplicatedServer, replicas: readonly ReplicatedServer[]): Server {
  const environment = {
    DATABASE_REPLICA_URLS: replicas.map(({ port }) => `postgres://127.0.0.1:${port}`).join(),
  };
  return service(`${replicas.length} replicas`, primary.url, { environment });
}

/** Waits until a standby has replayed what the primary has written so far. */
async function caughtUp(primary: ReplicatedServer, standby: ReplicatedServer): Promise<void> {
  const [written] = await primary.query("select pg_current_wal_lsn()::text as position");
  const client = new pg.Client({ connectionString: standby.url });
  await client.connect();
  const isBehind = async () =>
    (await client.query("select pg_last_wal_replay_lsn() < $1::pg_lsn as yes", [written?.position])).rows[0].yes;
  while (await isBehind());
  await client.end();
}

async function measure(
  { server }: Setup,
  one: Case,
  seconds: number,
  primary: ReplicatedServer,
  others: readonly ReplicatedServer[],
): Promise<Sample> {
  const spent = () => [
    cpuOfFamily(server.pid),
    cpuOfFamily(primary.pid ?? 0),
    others.reduce((sum, { pid }) => sum + cpuOfFamily(pid ?? 0), 0),
  ];
  const before = spent();
  const { rate } = await load(server, one, connections, seconds);
  const [ofService = 0, ofPrimary = 0, ofStandbys = 0] = spent().map(
    (after, index) => (after - (before[index] ?? 0)) / (rate * seconds),
  );
  return { rate, cpu: [ofService, ofPrimary, ofStandbys] };
}

function rowsOf(name: string, samples: Map<Setup, Sample[]>): (string | number)[][] {
  const rateOf = (list: readonly Sample[]) => median(list.map(({ rate }) => rate));
  const base = rateOf([...samples.values()][0] ?? []);
  return [...samples].map(([{ replicas }, list]) => {
    const cpu = [0, 1, 2].map((index) => median(list.map(({ cpu }) => cpu[index] ?? 0)).toFixed(2));
    const rate = rateOf(list);
    return [name, replicas, rate.toFixed(0), (rate / base).toFixed(2), cpu.join(" + ")];
  });
}
