-- Rows of a @sameForAll table are read once and shared, so every signed-in user must be allowed to see all rows and columns.
select format('%s', c.oid::regclass) as offender
from pg_catalog.pg_class c
where obj_description(c.oid, 'pg_class') ~ '(^|\n)@sameForAll'
  and (not has_table_privilege('api_member', c.oid, 'select')
    or not exists (
      select from pg_catalog.pg_policy p
      where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('r', '*')
        and 'api_member'::regrole = any (p.polroles) and pg_get_expr(p.polqual, p.polrelid) = 'true')
    or exists (select from pg_catalog.pg_policy p where p.polrelid = c.oid and not p.polpermissive and p.polcmd in ('r', '*')));
-- offence: comment on table app_public.posts is E'@sameForAll\nPosts.'
