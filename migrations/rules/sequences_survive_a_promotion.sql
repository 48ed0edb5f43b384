-- A standby that is promoted soon after it has received an unlogged sequence has an empty file in its place: nextval() fails for ever. Identity columns of unlogged tables have one.
select c.oid::regclass as offender
from pg_catalog.pg_class c
where c.relkind = 'S' and c.relpersistence = 'u'
  and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_catalog.pg_class'::regclass and d.objid = c.oid and d.deptype = 'e');
-- offence: create unlogged table app_public.numbered (id bigint generated always as identity)
-- offence: create unlogged sequence app_public.numbers
-- harmless: create sequence app_public.numbers; create unlogged table app_public.numbered (id bigint default nextval('app_public.numbers'))
