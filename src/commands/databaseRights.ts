import type { ClientBase } from "pg";
import { roles } from "../database/roles.ts";

/**
 * The lines that `npm run db:status` prints about rights that a migration could not take away. A restored or cloned database is open, and so
 * is one that the owner of the migrations does not own. Analysts may lock where that owner is not a superuser:
 * app_private.revoke_default_rights() had no effect on PostgreSQL's functions.
 */
export async function databaseRights(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ isOpen: boolean; analystsMayLock: boolean }>(
    `select exists (select from pg_catalog.pg_database, aclexplode(coalesce(datacl, acldefault('d', datdba))) as acl
                     where datname = current_database() and acl.grantee = 0 and acl.privilege_type = 'CONNECT') as "isOpen",
            exists (select from pg_catalog.pg_roles
                     where rolname = $1 and pg_catalog.has_function_privilege(oid, 'pg_catalog.pg_advisory_lock(bigint)', 'execute')
            ) as "analystsMayLock"`,
    [roles.analyst],
  );
  const lines: string[] = [];
  if (rows[0]?.isOpen) {
    lines.push(
      "Every login of the server may connect to this database, so analysts of other databases read this one too. As the " +
        "database's owner, run in it: select app_private.revoke_default_rights()",
    );
  }
  if (rows[0]?.analystsMayLock) {
    lines.push(
      "Analysts can take advisory locks, and so stop the service. Only a superuser can revoke that. As one, run in this " +
        "database: select app_private.revoke_default_rights()",
    );
  }
  return lines;
}
