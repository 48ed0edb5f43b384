import type pg from "pg";
import type { PgClient, PgClientQuery, WithPgClient } from "postgraphile/@dataplan/pg";
import { identify, type RequestAccess, type RequestCaller } from "../database/requestAccess.ts";

/** A statement that an operation ran, with what EXPLAIN says of it. */
export interface Explained {
  text: string;
  /** The lines of EXPLAIN, or the error that the statement ended with. */
  plan: string;
}

/** JSON stays text. */
const asText = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig;

/**
 * Gives the engine one connection, on which each statement is explained before it runs. Everything happens within the
 * transaction that the connection is in, so a mutation can be undone.
 *
 * @param client in a transaction, as the API's login
 * @param explained receives the statements in the order in which they ran
 */
export function explainingAccess(client: pg.ClientBase, explained: Explained[]): RequestAccess {
  // Root fields run at the same time, and the connection serves one after the other.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(act: () => Promise<Result>): Promise<Result> => {
    const turn = last.then(act, act);
    last = turn;
    return turn;
  };
  const as = (caller: RequestCaller): WithPgClient => {
    const self: PgClient = {
      query: async <TData>({ text, values = [], arrayMode }: PgClientQuery) => {
        explained.push(await explain(client, text, values));
        const { rows, rowCount } = await undoingErrors(client, () =>
          client.query({ text, values, ...(arrayMode ? { rowMode: "array" as const } : null) } as pg.QueryConfig),
        );
        return { rows: rows as TData[], rowCount, notices: [] };
      },
      withTransaction: (callback) => callback(self),
    };
    return (_settings, work) =>
      inTurn(async () => {
        await become(client, caller);
        return work(self);
      });
  };
  const atOnce: RequestAccess["atOnce"] = (caller, statements) =>
    inTurn(async () => {
      await become(client, caller);
      let plan: string | undefined;
      for (const { text, values } of statements) {
        explained.push(await explain(client, text, values));
        const query = { text, values: [...values], rowMode: "array", types: asText } as pg.QueryArrayConfig;
        const { rows } = await undoingErrors(client, () => client.query<(string | null)[]>(query));
        plan = rows[0]?.[0] ?? undefined;
      }
      return plan;
    });
  return { as, atOnce, asLogin: () => Promise.reject(new Error("Only callers are explained")) };
}

/** All steps share one transaction here, and a caller's role may not look up callers. */
function become(client: pg.ClientBase, caller: RequestCaller): Promise<unknown> {
  return undoingErrors(client, async () => {
    await client.query("set local role none");
    const { text, values } = identify(caller, "primary");
    await client.query(text, [...values]);
  });
}

async function explain(client: pg.ClientBase, text: string, values: readonly unknown[]): Promise<Explained> {
  await client.query("savepoint explained");
  try {
    const { rows } = await client.query({ text: `explain (analyze, buffers) ${text}`, values: [...values] });
    return { text, plan: rows.map((row) => row["QUERY PLAN"]).join("\n") };
  } catch (error) {
    return { text, plan: String(error) };
  } finally {
    await client.query("rollback to savepoint explained");
  }
}

async function undoingErrors<Result>(client: pg.ClientBase, act: () => Promise<Result>): Promise<Result> {
  await client.query("savepoint ran");
  try {
    return await act();
  } catch (error) {
    await client.query("rollback to savepoint ran");
    throw error;
  }
}
