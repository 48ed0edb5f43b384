-- Counters, the schedule, streams, search terms and the analysts' views follow the status of a post, and is_public follows it, too. A policy that hides more leaves them behind. To hide posts, add a value of post_status.
select format('%I on %I.%I', policyname, schemaname, tablename) as offender
from pg_catalog.pg_policies
where (schemaname, tablename) = ('app_public', 'posts') and cmd in ('SELECT', 'ALL')
  and (permissive = 'RESTRICTIVE' or roles && '{api_anonymous,public}' and qual <> 'is_public')
union all
select 'app_public.posts: is_public'
where not exists (
  select from pg_catalog.pg_attrdef d
  join pg_catalog.pg_attribute a on a.attrelid = adrelid and a.attnum = adnum
  where adrelid = 'app_public.posts'::regclass and attname = 'is_public' and attgenerated = 's'
    and pg_get_expr(adbin, adrelid) ~ '^\(status = ''PUBLISHED''::(app_public\.)?post_status\)$');
-- offence: alter policy select_public on app_public.posts using (is_public and length(title) > 5)
-- offence: create policy not_short on app_public.posts as restrictive for select to api_member using (length(title) > 5)
-- offence: alter table app_public.posts rename is_public to was_public
