import { cpuOf } from "./cpu.ts";
import type { Load } from "./load.ts";
import type { Server } from "./Server.ts";
import { median } from "./table.ts";

export interface Plan {
  rounds: number;
  seconds: number;
  /** Each returns the processor time of a database server, or of several, so far. In milliseconds. */
  databases: readonly (() => number)[];
}

/** The columns of inRounds(). */
export const columns = [
  "server",
  "requests/s",
  "spread",
  "share of the first",
  "p50 ms",
  "p99 ms",
  "CPU ms, server + database",
];

interface Sample extends Load {
  /** Milliseconds of processor time for each request: of the server, and of each database. */
  cpu: number[];
}

/**
 * Measures each server in turn, for some rounds.
 *
 * @returns a row of medians for each server
 */
export async function inRounds(
  servers: readonly Server[],
  { rounds, seconds, databases }: Plan,
  load: (server: Server, seconds: number) => Promise<Load>,
): Promise<string[][]> {
  const samples = new Map<Server, Sample[]>(servers.map((server) => [server, []]));
  for (let round = 0; round < rounds; round++) {
    // Another server begins each round, so that none always runs behind the same one.
    for (let index = 0; index < servers.length; index++) {
      const server = servers[(index + round) % servers.length] as Server;
      const spent = () => [cpuOf(server.pid), ...databases.map((ofDatabase) => ofDatabase())];
      const before = spent();
      const loaded = await load(server, seconds);
      const cpu = spent().map((after, place) => (after - (before[place] as number)) / loaded.requests);
      samples.get(server)?.push({ ...loaded, cpu });
    }
  }
  const rateOf = (list: readonly Sample[]) => median(list.map(({ rate }) => rate));
  const first = rateOf([...samples.values()][0] ?? []);
  return [...samples].map(([{ name }, list]) => {
    const rates = list.map(({ rate }) => rate);
    const cpu = (list[0]?.cpu ?? []).map((_, place) => median(list.map((one) => one.cpu[place] ?? 0)));
    return [
      name,
      rateOf(list).toFixed(0),
      `${Math.min(...rates).toFixed(0)}–${Math.max(...rates).toFixed(0)}`,
      (rateOf(list) / first).toFixed(2),
      median(list.map(({ p50 }) => p50)).toFixed(0),
      median(list.map(({ p99 }) => p99)).toFixed(0),
      cpu.map((ms) => ms.toFixed(2)).join(" + "),
    ];
  });
}
