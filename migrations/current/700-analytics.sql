-- Analytics: what one asks of a publication, for people who read the database itself. The views are a contract, as the API
-- is: a column may be added, and is never renamed or dropped without notice (test/snapshots/analytics.txt).
--
-- A view reads with its owner's rights, so whoever reads it needs none on what lies below. A security barrier keeps the
-- reader's own conditions from being tried on rows that the view leaves out.
drop schema if exists analytics cascade;
create schema analytics;
comment on schema analytics is $$The analysts’ contract: read-only views without secrets, personal data or unpublished text. All days are UTC.$$;

-- Each day and each month looks up its own rows, so a query for a week reads a week. The oldest day comes from these too.
create index if not exists users_created_at_day_idx on app_public.users (((created_at at time zone 'UTC')::date));
create index if not exists follows_created_at_day_idx on app_public.follows (((created_at at time zone 'UTC')::date));
create index if not exists posts_created_at_day_idx on app_public.posts (((created_at at time zone 'UTC')::date));
create index if not exists posts_first_published_at_day_idx on app_public.posts (((first_published_at at time zone 'UTC')::date));
create index if not exists comments_created_at_day_idx on app_public.comments (((created_at at time zone 'UTC')::date));
create index if not exists messages_created_at_day_idx on app_public.messages (((created_at at time zone 'UTC')::date));

--!include analytics/calendar.sql
--!include analytics/users.sql
--!include analytics/posts.sql
--!include analytics/authors.sql
--!include analytics/tags.sql
--!include analytics/comments.sql
--!include analytics/followers.sql
--!include analytics/writers.sql
--!include analytics/chat.sql

-- The whole of what an analyst may do: enter this schema and read its views, those too that a later migration adds.
grant usage on schema analytics to :ANALYST;
grant select on all tables in schema analytics to :ANALYST;
alter default privileges in schema analytics grant select on tables to :ANALYST;

-- What PostgreSQL lets everybody do, and nobody here needs: files of one's own, in temporary tables or large objects.
--!include functions/close_database.sql
select app_private.close_database();

--!include functions/admit_analyst.sql
--!include functions/analysts.sql
