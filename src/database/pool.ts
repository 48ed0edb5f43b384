import pg from "pg";
import type { Logger } from "pino";

export interface PoolSettings {
  apiDatabaseUrl: string;
  poolSize: number;
  statementTimeoutMs: number;
}

/** How long a request waits for a connection before it is refused. */
const connectionTimeoutMs = 5_000;

/**
 * The connections that requests are answered with. Statements are stopped by PostgreSQL itself, never by the client: a
 * time-out on this side would leave the connection inside its transaction, as its caller.
 */
export function createPool({ apiDatabaseUrl, poolSize, statementTimeoutMs }: PoolSettings, log: Logger): pg.Pool {
  const options = {
    // Plans are short: compiling them costs more than it gives.
    jit: "off",
    // Moments are told in UTC, wherever the server stands.
    timezone: "UTC",
    // Nothing is found by a bare name but what PostgreSQL brings.
    search_path: "pg_catalog",
    statement_timeout: String(statementTimeoutMs),
    idle_in_transaction_session_timeout: String(statementTimeoutMs * 2),
  };
  const pool = new pg.Pool({
    connectionString: apiDatabaseUrl,
    application_name: "content-service",
    max: poolSize,
    // None is closed for being idle: the next burst would wait for it to be opened again.
    min: poolSize,
    connectionTimeoutMillis: connectionTimeoutMs,
    keepAlive: true,
    options: Object.entries(options)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(" "),
    // `begin`, the caller and the first statement travel together.
    pipeline: true,
  } as pg.PoolConfig);
  // A connection may break while nobody uses it; the next request takes another. The error itself carries the client.
  pool.on("error", ({ message }) => log.warn({ reason: message }, "an idle database connection broke"));
  return pool;
}
