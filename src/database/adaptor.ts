import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { PoolClient } from "pg";
import pg from "pg";
import type { PgClient, PgClientQuery, PgClientResult, WithPgClient } from "postgraphile/@dataplan/pg";
import { ApiError, unavailable } from "../errors/ApiError.ts";
import { limitError } from "../errors/limitError.ts";
import { sqlStateOf } from "../errors/sqlStates.ts";
import { FairSlots } from "../support/FairSlots.ts";
import { TimeShares } from "../support/TimeShares.ts";
import type { ByteBudget } from "./ByteBudget.ts";
import { DueWork } from "./DueWork.ts";
import { nameOperation } from "./nameOperation.ts";
import { OneSync, type PlainStatement } from "./OneSync.ts";
import { knowOutcome } from "./outcome.ts";
import { currentPosition, type Position, parsePosition, printLsn, unknownPosition } from "./Position.ts";
import { cutIdle } from "./pool.ts";
import { forgetOldStatements, notePrepared, queryNamed } from "./preparedStatements.ts";
import type { Replica, Replicas } from "./Replicas.ts";
import { type Asked, type Transactions, transactionsOf } from "./Transactions.ts";
import { toSqlFaults } from "./toSqlFaults.ts";

/** The caller of a request. No other claim of a token reaches the database. */
export interface Caller {
  /** The user's id, from the token's `sub`; empty for an anonymous caller. */
  viewerId: string;
  /** Random, made by the service, the same for all statements of one request: a caller may read what it just created. */
  requestId: string;
  /** The client's IP address; empty where unknown. */
  address: string;
  /** All requests with the same key count as one caller when connections are shared. */
  share: string;
  /** Aborted when the client has disconnected: no further statement is sent then. */
  signal?: AbortSignal | undefined;
  /** The name of the operation, which each statement carries as a comment; from a bounded set, as each is prepared anew. */
  operation?: string | undefined;
  /** Receives the text of each statement, where somebody wants to know. */
  statements?: string[] | undefined;
  /** Whether the request is a mutation: a broken connection may then leave its outcome unknown. */
  writes?: boolean;
  /** How many bytes all statements of the request together may return. */
  budget?: ByteBudget | undefined;
  /** What the caller has to see. Only replicas may not have it yet. */
  after?: Position | undefined;
  /** Receives the primary's position after each transaction, where somebody wants to know. */
  wrote?: ((position: Position) => void) | undefined;
}

/** The ways from Grafast to PostgreSQL. Both run each database step as one transaction. */
export interface DatabaseAccess {
  /** As the API's login itself, which sees in the catalogue what any caller may do. */
  asLogin: WithPgClient;
  /** As a caller: its role and identity are set for each transaction. */
  as(caller: Caller): WithPgClient;
  /**
   * Runs statements as a caller, as one transaction, in one round trip.
   *
   * @returns the only value of the last one's row; undefined if it has no row
   * @throws UnreadAnswer if the last of several statements fails
   */
  atOnce(caller: Caller, statements: readonly NamedStatement[]): Promise<string | undefined>;
  /**
   * Runs a query on a replica.
   *
   * @param run returns undefined if the primary has to answer
   * @returns undefined if the primary has to answer, whatever the reason
   */
  onReplica?<Answer>(
    caller: Caller,
    run: (access: DatabaseAccess) => Promise<Answer | undefined>,
  ): Promise<Answer | undefined>;
}

/** A statement that is worth preparing. */
export interface NamedStatement {
  name: string;
  text: string;
  values: readonly (string | null)[];
}

/** The statements have been rolled back, because PostgreSQL refused the one that reads the answer. */
export class UnreadAnswer extends Error {
  override readonly cause: pg.DatabaseError;

  constructor(cause: pg.DatabaseError) {
    super("The answer cannot be read");
    this.cause = cause;
  }
}

/**
 * Looks up the caller's role and sets role and identity for this transaction only. Anonymous callers are set as well, so
 * that nothing of the connection's previous caller remains.
 */
const becomeCaller = `select set_config('role', role, true),
       set_config('app.viewer_id', viewer_id, true),
       set_config('app.request_id', $2, true),
       set_config('app.client_address', $3, true)
  from app_private.identify($1, $4)`;

const becomeCallerOnStandby = becomeCaller.replace(
  "app_private.identify($1, $4)",
  "app_private.identify_on_standby($1, $5, $6, $4)",
);

/**
 * The number of schemas built so far. Each schema prepares statements of its own: a plan that was made before a column
 * changed its type can neither be used nor replaced.
 */
let generations = 0;

/** PostgreSQL's limit for names. The engine's names are hashes, so cutting them is safe. */
const maxNameLength = 63;

/**
 * The share of the pool that a caller may use while it is alone. Beside others it has one connection: how expensive its
 * statements are shows only after they ran, and PostgreSQL gives each connection a core.
 */
const callerShare = 0.25;
/** The share of one connection's time that a caller may use while others are active, after a burst. Writes keep a core busy. */
const timeShare = 0.5;
const burstMs = 100;

interface Shares {
  slots: FairSlots;
  time: TimeShares;
  due: DueWork;
}

/** The connections of each pool, shared by caller. A pool outlives the schemas that are built on it. */
const shares = new WeakMap<pg.Pool, Shares>();

export function sharesOf(pool: pg.Pool): Shares {
  const known = shares.get(pool) ?? makeShares(pool.options.max);
  shares.set(pool, known);
  return known;
}

function makeShares(connections: number): Shares {
  const time = new TimeShares(timeShare, burstMs);
  const most = Math.max(2, Math.floor(connections * callerShare));
  const slots = new FairSlots(connections, (caller) => (time.isAlone(caller) ? most : 1));
  return { slots, time, due: new DueWork() };
}

/** What differs between the primary and a standby. */
interface Server {
  become(caller: Caller): Becoming;
  /** Runs a transaction, after whatever has to be done before. */
  begin<Result>(alone: Asked, transact: () => Promise<Result>): Promise<Result>;
  /** Uses a connection to it. */
  use<Result>(pool: pg.Pool, work: (client: PoolClient) => Promise<Result>): Promise<Result>;
}

/**
 * Gives Grafast connections of the pool. A connection returns to the pool only if it is idle, outside any transaction.
 *
 * @param version of the catalogue that the schema is built from. Where services share prepared statements, those of one version do.
 * @param replicas may answer queries
 */
export function makeDatabaseAccess(pool: pg.Pool, version: string = randomUUID(), replicas?: Replicas): DatabaseAccess {
  const built = { generation: ++generations, version };
  const { due } = sharesOf(pool);
  const access = makeServerAccess(pool, built, {
    become: (caller) => becoming(caller, due.isAskedFor),
    begin: (alone, transact) => due.before(alone, transact),
    use: onPrimary,
  });
  if (!replicas) return access;
  // A standby cannot do what is due: it refuses, and the primary does it.
  const standby: Server = {
    become: (caller) => becomingOnStandby(caller, due.isAskedFor),
    begin: (_alone, transact) => transact(),
    use: async (ofReplica, work) => work(await ofReplica.connect()),
  };
  const standbys = new Map<Replica, DatabaseAccess>();
  return {
    ...access,
    async onReplica(caller, run) {
      const replica = replicas.choose(caller.after);
      if (!replica) {
        replicas.withoutReplica += 1;
        return undefined;
      }
      const onStandby = standbys.get(replica) ?? makeServerAccess(replica.pool, built, standby);
      standbys.set(replica, onStandby);
      // Whatever fails on a replica, the primary answers.
      const answer = await replica.run(() => run(onStandby)).catch(() => undefined);
      replica[answer === undefined ? "passedOn" : "answered"] += 1;
      return answer;
    },
  };
}

function makeServerAccess(
  pool: pg.Pool,
  { generation, version }: { generation: number; version: string },
  server: Server,
): DatabaseAccess {
  const { slots, time } = sharesOf(pool);
  const transactions = transactionsOf(pool);
  const { prepares, sharesPlans } = transactions;
  const markOf = (caller: Caller | undefined): Mark => ({
    name: `${generation}-${roleMark(caller)}-`,
    text: sharesPlans ? ` /*${version.slice(0, 8)}-${roleMark(caller)}*/` : "",
  });
  const clientOf = (client: PoolClient, caller?: Caller) => callerClient(client, markOf(caller), prepares, caller);
  return {
    asLogin: async (_settings, work) =>
      transact(await pool.connect(), transactions, undefined, server, (client) => work(clientOf(client))),
    as: (caller) => (_settings, work) =>
      inTurn(caller, (client) =>
        transact(client, transactions, caller, server, (begun) => work(clientOf(begun, caller))),
      ),
    atOnce: (caller, statements) =>
      inTurn(caller, (client) =>
        occupy(client, caller, async ({ isBroken }) => {
          const prepared = statements.map((statement): PlainStatement => {
            const { name, text, values } = prepareFor(caller, statement, markOf(caller));
            return { name: prepares && notePrepared(client, name, text) ? name : undefined, text, values };
          });
          const alone = transactions.alone(client);
          const attempt = () => {
            const become = transactions.named(server.become(caller));
            return runAtOnce(client, caller, [...transactions.first, become], prepared);
          };
          try {
            return await server.begin(alone, () => repeatOnce(attempt, isBroken));
          } catch (error) {
            throw caller.budget?.isSpent ? error : await toSqlFaults(error, isBroken() ? undefined : alone);
          }
        }),
      ),
  };

  /** Gives the caller one of its connections. */
  async function inTurn<Result>(caller: Caller, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    for (;;) {
      await enter(slots, caller, pool.options.connectionTimeoutMillis);
      // Looked at when it is the caller's turn: a burst waits here long before its first statement has been paid for.
      const ms = time.pauseOf(caller.share);
      if (ms <= 1) break;
      slots.leave(caller.share);
      // A second at most: the others may be gone by then.
      await pause(Math.min(ms, 1_000), caller);
    }
    const enteredAt = performance.now();
    let isCharged = true;
    try {
      return await server.use(pool, work);
    } catch (error) {
      // Who has waited for a server that was gone has kept none busy.
      isCharged = !isBrokenOff(error);
      throw error;
    } finally {
      if (isCharged) time.use(caller.share, performance.now() - enteredAt);
      slots.leave(caller.share);
    }
  }
}

/** Whether the connection was lost before the answer. */
function isBrokenOff(error: unknown): boolean {
  return sqlStateOf(error).startsWith("08") || (error instanceof ApiError && error.code === "OUTCOME_UNKNOWN");
}

/** PostgreSQL reports this on a standby, and has done nothing. */
const readOnly = "25006";

/** Uses a connection. If its server only reads, another one may be the primary by now: uses a new connection then, once. */
async function onPrimary<Result>(pool: pg.Pool, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  try {
    return await work(await pool.connect());
  } catch (error) {
    if (sqlStateOf(error) !== readOnly) throw error;
    await cutIdle(pool);
    return work(await pool.connect());
  }
}

/** Becomes the caller and runs the statements, under one Sync. */
async function runAtOnce(
  client: PoolClient,
  caller: Caller,
  become: readonly PlainStatement[],
  statements: readonly PlainStatement[],
): Promise<string | undefined> {
  const run = new OneSync([...become, ...statements]);
  const send = () => {
    client.query(run);
    return run.result;
  };
  try {
    const value = await finish(client, caller, send, () => run.finished === run.statements.length);
    // The last bytes may have come together with the end of the result.
    if (caller.budget?.isSpent) throw tooLarge(caller.budget);
    return value;
  } catch (error) {
    const isAnswer = statements.length > 1 && run.finished === run.statements.length - 1;
    throw isAnswer && error instanceof pg.DatabaseError ? new UnreadAnswer(error) : error;
  }
}

/**
 * Runs what commits a transaction, and notes the position after it.
 *
 * @param isComplete whether PostgreSQL has reported every statement as done
 * @throws OUTCOME_UNKNOWN as knowOutcome() does, if the caller's request is a mutation
 */
async function finish<Result>(
  client: PoolClient,
  caller: Caller | undefined,
  commit: () => Promise<Result>,
  isComplete: () => boolean,
): Promise<Result> {
  let noted: Promise<void> | undefined;
  const commitAndNote = () => {
    const committed = commit();
    noted = notePosition(client, caller);
    return committed;
  };
  try {
    return await (caller?.writes ? knowOutcome(client, commitAndNote, isComplete) : commitAndNote());
  } finally {
    await noted;
  }
}

/** Reads the position after a transaction, in the same flight. Never rejects. */
function notePosition(client: PoolClient, caller: Caller | undefined): Promise<void> | undefined {
  const { wrote } = caller ?? {};
  if (!wrote) return undefined;
  return client.query<{ position: string }>(currentPosition).then(
    ({ rows: [row] }) => wrote((row && parsePosition(row.position)) ?? unknownPosition),
    // The transaction may have been committed, or not.
    () => wrote(unknownPosition),
  );
}

/** Lets a caller that has kept the database busy wait while others use it. */
async function pause(ms: number, { signal }: Caller): Promise<void> {
  await delay(ms, undefined, signal && { signal }).catch(() => {
    throw disconnected();
  });
}

/** Waits for the caller's turn, for as long as the pool would wait, and not after the client has disconnected. */
async function enter(slots: FairSlots, { share, signal }: Caller, timeoutMs = 0): Promise<void> {
  if (slots.tryEnter(share)) return;
  const waiting = new AbortController();
  const disconnect = () => waiting.abort(disconnected());
  const timer =
    timeoutMs > 0
      ? setTimeout(() => waiting.abort(unavailable("The database is busy. Try again.")), timeoutMs)
      : undefined;
  if (signal?.aborted) disconnect();
  signal?.addEventListener("abort", disconnect, { once: true });
  try {
    await slots.enter(share, waiting.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", disconnect);
  }
}

/** Uses a connection for a caller, then returns it to the pool, or closes it when it cannot be used any more. */
async function occupy<Result>(
  client: PoolClient,
  caller: Caller | undefined,
  work: (connection: { isBroken(): boolean; markBroken(): void }) => Promise<Result>,
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
    const result = await work({ isBroken: () => broken, markBroken });
    forgetOldStatements(client);
    return result;
  } catch (error) {
    throw caller?.budget?.isSpent ? tooLarge(caller.budget) : error;
  } finally {
    unwatch();
    client.off("error", markBroken);
    // Beyond its budget, the connection has been cut, which is reported later.
    client.release(broken || caller?.budget?.isSpent || client.getTransactionStatus() !== "I");
  }
}

/** `begin`, becoming the caller and the step's first statement travel together, so a step takes two round trips, not four. */
function transact<Result>(
  client: PoolClient,
  transactions: Transactions,
  caller: Caller | undefined,
  server: Server,
  work: (client: PoolClient) => Result | Promise<Result>,
): Promise<Result> {
  return occupy(client, caller, async ({ isBroken, markBroken }) => {
    const attempt = async () => {
      const begun = client.query(transactions.begin);
      const become = caller && queryNamed(client, transactions.named(server.become(caller)));
      const opened = Promise.all([begun, become]);
      // Reported below, after the work; until then it must not count as an unhandled rejection.
      opened.catch(() => {});
      try {
        const result = await work(client);
        await opened;
        await finish(
          client,
          caller,
          () => client.query("commit"),
          () => true,
        );
        return result;
      } catch (error) {
        if (caller?.budget?.isSpent) throw error;
        // After a refused identity, the statements behind it fail as well, with less informative errors.
        const cause = await opened.then(
          () => error,
          (refusal) => refusal,
        );
        if (!isBroken()) await client.query("rollback").catch(markBroken);
        throw cause;
      }
    };
    const alone = transactions.alone(client);
    try {
      return await server.begin(alone, () => repeatOnce(attempt, isBroken));
    } catch (error) {
      throw caller?.budget?.isSpent ? error : await toSqlFaults(error, isBroken() ? undefined : alone);
    }
  });
}

/**
 * 42804: a row has other columns than the plan was made for. A function that waits for a migration's lock finds them when it goes
 * on. 40P01: PostgreSQL has ended a deadlock at this transaction's expense.
 */
const repeatable: ReadonlySet<string> = new Set(["42804", "40P01"]);

/** Runs a transaction once more when PostgreSQL has rolled it back for a reason that passes. */
async function repeatOnce<Result>(run: () => Promise<Result>, isBroken: () => boolean): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!repeatable.has(sqlStateOf(error)) || isBroken()) throw error;
    return run();
  }
}

/** Checked after the wait for a connection, which may have been long. */
function reasonNotToBegin({ budget, signal }: Caller): ApiError | undefined {
  if (budget?.isSpent) return tooLarge(budget);
  return signal?.aborted ? disconnected() : undefined;
}

function disconnected(): ApiError {
  return unavailable("The client has disconnected.");
}

/** Cuts the connection when the request's budget is spent: there is no other way to stop reading a result. */
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

function tooLarge({ max, taken }: ByteBudget): ApiError {
  return limitError("answerBytes", max, taken, true);
}

/** A pool client with a property that node-postgres has but does not declare. */
type StreamingClient = PoolClient & { connection: { stream: Socket } };

type Becoming = PlainStatement & { values: (string | null)[] };

/** @param refusesDue whether PostgreSQL refuses while something is due that nobody has done yet: DueWork */
export function becoming({ viewerId, requestId, address }: Caller, refusesDue = false): Becoming {
  return { name: "become-caller", text: becomeCaller, values: [viewerId || null, requestId, address, `${refusesDue}`] };
}

function becomingOnStandby(caller: Caller, refusesDue: boolean): Becoming {
  const { after } = caller;
  const position = after ? [String(after.timeline), printLsn(after.lsn)] : [null, null];
  const { values } = becoming(caller, refusesDue);
  return { name: "become-caller-on-standby", text: becomeCallerOnStandby, values: [...values, ...position] };
}

/**
 * Each role prepares statements of its own: under policies, PostgreSQL plans a statement for the role that runs it, and anew
 * when another role runs it.
 */
function roleMark(caller: Caller | undefined): string {
  if (!caller) return "l";
  return caller.viewerId === "" ? "a" : "m";
}

/** What keeps statements apart whose plans differ. */
interface Mark {
  /** Prefix of the names under which a connection prepares them. */
  name: string;
  /** A comment, where the text decides; else empty. */
  text: string;
}

/** Notes a statement of the caller, writes the operation's name into it, and names it for the connection. */
function prepareFor<Query extends { text: string; name?: string | undefined }>(
  caller: Caller | undefined,
  query: Query,
  mark: Mark,
): Query {
  caller?.statements?.push(query.text);
  const named = nameOperation({ ...query, text: query.text + mark.text }, caller?.operation);
  return named.name ? { ...named, name: `${mark.name}${named.name}`.slice(0, maxNameLength) } : named;
}

/** @param prepares whether statements may have names */
function callerClient(client: PoolClient, mark: Mark, prepares: boolean, caller?: Caller): PgClient {
  const self: PgClient = {
    query: <TData>(query: PgClientQuery) => runQuery<TData>(client, prepareFor(caller, query, mark), prepares),
    withTransaction: (callback) => callback(self),
  };
  return self;
}

async function runQuery<TData>(
  client: PoolClient,
  query: PgClientQuery,
  prepares: boolean,
): Promise<PgClientResult<TData>> {
  const { text, name, values, arrayMode } = query;
  const isPrepared = prepares && name !== undefined && notePrepared(client, name, text);
  const { rows, rowCount } = await queryNamed(client, {
    text,
    values: values ?? [],
    ...(isPrepared ? { name } : null),
    ...(arrayMode ? { rowMode: "array" as const } : null),
  });
  return { rows: rows as TData[], rowCount, notices: [] };
}
