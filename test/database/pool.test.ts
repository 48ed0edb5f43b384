import { once } from "node:events";
import type { Socket } from "node:net";
import type pg from "pg";
import { pino } from "pino";
import { createRequestPool } from "../../src/database/requestAccess.ts";
import { DroppingProxy } from "../../tools/support/DroppingProxy.ts";
import { useDatabase } from "../support/database.ts";

const database = useDatabase();

test("a connection that went half-open while it was idle is cut when it does not answer, and the next one does", async () => {
  const proxy = await DroppingProxy.start(database.apiUrl);
  const settings = { apiDatabaseUrl: proxy.url, poolSize: 1, poolTimeoutMs: 5_000, statementTimeoutMs: 1_000 };
  const pool: pg.Pool = createRequestPool(settings, pino({ level: "silent" }));
  const client = await pool.connect();
  client.on("error", () => {});
  const { stream } = (client as pg.PoolClient & { connection: { stream: Socket } }).connection;
  client.release();
  // Idle for longer than an answer may take: that alone is no reason to cut it.
  await once(stream, "timeout");
  expect(stream.destroyed).toBe(false);
  proxy.drop();
  await expect(pool.query("select 1")).rejects.toThrow("Connection terminated");
  expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  await pool.end();
  await proxy.stop();
});
