-- In a policy, a bare viewer_id() runs once per row. Inside (select …) it runs once per query.
select format('%I on %I.%I', policyname, schemaname, tablename) as offender
from pg_catalog.pg_policies, concat(qual, with_check) as condition
where conventions.is_covered(schemaname)
  and (select count(*) from regexp_matches(condition, 'viewer_\w+\(\)', 'g'))
    > (select count(*) from regexp_matches(condition, 'SELECT app_hidden\.viewer_\w+\(\)', 'gi'));
-- offence: create policy eager on app_public.posts for select to api_member using (author_id = app_hidden.viewer_id())
