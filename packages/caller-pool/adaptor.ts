import { randomUUID } from "node:crypto";
import { reruns, withReruns } from "@content-service/errors/reruns.ts";
import type pg from "pg";
import type { PoolClient } from "pg";
import type { PgClient, PgClientQuery, PgClientResult, WithPgClient } from "postgraphile/@dataplan/pg";
import { type Caller, impersonation, impersonationOnStandby, roleMark } from "./caller.ts";
import type { PlainStatement } from "./ImplicitTransaction.ts";
import { nameOperation } from "./nameOperation.ts";
import { cutIdle } from "./pool.ts";
import { notePrepared, queryNamed } from "./preparedStatements.ts";
import type { Replica, Replicas } from "./Replicas.ts";
import { transactionsOf } from "./Transactions.ts";
import { type TransactionTarget, transact, transactAtOnce } from "./transact.ts";
import { inTurn } from "./turns.ts";

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
   * @throws ResultNotRead if the last of several statements fails
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

/**
 * The number of schemas built so far. Each schema prepares statements of its own: a plan that was made before a column
 * changed its type can neither be used nor replaced.
 */
let generations = 0;

/** PostgreSQL's limit for names. The engine's names are hashes, so cutting them is safe. */
const maxNameLength = 63;

/**
 * Gives Grafast connections of the pool. A connection returns to the pool only if it is idle, outside any transaction.
 *
 * @param version of the catalogue that the schema is built from. Where services share prepared statements, those of one version do.
 * @param replicas may answer queries
 */
export function makeDatabaseAccess(pool: pg.Pool, version: string = randomUUID(), replicas?: Replicas): DatabaseAccess {
  const built = { generation: ++generations, version };
  const access = makeServerAccess(pool, built, {
    impersonate: impersonation,
    use: onPrimary,
  });
  if (!replicas) return access;
  const standby: TransactionTarget = {
    impersonate: impersonationOnStandby,
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
      // The primary answers every query that fails on a replica.
      const answer = await replica.run(() => run(onStandby)).catch(() => undefined);
      replica[answer === undefined ? "passedOn" : "answered"] += 1;
      return answer;
    },
  };
}

function makeServerAccess(
  pool: pg.Pool,
  { generation, version }: { generation: number; version: string },
  server: TransactionTarget,
): DatabaseAccess {
  const transactions = transactionsOf(pool);
  const { prepares, sharesPlans } = transactions;
  const markOf = (caller: Caller | undefined): Mark => ({
    name: `${generation}-${roleMark(caller)}-`,
    text: sharesPlans ? ` /*${version.slice(0, 8)}-${roleMark(caller)}*/` : "",
  });
  const clientOf = (client: PoolClient, caller?: Caller) => callerClient(client, markOf(caller), prepares, caller);
  const use = <Result>(caller: Caller, work: (client: PoolClient) => Promise<Result>) =>
    inTurn(pool, caller, () => server.use(pool, work));
  return {
    asLogin: async (_settings, work) =>
      transact(await pool.connect(), transactions, undefined, server, (client) => work(clientOf(client))),
    as: (caller) => (_settings, work) =>
      use(caller, (client) => transact(client, transactions, caller, server, (begun) => work(clientOf(begun, caller)))),
    atOnce: (caller, statements) =>
      use(caller, (client) => {
        const prepared = statements.map((statement): PlainStatement => {
          const { name, text, values } = prepareFor(caller, statement, markOf(caller));
          return { name: prepares && notePrepared(client, name, text) ? name : undefined, text, values };
        });
        return transactAtOnce(client, transactions, caller, server, prepared);
      }),
  };
}

function onPrimary<Result>(pool: pg.Pool, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  return withReruns(
    reruns.noPrimary,
    async () => work(await pool.connect()),
    () => cutIdle(pool),
  );
}

/** Keeps statements apart whose plans differ. */
interface Mark {
  /** Prefix of the names under which a connection prepares them. */
  name: string;
  /** A comment, where the text decides; else empty. */
  text: string;
}

/** Writes the operation's name into a statement, and names it for the connection. */
function prepareFor<Query extends { text: string; name?: string | undefined }>(
  caller: Caller | undefined,
  query: Query,
  mark: Mark,
): Query {
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
