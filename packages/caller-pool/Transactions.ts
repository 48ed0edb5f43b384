import type { Route } from "@content-service/support/route.ts";
import type { ClientBase, QueryResult } from "pg";
import pg from "pg";
import type { Caller } from "./caller.ts";
import type { PlainStatement } from "./ImplicitTransaction.ts";

/** The role and settings that connections have from their start. Callers for whom they suffice need no identity. */
export interface Resting {
  role: string;
  settings?: Readonly<Record<string, string>>;
  suffices(caller: Caller): boolean;
}

/** A connection, or all those of a pool. */
export interface Queryable {
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<Row>>;
}

/** How the transactions of a pool's connections begin, and whether their statements may be prepared. */
export class Transactions {
  /** Opens a transaction. */
  readonly begin: string;
  /** Runs first where a transaction is opened by a Sync alone. */
  readonly first: readonly PlainStatement[];
  /** Whether statements may have names. */
  readonly prepares: boolean;
  /** Whether connections share the prepared statements of one text, and so the plans. */
  readonly sharesPlans: boolean;

  /** Opens a transaction of the login itself. */
  readonly beginAsLogin: string;
  readonly #resting: Resting | undefined;

  /**
   * @param settings what holds in each transaction. A direct connection has been opened with it.
   * @param resting if a direct connection has been opened with it
   */
  constructor(route: Route, settings: Readonly<Record<string, string>>, resting?: Resting) {
    this.prepares = route !== "transaction";
    this.sharesPlans = route === "tracking";
    const given = route === "direct" ? [] : Object.entries(settings);
    const literals = given.map((entry) => entry.map(pg.escapeLiteral).join(", "));
    this.begin = given.length === 0 ? "begin" : `begin; ${setLocally(literals)}`;
    this.#resting = resting;
    this.beginAsLogin = resting ? `${this.begin}; set local role none` : this.begin;
    const text = setLocally(given.map((_, i) => `$${2 * i + 1}, $${2 * i + 2}`));
    this.first = given.length === 0 ? [] : [this.named({ name: "settings", text, values: given.flat() })];
  }

  needsIdentity(caller: Caller): boolean {
    return !this.#resting?.suffices(caller);
  }

  /** The same statement, without its name where names collide. */
  named<Statement extends { name?: string | undefined }>(statement: Statement): Statement {
    return this.prepares ? statement : { ...statement, name: undefined };
  }

  /** Runs statements on a connection, each in a transaction of its own. */
  alone(client: ClientBase): Queryable {
    return this.first.length === 0 ? client : { query: (text, values) => this.#query(client, text, values) };
  }

  async #query<Row extends pg.QueryResultRow>(
    client: ClientBase,
    text: string,
    values?: unknown[],
  ): Promise<QueryResult<Row>> {
    // Sent together. After a failure, `commit` rolls back.
    const sent = [client.query(this.begin), client.query<Row>(text, values), client.query("commit")] as const;
    // The connection is free when all are answered.
    await Promise.allSettled(sent);
    const [, result] = await Promise.all(sent);
    return result;
  }
}

/** One statement: a pool may have dozens of settings. */
function setLocally(entries: readonly string[]): string {
  return `select ${entries.map((entry) => `pg_catalog.set_config(${entry}, true)`).join(", ")}`;
}

const direct = new Transactions("direct", {});
const byPool = new WeakMap<pg.Pool, Transactions>();

/** A pool whose connections need no settings of their own registers none. */
export function transactionsOf(pool: pg.Pool): Transactions {
  return byPool.get(pool) ?? direct;
}

/**
 * The text that begins a transaction on a connection of the pool, with the pool's settings: behind a pooler, each transaction sets them.
 */
export function beginStatement(pool: pg.Pool): string {
  return transactionsOf(pool).begin;
}

/** Runs all that is asked of the pool itself in such transactions. */
export function registerTransactions(pool: pg.Pool, transactions: Transactions): void {
  byPool.set(pool, transactions);
  if (transactions.first.length === 0) return;
  const query: Queryable["query"] = async (text, values) => {
    const client = await pool.connect();
    let failure: Error | undefined;
    try {
      return await transactions.alone(client).query(text, values);
    } catch (error) {
      failure = error as Error;
      throw error;
    } finally {
      // As the pool's own method, which closes the connection after a failure.
      client.release(failure);
    }
  };
  pool.query = query as typeof pool.query;
}
