import { isDeepStrictEqual } from "node:util";
import { type Case, cases } from "./cases.ts";
import { load, warmUpSeconds } from "./load.ts";
import { columns, inRounds, type Plan } from "./rounds.ts";
import type { Server } from "./Server.ts";
import { table } from "./table.ts";

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

function forServer(server: Server, one: Case): Case["stock"] {
  return server.name.startsWith("PostGraphile") ? one.stock : { query: one.query, toOurs: (data) => data };
}

/** Asks once. @returns the milliseconds until the answer */
export async function timeOf(server: Server, name: string): Promise<number> {
  const begin = performance.now();
  await answerOf(server, cases[name] as Case);
  return Math.round(performance.now() - begin);
}

/** Measures the case on each server, over one number of connections after the other. @returns a Markdown table of medians */
export async function compare(
  servers: readonly Server[],
  name: string,
  connections: readonly number[],
  plan: Plan,
): Promise<string> {
  const one = cases[name] as Case;
  const rows: (string | number)[][] = [];
  const sent = (server: Server) => ({ ...one, query: forServer(server, one).query });
  for (const server of servers) await load(server, sent(server), 8, warmUpSeconds);
  for (const number of connections) {
    const measured = await inRounds(servers, plan, (server, seconds) => load(server, sent(server), number, seconds));
    rows.push(...measured.map((row) => [number, ...row]));
  }
  return table(["connections", ...columns], rows);
}
