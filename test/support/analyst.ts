import { randomUUID } from "node:crypto";
import pg from "pg";
import type { TestDatabase } from "./database.ts";
import { onServer } from "./template.ts";

export interface Analyst {
  login: string;
  url: string;
  /** Runs one statement on a new connection. Values are strings as PostgreSQL writes them. */
  ask(sql: string, before?: string): Promise<{ columns: pg.FieldDef[]; rows: (string | null)[][] }>;
}

/** Creates a login and makes it an analyst of that database, as docs/analysts.md describes. */
export function useAnalyst(database: TestDatabase): Analyst {
  const login = `jane_${randomUUID().replaceAll("-", "")}`;
  const password = randomUUID();
  const analyst = { login } as Analyst;

  beforeAll(async () => {
    await database.query(`create role ${login} with login password '${password}'`);
    await database.query("select app_private.admit_analyst($1)", [login]);
    analyst.url = Object.assign(new URL(database.ownerUrl), { username: login, password }).href;
  });
  // A new connection, because the database and its pool are gone by now.
  afterAll(() => onServer(process.env.TEST_SERVER_URL as string, `drop role ${login}`));

  analyst.ask = async (sql, before = "select") => {
    const client = new pg.Client({ connectionString: analyst.url });
    await client.connect();
    try {
      await client.query(before);
      const types = { getTypeParser: () => String };
      const { fields, rows } = await client.query({ text: sql, rowMode: "array", types: types as never });
      return { columns: fields, rows };
    } finally {
      await client.end();
    }
  };
  return analyst;
}
