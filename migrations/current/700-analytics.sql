-- Analysts' views read kept facts, so that the size of the tables does not matter; new views answer more questions.

-- The API returns a single post: post(id). Neither who read it nor when exactly is stored.
create table if not exists app_private.post_reads (
  post_id bigint references app_public.posts on delete cascade,
  day     date,
  reads   bigint not null,
  primary key (post_id, day)
);
create index if not exists post_reads_day_idx on app_private.post_reads (day);
alter table app_private.post_reads enable row level security;
comment on table app_private.post_reads is $$How often each published post was read on each day.$$;
comment on column app_private.post_reads.post_id is $$The post.$$;
comment on column app_private.post_reads.day is $$The day, UTC.$$;
comment on column app_private.post_reads.reads is $$The number of reads.$$;

-- Removed follows leave no row, so unfollows are recorded here, without the follower.
create table if not exists app_private.unfollows (
  id        bigint generated always as identity primary key,
  author_id bigint not null references app_public.users on delete cascade,
  day       date not null default (clock_timestamp() at time zone 'UTC')::date
);
create index if not exists unfollows_author_id_idx on app_private.unfollows (author_id);
create index if not exists unfollows_day_idx on app_private.unfollows (day);
alter table app_private.unfollows enable row level security;
comment on table app_private.unfollows is $$Follows that users ended. The follower is not recorded.$$;
comment on column app_private.unfollows.id is $$Identifies the entry.$$;
comment on column app_private.unfollows.author_id is $$The user who was followed.$$;
comment on column app_private.unfollows.day is $$The day, UTC.$$;

-- The totals of all published posts read this index instead of the posts with their texts.
create index if not exists posts_published_idx on app_public.posts (id) include (author_id, first_published_at) where status = 'PUBLISHED';

--!include analytics/facts.sql
--!include functions/live_facts.sql
--!include functions/facts.sql
--!include functions/count_reads.sql
--!include functions/mark_stale_facts.sql
--!include functions/refresh_facts.sql
--!include analytics/authors.sql
--!include analytics/calendar.sql
--!include analytics/changes.sql
--!include analytics/chat.sql
--!include analytics/comments.sql
--!include analytics/followers.sql
--!include analytics/posts.sql
--!include analytics/tags.sql
--!include analytics/users.sql
--!include analytics/writers.sql
--!include analytics/cohorts.sql
--!include analytics/reads.sql
--!include analytics/freshness.sql
--!include functions/open_scratch.sql

-- Reads of single posts are counted. The comment keeps what other migrations have written.
do $do$
begin
  execute format('comment on table app_public.posts is %L', E'@countReads app_private.count_reads\n'
    || regexp_replace(obj_description('app_public.posts'::regclass, 'pg_class'), '^@countReads[^\n]*\n', ''));
end $do$;
