-- A comment becomes the description in the API and in psql's \d+.
select offender from (
  select format('%s', c.oid::regclass) as offender, obj_description(c.oid, 'pg_class') as comment, 'pg_class'::regclass as catalogue, c.oid
  from pg_catalog.pg_class c
  where relkind in ('r', 'p', 'v', 'm') and (conventions.is_covered(relnamespace::regnamespace::text) or relnamespace::regnamespace::text = 'analytics') and not relispartition
  union all
  select format('%s.%I', c.oid::regclass, attname), col_description(c.oid, attnum), 'pg_class'::regclass, c.oid
  from pg_catalog.pg_class c join pg_catalog.pg_attribute a on a.attrelid = c.oid and attnum > 0 and not attisdropped
  where (relkind in ('r', 'p', 'c') and conventions.is_covered(relnamespace::regnamespace::text) and relnamespace::regnamespace::text <> 'app_hidden' and not relispartition)
     or (relkind in ('v', 'm') and relnamespace::regnamespace::text = 'analytics')
  union all
  select format('%s', p.oid::regprocedure), obj_description(p.oid, 'pg_proc'), 'pg_proc'::regclass, p.oid
  from pg_catalog.pg_proc p
  where conventions.is_covered(pronamespace::regnamespace::text)
  union all
  select format('%s', t.oid::regtype), obj_description(t.oid, 'pg_type'), 'pg_type'::regclass, t.oid
  from pg_catalog.pg_type t
  where typtype = 'e' and conventions.is_covered(typnamespace::regnamespace::text)
  union all
  select nspname, obj_description(oid, 'pg_namespace'), 'pg_namespace'::regclass, oid from pg_catalog.pg_namespace where (conventions.is_covered(nspname) or nspname = 'analytics')
) as everything
where comment is null
  and not exists (select from pg_catalog.pg_depend d where d.classid = catalogue and d.objid = everything.oid and d.deptype = 'e');
-- offence: create view app_public.things as select 1 as one
