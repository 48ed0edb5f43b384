-- A login that can take advisory locks can fill the lock table that all sessions share, or hold what a migration waits for.
select format('%s', oid::regprocedure) as offender
from pg_catalog.pg_proc
where pronamespace = 'pg_catalog'::regnamespace and proname ~ '^pg_(try_)?advisory_(xact_)?lock(_shared)?$'
  and has_function_privilege('analyst', oid, 'execute')
  -- Another owner cannot revoke it: npm run db:status then tells what to do.
  and (select rolsuper from pg_catalog.pg_roles where rolname = current_user);
-- offence: grant execute on function pg_catalog.pg_advisory_lock(bigint) to public
