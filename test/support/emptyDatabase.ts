import { randomUUID } from "node:crypto";
import pg from "pg";
import { ensureRoles } from "../../src/migrations/roles.ts";
import { databaseUrl, onServer } from "./template.ts";

export interface EmptyDatabase {
  url: string;
  query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]>;
}

/** Creates an empty database for each test. */
export function useEmptyDatabase(): EmptyDatabase {
  const database = {} as EmptyDatabase;
  const serverUrl = process.env.TEST_SERVER_URL as string;

  beforeEach(async () => {
    const name = `test_${randomUUID().replaceAll("-", "")}`;
    await onServer(serverUrl, `create database ${name}`);
    database.url = databaseUrl(serverUrl, name);
    await ensureRoles(database.url);
  });
  // Without force: the migrator may still be closing connections, and it ends the process when one of them breaks.
  afterEach(() => onServer(serverUrl, `drop database "${new URL(database.url).pathname.slice(1)}"`));

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
