import { LRUCache } from "lru-cache";
import type pg from "pg";
import type { PoolClient } from "pg";

/**
 * Text of prepared statements that a connection keeps, in bytes. PostgreSQL takes about 30 times as much for their plans,
 * so a backend stays below 16 MB.
 */
const maxBytesPerConnection = 512 * 1_024;

/** Statements that were used once lately, by name. Endless different statements, each used once, are never prepared. */
const usedOnce = new LRUCache<string, true>({ max: 2_000 });

/** The statements that each connection has prepared, the least recently used one first, with the size of their texts. */
const prepared = new WeakMap<PoolClient, { names: Map<string, number>; bytes: number }>();

/** Notes the use of a statement. @returns whether to use it as a prepared one: from its second use on */
export function notePrepared(client: PoolClient, name: string, text: string): boolean {
  const state = prepared.get(client) ?? { names: new Map<string, number>(), bytes: 0 };
  prepared.set(client, state);
  const isKnown = state.names.delete(name);
  if (!isKnown && !usedOnce.has(name)) {
    usedOnce.set(name, true);
    return false;
  }
  // A Map keeps insertion order, so the name is now the last one.
  state.names.set(name, text.length);
  if (!isKnown) state.bytes += text.length;
  return true;
}

/** A connection's prepared statements, which node-postgres keeps but does not declare. */
export interface PreparingConnection {
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
  close(message: { type: "S"; name: string }): void;
}
type PreparingClient = PoolClient & { connection: PreparingConnection };

/** Drops the least recently used statements of a connection until the rest is within its bound. Takes no round trip. */
export function forgetOldStatements(client: PoolClient): void {
  const state = prepared.get(client);
  for (const [name, bytes] of state?.names ?? []) {
    if (!state || state.bytes <= maxBytesPerConnection) return;
    state.names.delete(name);
    state.bytes -= bytes;
    const { connection } = client as PreparingClient;
    delete connection.parsedStatements[name];
    closeUnconfirmed(connection, name);
  }
}

/**
 * Closes a statement that node-postgres does not know as prepared. PostgreSQL knows it neither, after an error, but a pooler has noted
 * the name, and would refuse to see it again. The messages of the next query carry the response.
 */
export function closeUnconfirmed(connection: PreparingConnection, name: string): void {
  delete connection.submittedNamedStatements[name];
  if (!Object.hasOwn(connection.parsedStatements, name)) connection.close({ type: "S", name });
}

/** Runs a statement that may have a name. */
export async function queryNamed<Row extends pg.QueryResultRow>(
  client: PoolClient,
  query: pg.QueryConfig,
): Promise<pg.QueryResult<Row>> {
  try {
    return await client.query<Row>(query);
  } catch (error) {
    if (query.name !== undefined) closeUnconfirmed((client as PreparingClient).connection, query.name);
    throw error;
  }
}
