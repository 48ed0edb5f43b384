-- What the tag says is the same for all is read once for many: every signed-in user must see every row and column of it.
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
