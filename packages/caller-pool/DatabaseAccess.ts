import { hash, randomUUID } from "node:crypto";
import { reruns, withReruns } from "@content-service/errors/reruns.ts";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import type { PoolClient } from "pg";
import { type Caller, type Identify, identifyBySettings } from "./caller.ts";
import { inTurn } from "./connectionShares.ts";
import type { PlainStatement } from "./ImplicitTransaction.ts";
import { type CallerClient, lend } from "./loan.ts";
import { nameOperation } from "./nameOperation.ts";
import { closeIdle, extendSocketTimeout } from "./pool.ts";
import { notePrepared } from "./preparedStatements.ts";
import type { Replica, Replicas } from "./Replicas.ts";
import { type Queryable, transactionsOf } from "./Transactions.ts";
import { type TransactionTarget, transact, transactAtOnce } from "./transact.ts";

/** Runs `work` as one transaction, as PostGraphile's `withCallerClient`. The settings are ignored: the caller is known already. */
export type WithCallerClient = <Result>(
  settings: Record<string, string | undefined> | null,
  work: (client: CallerClient) => Result | Promise<Result>,
) => Promise<Result>;

/** The ways to PostgreSQL. Each use is one transaction. */
export interface DatabaseAccess<C extends Caller = Caller> {
  /** As the API's login itself, which sees in the catalogue what any caller may do. */
  asLogin: WithCallerClient;
  /** As a caller: its role and identity are set for each transaction. */
  as(caller: C): WithCallerClient;
  /**
   * Runs statements as a caller, as one transaction, in one round trip.
   *
   * @returns the only value of the last one's row; undefined if it has no row
   * @throws ResultNotRead if the last of several statements fails
   */
  atOnce(caller: C, statements: readonly NamedStatement[]): Promise<string | undefined>;
  /**
   * Runs a query on a replica.
   *
   * @param run returns undefined if the primary has to answer
   * @returns undefined if the primary has to answer, whatever the reason
   */
  onReplica?<Result>(
    caller: C,
    run: (access: DatabaseAccess<C>) => Promise<Result | undefined>,
  ): Promise<Result | undefined>;
}

/** Additions of a project to the pool. */
export interface AccessOptions<C extends Caller = Caller> {
  /** By default identifyBySettings(). */
  identify?: Identify<C>;
  /**
   * Callers with the same key share prepared statements: their role, by default, if it is among `caller.settings`. Under policies,
   * PostgreSQL plans a statement for the role that runs it, and again when another role runs it. From a bounded set.
   */
  planKey?: (caller: C) => string;
  /**
   * Returns the error to throw instead of PostgreSQL's.
   *
   * @param database to read from, as the login, outside the transaction that has failed
   */
  explainError?: (error: pg.DatabaseError, database: Queryable) => Promise<unknown>;
  /** Where services share prepared statements, those of one version do: the version of the schema that they are compiled for. */
  version?: string;
  /** May answer queries. */
  replicas?: Replicas | undefined;
  /** The statement timeout of the login, in milliseconds, since reading the catalogue takes longer than requests may. By default, that of callers. */
  loginTimeoutMs?: number;
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

/** Gives callers connections of the pool. A connection returns to the pool only if it is idle, outside any transaction. */
export function makeDatabaseAccess<C extends Caller = Caller>(
  pool: pg.Pool,
  options: AccessOptions<C> = {},
): DatabaseAccess<C> {
  const { identify = identifyBySettings as Identify<C>, planKey = roleOf, replicas } = options;
  const { explainError = async (error) => error, version = randomUUID(), loginTimeoutMs } = options;
  const built: Built<C> = { generation: ++generations, version, planKey, loginTimeoutMs };
  const access = makeServerAccess(pool, built, {
    identify: (caller) => identify(caller as C, "primary"),
    explainError,
    use: onPrimary,
  });
  if (!replicas) return access;
  const standby: TransactionTarget = {
    identify: (caller) => identify(caller as C, "standby"),
    explainError,
    use: async (ofReplica, work) => work(await ofReplica.connect()),
  };
  const standbys = new Map<Replica, DatabaseAccess<C>>();
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
      const result = await replica.run(() => run(onStandby)).catch(() => undefined);
      replica[result === undefined ? "passedOn" : "answered"] += 1;
      return result;
    },
  };
}

function roleOf({ settings }: Caller): string {
  return settings?.["role"] ?? "";
}

/** What tells the statements of an access from those of others. */
interface Built<C extends Caller> {
  generation: number;
  version: string;
  planKey(caller: C): string;
  loginTimeoutMs: number | undefined;
}

function makeServerAccess<C extends Caller>(
  pool: pg.Pool,
  { generation, version, planKey, loginTimeoutMs }: Built<C>,
  server: TransactionTarget,
): DatabaseAccess<C> {
  const transactions = transactionsOf(pool);
  const { prepares, sharesPlans } = transactions;
  const marks = new LRUCache<string, Mark>({ max: 1_000, memoMethod: makeMark });
  function makeMark(key: string): Mark {
    // Of fixed length, and harmless within a comment.
    const short = hash("sha256", key, "base64url").slice(0, 8);
    return { name: `${generation}-${short}-`, text: sharesPlans ? ` /*${version.slice(0, 8)}-${short}*/` : "" };
  }
  const markOf = (caller: C | undefined) => marks.memo(caller ? `caller ${planKey(caller)}` : "login");
  const lendTo = <Result>(
    client: PoolClient,
    caller: C | undefined,
    work: (client: CallerClient) => Result | Promise<Result>,
  ) => {
    const mark = markOf(caller);
    return lend(client, { caller, prepares, prepare: (query) => prepareFor(caller, query, mark) }, work);
  };
  const use = <Result>(caller: C, work: (client: PoolClient) => Promise<Result>) =>
    inTurn(pool, caller, () => server.use(pool, work));
  return {
    asLogin: async (_settings, work) =>
      transact(await pool.connect(), transactions, undefined, server, (client) =>
        withTimeout(client, loginTimeoutMs, () => lendTo(client, undefined, work)),
      ),
    as: (caller) => (_settings, work) =>
      use(caller, (client) => transact(client, transactions, caller, server, (begun) => lendTo(begun, caller, work))),
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

async function withTimeout<Result>(
  client: PoolClient,
  timeoutMs: number | undefined,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  if (timeoutMs === undefined) return work();
  const endSilence = extendSocketTimeout(client, timeoutMs);
  try {
    await client.query(`set local statement_timeout = ${timeoutMs}`);
    return await work();
  } finally {
    endSilence();
  }
}

function onPrimary<Result>(pool: pg.Pool, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  return withReruns(
    reruns.noPrimary,
    async () => work(await pool.connect()),
    () => closeIdle(pool),
  );
}

/** Keeps statements apart whose plans differ. */
interface Mark {
  /** Prefix of the names under which a connection prepares them. */
  name: string;
  /** A comment, where the text decides; else empty. */
  text: string;
}

/** Names and texts of statements, by the name that the engine gave them. To make them anew takes a twentieth of a short request. */
const preparedTexts = new LRUCache<string, { name: string; text: string }>({
  maxSize: 8 * 2 ** 20,
  sizeCalculation: ({ text }) => text.length + 200,
});

/** Writes the operation's name into a statement, and names it for the connection. */
function prepareFor<Query extends { text: string; name?: string | undefined }>(
  caller: Caller | undefined,
  query: Query,
  mark: Mark,
): Query {
  const operation = caller?.operation;
  if (!query.name) return nameOperation({ ...query, text: query.text + mark.text }, operation);
  const key = `${mark.name}${query.name} ${operation ?? ""}`;
  let prepared = preparedTexts.get(key);
  if (!prepared) {
    const { name, text } = nameOperation({ name: query.name, text: query.text + mark.text }, operation);
    prepared = { name: `${mark.name}${name}`.slice(0, maxNameLength), text };
    preparedTexts.set(key, prepared);
  }
  return { ...query, ...prepared };
}
