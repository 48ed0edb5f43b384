import type { ClientBase } from "pg";
import { roles } from "../database/roles.ts";

/**
 * The lines that `npm run db:status` prints about rights that a migration could not take away. Analysts may lock where the owner of the
 * migrations is not a superuser: app_private.revoke_default_rights() had no effect on PostgreSQL's functions.
 */
export async function databaseRights(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query(
    `select from pg_catalog.pg_roles
      where rolname = $1 and pg_catalog.has_function_privilege(oid, 'pg_catalog.pg_advisory_lock(bigint)', 'execute')`,
    [roles.analyst],
  );
  if (rows.length === 0) return [];
  return [
    "Analysts can take advisory locks, and so stop the service. Only a superuser can revoke that. As one, run in this " +
      "database: select app_private.revoke_default_rights()",
  ];
}
