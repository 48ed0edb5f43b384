-- Without a fixed search_path, a security definer function may call the caller's own functions with its owner's rights.
select format('%s', oid::regprocedure) as offender
from pg_catalog.pg_proc
where prosecdef and pronamespace::regnamespace::text like 'app\_%'
  and not coalesce('search_path=""' = any (proconfig), false);
-- offence: create function app_hidden.odd() returns int language sql security definer as 'select 1'
