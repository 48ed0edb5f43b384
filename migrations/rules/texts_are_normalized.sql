-- Without conventions.apply_to(), which calls validate(), equal texts compare as different, and nothing refuses NUL or endless combining marks.
select format('%s', c.oid::regclass) as offender, format('select conventions.apply_to(%L);', c.oid::regclass) as advice
from pg_catalog.pg_class c
where relkind = 'r' and not relispartition and relnamespace::regnamespace::text = 'app_public'
  -- The audit trail and revisions have texts of rows that were checked.
  and c.oid <> all ('{app_public.audit_trail,app_public.post_revisions}'::regclass[])
  and exists (
    select from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid
    where a.attrelid = c.oid and a.attnum > 0 and t.typcategory = 'S' and a.attgenerated = '')
  and not exists (
    select from pg_catalog.pg_trigger
    where tgrelid = c.oid and tgname = '_200_validate' and tgenabled in ('O', 'A'))
  and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e');
-- offence: drop trigger _200_validate on app_public.posts
