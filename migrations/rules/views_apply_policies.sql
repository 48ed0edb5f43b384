-- A view reads with its owner's rights, so policies do not apply to its reader. Create it `with (security_invoker)`; on PostgreSQL 14, give it to the API's role: `alter view … owner to :API_MEMBER`.
select format('%s', v.oid::regclass) as offender
from pg_catalog.pg_class v
where relkind in ('v', 'm') and conventions.is_covered(relnamespace::regnamespace::text)
  and (has_any_column_privilege('api_anonymous', v.oid, 'select') or has_any_column_privilege('api_member', v.oid, 'select'))
  and not exists (
    select from pg_options_to_table(reloptions) where option_name = 'security_invoker' and option_value::boolean)
  and relowner not in ('api_anonymous'::regrole, 'api_member'::regrole)
  and exists (
    select from pg_catalog.pg_rewrite r
    join pg_catalog.pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass
    join pg_catalog.pg_class t on t.oid = d.refobjid and t.oid <> v.oid and conventions.is_covered(t.relnamespace::regnamespace::text)
    where r.ev_class = v.oid);
-- offence: create view app_public.titles as select title from app_public.posts; grant select (title) on app_public.titles to api_anonymous
