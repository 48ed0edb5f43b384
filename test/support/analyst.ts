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
    database.ends.defer(() => onServer(database.ownerUrl, `drop owned by ${login}; drop role ${login}`));
    analyst.url = Object.assign(new URL(database.ownerUrl), { username: login, password }).href;
  });

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
