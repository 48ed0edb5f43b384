-- Without a primary key, the API cannot fetch a row by its id, and lists have no stable order.
select format('%s', c.oid::regclass) as offender
from pg_catalog.pg_class c
where relkind in ('r', 'p') and conventions.is_covered(relnamespace::regnamespace::text) and not relispartition
  and not exists (select from pg_catalog.pg_constraint k where k.conrelid = c.oid and k.contype = 'p')
  and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e');
-- offence: create table app_public.things (name text)
