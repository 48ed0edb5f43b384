import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import type pg from "pg";
import { serverOf } from "./connectionString.ts";
import { MultiHostClient } from "./MultiHostClient.ts";
import { OperatorError } from "./OperatorError.ts";

/** How long a connection may take to open, in milliseconds. */
const connectMs = 5_000;

const reaching = new WeakMap<object, string>();

/** For the error of a connection that withClient() could not open: the server, and how long it was tried. */
export function reachingOf(error: Error): string | undefined {
  return reaching.get(error);
}

/**
 * Opens one connection, outside of any pool, and closes it when `use` ends.
 *
 * @throws OperatorError when the database refuses the login; the cause is PostgreSQL's error
 */
export async function withClient<Result>(
  connectionString: string,
  use: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new MultiHostClient({ connectionString, connectionTimeoutMillis: connectMs });
  // A connection that breaks fails the statement under way. Without a listener it would also end the process.
  client.on("error", () => {});
  try {
    await client.connect().catch((error) => {
      if (!isTemporary(error)) throw refusal(connectionString, error);
      reaching.set(error, `the database at ${serverOf(connectionString)}, within ${connectMs / 1_000} s`);
      throw error;
    });
    return await use(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Whether an error is worth a retry: no connection, no free connection slot, or a server that is still starting. */
export function isTemporary(error: unknown): boolean {
  return /^(08|53|57P0)/.test(sqlStateOf(error));
}

function refusal(connectionString: string, cause: Error): OperatorError {
  const server = serverOf(connectionString);
  return new OperatorError(`The database at ${server} refuses the connection: ${cause.message}`, { cause });
}
