-- A policy with `exists (select …)` may hash a whole table, when a nested list makes many look-ups likely. End the sub-select with `offset 0`: then each row costs one look-up by index.
select format('%I on %I.%I', policyname, schemaname, tablename) as offender
from pg_catalog.pg_policies
where conventions.is_covered(schemaname) and cmd in ('SELECT', 'ALL')
  and (select count(*) from regexp_matches(qual, 'EXISTS \( SELECT', 'g'))
    > (select count(*) from regexp_matches(qual, 'OFFSET 0', 'g'));
-- offence: create policy hashed on app_public.users for select to api_member using (exists (select from app_public.posts where author_id = users.id))
