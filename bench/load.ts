import autocannon from "autocannon";
import type { Server } from "./Server.ts";

/** Time for servers to compile what runs often, to fill caches and to prepare statements. */
export const warmUpSeconds = 8;

export interface Load {
  requests: number;
  /** Requests a second. */
  rate: number;
  p50: number;
  p99: number;
}

/** An operation that is sent again and again. */
export interface Sent {
  operationName: string;
  query: string;
  /** The variables of each request; or a function of the number of the request, and of the client from 1 on. */
  variables: Record<string, unknown> | ((n: number, client: number) => Record<string, unknown>);
}

/** Counts the requests with variables of their own. */
let count = 0;

/**
 * Sends an operation over some connections, each time as soon as the last response has arrived. Each connection is another client: the
 * service gives one client a part of its connections to the database only.
 *
 * @throws when a request fails
 */
export async function load(
  server: Server,
  { query, variables, operationName }: Sent,
  connections: number,
  seconds: number,
): Promise<Load> {
  const headersOf = (client: number) => ({
    "content-type": "application/json",
    ...server.headers[client % server.headers.length],
  });
  let clients = 0;
  const options: Partial<autocannon.Options> =
    typeof variables === "object"
      ? {
          method: "POST",
          body: JSON.stringify({ query, variables, operationName }),
          setupClient: (client) => client.setHeaders(headersOf(clients++)),
        }
      : {
          requests: [
            {
              method: "POST",
              setupRequest(request) {
                const client = count++ % connections;
                const body = JSON.stringify({ query, variables: variables(count, client + 1), operationName });
                return { ...request, headers: headersOf(client), body };
              },
            },
          ],
          verifyBody: (body) => !String(body).includes('"errors"'),
        };
  const { requests, latency, errors, non2xx, mismatches, duration } = await autocannon({
    url: server.url,
    connections,
    duration: seconds,
    sampleInt: 100,
    ...options,
  });
  if (errors + non2xx + mismatches > 0) {
    throw new Error(
      `${server.name}: of ${operationName}, ${errors} had no answer, ${non2xx} another status than 200 and ${mismatches} an error`,
    );
  }
  return { requests: requests.total, rate: requests.total / duration, p50: latency.p50, p99: latency.p99 };
}
