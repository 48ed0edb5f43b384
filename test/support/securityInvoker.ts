import type { TestDatabase } from "./database.ts";

/** The option of a view that applies policies to its reader. Empty on PostgreSQL 14, which does not know it. */
export async function securityInvoker({ query }: Pick<TestDatabase, "query">): Promise<string> {
  const [server] = await query("select current_setting('server_version_num')::int >= 150000 as knows_option");
  return server?.knows_option ? "with (security_invoker)" : "";
}
