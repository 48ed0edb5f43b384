import { isApiError, unavailable } from "@content-service/errors/ApiError.ts";
import { reruns, withReruns } from "@content-service/errors/reruns.ts";
import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import type { PoolClient } from "pg";
import pg from "pg";
import type { Caller } from "./caller.ts";
import { commitKnowingOutcome } from "./commitOutcome.ts";
import { ImplicitTransaction, type PlainStatement } from "./ImplicitTransaction.ts";
import { queryNamed } from "./preparedStatements.ts";
import type { Queryable, Transactions } from "./Transactions.ts";
import { currentPosition, parsePosition, unknownPosition } from "./walPosition.ts";
import { type Connection, withConnection } from "./withConnection.ts";

/** How a server is used, and what the project adds. */
export interface TransactionTarget {
  identify(caller: Caller): PlainStatement;
  explainError(error: pg.DatabaseError, database: Queryable): Promise<unknown>;
  /** Uses a connection to it. */
  use<Result>(pool: pg.Pool, work: (client: PoolClient) => Promise<Result>): Promise<Result>;
}

/** The statements have been rolled back, because PostgreSQL refused the one that reads the result. */
export class ResultNotRead extends Error {
  override readonly cause: pg.DatabaseError;

  constructor(cause: pg.DatabaseError) {
    super("The result cannot be read");
    this.cause = cause;
  }
}

/** `begin`, the identity and the step's first statement travel together, so a step takes two round trips, not four. */
export function transact<Result>(
  client: PoolClient,
  transactions: Transactions,
  caller: Caller | undefined,
  server: TransactionTarget,
  work: (client: PoolClient) => Result | Promise<Result>,
): Promise<Result> {
  return attemptOn(client, transactions, caller, server, async ({ isBroken, markBroken }) => {
    const begun = client.query(caller ? transactions.begin : transactions.beginAsLogin);
    const identified =
      caller &&
      identify(caller, transactions, server).map((one) => queryNamed(client, { ...one, values: [...one.values] }));
    const opened = Promise.all([begun, ...(identified ?? [])]);
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
      if (caller?.budget?.refusal) throw error;
      // After a refused identity, the statements behind it fail as well, with less informative errors.
      const cause = await opened.then(
        () => error,
        (refusal) => refusal,
      );
      if (!isBroken()) await client.query("rollback").catch(markBroken);
      throw cause;
    }
  });
}

/** Runs statements as a transaction, in one round trip. @returns the only value of the last one's row, if there is one */
export function transactAtOnce(
  client: PoolClient,
  transactions: Transactions,
  caller: Caller,
  server: TransactionTarget,
  statements: readonly PlainStatement[],
): Promise<string | undefined> {
  return attemptOn(client, transactions, caller, server, () => {
    const preceding = [...transactions.first, ...identify(caller, transactions, server)];
    return runAtOnce(client, caller, preceding, statements);
  });
}

/** @returns the statement that makes a transaction the caller's, if it needs one */
function identify(caller: Caller, transactions: Transactions, server: TransactionTarget): PlainStatement[] {
  return transactions.needsIdentity(caller) ? [transactions.named(server.identify(caller))] : [];
}

/** Runs a transaction, again where that helps, and lets the project explain PostgreSQL's errors. */
function attemptOn<Result>(
  client: PoolClient,
  transactions: Transactions,
  caller: Caller | undefined,
  { explainError }: TransactionTarget,
  attempt: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  return withConnection(client, caller, async (connection) => {
    const { isBroken } = connection;
    try {
      return await withReruns(
        reruns.rolledBack,
        () => attempt(connection),
        () => !isBroken(),
      );
    } catch (error) {
      const isFinal = caller?.budget?.refusal || isBroken() || !(error instanceof pg.DatabaseError);
      throw isFinal ? withCode(error) : await explainError(error, transactions.alone(client));
    }
  });
}

/** node-postgres reports a lost connection by its message only. */
function withCode(error: unknown): unknown {
  if (error instanceof pg.DatabaseError || isApiError(error) || sqlStateOf(error) === "") return error;
  return Object.assign(unavailable("The connection to the database was lost."), { cause: error });
}

/** Becomes the caller and runs the statements, under one Sync. */
async function runAtOnce(
  client: PoolClient,
  caller: Caller,
  preceding: readonly PlainStatement[],
  statements: readonly PlainStatement[],
): Promise<string | undefined> {
  const run = new ImplicitTransaction([...preceding, ...statements]);
  const send = () => {
    client.query(run);
    return run.result;
  };
  try {
    const value = await finish(client, caller, send, () => run.finished === run.statements.length);
    // The last bytes may have come together with the end of the result.
    if (caller.budget?.refusal && !caller.writes) throw caller.budget.refusal;
    return value;
  } catch (error) {
    const isFinalResult = statements.length > 1 && run.finished === run.statements.length - 1;
    throw isFinalResult && error instanceof pg.DatabaseError ? new ResultNotRead(error) : error;
  }
}

/**
 * Runs what commits a transaction, and notes the position after it.
 *
 * @param isComplete whether PostgreSQL has reported every statement as done
 * @throws OUTCOME_UNKNOWN as commitKnowingOutcome() does, if the caller's request is a mutation
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
    return await (caller?.writes ? commitKnowingOutcome(client, commitAndNote, isComplete) : commitAndNote());
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
