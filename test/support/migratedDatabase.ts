import { randomUUID } from "node:crypto";
import pg from "pg";
import { ensureRoles } from "../../src/database/ensureRoles.ts";
import { createCommitted, databaseUrl, onServer } from "./template.ts";

export interface MigratedDatabase {
  url: string;
  query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]>;
  /** Replaces it by an empty one. */
  empty(): Promise<void>;
}

/** Creates a database for each test, on which the committed migrations have run and nothing else. */
export function useMigratedDatabase(): MigratedDatabase {
  const database = {} as MigratedDatabase;
  const serverUrl = process.env.TEST_SERVER_URL as string;
  let name: string;
  // Without force: the migrator may still be closing connections, and it ends the process when one of them breaks.
  const drop = () => onServer(serverUrl, `drop database ${name}`);

  beforeEach(async () => {
    name = `test_${randomUUID().replaceAll("-", "")}`;
    await createCommitted(serverUrl, name, false);
    database.url = databaseUrl(serverUrl, name);
    await ensureRoles(database.url);
  });
  afterEach(drop);

  database.empty = async () => {
    await drop();
    await onServer(serverUrl, `create database ${name}`);
  };
  database.query = async (sql) => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };
  return database;
}
