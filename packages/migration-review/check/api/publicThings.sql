-- The functions and tables of the schema $2 that are not hidden on purpose, and whether one of the roles $1 may use them.
select 'function' as kind, format('%I.%I', n.nspname, p.proname) as name, p.oid::regprocedure::text as signature,
       bool_or(has_function_privilege(role, p.oid, 'execute')) as "isGranted",
       exists (select from pg_catalog.pg_proc o
                where o.pronamespace = n.oid and o.proname = p.proname and o.oid <> p.oid) as "isOverloaded"
  from pg_catalog.pg_proc p
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace and n.nspname = $2
 cross join unnest($1::text[]) as role
 where p.prokind = 'f' and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
   and coalesce(obj_description(p.oid, 'pg_proc'), '') !~ '(^|\n)@behavior'
   -- A constructor belongs to its range.
   and not exists (select from pg_catalog.pg_type t
                    where t.typnamespace = n.oid and t.typname = p.proname and t.typtype in ('r', 'm'))
   and not exists (select from pg_catalog.pg_depend d
                    where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
 group by p.oid, n.oid
union all
select 'table', format('%I.%I', n.nspname, c.relname), format('%I.%I', n.nspname, c.relname),
       bool_or(has_any_column_privilege(role, c.oid, 'select')), false
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = $2
 cross join unnest($1::text[]) as role
 where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
   and coalesce(obj_description(c.oid, 'pg_class'), '') !~ '(^|\n)@behavior'
 group by c.oid, n.oid
 order by 1, 3;
