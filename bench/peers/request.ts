import pg from "pg";

/** The database for the statements of one request. */
export interface RequestDatabase {
  rows(statement: { name: string; text: string }, values: unknown[]): Promise<any[]>;
  /** Ends the request, before its response is sent. */
  end(): Promise<void>;
}

/** Runs each statement on any connection, as the role of the pool. */
export function unprotected(pool: pg.Pool): RequestDatabase {
  return {
    rows: async (statement, values) => (await pool.query({ ...statement, values })).rows,
    end: async () => {},
  };
}

/** Runs the statements of a request in one transaction, under the policies of its user. It begins with the first statement. */
export function asUser(pool: pg.Pool, userId: string): RequestDatabase {
  const begin = `begin; set local role api_member; set local app.viewer_id = ${pg.escapeLiteral(userId)}`;
  let client: pg.PoolClient | undefined;
  let last: Promise<unknown> = Promise.resolve();
  // A client runs one statement at a time, and resolvers ask for several at once.
  const inTurn = <Result>(run: () => Promise<Result>): Promise<Result> => {
    const result = last.then(run);
    last = result.catch(() => {});
    return result;
  };
  return {
    rows: (statement, values) =>
      inTurn(async () => {
        if (!client) {
          client = await pool.connect();
          await client.query(begin);
        }
        return (await client.query({ ...statement, values })).rows;
      }),
    end: () => inTurn(async () => client?.query("commit").finally(() => client?.release())).then(() => {}),
  };
}
