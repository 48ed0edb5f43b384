import pg from "pg";

/** What every request does, whatever it asks: see src/database/adaptor.ts. */
const framework = /^(begin|commit|rollback|select set_config\('role'|deallocate)/;

/**
 * Runs `act` and answers with the statements that reached PostgreSQL meanwhile, as text, without those that every
 * request starts and ends with.
 */
export async function statementsOf(act: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [statement] = args as [string | { text: string }];
    const text = typeof statement === "string" ? statement : statement.text;
    if (!framework.test(text)) statements.push(text);
    return (query as (...args: unknown[]) => unknown).apply(this, args);
  } as never;
  try {
    await act();
  } finally {
    pg.Client.prototype.query = query;
  }
  return statements;
}
