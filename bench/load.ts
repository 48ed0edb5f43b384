import autocannon from "autocannon";
import type { Case } from "./cases.ts";
import type { Server } from "./Server.ts";

/** Time for servers to compile what runs often, to fill caches and to prepare statements. */
export const warmUpSeconds = 8;

export interface Load {
  /** Requests a second. */
  rate: number;
  p50: number;
  p99: number;
}

/**
 * Sends the same request over some connections, each as soon as its last answer has arrived. Each connection is another client: the
 * service gives one client a part of its connections to the database only.
 */
export async function load(
  server: Server,
  { query, variables, operationName }: Case,
  connections: number,
  seconds: number,
): Promise<Load> {
  let clients = 0;
  const result = await autocannon({
    url: server.url,
    connections,
    duration: seconds,
    method: "POST",
    setupClient: (client) => {
      client.setHeaders({ "content-type": "application/json", ...server.headers[clients++ % server.headers.length] });
    },
    body: JSON.stringify({ query, variables, operationName }),
    sampleInt: 100,
  });
  const failed = result.errors + result.non2xx;
  if (failed > 0)
    throw new Error(
      `${server.name}: ${result.errors} requests of ${operationName} had no answer, ${result.non2xx} another status than 200`,
    );
  return { rate: result.requests.total / result.duration, p50: result.latency.p50, p99: result.latency.p99 };
}
