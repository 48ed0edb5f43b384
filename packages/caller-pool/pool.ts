import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { MultiHostClient } from "@content-service/support/MultiHostClient.ts";
import type { Route } from "@content-service/support/route.ts";
import { keepAlives, startupOptions } from "@content-service/support/startupOptions.ts";
import pg from "pg";
import type { Logger } from "pino";
import { anonymousSession } from "./caller.ts";
import { watchCommits } from "./outcome.ts";
import { registerTransactions, Transactions } from "./Transactions.ts";

export interface PoolSettings {
  /** Connection string of the API's login role: see packages/migration-review/migrations/roles.ts. */
  apiDatabaseUrl: string;
  poolSize: number;
  /** How long a request waits for a connection. */
  poolTimeoutMs: number;
  statementTimeoutMs: number;
  /** How long a statement waits for a lock. By default, as long as it may run. */
  lockTimeoutMs?: number;
  /** The role of anonymous callers, if it is the connections' own: their queries need no impersonation then. Ignored behind a pooler. */
  restingRole?: string;
}

/** Network time allowed beyond the statement timeout for a result, or for the message that the statement was stopped. */
const graceMs = 2_000;
/** How long connections have to close cleanly. */
const goodbyeMs = 500;

/**
 * The connection pool for requests. PostgreSQL stops slow statements, never the client: a client-side timeout would
 * return the connection to the pool inside its transaction, with its caller's role.
 *
 * @param route where the connection string leads. A pooler knows neither start-up options nor settings of a session, so behind one
 *   each transaction sets them for itself.
 */
export function createPool(settings: PoolSettings, log: Logger, route: Route = "direct"): pg.Pool {
  const { apiDatabaseUrl, poolSize, poolTimeoutMs, statementTimeoutMs, lockTimeoutMs = 0, restingRole } = settings;
  const options = {
    // Statements are short: compiling them costs more than it saves.
    jit: "off",
    // Timestamps are printed in UTC, whatever the server's time zone.
    timezone: "UTC",
    // An unqualified name finds only PostgreSQL's own objects.
    search_path: "pg_catalog",
    statement_timeout: String(statementTimeoutMs),
    // A statement that waits for a lock keeps a connection from others.
    lock_timeout: String(lockTimeoutMs),
    idle_in_transaction_session_timeout: String(statementTimeoutMs * 2),
  };
  const pool = new pg.Pool({
    Client: MultiHostClient,
    connectionString: apiDatabaseUrl,
    application_name: "content-service",
    max: poolSize,
    // Keep idle connections open: the next burst would wait for new ones.
    min: poolSize,
    connectionTimeoutMillis: poolTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(route === "direct" && {
      options: startupOptions({
        ...options,
        ...keepAlives,
        ...(restingRole && { role: restingRole, ...anonymousSession }),
      }),
    }),
    // `begin`, the identity and the first statement are sent in one flight.
    pipeline: true,
  } as pg.PoolConfig);
  // An idle connection may break; the next request takes another. Log the message only: the error carries the client.
  pool.on("error", ({ message }) => log.warn({ reason: message }, "an idle database connection broke"));
  // A connection may also break before the waiting request receives it: without a listener, that ends the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("connect", watchCommits);
  // A statement may wait in a pooler's queue, as it would wait here for a connection.
  const queuedMs = route === "direct" ? 0 : poolTimeoutMs;
  cutSilentConnections(pool, queuedMs + statementTimeoutMs + graceMs);
  if (route !== "direct") registerTransactions(pool, new Transactions(route, options));
  else if (restingRole) registerTransactions(pool, new Transactions(route, {}, restingRole));
  return pool;
}

/** Closes all connections. A statement whose request was cut off ends at its timeout, and is not waited for. */
export async function endPool(pool: pg.Pool): Promise<void> {
  await Promise.race([pool.end(), delay(goodbyeMs, undefined, { ref: false })]);
}

/**
 * Cuts half-open connections, on which TCP would wait for a quarter of an hour. PostgreSQL stops a statement long before
 * and reports it; when it reports nothing, the connection is dead. The idle connections took the same network path, so
 * they are cut too: each would make another request wait.
 */
function cutSilentConnections(pool: pg.Pool, silentMs: number): void {
  const streams = new Map<pg.PoolClient, Socket>();
  /** With the timer that looks for another server, where there may be one. */
  const busy = new Map<pg.PoolClient, NodeJS.Timeout | undefined>();
  const cutAllIdle = async () => {
    const idle = [...streams].filter(([client]) => !busy.has(client));
    // The pool gives a connection away until it is closed.
    await Promise.all(idle.map(([, stream]) => (stream.closed ? undefined : once(stream.destroy(), "close"))));
  };
  pool.on("connect", (client) => {
    const { stream } = (client as pg.PoolClient & { connection: { stream: Socket } }).connection;
    streams.set(client, stream);
    stream.setTimeout(silentMs);
    // An event listener, because setTimeout()'s callback is called once only, and an idle connection was silent before.
    stream.on("timeout", () => {
      if (!busy.has(client)) return;
      stream.destroy(new Error("Connection terminated: the database is silent"));
      void cutAllIdle();
    });
  });
  let cutAt = Number.NEGATIVE_INFINITY;
  idleCuts.set(pool, async () => {
    if (performance.now() - cutAt < cutAgainAfterMs) return;
    cutAt = performance.now();
    await cutAllIdle();
  });
  pool.on("acquire", (client) => busy.set(client, (client as pg.PoolClient & MultiHostClient).watchServers()));
  pool.on("release", (_error, client) => {
    clearInterval(busy.get(client));
    busy.delete(client);
  });
  pool.on("remove", (client) => {
    streams.delete(client);
    clearInterval(busy.get(client));
    busy.delete(client);
  });
}

/**
 * Lets a connection be silent for longer, for a transaction with a statement timeout of its own.
 *
 * @returns ends that, before the connection is released
 */
export function allowSilence(client: pg.PoolClient, statementTimeoutMs: number): () => void {
  const { stream } = (client as pg.PoolClient & { connection: { stream: Socket } }).connection;
  const silentMs = stream.timeout ?? 0;
  stream.setTimeout(statementTimeoutMs + graceMs);
  return () => void stream.setTimeout(silentMs);
}

/** Cuts the idle connections of a pool, at most once a second, so that requests get new ones. */
export async function cutIdle(pool: pg.Pool): Promise<void> {
  await idleCuts.get(pool)?.();
}

const idleCuts = new WeakMap<pg.Pool, () => Promise<void>>();
const cutAgainAfterMs = 1_000;
