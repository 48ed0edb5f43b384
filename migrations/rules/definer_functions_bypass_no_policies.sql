-- A security definer function reads with its owner's rights, so policies do not apply to its caller. A mutation may return the one row that it has written.
select format('%s', p.oid::regprocedure) as offender
from pg_catalog.pg_proc p
join pg_catalog.pg_class c on c.reltype = p.prorettype and c.relrowsecurity
where prosecdef and pronamespace::regnamespace::text = 'app_public' and (proretset or provolatile <> 'v');
-- offence: create function app_public.all_posts() returns setof app_public.posts language sql stable security definer set search_path = pg_catalog, pg_temp as 'select * from app_public.posts'
