import type { Socket } from "node:net";
import pg from "pg";
import type { Logger } from "pino";

export interface PoolSettings {
  /** Connection string of the API's login role: see src/migrations/roles.ts. */
  apiDatabaseUrl: string;
  poolSize: number;
  /** How long a request waits for a connection before it is refused. */
  poolTimeoutMs: number;
  statementTimeoutMs: number;
}

/** How much longer than a statement may take its answer, or the news that it was stopped, may be on the way. */
const graceMs = 2_000;

/**
 * The connections that requests are answered with. Statements are stopped by PostgreSQL itself, never by the client: a
 * time-out on this side would leave the connection inside its transaction, as its caller.
 */
export function createPool(settings: PoolSettings, log: Logger): pg.Pool {
  const { apiDatabaseUrl, poolSize, poolTimeoutMs, statementTimeoutMs } = settings;
  const options = {
    // Plans are short: compiling them costs more than it gives.
    jit: "off",
    // Moments are told in UTC, wherever the server stands.
    timezone: "UTC",
    // Nothing is found by a bare name but what PostgreSQL brings.
    search_path: "pg_catalog",
    statement_timeout: String(statementTimeoutMs),
    idle_in_transaction_session_timeout: String(statementTimeoutMs * 2),
    // The server, too, is to notice when this side is gone.
    tcp_keepalives_idle: "10",
    tcp_keepalives_interval: "5",
    tcp_keepalives_count: "3",
  };
  const pool = new pg.Pool({
    connectionString: apiDatabaseUrl,
    application_name: "content-service",
    max: poolSize,
    // None is closed for being idle: the next burst would wait for it to be opened again.
    min: poolSize,
    connectionTimeoutMillis: poolTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    options: Object.entries(options)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(" "),
    // `begin`, the caller and the first statement travel together.
    pipeline: true,
  } as pg.PoolConfig);
  // A connection may break while nobody uses it; the next request takes another. The error itself carries the client.
  pool.on("error", ({ message }) => log.warn({ reason: message }, "an idle database connection broke"));
  // It may break before whoever waits for it has it in hand, too: without a listener that would end the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  giveUpSilent(pool, statementTimeoutMs + graceMs);
  return pool;
}

/**
 * Whoever waits for an answer on a half-open connection would wait for a quarter of an hour. PostgreSQL stops a statement
 * long before, and says so; when it says nothing, the connection is cut. So are the idle ones: they went the same way, and
 * each would keep another request waiting.
 */
function giveUpSilent(pool: pg.Pool, silentMs: number): void {
  const streams = new Map<pg.PoolClient, Socket>();
  const busy = new Set<pg.PoolClient>();
  pool.on("connect", (client) => {
    const { stream } = (client as pg.PoolClient & { connection: { stream: Socket } }).connection;
    streams.set(client, stream);
    stream.setTimeout(silentMs);
    // Not as setTimeout()'s callback, which is called once: an idle connection has been silent before.
    stream.on("timeout", () => {
      if (!busy.has(client)) return;
      stream.destroy(new Error("Connection terminated: the database is silent"));
      for (const [other, idle] of streams) if (!busy.has(other)) idle.destroy();
    });
  });
  pool.on("acquire", (client) => busy.add(client));
  pool.on("release", (_error, client) => busy.delete(client));
  pool.on("remove", (client) => {
    streams.delete(client);
    busy.delete(client);
  });
}
