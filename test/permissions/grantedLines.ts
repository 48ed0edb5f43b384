import type { TestDatabase } from "../support/database.ts";

const roles = ["api_anonymous", "api_login", "api_member"];

/** Ours, as a condition on the name of a schema. */
export const schemas = `like any (array['app\\_%', 'analytics', 'rollups', 'change\\_feed', 'conventions', 'graphile\\_%', 'public'])`;

const rightsOfRoles = `
  select c.oid::regclass::text as object, role, coalesce(string_agg(
           case when has_table_privilege(role, c.oid, privilege) then lower(privilege)
                when columns <> '' then format('%s (%s)', lower(privilege), columns) end, ', ' order by place), '') as rights
    from pg_class c
   cross join unnest($1::text[]) as role
   cross join unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER'])
     with ordinality as p (privilege, place)
   cross join lateral (
     select string_agg(attname, ', ' order by attnum) as columns from pg_attribute
      where attrelid = c.oid and attnum > 0 and not attisdropped
        and case when privilege in ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES')
                 then has_column_privilege(role, attrelid, attnum, privilege) end) as granted
   where relkind in ('r', 'p', 'v', 'm', 'f') and relnamespace::regnamespace::text ${schemas}
   group by c.oid, role
   union all
  select p.oid::regprocedure::text, role,
         case when has_function_privilege(role, p.oid, 'EXECUTE') and has_schema_privilege(role, pronamespace, 'USAGE')
              then 'execute' else '' end
    from pg_proc p
   cross join unnest($1::text[]) as role
   where pronamespace::regnamespace::text ${schemas} and prosrc !~ '^-- Written by conventions\\.'`;

/**
 * The grants of the API's roles, as lines of migrations/permissions.md: on tables and views, with the columns that a grant
 * names, and on functions.
 */
export async function grantedLines(database: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ line: string }>(
    `select format('| %s |', concat_ws(' | ', object, rights[1], rights[2], rights[3])) as line
       from (select object, array_agg(rights order by role) as rights
               from (${rightsOfRoles}) as granted
              group by object having max(rights) <> '') as lines`,
    [roles],
  );
  return rows.map(({ line }) => line);
}
