-- A comment becomes the description in the API and in psql's \d+.
select offender from (
  select format('%s', c.oid::regclass) as offender, obj_description(c.oid, 'pg_class') as comment, 'pg_class'::regclass as catalogue, c.oid
  from pg_catalog.pg_class c
  where relkind in ('r', 'p', 'v', 'm') and relnamespace::regnamespace::text ~ '^(app_|analytics|rollups|change_feed|conventions)' and not relispartition
  union all
  select format('%s.%I', c.oid::regclass, attname), col_description(c.oid, attnum), 'pg_class'::regclass, c.oid
  from pg_catalog.pg_class c join pg_catalog.pg_attribute a on a.attrelid = c.oid and attnum > 0 and not attisdropped
  where (relkind in ('r', 'p', 'c') and relnamespace::regnamespace::text ~ '^(app_(public|private)|rollups|change_feed|conventions)$' and not relispartition)
     or (relkind in ('v', 'm') and relnamespace::regnamespace::text = 'analytics')
  union all
  select format('%s', p.oid::regprocedure), obj_description(p.oid, 'pg_proc'), 'pg_proc'::regclass, p.oid
  from pg_catalog.pg_proc p
  where pronamespace::regnamespace::text ~ '^(app_|rollups$|change_feed$|conventions$)'
  union all
  select format('%s', t.oid::regtype), obj_description(t.oid, 'pg_type'), 'pg_type'::regclass, t.oid
  from pg_catalog.pg_type t
  where typtype = 'e' and typnamespace::regnamespace::text ~ '^(app_|change_feed$|conventions$)'
  union all
  select nspname, obj_description(oid, 'pg_namespace'), 'pg_namespace'::regclass, oid from pg_catalog.pg_namespace where nspname ~ '^(app_|analytics|rollups|change_feed|conventions)'
) as everything
where comment is null
  and not exists (select from pg_catalog.pg_depend d where d.classid = catalogue and d.objid = everything.oid and d.deptype = 'e');
-- offence: create view app_public.things as select 1 as one
