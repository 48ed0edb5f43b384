-- A foreign key with @notNull leads to a row that every caller may see. Otherwise a hidden row is an error, and removes the whole row that leads to it.
-- `@notNull inherited` says that whoever sees the row may see the other one: test/permissions/reads.test.ts looks at the rows.
select format('%s of %s', k.conname, k.conrelid::regclass) as offender
from pg_catalog.pg_constraint k
cross join (values ('api_anonymous'::regrole), ('api_member'::regrole)) as caller (role)
where k.contype = 'f' and obj_description(k.oid, 'pg_constraint') ~ '(^|\n)@notNull(?! inherited\M)'
  and (not has_any_column_privilege(caller.role, k.confrelid, 'select')
    or (select c.relrowsecurity from pg_catalog.pg_class c where c.oid = k.confrelid)
      and (not exists (
          select from pg_catalog.pg_policy p
          where p.polrelid = k.confrelid and p.polpermissive and p.polcmd in ('r', '*')
            and (caller.role = any (p.polroles) or 0 = any (p.polroles)) and pg_get_expr(p.polqual, p.polrelid) = 'true')
        or exists (select from pg_catalog.pg_policy p
          where p.polrelid = k.confrelid and not p.polpermissive and p.polcmd in ('r', '*'))))
group by k.conname, k.conrelid;
-- offence: comment on constraint comments_post_id_fkey on app_public.comments is '@notNull';
