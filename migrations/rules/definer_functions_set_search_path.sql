-- Without a fixed search_path, a security definer function may call the caller's own functions with its owner's rights.
select format('%s', p.oid::regprocedure) as offender
from pg_catalog.pg_proc p
where prosecdef and pronamespace::regnamespace::text like 'app\_%'
  and not coalesce('search_path=""' = any (proconfig), false)
  and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e');
-- offence: create function app_hidden.odd() returns int language sql security definer as 'select 1'
