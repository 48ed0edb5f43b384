-- A parsed body (begin atomic) keeps the columns that `select *` had: it fails after a column is added, and forbids to drop one.
select format('%s', p.oid::regprocedure) as offender
from pg_catalog.pg_proc p
join pg_catalog.pg_type t on t.oid = p.prorettype
join pg_catalog.pg_class c on c.oid = t.typrelid and c.relkind in ('r', 'p', 'v', 'm')
where p.prosqlbody is not null and p.proretset
  and conventions.is_covered(p.pronamespace::regnamespace::text);
-- offence: create function app_public.all_posts() returns setof app_public.posts language sql stable begin atomic select posts.* from app_public.posts; end
