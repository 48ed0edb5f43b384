-- conventions.apply_to() gives a table all of this. Call it again when the first text, check or updated_at is added.
select format('%s: %s', c.oid::regclass, lack) as offender,
       case when lack = 'public has a right on it' then format('revoke all on %s from public;', c.oid::regclass)
            else format('select conventions.apply_to(%L);', c.oid::regclass) end as advice
from pg_catalog.pg_class c
cross join lateral (
  select 'PostgreSQL reports only the first of several violated checks' as lack
  where (select count(*) from pg_catalog.pg_constraint k where k.conrelid = c.oid and k.contype = 'c') > 1
    and (has_any_column_privilege('api_member', c.oid, 'insert') or has_any_column_privilege('api_member', c.oid, 'update'))
    and not exists (
      select from pg_catalog.pg_trigger
      where tgrelid = c.oid and tgname = '_200_validate' and tgenabled in ('O', 'A'))
  union all
  select 'updated_at does not follow updates'
  where exists (
      select from pg_catalog.pg_attribute where attrelid = c.oid and attname = 'updated_at' and attgenerated = '')
    and not exists (
      select from pg_catalog.pg_trigger join pg_catalog.pg_proc on pg_proc.oid = tgfoid
      where tgrelid = c.oid and tgenabled in ('O', 'A') and prosrc ~ 'new\.updated_at')
  union all
  select 'public has a right on it'
  from aclexplode(c.relacl) as acl where acl.grantee = 0
) as lacks
where c.relkind in ('r', 'p') and not c.relispartition and conventions.is_covered(c.relnamespace::regnamespace::text)
  and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e');
-- offence: drop trigger _200_validate on app_public.posts
-- offence: grant select on app_public.tags to public
