--! Previous: sha1:a59b80dc5ef6bb7ad0d784e7bba212ab85ad265a
--! Hash: sha1:2da8ee6ee6fea43e78a421df28b11e966054daed
--! Message: analysts count no post in the trash

--! split: 100-writers-without-trash.sql

-- allow: change-behaviour:rollups.writer_growth because a deleted post counts nowhere, in the trash too
-- allow: change-behaviour:rollups.count_cohorts because a deleted post counts nowhere, in the trash too
-- allow: change-behaviour:rollups.count_writing because a deleted post counts nowhere, in the trash too
-- allow: change-behaviour:rollups.count_created_posts because a deleted post counts nowhere, in the trash too
-- allow: change-behaviour:rollups.first_day because a deleted post counts nowhere, in the trash too
-- allow: change-behaviour:rollups.count_recent_writers because a deleted post counts nowhere, in the trash too
-- Analysts count no post in the trash as written, as none that is deleted.
--! Included functions/analytics/counts.sql
-- What views count, and nothing else: a message that was deleted, and a child of a post that the public cannot see, is in no number.
-- Triggers give each published post the time of its first publication. An import without triggers may not: such a post counts nowhere.
create or replace view rollups.published as
select id, author_id, created_at, first_published_at, listed_at from app_public.posts where is_public and first_published_at is not null;
comment on view rollups.published is $$The posts that count: what everybody may see. The columns are those of app_public.posts.$$;
create or replace view rollups.written_posts as
select id, author_id, created_at from app_public.posts where status <> 'TRASHED';
comment on view rollups.written_posts is $$The posts that count as written, drafts too, but none in the trash. The columns are those of app_public.posts.$$;
create or replace view rollups.comments as
select id, post_id, author_id, reply_to_id, created_at from app_public.comments where is_public;
comment on view rollups.comments is $$The comments that count: those on posts that everybody may see. The columns are those of app_public.comments.$$;
create or replace view rollups.messages as
select id, chat_id, number, sender_id, created_at from app_public.messages where deleted_at is null;
comment on view rollups.messages is $$The messages that count: those that nobody has deleted. The columns are those of app_public.messages.$$;

-- The counts, computed from the base tables for a range of days. The rollups store their results for finished days, and the views call
-- them for later days, so each number is defined once. Security definer: a view calls its functions as its reader, who may read
-- the views only, and a query plan shows nothing of what such a function reads.
create or replace function rollups.first_day() returns date
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with bounds as (
    select (conventions.earliest_time() at time zone 'UTC')::date as first, (now() at time zone 'UTC')::date as last
  )
  select least((select min((created_at at time zone 'UTC')::date) from app_public.users where (created_at at time zone 'UTC')::date between first and last),
               (select min((created_at at time zone 'UTC')::date) from rollups.written_posts where (created_at at time zone 'UTC')::date between first and last),
               (select min((first_published_at at time zone 'UTC')::date) from rollups.published
                 where (first_published_at at time zone 'UTC')::date between first and last),
               (select min((created_at at time zone 'UTC')::date) from rollups.comments where (created_at at time zone 'UTC')::date between first and last),
               (select min((created_at at time zone 'UTC')::date) from app_public.follows where (created_at at time zone 'UTC')::date between first and last),
               (select min((created_at at time zone 'UTC')::date) from rollups.messages where (created_at at time zone 'UTC')::date between first and last),
               (select min(day) from app_private.unfollows where day between first and last),
               (select min(day) from app_private.post_reads
                 where day between first and last and exists (select from rollups.published where id = post_id)))
    from bounds
$$;
comment on function rollups.first_day() is $$The day of the earliest event that any view counts, UTC. Times before conventions.earliest_time() and after today count on no day.$$;
grant execute on function rollups.first_day() to :ANALYST;

-- One look-up in each index for each day: the days are few, the rows many. A hidden event costs a row of zeros, which no view shows.
create or replace function rollups.event_days(first date, last date) returns setof date
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with recursive found (day) as (
    select first - 1
     union all
    select (select least((select min((created_at at time zone 'UTC')::date) from app_public.users where (created_at at time zone 'UTC')::date > found.day),
                         (select min((created_at at time zone 'UTC')::date) from app_public.posts where (created_at at time zone 'UTC')::date > found.day),
                         (select min((first_published_at at time zone 'UTC')::date) from app_public.posts
                           where (first_published_at at time zone 'UTC')::date > found.day),
                         (select min((created_at at time zone 'UTC')::date) from app_public.comments where (created_at at time zone 'UTC')::date > found.day),
                         (select min((created_at at time zone 'UTC')::date) from app_public.follows where (created_at at time zone 'UTC')::date > found.day),
                         (select min((created_at at time zone 'UTC')::date) from app_public.messages where (created_at at time zone 'UTC')::date > found.day),
                         (select min(unfollows.day) from app_private.unfollows where unfollows.day > found.day)))
      from found
     where found.day < last
  )
  select day from found where day between first and last
$$;
comment on function rollups.event_days(date, date) is $$The days from first through last that have rows. Rollups store no others, however far apart the first and the last are.$$;

-- The counts of a day or a month by what they read, so that a view reads what a query names.
create or replace function rollups.count_sign_ups(first date, last date) returns bigint
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select count(*) from app_public.users where (created_at at time zone 'UTC')::date between first and last
$$;
comment on function rollups.count_sign_ups(date, date) is $$The users who signed up from the first day through the last. Reads the base table.$$;
grant execute on function rollups.count_sign_ups(date, date) to :ANALYST;

create or replace function rollups.count_created_posts(first date, last date) returns table (posts_created bigint, post_writers bigint)
language sql stable security definer rows 1 set search_path = pg_catalog, pg_temp as $$
  select count(*), count(distinct author_id) from rollups.written_posts where (created_at at time zone 'UTC')::date between first and last
$$;
comment on function rollups.count_created_posts(date, date) is $$The posts that were created from the first day through the last, including drafts. Reads the base table.$$;
grant execute on function rollups.count_created_posts(date, date) to :ANALYST;

create or replace function rollups.count_publications(first date, last date) returns table (posts_published bigint, median_hours numeric, slowest_tenth_hours numeric, authors bigint)
language sql stable security definer rows 1 set search_path = pg_catalog, pg_temp as $$
  -- An imported post may be older than its row.
  select count(*),
         round((percentile_cont(0.5) within group (order by hours))::numeric, 1),
         round((percentile_cont(0.9) within group (order by hours))::numeric, 1),
         count(distinct author_id)
    from (select author_id, greatest(extract(epoch from first_published_at - created_at)::float8 / 3600, 0) as hours
            from rollups.published
           where (first_published_at at time zone 'UTC')::date between first and last) as publications
$$;
comment on function rollups.count_publications(date, date) is $$The posts that were first published from the first day through the last. Reads the base table.$$;
grant execute on function rollups.count_publications(date, date) to :ANALYST;

create or replace function rollups.count_debuts(first date, last date) returns bigint
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  -- `offset 0`: one look-up for each author, of the oldest post first. A join would read all posts for each day.
  select count(*)
    from (select distinct author_id from rollups.published where (first_published_at at time zone 'UTC')::date between first and last) as authors
   where not exists (
     select from rollups.published
      where published.author_id = authors.author_id and first_published_at >= conventions.earliest_time()
        and first_published_at < first::timestamp at time zone 'UTC'
      order by listed_at, id offset 0)
$$;
comment on function rollups.count_debuts(date, date) is $$The users whose first publication was from the first day through the last. Reads the base table.$$;
grant execute on function rollups.count_debuts(date, date) to :ANALYST;

create or replace function rollups.count_writing(first date, last date) returns table (comments bigint, commenters bigint, posts_commented bigint, writers bigint)
language sql stable security definer rows 1 set search_path = pg_catalog, pg_temp as $$
  select count(post_id), count(distinct author_id) filter (where post_id is not null), count(distinct post_id), count(distinct author_id)
    from (select author_id, post_id from rollups.comments where (created_at at time zone 'UTC')::date between first and last
           union all
          select author_id, null from rollups.written_posts where (created_at at time zone 'UTC')::date between first and last) as texts
$$;
comment on function rollups.count_writing(date, date) is $$The comments from the first day through the last, and the users who wrote them or created posts. Reads the base tables.$$;
grant execute on function rollups.count_writing(date, date) to :ANALYST;

create or replace function rollups.count_follows(first date, last date) returns table (new_follows bigint, unfollows bigint)
language sql stable security definer rows 1 set search_path = pg_catalog, pg_temp as $$
  select (select count(*) from app_public.follows where (created_at at time zone 'UTC')::date between first and last),
         (select count(*) from app_private.unfollows where day between first and last)
$$;
comment on function rollups.count_follows(date, date) is $$The follows that began and ended from the first day through the last. Reads the base tables.$$;
grant execute on function rollups.count_follows(date, date) to :ANALYST;

create or replace function rollups.count_messages(first date, last date) returns table (messages bigint, senders bigint, active_chats bigint)
language sql stable security definer rows 1 set search_path = pg_catalog, pg_temp as $$
  select count(*), count(distinct sender_id), count(distinct chat_id) from rollups.messages where (created_at at time zone 'UTC')::date between first and last
$$;
comment on function rollups.count_messages(date, date) is $$The messages from the first day through the last. Reads the base table.$$;
grant execute on function rollups.count_messages(date, date) to :ANALYST;

create or replace function rollups.count_period(first date, last date)
returns table (
  new_users bigint, posts_created bigint, posts_published bigint, median_hours numeric, slowest_tenth_hours numeric,
  authors bigint, new_authors bigint, comments bigint, commenters bigint, posts_commented bigint, new_follows bigint,
  unfollows bigint, messages bigint, senders bigint, active_chats bigint, writers bigint, post_writers bigint
)
language sql stable security definer rows 1 set search_path = pg_catalog, pg_temp as $$
  select rollups.count_sign_ups(first, last), posts_created, posts_published, median_hours, slowest_tenth_hours,
         authors, rollups.count_debuts(first, last), comments, commenters, posts_commented, new_follows,
         unfollows, messages, senders, active_chats, writers, post_writers
    from rollups.count_created_posts(first, last), rollups.count_publications(first, last), rollups.count_writing(first, last),
         rollups.count_follows(first, last), rollups.count_messages(first, last)
$$;
comment on function rollups.count_period(date, date) is $$All counts of a day or a month, from its first day through its last. Reads the base tables.$$;
grant execute on function rollups.count_period(date, date) to :ANALYST;

-- A user who writes counts from that day on for 7 or 28 days, or until writing again. So one pass counts each window.
create or replace function rollups.count_recent_writers(first date, last date)
returns table (day date, writers_7_days bigint, writers_28_days bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with writing as (
    select author_id, day, lead(day) over (partition by author_id order by day) - day as gap
      from (select author_id, (created_at at time zone 'UTC')::date as day from rollups.written_posts
             where (created_at at time zone 'UTC')::date between first - 27 and last
             union
            select author_id, (created_at at time zone 'UTC')::date from rollups.comments
             where (created_at at time zone 'UTC')::date between first - 27 and last) as texts
  ), steps as (
    select day, 1 as within_7, 1 as within_28 from writing
     union all
    select day + least(gap, 7), -1, 0 from writing
     union all
    select day + least(gap, 28), 0, -1 from writing
  )
  select day, within_7::bigint, within_28::bigint
    from (select day, sum(coalesce(sum(steps.within_7), 0)) over (order by day) as within_7,
                 sum(coalesce(sum(steps.within_28), 0)) over (order by day) as within_28
            -- Not the whole range: after a month without writers, all days are zero.
            from (select distinct writing.day + n as day from (select distinct day from writing) as writing, generate_series(0, 28) as n) as days
            left join steps using (day)
           group by day) as running
   where day between first and last and within_28 > 0
$$;
comment on function rollups.count_recent_writers(date, date) is $$The writers of the 7 and 28 days that end with each day from first through last; days without writers are left out. Reads the base tables.$$;

create or replace function rollups.count_cohorts(first date, last date)
returns table (month date, cohort date, active_users bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select writers.month, date_trunc('month', users.created_at at time zone 'UTC')::date, count(*)
    from (select author_id, date_trunc('month', created_at at time zone 'UTC')::date as month from rollups.written_posts
           where (created_at at time zone 'UTC')::date between first and last
           union
          select author_id, date_trunc('month', created_at at time zone 'UTC')::date from rollups.comments
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
            from rollups.published
           where (first_published_at at time zone 'UTC')::date between first and last
           union all
          select (comments.created_at at time zone 'UTC')::date, post_id, false
            from rollups.comments
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

-- Hidden posts too, so that a post that is published again has its counts at once. published_posts() leaves the hidden ones out.
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
         min(comments.created_at) filter (where comments.created_at >= first_published_at and comments.author_id <> posts.author_id),
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
--! Included views/activity.sql
-- Hours have a time zone, so that an analyst can make local days and local hours of them.
create or replace view analytics.activity_by_hour with (security_barrier) as
select hour,
       count(*) filter (where kind = 'publication') as posts_published,
       count(*) filter (where kind = 'comment') as comments,
       count(*) filter (where kind = 'message') as messages,
       day
  from (select date_trunc('hour', first_published_at, 'UTC') as hour, (first_published_at at time zone 'UTC')::date as day, 'publication' as kind
          from rollups.published
         union all
        select date_trunc('hour', created_at, 'UTC'), (created_at at time zone 'UTC')::date, 'comment' from rollups.comments
         union all
        select date_trunc('hour', created_at, 'UTC'), (created_at at time zone 'UTC')::date, 'message' from rollups.messages) as events
 where hour >= conventions.earliest_time() and hour <= now()
 group by hour, day;
comment on view analytics.activity_by_hour is $$What happens at which hour, computed at each query. One row for each hour in which something happened. Key: hour.$$;
comment on column analytics.activity_by_hour.hour is $$The beginning of the hour. `hour at time zone 'Europe/Berlin'` is the local time.$$;
comment on column analytics.activity_by_hour.posts_published is $$Posts that are published now and were first published in that hour.$$;
comment on column analytics.activity_by_hour.comments is $$Comments written in that hour on posts that are published now.$$;
comment on column analytics.activity_by_hour.messages is $$Messages sent in that hour, and not deleted since.$$;
comment on column analytics.activity_by_hour.day is $$The day of the hour, UTC. Filter by it: a condition on the hour reads everything.$$;

-- Growth accounting: writers of a week or a month are new, retained or resurrected; churned are those of the one before who did not come back.
create or replace view rollups.writer_growth as
select unit, steps.period::date as period, sum(steps.new)::bigint as new_writers, sum(steps.retained)::bigint as retained_writers,
       sum(steps.resurrected)::bigint as resurrected_writers, sum(steps.churned)::bigint as churned_writers
  from (select unit, period, period + ('1 ' || unit)::interval as next, count(*) as writers, count(*) filter (where before is null) as new,
               count(*) filter (where before = period - ('1 ' || unit)::interval) as retained,
               count(*) filter (where after = period + ('1 ' || unit)::interval) as staying
          from (select unit, period, lag(period) over author as before, lead(period) over author as after
                  from (select distinct unit, author_id, date_trunc(unit, created_at at time zone 'UTC') as period
                          from (values ('week'), ('month')) as units (unit)
                         cross join (select author_id, created_at from rollups.written_posts
                                      union all
                                     select author_id, created_at from rollups.comments) as texts
                         where created_at >= conventions.earliest_time() and created_at <= now()) as texts
                window author as (partition by unit, author_id order by period)) as writing
         group by unit, period) as counts
 -- Those who do not come back are churned in the next period, which may have no writers.
 cross join lateral (values (period, new, retained, writers - new - retained, 0), (next, 0, 0, 0, writers - staying)) as steps (period, new, retained, resurrected, churned)
 group by unit, steps.period;
comment on view rollups.writer_growth is $$The writers of each week and month with a change: new, retained, resurrected and churned. A condition on unit reaches the texts.$$;

create or replace view analytics.writer_growth_by_month with (security_barrier) as
select months.month, coalesce(new_writers, 0) as new_writers, coalesce(retained_writers, 0) as retained_writers,
       coalesce(resurrected_writers, 0) as resurrected_writers, coalesce(churned_writers, 0) as churned_writers
  from analytics.months
  left join rollups.writer_growth as growth on unit = 'month' and period = months.month;
comment on view analytics.writer_growth_by_month is $$Where the writers of a month come from, and how many were lost, computed at each query. Writers create posts, including drafts, or comment on published posts. One row for each month. Key: month.$$;
comment on column analytics.writer_growth_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.writer_growth_by_month.new_writers is $$Users who had never written before.$$;
comment on column analytics.writer_growth_by_month.retained_writers is $$Writers of the month before who wrote again.$$;
comment on column analytics.writer_growth_by_month.resurrected_writers is $$Former writers who had not written in the month before.$$;
comment on column analytics.writer_growth_by_month.churned_writers is $$Writers of the month before who did not write; of the current month, not yet.$$;

create or replace view analytics.writer_growth_by_week with (security_barrier) as
select weeks.week, coalesce(new_writers, 0) as new_writers, coalesce(retained_writers, 0) as retained_writers,
       coalesce(resurrected_writers, 0) as resurrected_writers, coalesce(churned_writers, 0) as churned_writers,
       coalesce(new_writers + retained_writers + resurrected_writers, 0) as writers
  from (select moment::date as week
          from rollups.live_days, generate_series(date_trunc('week', since::timestamp), last::timestamp, interval '7 days') as moment) as weeks
  left join rollups.writer_growth as growth on unit = 'week' and period = weeks.week;
comment on view analytics.writer_growth_by_week is $$Where the writers of a week come from, and how many were lost, computed at each query, as writer_growth_by_month. One row for each week. Key: week.$$;
comment on column analytics.writer_growth_by_week.week is $$The Monday of the week, UTC. No week is left out.$$;
comment on column analytics.writer_growth_by_week.new_writers is $$Users who had never written before.$$;
comment on column analytics.writer_growth_by_week.retained_writers is $$Writers of the week before who wrote again.$$;
comment on column analytics.writer_growth_by_week.resurrected_writers is $$Former writers who had not written in the week before.$$;
comment on column analytics.writer_growth_by_week.churned_writers is $$Writers of the week before who did not write; of the current week, not yet.$$;
comment on column analytics.writer_growth_by_week.writers is $$All writers of the week: new, retained and resurrected.$$;
--! EndIncluded views/activity.sql
