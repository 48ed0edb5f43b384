-- A security definer function needs a fixed search_path, and any path without pg_temp looks types and relations up there first. So whoever may create a temporary domain runs code with the function's rights.
select format('%s', p.oid::regprocedure) as offender
from pg_catalog.pg_proc p
where (conventions.is_covered(pronamespace::regnamespace::text) or pronamespace::regnamespace::text = 'analytics')
  and (prosecdef or exists (select from unnest(proconfig) as setting where setting like 'search_path=%'))
  and not coalesce('search_path=pg_catalog, pg_temp' = any (proconfig), false)
  and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e');
-- offence: create function app_hidden.odd() returns int language sql security definer as 'select 1'
-- offence: create function app_hidden.odd() returns int language sql security definer set search_path = '' as 'select 1'
-- offence: create function app_hidden.odd() returns int language sql set search_path = '' as 'select 1'
-- offence: create function analytics.odd() returns int language sql set search_path = pg_temp, pg_catalog as 'select 1'
