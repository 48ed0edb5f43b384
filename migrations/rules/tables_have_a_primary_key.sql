-- Without a primary key a row cannot be asked for, and lists have no order.
select format('%s', c.oid::regclass) as offender
from pg_catalog.pg_class c
where relkind in ('r', 'p') and relnamespace::regnamespace::text like 'app\_%' and not relispartition
  and not exists (select from pg_catalog.pg_constraint k where k.conrelid = c.oid and k.contype = 'p');
-- offence: create table app_public.things (name text)
