import type pg from "pg";
import { beginStatement, extendSocketTimeout } from "pg-caller-pool";

/** Runs a statement that may take longer than requests may. @returns its rows */
export async function runForLong<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  text: string,
  timeoutMs: number,
): Promise<Row[]> {
  const client = await pool.connect();
  const endSilence = extendSocketTimeout(client, timeoutMs);
  let failure: Error | undefined;
  try {
    await client.query(`${beginStatement(pool)}; set local statement_timeout = ${timeoutMs}`);
    const { rows } = await client.query<Row>(text);
    await client.query("commit");
    return rows;
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    endSilence();
    // A connection whose transaction failed is closed, which rolls back.
    client.release(failure);
  }
}
