import { isDeepStrictEqual } from "node:util";
import { type Case, cases } from "./cases.ts";
import { cpuOf, cpuOfFamily } from "./cpu.ts";
import { load, warmUpSeconds } from "./load.ts";
import type { Server } from "./Server.ts";
import { median, table } from "./table.ts";

export interface Plan {
  rounds: number;
  seconds: number;
  connections: readonly number[];
  /** The process id of the database server. */
  databasePid: number;
}

/** One measurement of a server. */
export interface Sample {
  rate: number;
  p50: number;
  p99: number;
  /** Milliseconds of processor time for each request. */
  serverCpu: number;
  databaseCpu: number;
}

/** The names that answer as the limit does. The feed of a user who follows people is another one. */
const isComparable = (server: Server, name: string) => name !== "feed" || server.name !== "service, following";

/** @throws when a server answers a case with other data than the limit */
export async function checkAnswers(servers: readonly Server[]): Promise<void> {
  for (const [name, one] of Object.entries(cases)) {
    const [expected, ...others] = await Promise.all(servers.map((server) => answerOf(server, one)));
    for (const [index, answer] of others.entries()) {
      const server = servers[index + 1] as Server;
      if (isComparable(server, name) && !isDeepStrictEqual(answer, expected)) {
        throw new Error(
          `${server.name} answers ${name} with\n${JSON.stringify(answer).slice(0, 2_000)}\nand not\n${JSON.stringify(expected).slice(0, 2_000)}`,
        );
      }
    }
  }
}

async function answerOf(server: Server, one: Case): Promise<unknown> {
  const { query, toOurs } = forServer(server, one);
  const { data, errors } = await server.ask(query, one.variables, one.operationName);
  if (!data) throw new Error(`${server.name} answers ${one.operationName} with ${JSON.stringify(errors)}`);
  return toOurs(data);
}

/** Asks once. @returns the milliseconds until the answer */
export async function timeOf(server: Server, name: string): Promise<number> {
  const begin = performance.now();
  await answerOf(server, cases[name] as Case);
  return Math.round(performance.now() - begin);
}

function forServer(server: Server, one: Case): { query: string; toOurs(data: any): unknown } {
  return server.name === "PostGraphile" ? one.stock : { query: one.query, toOurs: (data) => data };
}

/** Measures the case on each server in turn, for some rounds. @returns a Markdown table of medians */
export async function compare(servers: readonly Server[], name: string, plan: Plan): Promise<string> {
  const one = cases[name] as Case;
  const rows: (string | number)[][] = [];
  for (const server of servers) await load(server, { ...one, ...forServer(server, one) }, 8, warmUpSeconds);
  for (const connections of plan.connections) {
    const samples = new Map<Server, Sample[]>(servers.map((server) => [server, []]));
    for (let round = 0; round < plan.rounds; round++) {
      // Another server begins each round, so that none always runs behind the same one.
      for (let index = 0; index < servers.length; index++) {
        const server = servers[(index + round) % servers.length] as Server;
        samples.get(server)?.push(await measure(server, { ...one, ...forServer(server, one) }, connections, plan));
      }
    }
    rows.push(...rowsOf(samples, connections));
  }
  return table(
    [
      "connections",
      "server",
      "requests/s",
      "spread",
      "share of the limit",
      "p50 ms",
      "p99 ms",
      "CPU ms, server + database",
    ],
    rows,
  );
}

async function measure(
  server: Server,
  one: Case,
  connections: number,
  { seconds, databasePid }: Plan,
): Promise<Sample> {
  const before = [cpuOf(server.pid), cpuOfFamily(databasePid)] as const;
  const { rate, p50, p99 } = await load(server, one, connections, seconds);
  const requests = rate * seconds;
  return {
    rate,
    p50,
    p99,
    serverCpu: (cpuOf(server.pid) - before[0]) / requests,
    databaseCpu: (cpuOfFamily(databasePid) - before[1]) / requests,
  };
}

function rowsOf(samples: Map<Server, Sample[]>, connections: number): (string | number)[][] {
  const of = (list: Sample[], key: keyof Sample) => median(list.map((sample) => sample[key]));
  const limit = of([...samples.values()][0] ?? [], "rate");
  return [...samples].map(([{ name }, list]) => {
    const rates = list.map(({ rate }) => rate);
    return [
      connections,
      name,
      of(list, "rate").toFixed(0),
      `${Math.min(...rates).toFixed(0)}–${Math.max(...rates).toFixed(0)}`,
      (of(list, "rate") / limit).toFixed(2),
      of(list, "p50").toFixed(0),
      of(list, "p99").toFixed(0),
      `${of(list, "serverCpu").toFixed(2)} + ${of(list, "databaseCpu").toFixed(2)}`,
    ];
  });
}
