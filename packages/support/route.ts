import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import type pg from "pg";
import { serverOf } from "./connectionString.ts";
import { OperatorError } from "./OperatorError.ts";
import { withClient } from "./withClient.ts";

/** Where a connection string leads: to PostgreSQL, or to a connection pooler such as PgBouncer. */
export type Route =
  | "direct"
  /** Each client has a server connection of its own. */
  | "session"
  /** Each transaction may run on another server connection. */
  | "transaction"
  /** As `transaction`; and the pooler prepares a client's named statements on each server connection that needs them. */
  | "tracking";

const missingDatabase = "3D000";

/** PostgreSQL notifies within milliseconds. A pooler in transaction mode never passes a notification on. */
const hearWithinMs = 2_000;

/** Properties that node-postgres has but does not declare. */
type Internals = pg.Client & {
  processID: number;
  connection: { close(message: { type: "S"; name: string }): void };
};

/**
 * Finds out where a connection string leads, by asking a few statements.
 *
 * @throws OperatorError when it leads to a pooler in statement mode
 */
export function findRoute(connectionString: string): Promise<Route> {
  return withClient(connectionString, async (opened) => {
    const client = opened as Internals;
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    // A pooler cannot know at the login which server connections the client will use.
    if (rows[0]?.pid === client.processID) return "direct";
    await client.query("begin").catch((error) => {
      throw /statement pooling/.test(error.message) ? new OperatorError(noTransactions(connectionString)) : error;
    });
    if (!(await keepsName(client))) return "tracking";
    return (await hearsNotifications(client, connectionString)) ? "session" : "transaction";
  });
}

/** Whether a statement has the name that the client gave it. A pooler that tracks statements gives them names of its own. */
async function keepsName(client: Internals): Promise<boolean> {
  const name = randomUUID();
  const text = "select exists (select from pg_prepared_statements where name = $1) as keeps";
  const { rows } = await client.query<{ keeps: boolean }>({ name, text, values: [name] });
  // In the same transaction, and so on the same server connection.
  client.connection.close({ type: "S", name });
  await client.query("commit");
  return rows[0]?.keeps === true;
}

/**
 * Whether notifications of others arrive between statements. Two process ids that differ would prove the contrary only: an idle pooler
 * gives each transaction the same server connection.
 */
async function hearsNotifications(client: pg.Client, connectionString: string): Promise<boolean> {
  const channel = `route_${randomUUID()}`;
  await client.query(`listen "${channel}"`);
  const heard = once(client, "notification").then(() => true);
  await withClient(connectionString, (other) => other.query("select pg_notify($1, '')", [channel]));
  const isHeard = await Promise.race([heard, delay(hearWithinMs, false, { ref: false })]);
  // A best effort: in transaction mode it may reach another server connection.
  if (!isHeard) await client.query(`unlisten "${channel}"`);
  return isHeard;
}

/** Whether a route keeps what belongs to a session: LISTEN, advisory locks, temporary tables. */
export function holdsSession(route: Route): boolean {
  return route === "direct" || route === "session";
}

/** @throws OperatorError when this connection string of the owner leads to a pooler in transaction mode */
export async function requireSession(ownerUrl: string): Promise<void> {
  const route = await findRoute(ownerUrl).catch((error) => {
    // graphile-migrate creates the shadow database.
    if (sqlStateOf(error.cause) === missingDatabase) return "direct" as const;
    throw error;
  });
  if (holdsSession(route)) return;
  throw new OperatorError(
    `The owner's connection to ${serverOf(ownerUrl)} leads through a connection pooler in transaction mode. Migrations and imports ` +
      "need a session of their own: let DATABASE_URL name PostgreSQL itself, or a pooler in session mode.",
  );
}

function noTransactions(connectionString: string): string {
  return (
    `The connection pooler at ${serverOf(connectionString)} is in statement mode, which has no transactions. ` +
    "Set its pool_mode to transaction."
  );
}
