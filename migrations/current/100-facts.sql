-- Facts of published posts hold all that totals of posts, tags and authors need, and months keep their cohorts instead of their writers.
-- Kept rows lack the new columns, so the refresh keeps all posts and months again. Until then, views compute them from the tables.
insert into app_private.stale_posts (post_id)
select post_id from app_private.post_facts union select id from app_public.posts where status = 'PUBLISHED';
insert into app_private.stale_months select month from app_private.month_facts on conflict do nothing;
alter table app_private.post_facts
  add column if not exists author_id bigint,
  add column if not exists title text,
  add column if not exists slug text,
  add column if not exists first_published_at timestamptz,
  add column if not exists tag_ids bigint[];

--!include analytics/facts.sql
--!include functions/live_facts.sql
-- Its columns changed.
drop view if exists app_hidden.published_post_facts;
--!include functions/facts.sql
--!include functions/mark_stale_facts.sql
--!include functions/refresh_facts.sql
--!include analytics/posts.sql
--!include analytics/tags.sql
--!include analytics/cohorts.sql

drop function if exists app_hidden.facts_of_posts(), app_hidden.cohort_activity(), app_hidden.writers_of_month(date), app_hidden.live_month_writers(date);
drop table if exists app_private.month_writers;
