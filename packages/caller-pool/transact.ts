import { reruns, withReruns } from "@content-service/errors/reruns.ts";
import type { PoolClient } from "pg";
import pg from "pg";
import { type Caller, type Impersonation, isAnybody } from "./caller.ts";
import { ImplicitTransaction, type PlainStatement } from "./ImplicitTransaction.ts";
import { type Connection, occupy } from "./occupy.ts";
import { knowOutcome } from "./outcome.ts";
import { queryNamed } from "./preparedStatements.ts";
import type { Transactions } from "./Transactions.ts";
import { toSqlErrors } from "./toSqlErrors.ts";
import { currentPosition, parsePosition, unknownPosition } from "./walPosition.ts";

/** The differences between the primary and a standby. */
export interface TransactionTarget {
  impersonate(caller: Caller): Impersonation;
  /** Uses a connection to it. */
  use<Result>(pool: pg.Pool, work: (client: PoolClient) => Promise<Result>): Promise<Result>;
}

/** The statements have been rolled back, because PostgreSQL refused the one that reads the result. */
export class ResultNotRead extends Error {
  override readonly cause: pg.DatabaseError;

  constructor(cause: pg.DatabaseError) {
    super("The answer cannot be read");
    this.cause = cause;
  }
}

/** `begin`, the impersonation and the step's first statement travel together, so a step takes two round trips, not four. */
export function transact<Result>(
  client: PoolClient,
  transactions: Transactions,
  caller: Caller | undefined,
  server: TransactionTarget,
  work: (client: PoolClient) => Result | Promise<Result>,
): Promise<Result> {
  return attemptOn(client, transactions, caller, async ({ isBroken, markBroken }) => {
    const begun = client.query(caller ? transactions.begin : transactions.beginAsLogin);
    const impersonated = caller && impersonate(caller, transactions, server).map((one) => queryNamed(client, one));
    const opened = Promise.all([begun, ...(impersonated ?? [])]);
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
  return attemptOn(client, transactions, caller, () => {
    const preceding = [...transactions.first, ...impersonate(caller, transactions, server)];
    return runAtOnce(client, caller, preceding, statements);
  });
}

/** @returns the statement that makes a transaction the caller's, if it needs one */
function impersonate(caller: Caller, transactions: Transactions, server: TransactionTarget): Impersonation[] {
  if (transactions.restsAsAnonymous && isAnybody(caller)) return [];
  return [transactions.named(server.impersonate(caller))];
}

/** Runs a transaction, again where that helps, and names the fields that PostgreSQL has refused. */
function attemptOn<Result>(
  client: PoolClient,
  transactions: Transactions,
  caller: Caller | undefined,
  attempt: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  return occupy(client, caller, async (connection) => {
    const { isBroken } = connection;
    try {
      return await withReruns(
        reruns.rolledBack,
        () => attempt(connection),
        () => !isBroken(),
      );
    } catch (error) {
      throw caller?.budget?.refusal
        ? error
        : await toSqlErrors(error, isBroken() ? undefined : transactions.alone(client));
    }
  });
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
