import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { MultiHostClient } from "@content-service/support/MultiHostClient.ts";
import type { Route } from "@content-service/support/route.ts";
import { keepAlives, startupOptions } from "@content-service/support/startupOptions.ts";
import pg from "pg";
import { watchCommits } from "./commitOutcome.ts";
import { type Log, silent } from "./Log.ts";
import { type Resting, registerTransactions, Transactions } from "./Transactions.ts";

/** Times are in milliseconds. */
export interface PoolSettings {
  /**
   * Of a login that may do little by itself, and may become the callers' roles. It may name several hosts. Without it, pg reads `PGHOST`
   * and the like.
   */
  connectionString?: string | undefined;
  /** The number of connections, 10 by default. */
  size?: number;
  /** How many connections stay open while nobody uses them; by default, all: the next burst would wait for new ones. */
  keptOpen?: number;
  /** How long a request waits for a connection, 5,000 by default. */
  connectionTimeoutMs?: number;
  /** After that, PostgreSQL stops a statement: 10,000 by default. */
  statementTimeoutMs?: number;
  /** How long a statement waits for a lock. By default, as long as it may run. */
  lockTimeoutMs?: number;
  /** Further settings of each transaction or connection, such as `search_path`. */
  settings?: Readonly<Record<string, string>>;
  /** Lets some callers do without an identity. Ignored behind a pooler. */
  resting?: Resting;
  /** As PostgreSQL shows it, `pg-caller-pool` by default. */
  applicationName?: string;
}

/** Network time allowed beyond the statement timeout for a result, or for the message that the statement was stopped. */
const graceMs = 2_000;
/** How long connections have to close cleanly. */
const closeGraceMs = 500;

/**
 * The connection pool for requests. PostgreSQL stops slow statements, never the client: a client-side timeout would
 * return the connection to the pool inside its transaction, with its caller's role.
 *
 * @param route where the connection string leads. A pooler knows neither start-up options nor settings of a session, so behind one
 *   each transaction sets them for itself.
 */
export function createPool(given: PoolSettings, log: Log = silent, route: Route = "direct"): pg.Pool {
  const { size = 10, connectionTimeoutMs = 5_000, statementTimeoutMs = 10_000, lockTimeoutMs = 0, resting } = given;
  const options = {
    ...given.settings,
    statement_timeout: String(statementTimeoutMs),
    // A statement that waits for a lock keeps a connection from others.
    lock_timeout: String(lockTimeoutMs),
    idle_in_transaction_session_timeout: String(statementTimeoutMs * 2),
  };
  const pool = new pg.Pool({
    Client: MultiHostClient,
    ...(given.connectionString !== undefined && { connectionString: given.connectionString }),
    application_name: given.applicationName ?? "pg-caller-pool",
    max: size,
    min: given.keptOpen ?? size,
    connectionTimeoutMillis: connectionTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(route === "direct" && {
      options: startupOptions({
        ...options,
        ...keepAlives,
        ...(resting && { role: resting.role, ...resting.settings }),
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
  const queuedMs = route === "direct" ? 0 : connectionTimeoutMs;
  cutSilentConnections(pool, queuedMs + statementTimeoutMs + graceMs);
  if (route !== "direct") registerTransactions(pool, new Transactions(route, options));
  else if (resting) registerTransactions(pool, new Transactions(route, {}, resting));
  return pool;
}

/** Closes all connections. A statement whose request was cut off ends at its timeout, and is not waited for. */
export async function endPool(pool: pg.Pool): Promise<void> {
  await Promise.race([pool.end(), delay(closeGraceMs, undefined, { ref: false })]);
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
  const closeAllIdle = async () => {
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
      void closeAllIdle();
    });
  });
  let closedAt = Number.NEGATIVE_INFINITY;
  idleClosers.set(pool, async () => {
    if (performance.now() - closedAt < closeAgainAfterMs) return;
    closedAt = performance.now();
    await closeAllIdle();
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
export function extendSocketTimeout(client: pg.PoolClient, statementTimeoutMs: number): () => void {
  const { stream } = (client as pg.PoolClient & { connection: { stream: Socket } }).connection;
  const silentMs = stream.timeout ?? 0;
  stream.setTimeout(statementTimeoutMs + graceMs);
  return () => void stream.setTimeout(silentMs);
}

/** Closes the idle connections of a pool, at most once a second, so that requests get new ones. */
export async function closeIdle(pool: pg.Pool): Promise<void> {
  await idleClosers.get(pool)?.();
}

const idleClosers = new WeakMap<pg.Pool, () => Promise<void>>();
const closeAgainAfterMs = 1_000;
