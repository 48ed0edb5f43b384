import { sqlName } from "@content-service/support/sqlName.ts";
import type { ClientBase } from "pg";

/**
 * The invalid indexes of a database that no other session is building: a build holds this lock of its table. So does autovacuum, a process
 * without a user; and tables of other databases may have the same oid.
 *
 * @param schemas in which they are; by default, in all
 */
export async function invalidIndexes(client: ClientBase, schemas?: string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `
    select format('%I.%I', n.nspname, c.relname) as name
      from pg_catalog.pg_index i
      join pg_catalog.pg_class c on c.oid = i.indexrelid and c.relkind = 'i'
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace and ($1::text[] is null or n.nspname = any ($1))
     where not i.indisvalid and pg_catalog.pg_has_role(c.relowner, 'usage')
       and not exists (select from pg_catalog.pg_locks l join pg_catalog.pg_stat_activity a using (pid)
                        where l.relation = i.indrelid and l.mode = 'ShareUpdateExclusiveLock' and l.granted
                          and a.datname = pg_catalog.current_database() and a.usesysid is not null and pid <> pg_backend_pid())`,
    [schemas],
  );
  return rows.map(({ name }) => name);
}

/** Whether a statement `create index` names an index, which is given with its schema as PostgreSQL quotes both. */
export function namesIndex(
  statement: { idxname?: string; relation?: { schemaname?: string } },
  index: string,
): boolean {
  const { idxname = "", relation = {} } = statement;
  const { schemaname } = relation;
  return schemaname ? index === sqlName(schemaname, idxname) : index.endsWith(`.${sqlName(idxname)}`);
}
