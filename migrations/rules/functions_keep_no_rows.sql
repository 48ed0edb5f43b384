-- A parsed body (return, begin atomic) that uses a table's rows keeps PostgreSQL, from the minor versions of November 2026 on, from adding a column with a default to the table, or from rewriting it. Write the body as text: as $$ select … $$.
select format('%s', p.oid::regprocedure) as offender
from pg_catalog.pg_proc p
where p.prosqlbody is not null
  and conventions.is_covered(p.pronamespace::regnamespace::text)
  and exists (
    select from pg_catalog.pg_depend d
    join pg_catalog.pg_type t on t.oid = d.refobjid
    join pg_catalog.pg_class c on c.oid = t.typrelid and c.relkind in ('r', 'p')
    where d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and d.objid = p.oid and d.refclassid = 'pg_catalog.pg_type'::pg_catalog.regclass);
-- offence: create function app_public.posts_shout(posts app_public.posts) returns text language sql stable return upper(posts.title)
