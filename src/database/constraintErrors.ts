import { type ColumnError, ColumnErrors } from "@content-service/errors/ColumnErrors.ts";
import { constraintErrorCodes } from "@content-service/errors/sqlStates.ts";
import type pg from "pg";
import type { Queryable } from "pg-caller-pool";

/**
 * Turns a constraint violation into the errors that conventions.raise_validation_errors() would report: the columns come from the
 * catalogue, the message and a code of its own from the constraint's comment. Any other error is returned as it is.
 *
 * @param database outside any transaction
 */
export async function constraintErrors(error: pg.DatabaseError, database: Queryable): Promise<unknown> {
  const code = constraintErrorCodes[error.code ?? ""];
  // A domain's check has no table: it judges a parameter, or a value that SQL has computed.
  if (code === undefined || error.table === undefined) return error;
  const { schema, table, constraint, column } = error;
  const errors = column
    ? [{ column, code, message: "This is required." }]
    : (await database.query<ColumnError>(findMessage, [schema, table, constraint, code])).rows;
  const [found] = (await database.query<{ repair: string | null }>(findRepair, [schema, table, errors.map(columnOf)]))
    .rows;
  return new ColumnErrors(errors, { cause: error, repair: found?.repair ?? undefined });
}

const columnOf = ({ column }: ColumnError) => column;

const findMessage = `
  select unnest(column_names) as column, coalesce(message, 'This value is not allowed.') as message,
         coalesce(code, conventions.default_code(expression), $4) as code
    from conventions.constraint_messages
   where schema_name = $1 and table_name = $2 and constraint_name = $3`;

/**
 * Rows without triggers, or copied with their keys, break constraints that the input knows nothing of. The caller may not use the schema,
 * so its names are not resolved.
 */
const findRepair = `
  select case when current_setting('session_replication_role') = 'replica' then
           'Triggers do not run: session_replication_role is replica. Reset it: ' || format('alter database %I reset session_replication_role', current_database())
         else (
           select string_agg(format('If the sequence is behind its table: select setval(%L, (select max(%I) from %I.%I))', objid::regclass, attname, $1::text, $2::text), '; ')
             from pg_namespace as n
             join pg_class as c on c.relnamespace = n.oid
             join pg_attribute on attrelid = c.oid and attname = any ($3)
             join pg_depend on refclassid = 'pg_class'::regclass and refobjid = attrelid and refobjsubid = attnum and classid = 'pg_class'::regclass
             join pg_class as s on s.oid = objid and s.relkind = 'S'
            where n.nspname = $1::text and c.relname = $2::text
         ) end as repair`;
