import type pg from "pg";

/** Acts in a transaction, which is rolled back, on a session of a pool: a reused one has read the catalogue already. */
export async function rolledBack<Result>(
  pool: pg.Pool,
  act: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    return await act(client);
  } finally {
    await client.query("rollback");
    client.release();
  }
}
