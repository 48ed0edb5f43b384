import { noteParameters } from "@content-service/errors/sqlStates.ts";
import type { PoolClient, QueryResult } from "pg";
import type { Caller } from "./caller.ts";
import { notePrepared, queryNamed } from "./preparedStatements.ts";
import { disconnected } from "./withConnection.ts";

/** A connection within a transaction, as PostGraphile's `PgClient` is. It refuses when the function that was given it has ended. */
export interface CallerClient {
  query<Row = Record<string, unknown>>(query: ClientQuery): Promise<ClientResult<Row>>;
  /** Runs `use` in the same transaction. */
  withTransaction<Result>(use: (client: this) => Promise<Result>): Promise<Result>;
}

/** A statement, as PostGraphile writes them. */
export interface ClientQuery {
  text: string;
  values?: unknown[];
  /** Prepared under it from the second use on. */
  name?: string;
  /** Rows as arrays. */
  arrayMode?: boolean;
}

/** What a statement has returned. */
export interface ClientResult<Row> {
  rows: readonly Row[];
  rowCount: number | null;
}

/** A client that was used after its function had ended. The connection is another caller's by then, so nothing has been sent. */
export class TransactionEnded extends Error {
  override readonly name = "TransactionEnded";
  readonly code = "TRANSACTION_ENDED";

  constructor() {
    super(
      "The transaction is over, because the function that was given this client has ended. Await each query inside of it.",
    );
  }
}

/** How the statements of a loan are sent. */
export interface LoanOptions {
  caller: Caller | undefined;
  /** Writes the operation's name into a statement, and names it for the connection. */
  prepare(query: ClientQuery): ClientQuery;
  /** Whether statements may have names. */
  prepares: boolean;
}

/**
 * Lends a connection to a function. What the function has begun is part of the transaction, awaited or not; what it asks for later is refused, and
 * so is all that a caller asks for who has disconnected.
 *
 * @throws the error of a statement that nobody has awaited, and that of a statement which has failed the transaction
 */
export async function lend<Result>(
  client: PoolClient,
  { caller, prepare, prepares }: LoanOptions,
  work: (client: CallerClient) => Result | Promise<Result>,
): Promise<Result> {
  let isOver = false;
  let failure: unknown;
  const underWay = new Set<Promise<unknown>>();
  const check = () => {
    if (isOver) throw new TransactionEnded();
    if (caller?.signal?.aborted) throw disconnected();
  };
  const run = async <Row>(query: ClientQuery): Promise<ClientResult<Row>> => {
    check();
    try {
      return await send<Row>(client, prepare(statementOf(query)), prepares);
    } catch (error) {
      failure ??= error;
      throw error;
    }
  };
  const loan: CallerClient = {
    query<Row>(query: ClientQuery) {
      const running = run<Row>(query);
      underWay.add(running);
      // Reported below, where nobody awaits it.
      running.catch(() => {}).finally(() => underWay.delete(running));
      return running;
    },
    withTransaction: async (use) => {
      check();
      return use(loan);
    },
  };
  try {
    const result = await work(loan);
    while (underWay.size > 0) await Promise.all(underWay);
    check();
    if (client.getTransactionStatus() === "E") throw failure;
    return result;
  } finally {
    isOver = true;
  }
}

function statementOf(query: ClientQuery): ClientQuery {
  if (typeof query?.text === "string") return query;
  throw new TypeError("query() takes a statement as { text, values }");
}

async function send<Row>(client: PoolClient, query: ClientQuery, prepares: boolean): Promise<ClientResult<Row>> {
  const { text, name, values = [], arrayMode } = query;
  const isPrepared = prepares && name !== undefined && notePrepared(client, name, text);
  const statement = {
    text,
    values,
    // PostgreSQL refuses a text of two statements then.
    queryMode: "extended",
    ...(isPrepared ? { name } : null),
    ...(arrayMode ? { rowMode: "array" as const } : null),
  };
  const { rows, rowCount }: QueryResult = await queryNamed(client, statement).catch((error) => {
    noteParameters(error, values);
    throw error;
  });
  return { rows: rows as Row[], rowCount };
}
