--! Previous: sha1:07e86d89f3de831a32812ae3aa00b2f3c311b4f1
--! Hash: sha1:32e7dd7b9933f2a2c06da3e6234d74b477672fb4
--! Message: Views read what a query names, and a check holds one lock

--! split: 100-views-read-what-a-query-names.sql

-- allow: change-behaviour because the rows are the same, with one more column in activity_by_hour: test/analytics
-- The live part of a view counts what a query names: one follow of this month is no reason to read its comments.
--! Included functions/analytics/counts.sql
-- What views count, and nothing else: a message that was deleted, and a child of a post that the public cannot see, is in no number.
-- Triggers give each published post the time of its first publication. An import without triggers may not: such a post counts nowhere.
create or replace view rollups.published as
select id, author_id, created_at, first_published_at, listed_at from app_public.posts where is_public and first_published_at is not null;
comment on view rollups.published is $$The posts that count: what everybody may see. The columns are those of app_public.posts.$$;
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
               (select min((created_at at time zone 'UTC')::date) from app_public.posts where (created_at at time zone 'UTC')::date between first and last),
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
  select count(*), count(distinct author_id) from app_public.posts where (created_at at time zone 'UTC')::date between first and last
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
          select author_id, null from app_public.posts where (created_at at time zone 'UTC')::date between first and last) as texts
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
      from (select author_id, (created_at at time zone 'UTC')::date as day from app_public.posts
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
    from (select author_id, date_trunc('month', created_at at time zone 'UTC')::date as month from app_public.posts
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
--! Included functions/analytics/levels.sql
-- Levels: what there is at the end of a day, which no later day can know, because those who leave take their rows along. Numbers only.
create or replace view rollups.level_entries as
select 'user' as kind, created_at as at from app_public.users
 union all
select 'follow', created_at from app_public.follows
 union all
select 'post', first_published_at from rollups.published
 union all
select 'chat', created_at from app_public.chats
 union all
select 'member', joined_at from app_public.chat_members;
comment on view rollups.level_entries is $$What counts in a level, and since when.$$;

create or replace function rollups.count_level(kind text, day date) returns bigint
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select count(*) from rollups.level_entries where level_entries.kind = count_level.kind and at < (count_level.day + 1)::timestamp at time zone 'UTC'
$$;
comment on function rollups.count_level(text, date) is $$How many entries of a kind there were at the end of a day, of those that exist now. Reads their table.$$;
grant execute on function rollups.count_level(text, date) to :ANALYST;

-- Called by the refresh, once a day. It adds rows for days that are over and have none, and changes no others. Days after yesterday exist if the
-- clock was set back: they were no past.
create or replace function rollups.record_levels(yesterday date) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_through date := (select least(levels_through, yesterday) from rollups.watermark where levels_through is not null);
  v_first date := coalesce(v_through + 1, rollups.first_day());
begin
  delete from rollups.levels where day > yesterday;
  delete from rollups.follower_levels where day > yesterday;
  if v_first > yesterday or v_first is null then
    update rollups.watermark set levels_through = v_through;
    return;
  end if;
  -- Of days without a refresh, and of those before the first one, only those that added something differ from the day before.
  insert into rollups.levels
  with added as (
    select greatest((at at time zone 'UTC')::date, v_first) as day, kind, count(*) as entries
      from rollups.level_entries
     where at < (yesterday + 1)::timestamp at time zone 'UTC'
     group by 1, 2
     union all
    select unnest(array[v_first, yesterday]), null, 0
  )
  select day, day < yesterday or v_through is null,
         coalesce(sum(sum(entries) filter (where kind = 'user')) over before, 0), coalesce(sum(sum(entries) filter (where kind = 'follow')) over before, 0),
         coalesce(sum(sum(entries) filter (where kind = 'post')) over before, 0), coalesce(sum(sum(entries) filter (where kind = 'chat')) over before, 0),
         coalesce(sum(sum(entries) filter (where kind = 'member')) over before, 0)
    from added
   group by day
  window before as (order by day);
  insert into rollups.follower_levels (author_id, day, followers)
  with former as (
    select distinct on (author_id) author_id, followers from rollups.follower_levels order by author_id, day desc
  ), gained as (
    select followed_id as author_id, greatest((created_at at time zone 'UTC')::date, v_first) as day, count(*) as follows
      from app_public.follows
     where created_at < (yesterday + 1)::timestamp at time zone 'UTC'
     group by 1, 2
  ), levels as (
    select author_id, day, sum(follows) over (partition by author_id order by day) as followers from gained
     union all
    -- Nobody is left.
    select author_id, v_first, 0 from former where followers > 0 and not exists (select from gained where gained.author_id = former.author_id)
  ), steps as (
    -- The number before the first step is the one that was recorded.
    select author_id, day, followers, lag(followers) over (partition by author_id order by day) as before from levels
  )
  select author_id, day, steps.followers
    from steps left join former using (author_id)
   where steps.followers is distinct from coalesce(steps.before, former.followers, 0);
  update rollups.watermark
     set levels_through = yesterday, levels_since = coalesce(levels_since, yesterday),
         days_missed = days_missed + case when v_through is null then 0 else yesterday - v_first end;
end $$;
comment on function rollups.record_levels(date) is $$Records the levels at the end of each day through yesterday that has none. What was recorded of a past day is never changed.$$;

create or replace function rollups.levels_of_day(day date)
returns table (users bigint, follows bigint, posts_published bigint, chats bigint, chat_members bigint, is_estimate boolean)
language sql stable security definer rows 1 set search_path = pg_catalog, pg_temp as $$
  select users, follows, posts_published, chats, chat_members, is_estimate
    from rollups.levels
   where levels.day <= levels_of_day.day and levels_of_day.day <= (select levels_through from rollups.watermark)
   order by levels.day desc limit 1
$$;
comment on function rollups.levels_of_day(date) is $$The levels at the end of a day, as they were recorded; no row for a day of which none are.$$;
grant execute on function rollups.levels_of_day(date) to :ANALYST;

create or replace function rollups.followers_of(author_id bigint, day date) returns bigint
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select case when followers_of.day > coalesce((select levels_through from rollups.watermark), '-infinity')
    then (select count(*) from app_public.follows
           where followed_id = followers_of.author_id and created_at < (followers_of.day + 1)::timestamp at time zone 'UTC')
    else coalesce((select followers from rollups.follower_levels as levels
                    where levels.author_id = followers_of.author_id and levels.day <= followers_of.day order by levels.day desc limit 1), 0) end
$$;
comment on function rollups.followers_of(bigint, date) is $$The followers of a user at the end of a day: recorded, or of what exists now.$$;
grant execute on function rollups.followers_of(bigint, date) to :ANALYST;
--! EndIncluded functions/analytics/levels.sql
--! Included functions/analytics/published_posts.sql
-- Analysts' views that name posts or tags read these functions, not the tables. PostgreSQL may evaluate a leakproof
-- comparison (`=`, `<`) before the conditions of the view, even of a security_barrier view, and EXPLAIN counts the rows that
-- each step removes. So `where slug = '…'` would tell an analyst whether a draft has that slug. Security definer: such a
-- function is never inlined, so conditions, statistics and EXPLAIN see only its result.
--
-- `rows`: with PostgreSQL's guess of a thousand, a join with the tags is one look-up for each post.
-- Whether a post is published is read from posts at each query, so a post that is withdrawn or erased vanishes at once.
create or replace function rollups.published_posts()
returns table (
  id bigint, author_id bigint, first_published_at timestamptz, comments bigint, comments_first_week bigint, comments_by_author bigint,
  commenters bigint, first_reply_at timestamptz, last_comment_at timestamptz
)
language sql stable security definer rows 100000 set search_path = pg_catalog, pg_temp as $$
  with live as materialized (
    select counts.*
      from rollups.watermark cross join lateral rollups.count_discussions(coalesce(through + 1, '-infinity'), 'infinity') as counts
  )
  select posts.id, posts.author_id, posts.first_published_at, coalesce(said.comments, 0), coalesce(said.comments_first_week, 0),
         coalesce(said.comments_by_author, 0), coalesce(said.commenters, 0), said.first_reply_at, said.last_comment_at
    from rollups.published as posts
    left join (
         select * from rollups.discussions where not exists (select from live where live.post_id = discussions.post_id)
          union all
         select * from live) as said on said.post_id = posts.id
$$;
comment on function rollups.published_posts() is $$The published posts with counts of their comments. Drafts leave no trace in a query plan.$$;
grant execute on function rollups.published_posts() to :ANALYST;

create or replace function rollups.publications_by_author()
returns table (author_id bigint, posts_published bigint, first_published_at timestamptz, last_published_at timestamptz)
language sql stable security definer rows 10000 set search_path = pg_catalog, pg_temp as $$
  select author_id, count(*), min(first_published_at), max(first_published_at) from rollups.published group by author_id
$$;
comment on function rollups.publications_by_author() is $$The authors of published posts, with how many they have and the times of their first and last publication.$$;
grant execute on function rollups.publications_by_author() to :ANALYST;

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
         select tag_id, min((first_published_at at time zone 'UTC')::date) as day
           from rollups.live_days
           join rollups.published on (first_published_at at time zone 'UTC')::date between live_days.first and live_days.last
          -- `offset 0`: a look-up for each of these posts. They are few, which the planner cannot know.
          cross join lateral (select tag_id from app_public.post_tags where post_id = published.id offset 0) as used
          group by tag_id) as live on live.tag_id = tags.id
   where least(rolled_up.day, live.day) is not null
     and (tags.is_public or exists (select from app_public.post_tags where tag_id = tags.id and is_public offset 0))
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

create or replace function rollups.comments_of_day(day date) returns table (author_id bigint, comments bigint, posts_commented bigint)
language sql stable security definer rows 100 set search_path = pg_catalog, pg_temp as $$
  select comments.author_id, count(*), count(distinct post_id)
    from rollups.comments
   where (created_at at time zone 'UTC')::date = comments_of_day.day
   group by comments.author_id
$$;
comment on function rollups.comments_of_day(date) is $$The users who commented on published posts on a day. A condition on the day reaches this function.$$;
grant execute on function rollups.comments_of_day(date) to :ANALYST;

create or replace function rollups.comments_written(author_id bigint) returns bigint
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select count(*) from rollups.comments where comments.author_id = comments_written.author_id
$$;
comment on function rollups.comments_written(bigint) is $$How many comments on published posts a user has written. A query plan does not tell of others.$$;
grant execute on function rollups.comments_written(bigint) to :ANALYST;
--! EndIncluded functions/analytics/published_posts.sql
drop function if exists rollups.posts_among(bigint[]);
--! Included functions/analytics/posts_among.sql
-- What an analyst asks of some posts or authors reads these only: a condition on a view does not reach a function that names drafts to nobody.
create or replace function rollups.posts_among(ids bigint[])
returns table (
  post app_public.posts, comments bigint, comments_first_week bigint, comments_by_author bigint,
  commenters bigint, first_reply_at timestamptz, last_comment_at timestamptz
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select posts, said.*
    from app_public.posts
   cross join lateral (
         select count(*),
                count(*) filter (where comments.created_at >= first_published_at and comments.created_at < first_published_at + interval '7 days'),
                count(*) filter (where comments.author_id = posts.author_id),
                count(distinct comments.author_id) filter (where comments.author_id <> posts.author_id),
                min(comments.created_at) filter (where comments.created_at >= first_published_at and comments.author_id <> posts.author_id),
                max(comments.created_at)
           from rollups.comments
          where comments.post_id = posts.id) as said
   where posts.id = any (posts_among.ids) and posts.is_public and posts.first_published_at is not null
$$;
comment on function rollups.posts_among(bigint[]) is $$Some posts, if they count, with the numbers of published_posts(), counted from the base tables.$$;
--! EndIncluded functions/analytics/posts_among.sql
--! Included views/series.sql
create or replace view rollups.live_periods as
select 'day' as unit, moment::date as first, moment::date as last
  from rollups.live_days, generate_series(first::timestamp, last::timestamp, interval '1 day') as moment
 union all
select 'month', moment::date, least((moment + interval '1 month - 1 day')::date, last)
  from rollups.live_days, generate_series(date_trunc('month', first::timestamp), last::timestamp, interval '1 month') as moment;
comment on view rollups.live_periods is $$The days and months that no rollup has as they are now, each with its first day and its last until today.$$;
comment on column rollups.live_periods.unit is $$`day` or `month`.$$;
comment on column rollups.live_periods.first is $$The first day, UTC.$$;
comment on column rollups.live_periods.last is $$The last day, but today at the latest, UTC.$$;

-- The rollup has days with events only. Others are filled in for the days that a query asks for, one look-up each: `offset 0` keeps the
-- planner from reading all of them. A condition on the day or month also reaches the live series, so a query for earlier ones counts nothing.
create or replace view rollups.periods_to_date as
select calendar.unit, calendar.period,
       coalesce(stored.new_users, 0) as new_users, coalesce(stored.posts_created, 0) as posts_created,
       coalesce(stored.posts_published, 0) as posts_published, stored.median_hours, stored.slowest_tenth_hours,
       coalesce(stored.authors, 0) as authors, coalesce(stored.new_authors, 0) as new_authors,
       coalesce(stored.comments, 0) as comments, coalesce(stored.commenters, 0) as commenters,
       coalesce(stored.posts_commented, 0) as posts_commented, coalesce(stored.new_follows, 0) as new_follows,
       coalesce(stored.unfollows, 0) as unfollows, coalesce(stored.messages, 0) as messages,
       coalesce(stored.senders, 0) as senders, coalesce(stored.active_chats, 0) as active_chats,
       coalesce(stored.writers, 0) as writers, coalesce(stored.post_writers, 0) as post_writers
  from rollups.watermark
 cross join (select 'day' as unit, day as period from analytics.days
              union all
             select 'month', month from analytics.months) as calendar
  left join lateral (
       select * from rollups.periods as counts where counts.unit = calendar.unit and counts.period = calendar.period offset 0) as stored on true
 where calendar.period < date_trunc(calendar.unit, (through + 1)::timestamp)
 union all
select live.unit, live.first, rollups.count_sign_ups(live.first, live.last), posts.posts_created, publications.posts_published,
       publications.median_hours, publications.slowest_tenth_hours, publications.authors, rollups.count_debuts(live.first, live.last),
       writing.comments, writing.commenters, writing.posts_commented, follows.new_follows, follows.unfollows,
       messages.messages, messages.senders, messages.active_chats, writing.writers, posts.post_writers
  from rollups.live_periods as live
  -- max(), of one row: an aggregate tells the planner so, and it leaves out a join of whose columns a query names none.
  left join lateral (
       select max(posts_created) as posts_created, max(post_writers) as post_writers from rollups.count_created_posts(live.first, live.last)) as posts on true
  left join lateral (
       select max(posts_published) as posts_published, max(median_hours) as median_hours, max(slowest_tenth_hours) as slowest_tenth_hours, max(authors) as authors
         from rollups.count_publications(live.first, live.last)) as publications on true
  left join lateral (
       select max(comments) as comments, max(commenters) as commenters, max(posts_commented) as posts_commented, max(writers) as writers
         from rollups.count_writing(live.first, live.last)) as writing on true
  left join lateral (
       select max(new_follows) as new_follows, max(unfollows) as unfollows from rollups.count_follows(live.first, live.last)) as follows on true
  left join lateral (
       select max(messages) as messages, max(senders) as senders, max(active_chats) as active_chats
         from rollups.count_messages(live.first, live.last)) as messages on true;
comment on view rollups.periods_to_date is $$The counts of each day and month, through today. The columns are those of rollups.periods.$$;

create or replace view rollups.cohorts_to_date as
select * from rollups.cohorts
 union all
select live.first, counts.cohort, counts.active_users
  from rollups.live_periods as live
 cross join lateral rollups.count_cohorts(live.first, live.last) as counts
 where live.unit = 'month';
comment on view rollups.cohorts_to_date is $$How many users of each month of sign-up wrote in each month, through this one. The columns are those of rollups.cohorts.$$;
--! EndIncluded views/series.sql
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
--! Included views/levels.sql
-- Of days that have no record, what exists now is counted; of each number by itself, so that a query counts what it names.
create or replace view analytics.levels_by_day as
select days.day, coalesce(levels.users, rollups.count_level('user', days.day)) as users, coalesce(levels.follows, rollups.count_level('follow', days.day)) as follows,
       coalesce(levels.posts_published, rollups.count_level('post', days.day)) as posts_published,
       coalesce(levels.chats, rollups.count_level('chat', days.day)) as chats,
       coalesce(levels.chat_members, rollups.count_level('member', days.day)) as chat_members,
       coalesce(levels.is_estimate, days.day < today.day) as is_estimate
  from analytics.days
 cross join analytics.today
  left join lateral rollups.levels_of_day(days.day) as levels on true;
comment on view analytics.levels_by_day is $$How much there was at the end of each day, as it was recorded on the next one; of today, as it is now. A past day stays as it was, and a level falls when people leave. One row for each day. Key: day.$$;
comment on column analytics.levels_by_day.day is $$The day, UTC. No day is left out.$$;

create or replace view analytics.levels_by_month as
select ends.month, coalesce(levels.users, rollups.count_level('user', ends.day)) as users, coalesce(levels.follows, rollups.count_level('follow', ends.day)) as follows,
       coalesce(levels.posts_published, rollups.count_level('post', ends.day)) as posts_published,
       coalesce(levels.chats, rollups.count_level('chat', ends.day)) as chats,
       coalesce(levels.chat_members, rollups.count_level('member', ends.day)) as chat_members,
       coalesce(levels.is_estimate, ends.day < today.day) as is_estimate
  from analytics.today
 cross join lateral (
       select month, least((month + interval '1 month - 1 day')::date, today.day) as day from analytics.months) as ends
  left join lateral rollups.levels_of_day(ends.day) as levels on true;
comment on view analytics.levels_by_month is $$How much there was at the end of each month, as levels_by_day; of this month, as it is now. Net growth is the difference of two months. One row for each month. Key: month.$$;
comment on column analytics.levels_by_month.month is $$The month’s first day, UTC. No month is left out.$$;

do $$
declare
  v_view text;
  v_column text;
  v_description text;
begin
  foreach v_view in array '{levels_by_day,levels_by_month}'::text[] loop
    for v_column, v_description in values
      ('users', 'Users who had signed up, and had not left.'),
      ('follows', 'Follows of all users: pairs of a follower and a followed user.'),
      ('posts_published', 'Posts that were published.'),
      ('chats', 'Chats, with one member or more.'),
      ('chat_members', 'Memberships of chats: pairs of a chat and a user.'),
      ('is_estimate', 'Whether no refresh recorded the end of the period: it was before the first refresh, or nobody ran the service on the next day. Then the levels are those of what was still there later, which is a lower bound.')
    loop
      execute format('comment on column analytics.%I.%I is %L', v_view, v_column, v_description);
    end loop;
  end loop;
end $$;
--! EndIncluded views/levels.sql
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
                         cross join (select author_id, created_at from app_public.posts
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
--! Included views/authors.sql
-- Joins, and no look-up for each author: PostgreSQL leaves out those whose columns nobody asks for. Authors have ids and no names here. The API gives the name of an id.
create or replace view analytics.authors with (security_barrier) as
select published.author_id,
       (users.created_at at time zone 'UTC')::date as joined_on,
       published.posts_published,
       rollups.comments_written(published.author_id) as comments_written,
       received.comments as comments_received,
       coalesce(followed.followers, 0) as followers,
       (select count(*) from app_public.follows where follows.follower_id = published.author_id) as following,
       (published.first_published_at at time zone 'UTC')::date as first_published_on,
       (published.last_published_at at time zone 'UTC')::date as last_published_on,
       (select count(*) from app_public.follows join app_public.follows as back on (back.follower_id, back.followed_id) = (follows.followed_id, follows.follower_id)
         where follows.followed_id = published.author_id) as mutual_followers
  from rollups.publications_by_author() as published
  left join (select author_id, sum(comments - comments_by_author)::bigint as comments from rollups.published_posts() group by author_id) as received
    on received.author_id = published.author_id
  left join (select followed_id, count(*) as followers from app_public.follows group by followed_id) as followed
    on followed.followed_id = published.author_id
  left join app_public.users on users.id = published.author_id;
comment on view analytics.authors is $$Totals for each author, computed at each query: for some authors, select from totals_of_authors(). One row for each user with a published post. Key: author_id.$$;
comment on column analytics.authors.author_id is $$The author’s user id, as in the API.$$;
comment on column analytics.authors.joined_on is $$The day on which the author signed up, UTC.$$;
comment on column analytics.authors.posts_published is $$The author’s posts that are published now.$$;
comment on column analytics.authors.comments_written is $$Comments that the author has written on published posts.$$;
comment on column analytics.authors.comments_received is $$Comments by other users on the author’s published posts.$$;
comment on column analytics.authors.followers is $$The number of users who follow the author.$$;
comment on column analytics.authors.following is $$The number of users whom the author follows.$$;
comment on column analytics.authors.first_published_on is $$The day of the author’s first publication, UTC.$$;
comment on column analytics.authors.last_published_on is $$The day of the author’s latest first publication of a post, UTC.$$;
comment on column analytics.authors.mutual_followers is $$The number of users who follow the author, and whom the author follows.$$;

create or replace function analytics.totals_of_authors(ids bigint[]) returns setof analytics.authors
language sql stable security definer rows 10 set search_path = pg_catalog, pg_temp as $$
  select published.author_id,
         (select (users.created_at at time zone 'UTC')::date from app_public.users where users.id = published.author_id) as joined_on,
         published.posts_published,
         rollups.comments_written(published.author_id) as comments_written,
         published.comments_received,
         (select count(*) from app_public.follows where follows.followed_id = published.author_id) as followers,
         (select count(*) from app_public.follows where follows.follower_id = published.author_id) as following,
         (published.first_published_at at time zone 'UTC')::date as first_published_on,
         (published.last_published_at at time zone 'UTC')::date as last_published_on,
         (select count(*) from app_public.follows join app_public.follows as back on (back.follower_id, back.followed_id) = (follows.followed_id, follows.follower_id)
           where follows.followed_id = published.author_id) as mutual_followers
    from (select (post).author_id, count(*) as posts_published, sum(comments - comments_by_author)::bigint as comments_received,
                 min((post).first_published_at) as first_published_at, max((post).first_published_at) as last_published_at
            from rollups.posts_among(array(select id from rollups.published where author_id = any (totals_of_authors.ids)))
           group by (post).author_id) as published
$$;
comment on function analytics.totals_of_authors(bigint[]) is $$The rows of authors of some users, as of now. Reads their posts only.$$;
grant execute on function analytics.totals_of_authors(bigint[]) to :ANALYST;
--! EndIncluded views/authors.sql
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
       round(greatest(extract(epoch from posts.first_published_at - texts.created_at)::numeric / 3600, 0), 1) as hours_to_publish,
       cardinality(regexp_split_to_array(btrim(texts.content, E' \t\r\n'), '\s+')) as words
  from rollups.published_posts() as posts
 cross join lateral (select title, slug, content, created_at from app_public.posts as texts where texts.id = posts.id offset 0) as texts;
comment on view analytics.engagement_by_post is $$Reader activity for each published post, computed at each query: for some posts or days, select from engagement_of_posts() or engagement_of_days(). One row per published post; drafts are left out. Key: post_id.$$;
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
comment on column analytics.engagement_by_post.hours_to_first_comment is $$Hours from its first publication to the first comment after it by somebody else than its author, rounded to a tenth; null without one. Comments on the draft do not count.$$;
comment on column analytics.engagement_by_post.last_comment_on is $$The day of the newest comment, UTC; null without comments.$$;
comment on column analytics.engagement_by_post.created_on is $$The day on which it was created, UTC.$$;
comment on column analytics.engagement_by_post.hours_to_publish is $$Hours from creation to the first publication, rounded to a tenth; 0.0 for a post that never was a draft, and for an imported one that was published before its creation.$$;
comment on column analytics.engagement_by_post.words is $$The words of its content: what white space separates.$$;

create or replace function analytics.engagement_of_posts(ids bigint[]) returns setof analytics.engagement_by_post
language sql stable security definer rows 100 set search_path = pg_catalog, pg_temp as $$
  select (post).id, (post).title, (post).slug, (post).author_id,
         ((post).first_published_at at time zone 'UTC')::date,
         coalesce(named.tags, '{}'),
         char_length((post).content),
         comments,
         comments_first_week,
         comments_by_author,
         commenters,
         round(extract(epoch from first_reply_at - (post).first_published_at)::numeric / 3600, 1),
         (last_comment_at at time zone 'UTC')::date,
         ((post).created_at at time zone 'UTC')::date,
         round(greatest(extract(epoch from (post).first_published_at - (post).created_at)::numeric / 3600, 0), 1),
         cardinality(regexp_split_to_array(btrim((post).content, E' \t\r\n'), '\s+'))
    from rollups.posts_among(engagement_of_posts.ids)
    left join (
         select post_id, array_agg(name order by name) as tags
           from app_public.post_tags
           join app_public.tags on tags.id = tag_id
          where post_id = any (engagement_of_posts.ids)
          group by post_id) as named on named.post_id = (post).id
$$;
comment on function analytics.engagement_of_posts(bigint[]) is $$The rows of engagement_by_post of some posts, as of now. Reads these posts only.$$;
grant execute on function analytics.engagement_of_posts(bigint[]) to :ANALYST;

create or replace function analytics.engagement_of_days(first date, last date) returns setof analytics.engagement_by_post
language sql stable security definer rows 1000 set search_path = pg_catalog, pg_temp as $$
  select * from analytics.engagement_of_posts(array(
    select id from rollups.published where (first_published_at at time zone 'UTC')::date between engagement_of_days.first and engagement_of_days.last))
$$;
comment on function analytics.engagement_of_days(date, date) is $$The rows of engagement_by_post of posts that were first published from the first day through the last, UTC, as of now. Reads these posts only.$$;
grant execute on function analytics.engagement_of_days(date, date) to :ANALYST;
--! EndIncluded views/posts.sql
--! Included views/reads.sql
-- Counts only: no reader, IP address or time of day is stored.
create or replace view analytics.reads_by_post_and_day as
select days.day, facts.post_id, facts.reads
  from analytics.days
 cross join lateral app_hidden.reads_of_day(days.day) as facts;
comment on view analytics.reads_by_post_and_day is $$Reads of published posts: how often the API returned one as a single post. For some posts, select from reads_of_posts(). One row for each day and post with reads. A read is counted within a minute. Nothing is counted while COUNT_READS is false. Key: day, post_id.$$;
comment on column analytics.reads_by_post_and_day.day is $$The day, UTC.$$;
comment on column analytics.reads_by_post_and_day.post_id is $$The post’s id, as in the API.$$;
comment on column analytics.reads_by_post_and_day.reads is $$How often the post was read on that day, by anybody: one reader counts each time.$$;

create or replace function analytics.reads_of_posts(ids bigint[]) returns setof analytics.reads_by_post_and_day
language sql stable security definer rows 100 set search_path = pg_catalog, pg_temp as $$
  select day, post_id, reads
    from app_private.post_reads
   where post_id = any (array(select id from app_public.posts where id = any (reads_of_posts.ids) and is_public))
$$;
comment on function analytics.reads_of_posts(bigint[]) is $$The rows of reads_by_post_and_day of some posts. Reads these posts only.$$;
grant execute on function analytics.reads_of_posts(bigint[]) to :ANALYST;
--! EndIncluded views/reads.sql
drop function if exists rollups.count_levels(date);

--! split: 200-a-check-holds-one-lock.sql
-- allow: change-behaviour because it finds the same: test/maintenance/selfCheck
-- The service's look for problems holds no lock while it waits for the next one.
--! Included functions/upkeep/problems.sql
-- The rights on the schemas say which roles the database was made for. A role that is renamed keeps them, and a new one of its name has none.
create or replace function app_private.role_problems() returns table (subject text, problem text, repair text, is_renamed boolean)
language sql stable set search_path = pg_catalog, pg_temp as $$
  with expected (role, schema) as (
    values (':API_LOGIN', 'app_private'), (':API_ANONYMOUS', 'app_public'), (':API_MEMBER', 'app_public'), (':ANALYST', 'analytics')
  ), holders (schema, role) as (
    select nspname, rolname
      from pg_namespace, aclexplode(nspacl) as acl
      join pg_roles on pg_roles.oid = acl.grantee
     where acl.privilege_type = 'USAGE' and acl.grantee <> nspowner
  ), lost as (
    select role, schema, exists (select from pg_roles where rolname = role) as is_there,
           (select array_agg(h.role::text order by h.role) from holders h
             where h.schema = expected.schema and h.role not in (select e.role from expected e)) as others
      from expected
     where not exists (select from holders h where (h.schema, h.role) = (expected.schema, expected.role))
  )
  select format('The role %s', role),
         case when others is null then format('it may not use the schema %s of this database', schema)
              else format('its rights in this database belong to %s, which has another name since', array_to_string(others, ' or ')) end,
         case when others is null then 'npm run db:restore -- with a dump that has the rights'
              else concat(case when is_there then format('drop role %I; ', role) end, format('alter role %I rename to %I', others[1], role)) end,
         others is not null
    from lost
$$;
comment on function app_private.role_problems() is $$The roles of the service that lack their rights in this database: another role has them, or nobody.$$;
grant execute on function app_private.role_problems() to :API_LOGIN;

-- Security definer: the login may not read tables and sequences itself. A key without an index is not searched for its highest value.
create or replace function app_private.sequence_problems() returns table (subject text, problem text, repair text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_key record;
  v_is_behind boolean;
begin
  for v_key in
    select seqrelid::regclass as sequence, attrelid::regclass as relation, attname as name, seqincrement
      from pg_sequence
      join pg_depend on classid = 'pg_class'::regclass and objid = seqrelid and refclassid = 'pg_class'::regclass and deptype in ('a', 'i')
      join pg_class on pg_class.oid = refobjid and pg_has_role(relowner, 'usage')
      join pg_attribute on attrelid = refobjid and attnum = refobjsubid
     where seqincrement > 0
       and exists (select from pg_index where indrelid = attrelid and indkey[0] = attnum and indisvalid and indpred is null)
     order by 1
  loop
    begin
      execute format('select (select max(%I) from %s) >= (select last_value + is_called::int * $1 from %s)',
        v_key.name, v_key.relation, v_key.sequence) into v_is_behind using v_key.seqincrement;
      -- Undone, which releases the lock: a migration that locks two of these tables would otherwise meet a deadlock.
      raise exception using errcode = 'UNDO0';
    exception when sqlstate 'UNDO0' then
      null;
    end;
    if v_is_behind then
      subject := v_key.sequence::text;
      problem := format('the sequence is behind %s.%I, so new rows are refused', v_key.relation, v_key.name);
      repair := format('select setval(%L, (select max(%I) from %s))', v_key.sequence, v_key.name, v_key.relation);
      return next;
    end if;
  end loop;
end $$;
comment on function app_private.sequence_problems() is $$The sequences whose next value a row of their table has already, or a later one.$$;
grant execute on function app_private.sequence_problems() to :API_LOGIN;

-- A build that is under way holds a lock on its table. What `reindex … concurrently` leaves has a name that ends so.
create or replace function app_private.index_problems() returns table (subject text, problem text, repair text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select indexrelid::regclass::text, 'the index is invalid: its build was not finished, and no query uses it',
         format('npm run db:index -- "%s index concurrently %s"',
           case when relname ~ '_cc(new|old)\d*$' then 'drop' else 'reindex' end, indexrelid::regclass)
    from pg_index
    join pg_class on pg_class.oid = indexrelid and relkind = 'i'
   where not indisvalid and relnamespace <> 'pg_toast'::regnamespace
     and not exists (select from pg_locks where relation = indrelid and mode = 'ShareUpdateExclusiveLock' and granted and pid <> pg_backend_pid())
   order by 1
$$;
comment on function app_private.index_problems() is $$The indexes that are invalid and that nobody builds at the moment.$$;
grant execute on function app_private.index_problems() to :API_LOGIN;

-- The service gives its connections PostgreSQL's defaults of all settings that it may set and that change results. These are the rest.
create or replace function app_private.setting_problems() returns table (subject text, problem text, repair text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  with relied as (
    select name, boot_val, setting, source from pg_settings
     where name = 'default_transaction_read_only'
        or context = 'superuser' and vartype in ('bool', 'enum') and name !~ '^(allow_in_place|jit|trace)_'
           and category ~ '^(Client Connection Defaults / Statement Behavior|Developer Options|Version and Platform Compatibility)'
  ), stored as (
    select split_part(entry, '=', 1) as name, substr(entry, strpos(entry, '=') + 1) as value, setdatabase, setrole
      from pg_db_role_setting, unnest(setconfig) as entry
     where setdatabase in (0, (select oid from pg_database where datname = current_database()))
       and (setrole = 0 or pg_get_userbyid(setrole) = ':API_LOGIN')
  ), differing as (
    select stored.*
      from stored
      left join relied using (name)
     where name ~ '^(app|plpgsql)\.'
        or boot_val <> case lower(value) when 'true' then 'on' when 'yes' then 'on' when '1' then 'on' else lower(value) end
           and lower(value) not in ('false', 'no', '0')
        or boot_val = 'on' and lower(value) in ('false', 'no', '0')
  )
  select name, format('the setting is %s, on which the service does not work', value),
         concat(case when name = 'default_transaction_read_only' then 'set default_transaction_read_only = off; ' end,
           'alter ', case when setrole = 0 then format('database %I', current_database()) else format('role %I', pg_get_userbyid(setrole)) end,
           case when setrole <> 0 and setdatabase <> 0 then format(' in database %I', current_database()) end, format(' reset %s', name))
    from differing
   union all
  select name, format('the setting is %s, on which the service does not work', setting),
         format('alter system reset %s; select pg_reload_conf()', name)
    from relied
   where setting <> boot_val and source in ('configuration file', 'command line', 'environment variable')
$$;
comment on function app_private.setting_problems() is $$The settings of the server, the database and the service’s login that change what statements do, and that the service cannot set for its connections.$$;
grant execute on function app_private.setting_problems() to :API_LOGIN;

create or replace function app_private.collation_problems() returns table (subject text, problem text, repair text)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  -- PostgreSQL 14 notes no version of a database.
  if current_setting('server_version_num')::int >= 150000 then
    return query
    select format('The database %s', datname),
           format('its collation version was %s and is %s, so indexes on text may be wrong', datcollversion, pg_database_collation_actual_version(oid)),
           format('reindex database %I; alter database %I refresh collation version', datname, datname)
      from pg_database
     where datname = current_database() and datcollversion <> pg_database_collation_actual_version(oid);
  end if;
  return query
  select format('The collation %s', pg_collation.oid::regcollation),
         format('its version was %s and is %s, so indexes on text may be wrong', collversion, pg_collation_actual_version(pg_collation.oid)),
         format('reindex database %I; alter collation %s refresh version', current_database(), pg_collation.oid::regcollation)
    from pg_collation
   where collversion <> pg_collation_actual_version(pg_collation.oid)
     and exists (select from pg_attribute join pg_class on pg_class.oid = attrelid and relkind = 'i' where attcollation = pg_collation.oid);
end $$;
comment on function app_private.collation_problems() is $$The collations whose order has changed since indexes were built by it: that of the database, and those of columns.$$;
grant execute on function app_private.collation_problems() to :API_LOGIN;

create or replace function app_private.right_problems() returns table (subject text, problem text, repair text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select format('The database %s', datname), 'every login of the server may connect, so analysts of other databases read this one too',
         'select app_private.revoke_default_rights()'
    from pg_database
   where datname = current_database()
     and exists (select from aclexplode(coalesce(datacl, acldefault('d', datdba))) where grantee = 0 and privilege_type = 'CONNECT')
$$;
comment on function app_private.right_problems() is $$PostgreSQL’s default right to connect, where the database has it again, as after a restore.$$;
grant execute on function app_private.right_problems() to :API_LOGIN;

create or replace function app_private.derived_problems() returns table (subject text, problem text, repair text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select derived, format('%s rows differ from what they are derived from, such as %s', count(*), min(row_key)),
         'select app_private.repair_derived_data()'
    from app_private.check_derived_data() group by derived order by derived
$$;
comment on function app_private.derived_problems() is $$What check_derived_data() finds, by what is derived. Reads all rows.$$;

-- Security definer: the login may not read accounts itself.
create or replace function app_private.sample_user_id() returns bigint
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select user_id from app_private.accounts where banned_at is null limit 1
$$;
comment on function app_private.sample_user_id() is $$The id of some user who is not banned, to try a request with; null without one.$$;
grant execute on function app_private.sample_user_id() to :API_LOGIN;

-- Not security definer: such a function cannot become another role. A table that is locked or broken concerns those who read it alone.
create or replace function app_private.request_problem() returns text
language plpgsql stable set search_path = pg_catalog, pg_temp set lock_timeout = '100ms' as $$
declare
  v_role text := current_setting('role');
  v_viewer_id text := coalesce(current_setting('app.viewer_id', true), '');
  v_caller record;
  v_identity record;
  v_table regclass;
begin
  if current_setting('default_transaction_read_only')::boolean or pg_is_in_recovery() then
    return 'the database is read-only';
  elsif current_setting('session_replication_role') <> 'origin' then
    return 'triggers do not run: session_replication_role is ' || current_setting('session_replication_role');
  end if;
  for v_caller in
    select * from (values ('visitors', ':API_ANONYMOUS', null), ('members', ':API_MEMBER', app_private.sample_user_id())) as callers (name, role, user_id)
  loop
    begin
      select * into v_identity from app_hidden.identify(v_caller.user_id);
      perform set_config('role', case when v_caller.user_id is null then v_caller.role else v_identity.role end, true),
              set_config('app.viewer_id', v_identity.viewer_id, true);
      -- Text, because PostgreSQL looks up a name once, as the first role.
      execute 'select app_hidden.viewer_id()';
      select oid into v_table from pg_class
       where relnamespace = 'app_public'::regnamespace and relkind in ('r', 'p') and has_any_column_privilege(oid, 'select')
       order by relrowsecurity desc, oid limit 1;
      if found then
        execute format('select from %s limit 1', v_table);
      end if;
      perform set_config('role', v_role, true), set_config('app.viewer_id', v_viewer_id, true);
    exception
      when insufficient_privilege or invalid_parameter_value or undefined_object then
        -- An owner may be no member of the roles.
        if not pg_has_role(session_user, (select nspowner from pg_namespace where nspname = 'app_private'), 'member') then
          return format('requests of %s fail: %s', v_caller.name, sqlerrm);
        end if;
      when others then
        null;
    end;
  end loop;
  return null;
end $$;
comment on function app_private.request_problem() is $$Tries a request as a visitor and as a member, for the login of the service: its identity, and a read under policies. The reason why such requests cannot work, or null.$$;
grant execute on function app_private.request_problem() to :API_LOGIN;

create or replace function app_private.problems(reads_rows boolean default false) returns table (subject text, problem text, repair text)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_part text;
begin
  foreach v_part in array array_remove(array[
    '(select subject, problem, repair from app_private.role_problems()) as roles', 'app_private.setting_problems()', 'app_private.sequence_problems()', 'app_private.index_problems()',
    'app_private.collation_problems()', 'app_private.right_problems()', 'change_feed.problems()',
    case when reads_rows then 'app_private.derived_problems()' end], null)
  loop
    begin
      return query execute 'select * from ' || v_part;
    exception when others then
      subject := v_part;
      problem := sqlerrm;
      repair := null;
      return next;
    end;
  end loop;
end $$;
comment on function app_private.problems(boolean) is $$What does not work in this database, and what repairs it: SQL, or a command. With reads_rows also derived data, for which it reads all rows. Without a row, all is well.$$;
grant execute on function app_private.problems(boolean) to :API_LOGIN;
--! EndIncluded functions/upkeep/problems.sql
