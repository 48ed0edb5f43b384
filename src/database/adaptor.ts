import type { Socket } from "node:net";
import type { GraphQLError } from "graphql";
import type { PoolClient } from "pg";
import pg from "pg";
import type { PgClient, PgClientQuery, PgClientResult, WithPgClient } from "postgraphile/@dataplan/pg";
import { Refusal } from "../errors.ts";
import { limitError } from "../graphql/request/limitError.ts";
import { Slots } from "../support/Slots.ts";
import type { ByteBudget } from "./ByteBudget.ts";
import { constraintFault } from "./constraintFault.ts";

/** Who a request is made as. Only these two reach the database; no claim of a token becomes a setting of its own. */
export interface Caller {
  /** The user's id as the token's `sub` gives it; empty for nobody. */
  viewerId: string;
  /** Ours, unguessable, the same for all statements of one request: what it has just created it may read. */
  requestId: string;
  /** Where the request comes from: an IP address; empty where that is not known. */
  address: string;
  /** Aborted when nobody waits for the answer any more: nothing more is begun then. */
  signal?: AbortSignal | undefined;
  /** What all statements of the request together may be answered with. */
  budget?: ByteBudget | undefined;
}

/**
 * Whom the caller is and which role that gives, looked up and set for this transaction alone. Done for anonymous callers
 * too, so that nothing of the connection's previous caller can be left.
 */
const becomeCaller = `select set_config('role', role, true),
       set_config('app.viewer_id', viewer_id, true),
       set_config('app.request_id', $2, true),
       set_config('app.client_address', $3, true)
  from app_private.identify($1)`;

/**
 * How many schemas there have been. Each prepares its own statements: a plan that was made before a column changed its
 * type can be neither used nor mended.
 */
let generations = 0;

/** PostgreSQL’s own limit. The engine's names are hashes that fill it; what is cut off them is not missed. */
const longestName = 63;

/** How many statements a connection keeps prepared. Above it, the one not used for longest is dropped. */
const preparedStatements = 200;

/** How much of the pool one request may take: its root fields are asked for all at once, and others want to be served, too. */
const requestShare = 0.25;

/**
 * The way from Grafast to PostgreSQL: every database step is one transaction that begins by becoming the caller.
 * `begin`, that and the step's first statement travel together, so a read costs two round trips and not four.
 *
 * Without settings there is no caller: the login itself reads the catalogue, where it sees what any caller may do.
 *
 * A connection goes back to the pool only when it is idle and outside of any transaction; else it is thrown away.
 */
export function createWithPgClient(pool: pg.Pool): WithPgClient {
  const generation = ++generations;
  const atOnce = Math.max(2, Math.floor(pool.options.max * requestShare));
  /** What each request may take of the pool. */
  const shares = new WeakMap<Caller, Slots>();
  return async (settings, callback) => {
    const caller = settings as unknown as Caller | null;
    const share = caller && (shares.get(caller) ?? new Slots(atOnce));
    if (share) shares.set(caller, share);
    await share?.enter();
    try {
      return await transact(await pool.connect(), caller, (client) => callback(callerClient(client, generation)));
    } finally {
      share?.leave();
    }
  };
}

async function transact<Result>(
  client: PoolClient,
  caller: Caller | null,
  work: (client: PoolClient) => Result | Promise<Result>,
): Promise<Result> {
  const refusal = caller && reasonNotToBegin(caller);
  if (refusal) {
    client.release();
    throw refusal;
  }
  let broken = false;
  const markBroken = () => {
    broken = true;
  };
  client.on("error", markBroken);
  const unwatch = watchBytes(client, caller?.budget);
  try {
    const begun = client.query("begin");
    const become = caller && client.query(becoming(caller));
    const opened = Promise.all([begun, become]);
    // Whoever waits for the work hears of it; until then it is nobody's unhandled rejection.
    opened.catch(() => {});
    try {
      const result = await work(client);
      await opened;
      await client.query("commit");
      await forgetOldStatements(client);
      return result;
    } catch (error) {
      if (caller?.budget?.isSpent) throw tooLarge(caller.budget);
      // Statements behind a refused one fail as well, and say less.
      const cause = await opened.then(
        () => error,
        (refusal) => refusal,
      );
      if (!broken) await client.query("rollback").catch(markBroken);
      throw await constraintFault(cause, broken ? undefined : client);
    }
  } finally {
    unwatch();
    client.off("error", markBroken);
    client.release(broken || client.getTransactionStatus() !== "I");
  }
}

/** What may have come in between, since somebody else had the connection for so long. */
function reasonNotToBegin({ budget, signal }: Caller): Error | undefined {
  if (budget?.isSpent) return tooLarge(budget);
  return signal?.aborted ? new Refusal("SERVICE_UNAVAILABLE", "Nobody waits for this any more.") : undefined;
}

/** A connection whose answer is more than its request may have is cut: there is no other way to stop reading it. */
function watchBytes(client: PoolClient, budget: ByteBudget | undefined): () => void {
  if (!budget) return () => {};
  const { stream } = (client as StreamingClient).connection;
  const count = (chunk: Buffer) => {
    budget.take(chunk.length);
    if (budget.isSpent) stream.destroy(new Error("Connection terminated: the answer is too large"));
  };
  stream.on("data", count);
  return () => stream.off("data", count);
}

function tooLarge({ max, taken }: ByteBudget): GraphQLError {
  return limitError("answerBytes", max, taken, { orMore: true });
}

/** A pool client with what node-postgres has but does not declare. */
type StreamingClient = PoolClient & { connection: { stream: Socket } };

function becoming({ viewerId, requestId, address }: Caller): pg.QueryConfig {
  return { name: "become-caller", text: becomeCaller, values: [viewerId || null, requestId, address] };
}

function callerClient(client: PoolClient, generation: number): PgClient {
  const self: PgClient = {
    query: <TData>({ name, ...query }: PgClientQuery) =>
      runQuery<TData>(client, name ? { ...query, name: `${generation}-${name}`.slice(0, longestName) } : query),
    withTransaction: (callback) => callback(self),
  };
  return self;
}

async function runQuery<TData>(client: PoolClient, query: PgClientQuery): Promise<PgClientResult<TData>> {
  const { text, name, values, arrayMode } = query;
  if (name) noteUse(client, name);
  const { rows, rowCount } = await client.query({
    text,
    values: values ?? [],
    ...(name ? { name } : null),
    ...(arrayMode ? { rowMode: "array" as const } : null),
  });
  return { rows: rows as TData[], rowCount, notices: [] };
}

/** Which statements each connection has prepared, the one not used for longest first. */
const preparedNames = new WeakMap<PoolClient, Set<string>>();

function noteUse(client: PoolClient, name: string): void {
  const names = preparedNames.get(client) ?? new Set();
  preparedNames.set(client, names);
  // A set remembers the order of insertion.
  names.delete(name);
  names.add(name);
}

/** A pool client with what node-postgres keeps but does not declare: the statements it believes are prepared. */
type PreparingClient = PoolClient & { connection: { parsedStatements: Record<string, string> } };

async function forgetOldStatements(client: PoolClient): Promise<void> {
  const names = preparedNames.get(client) ?? new Set<string>();
  for (const name of names) {
    if (names.size <= preparedStatements) return;
    names.delete(name);
    await client.query(`deallocate ${pg.escapeIdentifier(name)}`);
    delete (client as PreparingClient).connection.parsedStatements[name];
  }
}
