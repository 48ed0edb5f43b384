import { LRUCache } from "lru-cache";
import type { PoolClient } from "pg";
import pg from "pg";

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

/** A pool client with the list of prepared statements that node-postgres keeps but does not declare. */
type PreparingClient = PoolClient & { connection: { parsedStatements: Record<string, string> } };

/** Drops the least recently used statements of a connection until the rest is within its bound. Outside transactions only. */
export async function forgetOldStatements(client: PoolClient): Promise<void> {
  const state = prepared.get(client);
  for (const [name, bytes] of state?.names ?? []) {
    if (!state || state.bytes <= maxBytesPerConnection) return;
    state.names.delete(name);
    state.bytes -= bytes;
    const { parsedStatements } = (client as PreparingClient).connection;
    // A statement that PostgreSQL refused is not prepared.
    if (!Object.hasOwn(parsedStatements, name)) continue;
    await client.query(`deallocate ${pg.escapeIdentifier(name)}`);
    delete parsedStatements[name];
  }
}
