import { randomUUID } from "node:crypto";
import pg from "pg";
import { copyDatabase } from "../../packages/migration-review/cloneDatabase.ts";
import { type HeldLock, holdLock } from "../../tools/support/holdLock.ts";
import { databaseUrl, dropDatabase, templateName } from "./template.ts";

export interface TestDatabase {
  /** The connection strings of the owner and of the API's login role. */
  ownerUrl: string;
  apiUrl: string;
  /** Runs SQL as the owner, to whom no policy applies. */
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** Connections as the owner, and one as the API's login role. Reused, a session has read the catalogue already. */
  owner: pg.Pool;
  login: pg.Pool;
  /** Runs SQL that takes a lock, in a transaction that stays open. */
  hold(sql: string): Promise<HeldLock>;
  /**
   * Ends what works on this database, last in first out, before the database is dropped. A test adds what it starts, where it starts
   * it: hooks of Jest run in the order in which they are written, so an `afterAll()` may come too late.
   */
  ends: AsyncDisposableStack;
}

const serverUrl = process.env.TEST_SERVER_URL as string;

/** Creates and drops the databases of this worker: a connection for each would cost more than that. */
const server = new pg.Pool({ connectionString: serverUrl, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
// The server may end before this process.
server.on("error", () => {});

/** Creates a database for this test file, with test/support/people.sql in it. Usable from the first test on. */
export function useDatabase(): TestDatabase {
  const database = {} as TestDatabase;
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const ends = new AsyncDisposableStack();

  beforeAll(async () => {
    await copyDatabase(server, templateName, name);
    ends.defer(() => dropDatabase(server, name));
    const ownerUrl = databaseUrl(serverUrl, name);
    const apiUrl = databaseUrl(process.env.TEST_API_URL as string, name);
    const owner = new pg.Pool({ connectionString: ownerUrl, max: 4 });
    const login = new pg.Pool({ connectionString: apiUrl, max: 1 });
    for (const pool of [owner, login]) {
      // The database may be dropped before a pool has closed its connections.
      pool.on("error", () => {});
      ends.defer(() => pool.end());
    }
    Object.assign(database, {
      ownerUrl,
      apiUrl,
      owner,
      login,
      hold: (sql: string) => holdLock(ownerUrl, sql),
      query: async (sql: string, values?: unknown[]) => (await owner.query(sql, values)).rows,
      ends,
    });
  });
  afterAll(() => ends.disposeAsync());
  return database;
}
