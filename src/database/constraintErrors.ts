import { ColumnErrors } from "@content-service/errors/ColumnErrors.ts";
import { triggersIn } from "@content-service/errors/requestFault.ts";
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
  const { schema, table, constraint, column, where } = error;
  const values = [schema, table, constraint, code, column ?? null, triggersIn(where).map(ownName)];
  const { rows } = await database.query<Broken>(describeConstraint, values);
  const errors = rows.flatMap(({ columns, message, code: own }) =>
    columns.map((name) => ({ column: name, code: own, message })),
  );
  const { repair = null, isOfTrigger = false } = rows[0] ?? {};
  return new ColumnErrors(errors, { cause: error, repair: repair ?? undefined, isOfServer: isOfTrigger });
}

interface Broken {
  columns: string[];
  message: string;
  code: string;
  repair: string | null;
  /** Whether a trigger wrote the row, not a statement of the request. */
  isOfTrigger: boolean;
}

/** `stamp` of `app_public.stamp`. */
function ownName(name: string): string {
  return name.replaceAll('"', "").split(".").at(-1) ?? name;
}

/**
 * Rows without triggers, or copied with their keys, break constraints that the input knows nothing of: `repair` is for the log. The caller may
 * not use the schema, so its names are not resolved. An INSTEAD OF trigger writes the row of the request.
 */
const describeConstraint = `
  select found.*, case when current_setting('session_replication_role') = 'replica' then
           'Triggers do not run: session_replication_role is replica. Reset it: ' || format('alter database %I reset session_replication_role', current_database())
         else (
           select string_agg(format('If the sequence is behind its table: select setval(%L, (select max(%I) from %I.%I))', objid::regclass, attname, $1::text, $2::text), '; ')
             from pg_namespace as n
             join pg_class as c on c.relnamespace = n.oid
             join pg_attribute on attrelid = c.oid and attname = any (found.columns)
             join pg_depend on refclassid = 'pg_class'::regclass and refobjid = attrelid and refobjsubid = attnum and classid = 'pg_class'::regclass
             join pg_class as s on s.oid = objid and s.relkind = 'S'
            where n.nspname = $1::text and c.relname = $2::text
         ) end as repair,
         exists (select from pg_trigger as t join pg_proc as p on p.oid = t.tgfoid
                  where p.proname = any ($6::text[]) and not t.tgisinternal and t.tgtype & 64 = 0) as "isOfTrigger"
    from (
      select array(select conventions.field_name(table_id, name) from unnest(column_names) as name) as columns, coalesce(message, 'This value is not allowed.') as message,
             coalesce(code, conventions.default_code(expression), $4) as code
        from conventions.constraint_messages
       where schema_name = $1 and table_name = $2 and constraint_name = $3
      union all
      select array[coalesce((
               select conventions.field_name(c.oid, $5::text) from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
                where n.nspname = $1::text and c.relname = $2::text), $5::text)], 'This is required.', $4::text
       where $5 is not null
    ) as found`;
