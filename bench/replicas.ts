import pg from "pg";
import { ensureRoles } from "../src/database/ensureRoles.ts";
import { migrate, migrateCurrent } from "../src/database/migrations.ts";
import { type ReplicatedServer, ReplicatedServers } from "../tools/support/ReplicatedServers.ts";
import { type Case, cases } from "./cases.ts";
import { cpuOfFamily } from "./cpu.ts";
import { fill } from "./data.ts";
import { load, warmUpSeconds } from "./load.ts";
import { columns, inRounds } from "./rounds.ts";
import type { Server } from "./Server.ts";
import { service } from "./servers.ts";
import { table } from "./table.ts";

const standbys = 2;
const connections = 16;

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
  const services: Server[] = [];
  for (let replicas = 0; replicas <= standbys; replicas++) {
    const server = makeService(primary, others.slice(0, replicas));
    stack.defer(() => server.stop());
    services.push(await server.start());
  }
  const databases = [[primary], others].map(
    (group) => () => group.reduce((sum, { pid }) => sum + cpuOfFamily(pid ?? 0), 0),
  );
  const rows: string[][] = [];
  for (const name of ["feed", "post"]) {
    const one = cases[name] as Case;
    for (const server of services) await load(server, one, connections, warmUpSeconds);
    const measured = await inRounds(services, { rounds, seconds, databases }, (server, forSeconds) =>
      load(server, one, connections, forSeconds),
    );
    rows.push(...measured.map((row) => [name, ...row]));
  }
  return table(["case", ...columns.slice(0, -1), "CPU ms: service + primary + replicas"], rows);
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
