-- A policy without `to <role>` holds for everyone, also for roles that do not exist yet.
select format('%I on %I.%I', policyname, schemaname, tablename) as offender
from pg_catalog.pg_policies
where schemaname like 'app\_%' and roles = '{public}';
-- offence: create policy anybody on app_public.posts using (true)
