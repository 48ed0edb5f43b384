-- A policy without `to <role>` applies to every role, including roles that are added later.
select format('%I on %I.%I', policyname, schemaname, tablename) as offender
from pg_catalog.pg_policies
where conventions.is_covered(schemaname) and roles = '{public}';
-- offence: create policy anybody on app_public.posts using (true)
