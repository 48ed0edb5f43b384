--! Previous: sha1:1c9a5ffdc849a75e286b75f1b7e392c0d987437a
--! Hash: sha1:ee0a4b7cf7d4d848b9c99b27863bd0c1c3c1d775
--! Message: analytics

-- Analytics: what one asks of a publication, for people who read the database itself. The views are a contract, as the API
-- is: a column may be added, and is never renamed or dropped without notice (migrations/snapshots/analytics.txt).
--
-- A view reads with its owner's rights, so its readers need none on the tables below it. A security barrier keeps the
-- reader's own conditions from being tried on rows that the view leaves out.

-- Removed follows leave no row, so unfollows are recorded here, without the follower.
create table app_private.unfollows (
  id        bigint generated always as identity primary key,
  author_id bigint not null references app_public.users on delete cascade,
  day       date not null default (clock_timestamp() at time zone 'UTC')::date
);
comment on table app_private.unfollows is $$Follows that users ended. The follower is not recorded.$$;
comment on column app_private.unfollows.id is $$Identifies the entry.$$;
comment on column app_private.unfollows.author_id is $$The user who was followed.$$;
comment on column app_private.unfollows.day is $$The day, UTC.$$;
create index unfollows_author_id_idx on app_private.unfollows (author_id);
create index unfollows_day_idx on app_private.unfollows (day);

alter table app_private.unfollows enable row level security;

-- Rollups: the counts of finished days, months and posts, which a job of the service computes again at least every hour. Views
-- add the days after the watermark from the base tables, so writers pay nothing for analysts: there is no trigger.
create schema rollups;
comment on schema rollups is $$Counts of finished days for the views of schema analytics, computed by rollups.refresh(). Analysts have no access.$$;
grant usage on schema rollups to :API_LOGIN;

create table rollups.watermark (
  is_only      boolean primary key default true,
  through      date,
  refreshed_at timestamptz,
  took         interval,
  constraint watermark_is_only_check check (is_only)
);
comment on table rollups.watermark is $$Up to which day the rollups go. One row, which a session that refreshes them locks.$$;
comment on column rollups.watermark.is_only is $$Allows one row only.$$;
comment on column rollups.watermark.through is $$The last day in the rollups, UTC; null if there is none.$$;
comment on column rollups.watermark.refreshed_at is $$When the last refresh began; null before the first.$$;
comment on column rollups.watermark.took is $$How long the last refresh took.$$;
comment on constraint watermark_is_only_check on rollups.watermark is $$There is one row only.$$;

alter table rollups.watermark enable row level security;
insert into rollups.watermark default values;

--! Included functions/analytics/counts.sql
-- The counts, computed from the base tables for a range of days. The rollups store their results for finished days, and the views call
-- them for later days, so each number is defined once. Security definer: a view calls its functions as its reader, who may read
-- the views only, and a query plan shows nothing of what such a function reads.
create or replace function rollups.first_day() returns date
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select least((select min((created_at at time zone 'UTC')::date) from app_public.users),
               (select min((created_at at time zone 'UTC')::date) from app_public.posts),
               (select min((first_published_at at time zone 'UTC')::date) from app_public.posts where is_public),
               (select min((created_at at time zone 'UTC')::date) from app_public.comments),
               (select min((created_at at time zone 'UTC')::date) from app_public.follows),
               (select min((created_at at time zone 'UTC')::date) from app_public.messages),
               (select min(day) from app_private.unfollows),
               (select min(day) from app_private.post_reads
                 where exists (select from app_public.posts where id = post_id and is_public)))
$$;
comment on function rollups.first_day() is $$The day of the earliest event that any view counts, UTC.$$;
grant execute on function rollups.first_day() to :ANALYST;

create or replace function rollups.count_period(first date, last date)
returns table (
  new_users bigint, posts_created bigint, posts_published bigint, median_hours numeric, slowest_tenth_hours numeric,
  authors bigint, new_authors bigint, comments bigint, commenters bigint, posts_commented bigint, new_follows bigint,
  unfollows bigint, messages bigint, senders bigint, active_chats bigint, writers bigint, post_writers bigint
)
language sql stable security definer rows 1 set search_path = pg_catalog, pg_temp as $$
  with published as materialized (
    select author_id, created_at, first_published_at from app_public.posts
     where is_public and (first_published_at at time zone 'UTC')::date between first and last
  ), events (kind, actor_id, object_id, hours) as (
    select 'user', id, null::bigint, null::float8 from app_public.users where (created_at at time zone 'UTC')::date between first and last
     union all
    select 'post', author_id, null, null from app_public.posts where (created_at at time zone 'UTC')::date between first and last
     union all
    -- An imported post may be older than its row.
    select 'publication', author_id, null, greatest(extract(epoch from first_published_at - created_at)::float8 / 3600, 0) from published
     union all
    -- `offset 0`: one look-up for each author, of the oldest post first. A join would read all posts for each day.
    select 'debut', author_id, null, null from (select distinct author_id from published) as authors
     where not exists (
       select from app_public.posts
        where posts.author_id = authors.author_id and is_public and first_published_at < first::timestamp at time zone 'UTC'
        order by listed_at, id offset 0)
     union all
    select 'comment', author_id, post_id, null from app_public.comments where (created_at at time zone 'UTC')::date between first and last
     union all
    select 'follow', null, null, null from app_public.follows where (created_at at time zone 'UTC')::date between first and last
     union all
    select 'unfollow', null, null, null from app_private.unfollows where day between first and last
     union all
    select 'message', sender_id, chat_id, null from app_public.messages where (created_at at time zone 'UTC')::date between first and last
  )
  select count(*) filter (where kind = 'user'),
         count(*) filter (where kind = 'post'),
         count(*) filter (where kind = 'publication'),
         round((percentile_cont(0.5) within group (order by hours))::numeric, 1),
         round((percentile_cont(0.9) within group (order by hours))::numeric, 1),
         count(distinct actor_id) filter (where kind = 'publication'),
         count(*) filter (where kind = 'debut'),
         count(*) filter (where kind = 'comment'),
         count(distinct actor_id) filter (where kind = 'comment'),
         count(distinct object_id) filter (where kind = 'comment'),
         count(*) filter (where kind = 'follow'),
         count(*) filter (where kind = 'unfollow'),
         count(*) filter (where kind = 'message'),
         count(distinct actor_id) filter (where kind = 'message'),
         count(distinct object_id) filter (where kind = 'message'),
         count(distinct actor_id) filter (where kind in ('post', 'comment')),
         count(distinct actor_id) filter (where kind = 'post')
    from events
$$;
comment on function rollups.count_period(date, date) is $$The counts of a day or a month, from its first day through its last. Reads the base tables.$$;
grant execute on function rollups.count_period(date, date) to :ANALYST;

-- A user who writes counts from that day on for 7 or 28 days, or until writing again. So one pass counts each window.
create or replace function rollups.count_recent_writers(first date, last date)
returns table (day date, writers_7_days bigint, writers_28_days bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with writing as (
    select author_id, day, lead(day) over (partition by author_id order by day) - day as gap
      from (select author_id, (created_at at time zone 'UTC')::date as day from app_public.posts
             where (created_at at time zone 'UTC')::date between first - 27 and last
             union
            select author_id, (created_at at time zone 'UTC')::date from app_public.comments
             where (created_at at time zone 'UTC')::date between first - 27 and last) as texts
  ), steps as (
    select day, 1 as within_7, 1 as within_28 from writing
     union all
    select day + least(gap, 7), -1, 0 from writing
     union all
    select day + least(gap, 28), 0, -1 from writing
  )
  select moment::date, within_7::bigint, within_28::bigint
    from (select moment, sum(coalesce(sum(within_7), 0)) over (order by moment) as within_7,
                 sum(coalesce(sum(within_28), 0)) over (order by moment) as within_28
            from generate_series((first - 27)::timestamp, last::timestamp, interval '1 day') as moment
            left join steps on steps.day = moment
           group by moment) as running
   where moment >= first
$$;
comment on function rollups.count_recent_writers(date, date) is $$The writers of the 7 and 28 days that end with each day from first through last. Reads the base tables.$$;

create or replace function rollups.count_cohorts(first date, last date)
returns table (month date, cohort date, active_users bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select writers.month, date_trunc('month', users.created_at at time zone 'UTC')::date, count(*)
    from (select author_id, date_trunc('month', created_at at time zone 'UTC')::date as month from app_public.posts
           where (created_at at time zone 'UTC')::date between first and last
           union
          select author_id, date_trunc('month', created_at at time zone 'UTC')::date from app_public.comments
           where (created_at at time zone 'UTC')::date between first and last) as writers
    join app_public.users on users.id = writers.author_id
   group by 1, 2
$$;
comment on function rollups.count_cohorts(date, date) is $$How many users of each month of sign-up wrote in each month from first, which is the first day of a month, through last. Reads the base tables.$$;
grant execute on function rollups.count_cohorts(date, date) to :ANALYST;

create or replace function rollups.count_tags(first date, last date)
returns table (day date, tag_id bigint, posts_published bigint, comments bigint)
language sql stable security definer rows 100 set search_path = pg_catalog, pg_temp as $$
  select day, tag_id, count(*) filter (where is_post), count(*) filter (where not is_post)
    from (select (first_published_at at time zone 'UTC')::date as day, id as post_id, true as is_post
            from app_public.posts
           where is_public and (first_published_at at time zone 'UTC')::date between first and last
           union all
          select (comments.created_at at time zone 'UTC')::date, post_id, false
            from app_public.comments
            join app_public.posts on posts.id = post_id and posts.is_public
           where (comments.created_at at time zone 'UTC')::date between first and last) as uses
    join app_public.post_tags using (post_id)
   group by day, tag_id
$$;
comment on function rollups.count_tags(date, date) is $$Publications and comments of published posts, by day from first through last and by tag. Reads the base tables.$$;

create or replace function rollups.count_changes(first date, last date)
returns table (day date, table_name text, action text, actor_kind text, changes bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select (changed_at at time zone 'UTC')::date, table_name, action::text,
         case when actor_id is not null then 'USER' when actor_login = ':API_LOGIN' then 'ANONYMOUS' else 'DATABASE' end,
         count(*)
    from app_public.audit_trail
   where changed_at >= first::timestamp at time zone 'UTC' and changed_at < (last + 1)::timestamp at time zone 'UTC'
   group by 1, 2, 3, 4
$$;
comment on function rollups.count_changes(date, date) is $$The changed rows by day from first through last, table, action and kind of actor. Reads the audit trail.$$;
grant execute on function rollups.count_changes(date, date) to :ANALYST;

create or replace function rollups.count_discussions(since date, until date)
returns table (
  post_id bigint, comments bigint, comments_first_week bigint, comments_by_author bigint, commenters bigint,
  first_reply_at timestamptz, last_comment_at timestamptz
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select posts.id, count(*),
         count(*) filter (where comments.created_at >= first_published_at and comments.created_at < first_published_at + interval '7 days'),
         count(*) filter (where comments.author_id = posts.author_id),
         count(distinct comments.author_id) filter (where comments.author_id <> posts.author_id),
         min(comments.created_at) filter (where comments.created_at >= first_published_at),
         max(comments.created_at)
    from app_public.posts
    join app_public.comments on comments.post_id = posts.id
   where (comments.created_at at time zone 'UTC')::date <= until
     and posts.id in (
       select post_id from app_public.comments where (created_at at time zone 'UTC')::date between since and until
        union all
       select id from app_public.posts where (first_published_at at time zone 'UTC')::date >= since)
   group by posts.id
$$;
comment on function rollups.count_discussions(date, date) is $$The comments through until on each post that was commented on or published since a day. Reads the base tables.$$;
--! EndIncluded functions/analytics/counts.sql

-- Each rollup is a function's result through the watermark. A unique index is what `refresh … concurrently` needs.
create materialized view rollups.periods as
select 'day' as unit, moment::date as period, counts.*
  from rollups.watermark
 cross join lateral generate_series(rollups.first_day()::timestamp, through::timestamp, interval '1 day') as moment
 cross join lateral rollups.count_period(moment::date, moment::date) as counts
 union all
select 'month', moment::date, counts.*
  from rollups.watermark
 cross join lateral generate_series(
       date_trunc('month', rollups.first_day()::timestamp), through + 1 - interval '1 month', interval '1 month') as moment
 cross join lateral rollups.count_period(moment::date, (moment + interval '1 month - 1 day')::date) as counts;
comment on materialized view rollups.periods is $$The counts of each finished day and month.$$;
comment on column rollups.periods.unit is $$day or month.$$;
comment on column rollups.periods.period is $$The day, or the month’s first day, UTC.$$;
comment on column rollups.periods.new_users is $$Users who signed up.$$;
comment on column rollups.periods.posts_created is $$Posts created, including drafts.$$;
comment on column rollups.periods.posts_published is $$Posts first published then, and still published.$$;
comment on column rollups.periods.median_hours is $$The median of those posts’ hours from creation to publication; null without posts.$$;
comment on column rollups.periods.slowest_tenth_hours is $$The 90th percentile of those posts’ hours from creation to publication; null without posts.$$;
comment on column rollups.periods.authors is $$Users who published at least one post.$$;
comment on column rollups.periods.new_authors is $$Those authors who had published no post before.$$;
comment on column rollups.periods.comments is $$Comments written.$$;
comment on column rollups.periods.commenters is $$The number of distinct users who wrote them.$$;
comment on column rollups.periods.posts_commented is $$The number of distinct posts with these comments.$$;
comment on column rollups.periods.new_follows is $$Follows created, and not undone since.$$;
comment on column rollups.periods.unfollows is $$Follows that users ended. Those that ended because an account was deleted are not counted.$$;
comment on column rollups.periods.messages is $$Messages sent.$$;
comment on column rollups.periods.senders is $$The number of distinct users who sent them. Users deleted since are not counted.$$;
comment on column rollups.periods.active_chats is $$The number of distinct chats with these messages.$$;
comment on column rollups.periods.writers is $$Users who created a post, including drafts, or a comment.$$;
comment on column rollups.periods.post_writers is $$Those writers who created a post.$$;
create unique index periods_unit_period_key on rollups.periods (unit, period);

create materialized view rollups.recent_writers as
select counts.* from rollups.watermark cross join lateral rollups.count_recent_writers(rollups.first_day(), through) as counts;
comment on materialized view rollups.recent_writers is $$The writers of the 7 and 28 days that end with each finished day.$$;
comment on column rollups.recent_writers.day is $$The day, UTC.$$;
comment on column rollups.recent_writers.writers_7_days is $$Writers on that day or the six days before.$$;
comment on column rollups.recent_writers.writers_28_days is $$Writers on that day or the 27 days before.$$;
create unique index recent_writers_day_key on rollups.recent_writers (day);

create materialized view rollups.cohorts as
select counts.*
  from rollups.watermark
 cross join lateral rollups.count_cohorts(
       date_trunc('month', rollups.first_day()::timestamp)::date,
       (date_trunc('month', (through + 1)::timestamp) - interval '1 day')::date) as counts;
comment on materialized view rollups.cohorts is $$How many users of each month of sign-up wrote in each finished month.$$;
comment on column rollups.cohorts.month is $$The month’s first day, UTC.$$;
comment on column rollups.cohorts.cohort is $$The first day of the month of sign-up, UTC.$$;
comment on column rollups.cohorts.active_users is $$Users of the cohort who created a post or a comment in the month.$$;
create unique index cohorts_month_cohort_key on rollups.cohorts (month, cohort);

-- In order, so that the rows of a day lie together: views read them by day.
create materialized view rollups.tags as
select counts.* from rollups.watermark cross join lateral rollups.count_tags('-infinity', through) as counts order by day, tag_id;
comment on materialized view rollups.tags is $$Publications and comments of published posts by finished day and by tag. Without the tags' names, which views read from the table.$$;
comment on column rollups.tags.day is $$The day, UTC.$$;
comment on column rollups.tags.tag_id is $$The tag.$$;
comment on column rollups.tags.posts_published is $$Posts with the tag, first published on that day, and still published.$$;
comment on column rollups.tags.comments is $$Comments written on that day on published posts with the tag.$$;
create unique index tags_day_tag_id_key on rollups.tags (day, tag_id);
-- Carries the first day of a tag.
create index tags_tag_id_day_idx on rollups.tags (tag_id, day) where posts_published > 0;

create materialized view rollups.changes as
select counts.* from rollups.watermark cross join lateral rollups.count_changes('-infinity', through) as counts;
comment on materialized view rollups.changes is $$Changed rows by finished day, table, action and kind of actor.$$;
comment on column rollups.changes.day is $$The day, UTC.$$;
comment on column rollups.changes.table_name is $$The table whose rows were changed.$$;
comment on column rollups.changes.action is $$INSERT, UPDATE or DELETE.$$;
comment on column rollups.changes.actor_kind is $$USER, ANONYMOUS or DATABASE.$$;
comment on column rollups.changes.changes is $$The number of changed rows.$$;
create unique index changes_key on rollups.changes (day, table_name, action, actor_kind);

create materialized view rollups.discussions as
select counts.* from rollups.watermark cross join lateral rollups.count_discussions('-infinity', through) as counts;
comment on materialized view rollups.discussions is $$The comments on each post through the watermark. Without the post's title, slug, author and status, which views read from the table.$$;
comment on column rollups.discussions.post_id is $$The post, published or not.$$;
comment on column rollups.discussions.comments is $$Comments on it.$$;
comment on column rollups.discussions.comments_first_week is $$Comments within seven days after its first publication.$$;
comment on column rollups.discussions.comments_by_author is $$Comments by its author.$$;
comment on column rollups.discussions.commenters is $$Distinct users who commented, without its author.$$;
comment on column rollups.discussions.first_reply_at is $$The first comment after its first publication.$$;
comment on column rollups.discussions.last_comment_at is $$The newest comment.$$;
create unique index discussions_post_id_key on rollups.discussions (post_id);

create view rollups.live_days as
select coalesce(through + 1, rollups.first_day()) as first, (now() at time zone 'UTC')::date as last from rollups.watermark;
comment on view rollups.live_days is $$The first and the last of the days that no rollup has. Views compute them from the base tables.$$;
comment on column rollups.live_days.first is $$The day after the watermark, or without one the day of the first event, UTC.$$;
comment on column rollups.live_days.last is $$Today, UTC.$$;

-- A condition on the day or month reaches the series, so a query for earlier ones counts nothing.
create view rollups.periods_to_date as
select * from rollups.periods
 union all
select 'day', moment::date, counts.*
  from rollups.live_days
 cross join lateral generate_series(first::timestamp, last::timestamp, interval '1 day') as moment
 cross join lateral rollups.count_period(moment::date, moment::date) as counts
 union all
select 'month', moment::date, counts.*
  from rollups.live_days
 cross join lateral generate_series(date_trunc('month', first::timestamp), last::timestamp, interval '1 month') as moment
 cross join lateral rollups.count_period(moment::date, (moment + interval '1 month - 1 day')::date) as counts;
comment on view rollups.periods_to_date is $$The counts of each day and month, through today. The columns are those of rollups.periods.$$;

create view rollups.cohorts_to_date as
select * from rollups.cohorts
 union all
select moment::date, counts.cohort, counts.active_users
  from rollups.live_days
 cross join lateral generate_series(date_trunc('month', first::timestamp), last::timestamp, interval '1 month') as moment
 cross join lateral rollups.count_cohorts(moment::date, (moment + interval '1 month - 1 day')::date) as counts;
comment on view rollups.cohorts_to_date is $$How many users of each month of sign-up wrote in each month, through this one. The columns are those of rollups.cohorts.$$;

--! Included functions/analytics/published_posts.sql
-- Analysts' views that name posts or tags read these functions, not the tables. PostgreSQL may evaluate a leakproof
-- comparison (`=`, `<`) before the conditions of the view, even of a security_barrier view, and EXPLAIN counts the rows that
-- each step removes. So `where slug = '…'` would tell an analyst whether a draft has that slug. Security definer: such a
-- function is never inlined, so conditions, statistics and EXPLAIN see only its result.
--
-- Whether a post is published is read from posts at each query, so a post that is withdrawn or erased vanishes at once.
create or replace function rollups.published_posts()
returns table (
  id bigint, author_id bigint, first_published_at timestamptz, comments bigint, comments_first_week bigint, comments_by_author bigint,
  commenters bigint, first_reply_at timestamptz, last_comment_at timestamptz
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with live as materialized (
    select counts.*
      from rollups.watermark cross join lateral rollups.count_discussions(coalesce(through + 1, '-infinity'), 'infinity') as counts
  )
  select posts.id, posts.author_id, posts.first_published_at, coalesce(said.comments, 0), coalesce(said.comments_first_week, 0),
         coalesce(said.comments_by_author, 0), coalesce(said.commenters, 0), said.first_reply_at, said.last_comment_at
    from app_public.posts
    left join (
         select * from rollups.discussions where not exists (select from live where live.post_id = discussions.post_id)
          union all
         select * from live) as said on said.post_id = posts.id
   -- Triggers give each post the time of its first publication. An import without triggers may not: such a post counts nowhere.
   where posts.is_public and posts.first_published_at is not null
$$;
comment on function rollups.published_posts() is $$The published posts with counts of their comments. Drafts leave no trace in a query plan.$$;
grant execute on function rollups.published_posts() to :ANALYST;

create or replace function rollups.tag_totals()
returns table (
  tag text, posts_published bigint, authors bigint, comments bigint, first_published_on date, last_published_on date
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select tags.name, sum(by_author.posts)::bigint, count(*), sum(by_author.comments)::bigint,
         (min(by_author.first) at time zone 'UTC')::date, (max(by_author.last) at time zone 'UTC')::date
    -- By author first: count(distinct author_id) would sort.
    from (select tag_id, author_id, count(*) as posts, sum(comments) as comments,
                 min(first_published_at) as first, max(first_published_at) as last
            from rollups.published_posts() as posts
            join app_public.post_tags on post_tags.post_id = posts.id
           group by tag_id, author_id) as by_author
    join app_public.tags on tags.id = tag_id
   group by tags.name
$$;
comment on function rollups.tag_totals() is $$The tags of published posts with their totals. Tags that only drafts have leave no trace in a query plan.$$;
grant execute on function rollups.tag_totals() to :ANALYST;

create or replace function rollups.published_tags() returns table (id bigint, tag text, first_day date)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select tags.id, tags.name, least(rolled_up.day, live.day)
    from app_public.tags
    -- Not min(day): with another condition, it reads all days of the tag.
    left join lateral (select day from rollups.tags as counts where tag_id = tags.id and posts_published > 0 order by day limit 1) as rolled_up on true
    left join (
         select tag_id, min(day) as day
           from rollups.live_days cross join lateral rollups.count_tags(first, last)
          where posts_published > 0
          group by tag_id) as live on live.tag_id = tags.id
   where least(rolled_up.day, live.day) is not null
     and exists (select from app_public.post_tags
                   join app_public.posts on posts.id = post_id and posts.is_public
                  where tag_id = tags.id)
$$;
comment on function rollups.published_tags() is $$The tags that published posts have now, and the day of each tag’s first publication.$$;
grant execute on function rollups.published_tags() to :ANALYST;

create or replace function rollups.tags_of_day(day date) returns table (tag_id bigint, posts_published bigint, comments bigint)
language sql stable security definer rows 100 set search_path = pg_catalog, pg_temp as $$
  select tag_id, posts_published, comments from rollups.tags where tags.day = tags_of_day.day
   union all
  select counts.tag_id, counts.posts_published, counts.comments
    from rollups.live_days cross join lateral rollups.count_tags(tags_of_day.day, tags_of_day.day) as counts
   where tags_of_day.day >= live_days.first
$$;
comment on function rollups.tags_of_day(date) is $$The tags that were used or discussed on a day. A condition on the day reaches this function, so it reads no other days.$$;
grant execute on function rollups.tags_of_day(date) to :ANALYST;

create or replace function rollups.recent_writers_of_day(day date) returns table (writers_7_days bigint, writers_28_days bigint)
language sql stable security definer rows 1 set search_path = pg_catalog, pg_temp as $$
  select writers_7_days, writers_28_days from rollups.recent_writers where recent_writers.day = recent_writers_of_day.day
   union all
  select counts.writers_7_days, counts.writers_28_days
    from rollups.live_days cross join lateral rollups.count_recent_writers(recent_writers_of_day.day, recent_writers_of_day.day) as counts
   where recent_writers_of_day.day >= live_days.first
$$;
comment on function rollups.recent_writers_of_day(date) is $$The writers of the 7 and 28 days that end with a day. A condition on the day reaches this function.$$;
grant execute on function rollups.recent_writers_of_day(date) to :ANALYST;
--! EndIncluded functions/analytics/published_posts.sql
--! Included functions/analytics/refresh.sql
-- Security definer: the service's login may have the rollups refreshed, and chooses none of their rows.
create or replace function rollups.refresh(min_age interval default null) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set work_mem = '64MB' as $$
declare
  v_yesterday date := (now() at time zone 'UTC')::date - 1;
  v_last rollups.watermark;
  v_rollup record;
begin
  -- The lock on the row lets one session refresh at a time. Another one has nothing to do.
  select * into v_last from rollups.watermark for update skip locked;
  if not found then
    return null;
  end if;
  if min_age is not null and v_last.through = v_yesterday and v_last.refreshed_at > now() - greatest(min_age, 20 * v_last.took) then
    return null;
  end if;
  update rollups.watermark set through = case when rollups.first_day() <= v_yesterday then v_yesterday end, refreshed_at = now();
  for v_rollup in
    select relname, relispopulated from pg_catalog.pg_class where relnamespace = 'rollups'::regnamespace and relkind = 'm' order by relname
  loop
    -- Concurrently: views are read meanwhile, and only rows that differ are written. A dump of the schema alone restores empty rollups.
    execute format('refresh materialized view %s rollups.%I', case when v_rollup.relispopulated then 'concurrently' end, v_rollup.relname);
  end loop;
  update rollups.watermark set took = clock_timestamp() - now();
  return (select jsonb_build_object('through', through, 'milliseconds', round(extract(epoch from took) * 1000)) from rollups.watermark);
end $$;
comment on function rollups.refresh(interval) is $$Computes the rollups of the analysts’ views again, through yesterday, UTC. Returns null if another session is doing so. With min_age, also if yesterday is rolled up and the last refresh is younger, or so young that refreshes would take more than a twentieth of the time. The service calls it regularly.$$;
grant execute on function rollups.refresh(interval) to :API_LOGIN;
--! EndIncluded functions/analytics/refresh.sql

--! Included functions/analytics/record_unfollows.sql
-- Only removals that somebody chose count: a user who is deleted takes the follows along. Security definer: members may not write the entries.
create or replace function app_hidden.tg_follows__record_unfollows() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into app_private.unfollows (author_id)
  select followed_id from old_rows
   where exists (select from app_public.users where id = follower_id) and exists (select from app_public.users where id = followed_id);
  return null;
end $$;
comment on function app_hidden.tg_follows__record_unfollows() is $$After follows are removed: records the day and the author, not the follower.$$;
--! EndIncluded functions/analytics/record_unfollows.sql
create trigger _700_record_unfollows after delete on app_public.follows
  referencing old table as old_rows for each statement execute function app_hidden.tg_follows__record_unfollows();

-- The views.
--! Included views/calendar.sql
-- Every series has a row for each day or month of these two views, so that one without events is a row of zeros.
create or replace view analytics.days with (security_barrier) as
select period as day from rollups.periods where unit = 'day'
 union all
select moment::date from rollups.live_days, generate_series(first::timestamp, last::timestamp, interval '1 day') as moment;
comment on view analytics.days is $$Every day from the first recorded event to today, UTC. One row per day. Key: day.$$;
comment on column analytics.days.day is $$The day, UTC.$$;

create or replace view analytics.months with (security_barrier) as
select period as month from rollups.periods where unit = 'month'
 union all
select moment::date
  from rollups.live_days, generate_series(date_trunc('month', first::timestamp), last::timestamp, interval '1 month') as moment;
comment on view analytics.months is $$Every month from the first recorded event to this month, UTC. One row per month. Key: month.$$;
comment on column analytics.months.month is $$The month’s first day, UTC.$$;
--! EndIncluded views/calendar.sql
--! Included views/totals.sql
-- All counts of a day or month are one row. Months are no sums of days: they count distinct people.
create or replace view analytics.totals_by_day as
select period as day, new_users, posts_created, posts_published, median_hours, slowest_tenth_hours, authors, new_authors, comments, commenters,
       posts_commented, new_follows, unfollows, messages, senders, active_chats, writers, post_writers
  from rollups.periods_to_date
 where unit = 'day';
comment on view analytics.totals_by_day is $$What happened on each day. Drafts and chats are counted only. What has been deleted since is not counted. One row for each day. Key: day.$$;
comment on column analytics.totals_by_day.day is $$The day, UTC. No day is left out.$$;

create or replace view analytics.totals_by_month as
select period as month, new_users, posts_created, posts_published, median_hours, slowest_tenth_hours, authors, new_authors, comments, commenters,
       posts_commented, new_follows, unfollows, messages, senders, active_chats, writers, post_writers
  from rollups.periods_to_date
 where unit = 'month';
comment on view analytics.totals_by_month is $$What happened in each month. Drafts and chats are counted only. What has been deleted since is not counted. One row for each month. Key: month.$$;
comment on column analytics.totals_by_month.month is $$The month’s first day, UTC. No month is left out.$$;

-- The other columns are those of rollups.periods, and so are their comments.
do $$
declare
  v_column record;
begin
  for v_column in
    select shown.attrelid::regclass as view, attname as name, pg_catalog.col_description(stored.attrelid, stored.attnum) as description
      from pg_catalog.pg_attribute as stored
      join pg_catalog.pg_attribute as shown using (attname)
     where stored.attrelid = 'rollups.periods'::regclass and stored.attnum > 0
       and shown.attrelid in ('analytics.totals_by_day'::regclass, 'analytics.totals_by_month'::regclass)
  loop
    execute format('comment on column %s.%I is %L', v_column.view, v_column.name, v_column.description);
  end loop;
end $$;
--! EndIncluded views/totals.sql
--! Included views/posts.sql
-- A post counts as published while its status is PUBLISHED, on the day of its first publication. The contents of drafts are private.
create or replace view analytics.engagement_by_post with (security_barrier) as
select posts.id as post_id, texts.title, texts.slug, posts.author_id,
       (posts.first_published_at at time zone 'UTC')::date as published_on,
       array(select name from app_public.tags join app_public.post_tags on tag_id = tags.id where post_id = posts.id order by name) as tags,
       char_length(texts.content) as characters,
       posts.comments,
       posts.comments_first_week,
       posts.comments_by_author,
       posts.commenters,
       round(extract(epoch from posts.first_reply_at - posts.first_published_at)::numeric / 3600, 1) as hours_to_first_comment,
       (posts.last_comment_at at time zone 'UTC')::date as last_comment_on,
       (texts.created_at at time zone 'UTC')::date as created_on,
       round(greatest(extract(epoch from posts.first_published_at - texts.created_at)::numeric / 3600, 0), 1) as hours_to_publish
  from rollups.published_posts() as posts
 cross join lateral (select title, slug, content, created_at from app_public.posts as texts where texts.id = posts.id offset 0) as texts;
comment on view analytics.engagement_by_post is $$Reader activity for each published post. One row per published post; drafts are left out. Key: post_id.$$;
comment on column analytics.engagement_by_post.post_id is $$The post’s id, as in the API.$$;
comment on column analytics.engagement_by_post.title is $$Its current title.$$;
comment on column analytics.engagement_by_post.slug is $$Its name in a URL.$$;
comment on column analytics.engagement_by_post.author_id is $$Its author’s user id, as in the API.$$;
comment on column analytics.engagement_by_post.published_on is $$The day on which it was first published, UTC.$$;
comment on column analytics.engagement_by_post.tags is $$Its tags in alphabetical order; empty without tags.$$;
comment on column analytics.engagement_by_post.characters is $$The length of its content in characters.$$;
comment on column analytics.engagement_by_post.comments is $$Comments on it, including its author’s.$$;
comment on column analytics.engagement_by_post.comments_first_week is $$Comments written in the seven days after its first publication.$$;
comment on column analytics.engagement_by_post.comments_by_author is $$Comments that its author wrote.$$;
comment on column analytics.engagement_by_post.commenters is $$The number of distinct users who commented, without its author.$$;
comment on column analytics.engagement_by_post.hours_to_first_comment is $$Hours from its first publication to the first comment after it, rounded to a tenth; null without one. Comments on the draft do not count.$$;
comment on column analytics.engagement_by_post.last_comment_on is $$The day of the newest comment, UTC; null without comments.$$;
comment on column analytics.engagement_by_post.created_on is $$The day on which it was created, UTC.$$;
comment on column analytics.engagement_by_post.hours_to_publish is $$Hours from creation to the first publication, rounded to a tenth; 0.0 for a post that never was a draft, and for an imported one that was published before its creation.$$;
--! EndIncluded views/posts.sql
--! Included views/authors.sql
-- Authors have ids and no names here. The API gives the name of an id.
create or replace view analytics.authors with (security_barrier) as
select published.author_id,
       (select (users.created_at at time zone 'UTC')::date from app_public.users where users.id = published.author_id) as joined_on,
       published.posts_published,
       (select count(*) from app_public.comments where comments.author_id = published.author_id) as comments_written,
       published.comments_received,
       (select count(*) from app_public.follows where follows.followed_id = published.author_id) as followers,
       (select count(*) from app_public.follows where follows.follower_id = published.author_id) as following,
       (published.first_published_at at time zone 'UTC')::date as first_published_on,
       (published.last_published_at at time zone 'UTC')::date as last_published_on
  from (select author_id, count(*) as posts_published, sum(comments - comments_by_author)::bigint as comments_received,
               min(first_published_at) as first_published_at, max(first_published_at) as last_published_at
          from rollups.published_posts()
         group by author_id) as published;
comment on view analytics.authors is $$Totals for each author: one row for each user with a published post. Key: author_id.$$;
comment on column analytics.authors.author_id is $$The author’s user id, as in the API.$$;
comment on column analytics.authors.joined_on is $$The day on which the author signed up, UTC.$$;
comment on column analytics.authors.posts_published is $$The author’s posts that are published now.$$;
comment on column analytics.authors.comments_written is $$Comments that the author has written on any post.$$;
comment on column analytics.authors.comments_received is $$Comments by other users on the author’s published posts.$$;
comment on column analytics.authors.followers is $$The number of users who follow the author.$$;
comment on column analytics.authors.following is $$The number of users whom the author follows.$$;
comment on column analytics.authors.first_published_on is $$The day of the author’s first publication, UTC.$$;
comment on column analytics.authors.last_published_on is $$The day of the author’s latest first publication of a post, UTC.$$;
--! EndIncluded views/authors.sql
--! Included views/tags.sql
-- Tags that only drafts have are left out: they are as private as the draft.
create or replace view analytics.tags with (security_barrier) as
select tag, posts_published, authors, comments, first_published_on, last_published_on from rollups.tag_totals();
comment on view analytics.tags is $$Totals for each tag: one row for each tag of a published post. Key: tag.$$;
comment on column analytics.tags.tag is $$The tag.$$;
comment on column analytics.tags.posts_published is $$Published posts that have the tag now.$$;
comment on column analytics.tags.authors is $$The number of distinct users who wrote them.$$;
comment on column analytics.tags.comments is $$Comments on those posts.$$;
comment on column analytics.tags.first_published_on is $$The earliest first publication of these posts, UTC.$$;
comment on column analytics.tags.last_published_on is $$The latest first publication of these posts, UTC.$$;

-- The tags are materialized, so that they are read once for a query and not for each day. `offset 0` keeps the planner from merging
-- the inner query, which would read a day once for each tag. A condition on the day still reaches the series.
create or replace view analytics.tags_by_day as
with known as materialized (select id, tag, first_day from rollups.published_tags())
select days.day, tags.tag, tags.posts_published, tags.comments
  from analytics.days
 cross join lateral (
       select known.tag, coalesce(used.posts_published, 0) as posts_published, coalesce(used.comments, 0) as comments
         from known
         left join rollups.tags_of_day(days.day) as used on used.tag_id = known.id
        where known.first_day <= days.day
       offset 0) as tags;
comment on view analytics.tags_by_day is $$How much is written and said under each tag, by day. One row for each tag and day since the tag’s first post. Filter by day, because the view is large. Key: day, tag.$$;
comment on column analytics.tags_by_day.day is $$The day, UTC. No day since the tag’s first post is left out.$$;
comment on column analytics.tags_by_day.tag is $$The tag.$$;
comment on column analytics.tags_by_day.posts_published is $$Posts with the tag, first published on that day and still published now.$$;
comment on column analytics.tags_by_day.comments is $$Comments written on that day on published posts that have the tag now.$$;
--! EndIncluded views/tags.sql
--! Included views/comments.sql
-- No barrier: the view leaves no comment out, and its two columns are all that a condition can see. So a condition on the day or on the
-- author reads the rows of that day or author only.
create or replace view analytics.comments_by_author_and_day as
select (created_at at time zone 'UTC')::date as day, author_id, count(*) as comments, count(distinct post_id) as posts_commented
  from app_public.comments
 group by 1, 2;
comment on view analytics.comments_by_author_and_day is $$One user’s comments over time. One row for each day and user with comments; days without comments have no row. Deleted comments are not counted. Filter by author_id or by day. Key: day, author_id.$$;
comment on column analytics.comments_by_author_and_day.day is $$The day, UTC.$$;
comment on column analytics.comments_by_author_and_day.author_id is $$The id of the user who wrote the comments, as in the API.$$;
comment on column analytics.comments_by_author_and_day.comments is $$Comments that the user wrote on that day, on any post.$$;
comment on column analytics.comments_by_author_and_day.posts_commented is $$The number of distinct posts with these comments.$$;
--! EndIncluded views/comments.sql
--! Included views/followers.sql
create or replace view analytics.followers_by_author_and_month with (security_barrier) as
select date_trunc('month', day::timestamp)::date as month, author_id,
       count(*) filter (where is_new) as new_followers, count(*) filter (where not is_new) as unfollows
  from (select (created_at at time zone 'UTC')::date as day, followed_id as author_id, true as is_new from app_public.follows
         union all
        select day, author_id, false from app_private.unfollows) as events
 group by 1, 2;
comment on view analytics.followers_by_author_and_month is $$Followers that a user won and lost, by month. One row for each month and user with either. A follow that was undone is no new follower any more; who it was is not recorded. Key: month, author_id.$$;
comment on column analytics.followers_by_author_and_month.month is $$The month’s first day, UTC.$$;
comment on column analytics.followers_by_author_and_month.author_id is $$The id of the user who is followed, as in the API.$$;
comment on column analytics.followers_by_author_and_month.new_followers is $$Users who began to follow in that month, and still do.$$;
comment on column analytics.followers_by_author_and_month.unfollows is $$Follows of the user that were ended in that month.$$;
--! EndIncluded views/followers.sql
--! Included views/writers.sql
-- Writers create posts, including drafts, or comments. Chat messages do not count, because chats are private.
create or replace view analytics.active_writers_by_day as
select days.day, recent.writers_7_days, recent.writers_28_days
  from analytics.days
 cross join lateral rollups.recent_writers_of_day(days.day) as recent;
comment on view analytics.active_writers_by_day is $$The number of users who have lately created a post, including drafts, or a comment. One row for each day. Key: day.$$;
comment on column analytics.active_writers_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.active_writers_by_day.writers_7_days is $$Writers on that day or the six days before.$$;
comment on column analytics.active_writers_by_day.writers_28_days is $$Writers on that day or the 27 days before.$$;
--! EndIncluded views/writers.sql
--! Included views/changes.sql
-- Counts only: analysts may not see which rows were changed, or by which user.
create or replace view analytics.changes_by_day as
select day, table_name, action, actor_kind, changes from rollups.changes
 union all
select counts.*
  from rollups.watermark
 cross join lateral rollups.count_changes(coalesce(through + 1, '-infinity'), (now() at time zone 'UTC')::date) as counts;
comment on view analytics.changes_by_day is $$The number of changed rows by day, table, action and kind of actor. Combinations without changes have no row. Covers the time for which the audit trail is kept. Key: day, table_name, action, actor_kind.$$;
comment on column analytics.changes_by_day.day is $$The day, UTC.$$;
comment on column analytics.changes_by_day.table_name is $$The table whose rows were changed.$$;
comment on column analytics.changes_by_day.action is $$INSERT, UPDATE or DELETE.$$;
comment on column analytics.changes_by_day.actor_kind is $$USER for a signed-in user of the API, ANONYMOUS for API requests without a user, DATABASE for direct SQL.$$;
comment on column analytics.changes_by_day.changes is $$The number of changed rows.$$;
--! EndIncluded views/changes.sql
--! Included views/cohorts.sql
-- A cohort is the users who signed up in a month. Users deleted since are in no cohort.
create or replace view analytics.retention_by_cohort_and_month as
select joined.month as cohort, months.month,
       ((extract(year from months.month) - extract(year from joined.month)) * 12
         + extract(month from months.month) - extract(month from joined.month))::int as months_since_sign_up,
       joined.new_users as users, coalesce(activity.active_users, 0) as active_users
  from analytics.totals_by_month as joined
  join analytics.months on months.month >= joined.month
  left join rollups.cohorts_to_date as activity
    on activity.cohort = joined.month and activity.month = months.month
 where joined.new_users > 0;
comment on view analytics.retention_by_cohort_and_month is $$Retention: how many of the users who signed up in a month wrote something in each month since. One row for each month with sign-ups and each month from then on. Key: cohort, month.$$;
comment on column analytics.retention_by_cohort_and_month.cohort is $$The first day of the month of sign-up, UTC.$$;
comment on column analytics.retention_by_cohort_and_month.month is $$The month’s first day, UTC. No month since the sign-up is left out.$$;
comment on column analytics.retention_by_cohort_and_month.months_since_sign_up is $$The number of months between the two; 0 for the month of sign-up.$$;
comment on column analytics.retention_by_cohort_and_month.users is $$Users who signed up in the month of the cohort.$$;
comment on column analytics.retention_by_cohort_and_month.active_users is $$Those users who created a post, including drafts, or a comment in that month.$$;
--! EndIncluded views/cohorts.sql
--! Included views/reads.sql
-- Counts only: no reader, IP address or time of day is stored.
create or replace view analytics.reads_by_post_and_day as
select days.day, facts.post_id, facts.reads
  from analytics.days
 cross join lateral app_hidden.reads_of_day(days.day) as facts;
comment on view analytics.reads_by_post_and_day is $$Reads of published posts: how often the API returned one as a single post. One row for each day and post with reads. A read is counted within a minute. Nothing is counted while COUNT_READS is false. Key: day, post_id.$$;
comment on column analytics.reads_by_post_and_day.day is $$The day, UTC.$$;
comment on column analytics.reads_by_post_and_day.post_id is $$The post’s id, as in the API.$$;
comment on column analytics.reads_by_post_and_day.reads is $$How often the post was read on that day, by anybody: one reader counts each time.$$;
--! EndIncluded views/reads.sql
--! Included views/activity.sql
-- Hours have a time zone, so that an analyst can make local days and local hours of them.
create or replace view analytics.activity_by_hour with (security_barrier) as
select hour,
       count(*) filter (where kind = 'publication') as posts_published,
       count(*) filter (where kind = 'comment') as comments,
       count(*) filter (where kind = 'message') as messages
  from (select date_trunc('hour', first_published_at, 'UTC') as hour, 'publication' as kind
          from app_public.posts where is_public and first_published_at is not null
         union all
        select date_trunc('hour', created_at, 'UTC'), 'comment' from app_public.comments
         union all
        select date_trunc('hour', created_at, 'UTC'), 'message' from app_public.messages) as events
 group by hour;
comment on view analytics.activity_by_hour is $$What happens at which hour, computed at each query. One row for each hour in which something happened. Key: hour.$$;
comment on column analytics.activity_by_hour.hour is $$The beginning of the hour. `hour at time zone 'Europe/Berlin'` is the local time.$$;
comment on column analytics.activity_by_hour.posts_published is $$Posts that are published now and were first published in that hour.$$;
comment on column analytics.activity_by_hour.comments is $$Comments written in that hour.$$;
comment on column analytics.activity_by_hour.messages is $$Messages sent in that hour.$$;

-- Growth accounting: writers of a month are new, retained or resurrected; churned are those of the month before who did not come back.
create or replace view analytics.writer_growth_by_month with (security_barrier) as
with writing as (
  select month, lag(month) over author as month_before, lead(month) over author as month_after
    from (select author_id, date_trunc('month', created_at at time zone 'UTC') as month from app_public.posts
           union
          select author_id, date_trunc('month', created_at at time zone 'UTC') from app_public.comments) as texts
  window author as (partition by author_id order by month)
), steps as (
  select month::date,
         case when month_before is null then 'new' when month_before = month - interval '1 month' then 'retained' else 'resurrected' end as step
    from writing
   union all
  select (month + interval '1 month')::date, 'churned' from writing where month_after is distinct from month + interval '1 month'
)
select months.month,
       count(*) filter (where step = 'new') as new_writers,
       count(*) filter (where step = 'retained') as retained_writers,
       count(*) filter (where step = 'resurrected') as resurrected_writers,
       count(*) filter (where step = 'churned') as churned_writers
  from analytics.months
  left join steps using (month)
 group by months.month;
comment on view analytics.writer_growth_by_month is $$Where the writers of a month come from, and how many were lost, computed at each query. Writers create posts, including drafts, or comments. One row for each month. Key: month.$$;
comment on column analytics.writer_growth_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.writer_growth_by_month.new_writers is $$Users who had never written before.$$;
comment on column analytics.writer_growth_by_month.retained_writers is $$Writers of the month before who wrote again.$$;
comment on column analytics.writer_growth_by_month.resurrected_writers is $$Former writers who had not written in the month before.$$;
comment on column analytics.writer_growth_by_month.churned_writers is $$Writers of the month before who did not write; of the current month, not yet.$$;
--! EndIncluded views/activity.sql
--! Included views/conversations.sql
-- Counts and times only: chats are private. A message replies to the one before it, unless both have one sender.
create or replace view analytics.chat_replies_by_month with (security_barrier) as
select months.month, count(minutes) as replies,
       round((percentile_cont(0.5) within group (order by minutes))::numeric, 1) as median_minutes,
       round((percentile_cont(0.9) within group (order by minutes))::numeric, 1) as slowest_tenth_minutes
  from analytics.months
  left join (
       select date_trunc('month', message.created_at at time zone 'UTC')::date as month,
              extract(epoch from message.created_at - earlier.created_at)::float8 / 60 as minutes
         from app_public.messages as message
         join app_public.messages as earlier
           on earlier.chat_id = message.chat_id and earlier.number = message.number - 1 and earlier.sender_id <> message.sender_id) as replies
    using (month)
 group by months.month;
comment on view analytics.chat_replies_by_month is $$How fast people reply to each other in chats, computed at each query. One row for each month. Key: month.$$;
comment on column analytics.chat_replies_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.chat_replies_by_month.replies is $$Messages of that month that follow one of another user in their chat. Those of users deleted since are not counted.$$;
comment on column analytics.chat_replies_by_month.median_minutes is $$The median of the minutes since that message; null without replies.$$;
comment on column analytics.chat_replies_by_month.slowest_tenth_minutes is $$A tenth of the replies took longer than these minutes; null without replies.$$;

-- Comments have replies of one level, so the depth of a thread is whether it has any.
create or replace view analytics.threads_by_month with (security_barrier) as
select months.month, count(threads.month) as threads, count(*) filter (where threads.replies > 0) as threads_with_replies,
       coalesce(sum(threads.replies), 0)::bigint as replies, coalesce(max(threads.replies), 0) as most_replies
  from analytics.months
  left join (
       select date_trunc('month', comments.created_at at time zone 'UTC')::date as month, coalesce(answers.replies, 0) as replies
         from app_public.comments
         left join (select reply_to_id as id, count(*) as replies from app_public.comments where reply_to_id is not null group by 1) as answers using (id)
        where comments.reply_to_id is null) as threads
    using (month)
 group by months.month;
comment on view analytics.threads_by_month is $$Discussions below posts by the month of their first comment, computed at each query. A thread is a comment on a post with its replies. One row for each month. Key: month.$$;
comment on column analytics.threads_by_month.month is $$The first day of the month in which the threads began, UTC. No month is left out.$$;
comment on column analytics.threads_by_month.threads is $$Threads that began in that month.$$;
comment on column analytics.threads_by_month.threads_with_replies is $$Those threads that have a reply by now.$$;
comment on column analytics.threads_by_month.replies is $$The replies to them by now.$$;
comment on column analytics.threads_by_month.most_replies is $$The replies of the longest of these threads.$$;
--! EndIncluded views/conversations.sql
--! Included views/moderation.sql
-- The load of moderation. Counts and times only: who reports whom is between them and the admins.
create or replace view analytics.moderation_by_month with (security_barrier) as
select months.month, coalesce(made.reports, 0) as reports, coalesce(made.open_reports, 0) as open_reports,
       coalesce(decided.reports, 0) as decisions, decided.median_hours, coalesce(banned.bans, 0) as bans
  from analytics.months
  left join (
       select date_trunc('month', r.created_at at time zone 'UTC')::date as month, count(*) as reports, count(*) filter (where status = 'OPEN') as open_reports
         from app_public.report_reasons r join app_public.reports on reports.id = report_id group by 1) as made using (month)
  left join (
       select date_trunc('month', resolved_at at time zone 'UTC')::date as month, count(*) as reports,
              round((percentile_cont(0.5) within group (order by extract(epoch from resolved_at - created_at)::float8 / 3600))::numeric, 1) as median_hours
         from app_public.reports where status <> 'OPEN' group by 1) as decided using (month)
  left join (
       select date_trunc('month', created_at at time zone 'UTC')::date as month, count(*) as bans from app_public.bans group by 1) as banned using (month);
comment on view analytics.moderation_by_month is $$The work of moderators, computed at each query. One row for each month. Key: month.$$;
comment on column analytics.moderation_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.moderation_by_month.reports is $$Reports made in that month: each user’s of each post, comment or message. Those of deleted users, and undecided ones on deleted content, are not counted.$$;
comment on column analytics.moderation_by_month.open_reports is $$Those reports that nobody has decided yet.$$;
comment on column analytics.moderation_by_month.decisions is $$Decisions made in that month. One decides all reports of a post, comment or message; the last one counts.$$;
comment on column analytics.moderation_by_month.median_hours is $$The median of the hours from the first report to these decisions; null without decisions.$$;
comment on column analytics.moderation_by_month.bans is $$Users banned in that month, and still.$$;
--! EndIncluded views/moderation.sql
--! Included views/freshness.sql
create or replace view analytics.freshness with (security_barrier) as
select through as refreshed_through, round(extract(epoch from now() - refreshed_at)::numeric / 60, 1) as minutes_since_refresh
  from rollups.watermark;
comment on view analytics.freshness is $$How fresh the views are. Numbers of days through refreshed_through are as of the last refresh; numbers of later days are computed at each query. One row.$$;
comment on column analytics.freshness.refreshed_through is $$The last day whose numbers are stored, UTC; null if none is, and every query computes all numbers.$$;
comment on column analytics.freshness.minutes_since_refresh is $$Minutes since the last refresh, rounded to a tenth; null before the first.$$;
--! EndIncluded views/freshness.sql

-- Analysts.
--! Included functions/analytics/admit_analyst.sql
-- Members do not inherit a role's settings, so each login gets its own, for this database. A session can change them: the
-- missing grants, not these settings, are what prevents writes. A session cannot change the connection limit and
-- temp_file_limit.
create or replace function app_private.admit_analyst(login name, statement_timeout interval default '1 minute') returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_settings jsonb := jsonb_build_object(
    'default_transaction_read_only', 'on',
    'statement_timeout', (extract(epoch from admit_analyst.statement_timeout) * 1000)::bigint,
    'lock_timeout', '5s',
    'idle_in_transaction_session_timeout', '5min',
    'search_path', 'analytics',
    'timezone', 'UTC');
  v_name text;
  v_value text;
  v_others text;
begin
  if extract(epoch from admit_analyst.statement_timeout) <= 0 then
    raise exception using errcode = '22023', message = 'The statement time-out must be above zero';
  end if;
  -- Only a superuser may set it. Without it, one large sort could fill the disk.
  if (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
    v_settings := v_settings || '{"temp_file_limit": "1GB"}';
  end if;
  -- PostgreSQL 17 has it. A transaction that stays open blocks migrations of what it has read.
  if current_setting('transaction_timeout', true) is not null then
    v_settings := v_settings || jsonb_build_object('transaction_timeout', greatest(900, extract(epoch from admit_analyst.statement_timeout))::bigint * 1000);
  end if;
  perform app_private.revoke_default_rights();
  execute format('grant :ANALYST to %I', login);
  execute format('alter role %I connection limit 5', login);
  execute format('grant connect on database %I to %I', current_database(), login);
  for v_name, v_value in select * from jsonb_each_text(v_settings) loop
    execute format('alter role %I in database %I set %I = %L', login, current_database(), v_name, v_value);
  end loop;
  -- Another database has its own rights, which cannot be changed from here.
  select string_agg(quote_ident(datname), ', ' order by datname) into v_others
    from pg_catalog.pg_database
   where datallowconn and not datistemplate and datname not in (current_database(), 'postgres')
     and pg_catalog.has_database_privilege(login, oid, 'connect');
  if v_others is not null then
    raise warning '% may also connect to: %', quote_ident(login), v_others
      using hint = 'If one of them has a schema analytics that is not for this login, run in it: select app_private.revoke_default_rights()';
  end if;
end $$;
comment on function app_private.admit_analyst(name, interval) is $$Gives a person’s login read access to schema analytics in this database. Grants the role and the right to connect, limits the login to five connections, and sets read-only transactions, a statement time-out, search_path analytics and UTC. Run it again to change the time-out. For DBAs.$$;
--! EndIncluded functions/analytics/admit_analyst.sql
--! Included functions/analytics/analysts.sql
create or replace view app_private.analysts as
select roles.rolname as login,
       coalesce(bool_or(setting = 'default_transaction_read_only=on'), false) as is_read_only,
       max(substring(setting from '^statement_timeout=(.*)$'))::bigint * interval '1 millisecond' as statement_timeout,
       nullif(roles.rolconnlimit, -1) as connection_limit
  from pg_catalog.pg_roles as roles
  left join pg_catalog.pg_db_role_setting as stored
    on stored.setrole = roles.oid
   and stored.setdatabase = (select oid from pg_catalog.pg_database where datname = current_database())
  left join lateral unnest(stored.setconfig) as setting on true
 where roles.rolcanlogin and not roles.rolsuper and pg_catalog.pg_has_role(roles.oid, ':ANALYST', 'member')
 group by roles.rolname, roles.rolconnlimit;
comment on view app_private.analysts is $$The logins that may read schema analytics, with the settings made by admit_analyst(): false and null for a login that was only granted the role. For DBAs.$$;
--! EndIncluded functions/analytics/analysts.sql
--! Included functions/analytics/open_scratch.sql
-- A schema of an analyst's own, where dbt, for example, builds its tables. All else stays as it is: the analyst can write nothing but
-- this, and keeps the limits of admit_analyst(). PostgreSQL has no limit for the size of a schema, so a DBA opens one on demand.
create or replace function app_private.open_scratch(login name) returns name
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_schema name := 'scratch_' || login;
begin
  if not pg_has_role(login, ':ANALYST', 'member') then
    raise exception using errcode = '42501', message = format('%s is no analyst', login), hint = format('select app_private.admit_analyst(%L)', login);
  end if;
  execute format('create schema if not exists %I', v_schema);
  execute format('grant usage, create on schema %I to %I', v_schema, login);
  -- Another analyst sees what the owner of a table grants.
  execute format('grant usage on schema %I to :ANALYST', v_schema);
  execute format('comment on schema %I is %L', v_schema, format('Tables of the analyst %s. The service does not use them.', login));
  execute format('alter role %I in database %I set default_transaction_read_only = off', login, current_database());
  return v_schema;
end $$;
comment on function app_private.open_scratch(name) is $$Creates a schema in which an analyst may write, scratch_<login>, and returns its name. For DBAs, after admit_analyst().$$;

create or replace function app_private.close_scratch(login name) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  execute format('drop schema if exists %I cascade', 'scratch_' || login);
  execute format('alter role %I in database %I set default_transaction_read_only = on', login, current_database());
end $$;
comment on function app_private.close_scratch(name) is $$Drops an analyst’s schema with all that is in it. For DBAs, before the login is dropped.$$;
--! EndIncluded functions/analytics/open_scratch.sql
