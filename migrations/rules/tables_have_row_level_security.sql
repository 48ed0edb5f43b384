-- Without row-level security, a role that may select from the table sees all its rows.
select format('%s', oid::regclass) as offender, format('select conventions.apply_to(%L);', oid::regclass) as advice
from pg_catalog.pg_class
where relkind in ('r', 'p') and not relrowsecurity and conventions.is_covered(relnamespace::regnamespace::text)
  and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_class'::regclass and d.objid = pg_class.oid and d.deptype = 'e');
-- offence: alter table app_public.posts disable row level security
