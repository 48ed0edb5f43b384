--! Previous: sha1:914acc75d50cd5f95b1949d87030a63b0e71802a
--! Hash: sha1:8125d6b81143209f67110f0aacebc5ede2cdae4f
--! Message: analysts have a past that stays

--! split: 100-analysts.sql

-- allow: require-concurrent-index-creation:app_public.comments because a million comments take two seconds, and db:index can build it before
-- allow: require-concurrent-index-deletion:app_public.comments_author_id_created_at_id_idx because the new index serves its queries
-- allow: change-behaviour:app_private.close_scratch because it drops the further schemas of the analyst as well: test/analytics/scratch
-- allow: change-behaviour:rollups.first_day because times that no content can have are on no day: test/analytics/rollups
-- allow: change-behaviour:rollups.count_period because children of hidden posts, deleted messages and days ahead are in no number: test/analytics/rollups
-- allow: change-behaviour:rollups.count_recent_writers because children of hidden posts, deleted messages and days ahead are in no number: test/analytics/rollups
-- allow: change-behaviour:rollups.count_cohorts because children of hidden posts, deleted messages and days ahead are in no number: test/analytics/rollups
-- allow: change-behaviour:rollups.count_tags because children of hidden posts, deleted messages and days ahead are in no number: test/analytics/rollups
-- allow: change-behaviour:rollups.count_discussions because children of hidden posts, deleted messages and days ahead are in no number: test/analytics/rollups
-- allow: change-behaviour:rollups.published_posts because children of hidden posts, deleted messages and days ahead are in no number: test/analytics/rollups
-- allow: change-behaviour:rollups.published_tags because children of hidden posts, deleted messages and days ahead are in no number: test/analytics/rollups
-- allow: change-behaviour:rollups.refresh because it records the levels of days that are over: test/analytics/levels
-- allow: change-behaviour:rollups.periods because it has days with events only, and views fill the others in: test/analytics/rollups
-- allow: change-behaviour:rollups.live_days because it has the first day of the calendar
-- allow: change-behaviour:rollups.periods_to_date because children of hidden posts, deleted messages and days ahead are in no number: test/analytics/rollups
-- allow: change-behaviour:rollups.cohorts_to_date because children of hidden posts, deleted messages and days ahead are in no number: test/analytics/rollups
-- allow: change-behaviour:analytics.days because the calendar begins where content may begin, whatever an old row says: test/analytics/rollups
-- allow: change-behaviour:analytics.months because the calendar begins where content may begin, whatever an old row says: test/analytics/rollups
-- allow: change-behaviour:analytics.authors because children of hidden posts, deleted messages and days ahead are in no number: test/analytics/rollups
-- allow: change-behaviour:analytics.engagement_by_post because the first comment is that of somebody else, and words are counted: test/analytics/views
-- allow: change-behaviour:analytics.comments_by_author_and_day because children of hidden posts, deleted messages and days ahead are in no number: test/analytics/rollups
-- allow: change-behaviour:analytics.followers_by_author_and_month because it has the number of followers at the end of the month: test/analytics/levels
-- allow: change-behaviour:analytics.active_writers_by_day because children of hidden posts, deleted messages and days ahead are in no number: test/analytics/rollups
-- allow: change-behaviour:analytics.activity_by_hour because children of hidden posts, deleted messages and days ahead are in no number: test/analytics/rollups
-- allow: change-behaviour:analytics.writer_growth_by_month because children of hidden posts, deleted messages and days ahead are in no number: test/analytics/rollups
-- allow: change-behaviour:analytics.chat_replies_by_month because children of hidden posts, deleted messages and days ahead are in no number: test/analytics/rollups
-- allow: change-behaviour:analytics.threads_by_month because children of hidden posts, deleted messages and days ahead are in no number: test/analytics/rollups
-- allow: change-behaviour:analytics.freshness because it says since when levels are recorded: test/analytics/levels
-- allow: create-trigger:_210_bound_times on app_public.users because times that no content can have are refused: test/transfer
-- allow: create-trigger:_210_bound_times on app_public.posts because times that no content can have are refused: test/transfer
-- allow: create-trigger:_210_bound_times on app_public.comments because times that no content can have are refused: test/transfer
-- allow: create-trigger:_210_bound_times on app_public.follows because times that no content can have are refused: test/transfer
-- allow: create-trigger:_210_bound_times on app_public.chats because times that no content can have are refused: test/transfer
-- allow: create-trigger:_210_bound_times on app_public.chat_members because times that no content can have are refused: test/transfer
-- allow: create-trigger:_210_bound_times on app_public.messages because times that no content can have are refused: test/transfer
-- allow: require-concurrent-index-creation:rollups.periods because it is a new rollup that is empty: nobody writes it
-- Analysts: time has bounds, what a view may know is one rule, and the past is written once.
--! Included functions/conventions/bound_times.sql
create or replace function conventions.earliest_time() returns timestamptz
language sql immutable parallel safe
return timestamptz '1970-01-01 00:00Z';
comment on function conventions.earliest_time() is $$The first time that content may have. app_private.set_earliest_time() replaces it.$$;
grant execute on function conventions.earliest_time() to :API_ANONYMOUS, :API_MEMBER, :API_LOGIN, :ANALYST;

create or replace function app_private.set_earliest_time("time" timestamptz) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  if not coalesce(isfinite("time"), false) then
    raise exception using errcode = '22008', message = 'The earliest time is a time, and not infinity';
  end if;
  execute format('create or replace function conventions.earliest_time() returns timestamptz language sql immutable parallel safe return timestamptz %L', "time");
end $$;
comment on function app_private.set_earliest_time(timestamptz) is $$Sets the first time that content may have: 1970 at first. An archive that is older is imported after it. Rows that are there stay. For DBAs.$$;

create or replace function conventions.is_plausible(given timestamptz) returns boolean
language sql stable parallel safe
return given is null or (given >= conventions.earliest_time() and given < now() + interval '10 years');
comment on function conventions.is_plausible(timestamptz) is $$Whether a row may have this time: from conventions.earliest_time() to ten years ahead, and not infinity.$$;
grant execute on function conventions.is_plausible(timestamptz) to :API_ANONYMOUS, :API_MEMBER, :API_LOGIN;

create or replace function conventions.tg__refuse_times() returns trigger
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  perform conventions.raise_validation_errors((
    select coalesce(jsonb_agg(jsonb_build_object('column', name, 'code', 'OUT_OF_RANGE', 'message',
             format('A date lies between %s and ten years from now.', (conventions.earliest_time() at time zone 'UTC')::date))), '[]')
      from unnest(tg_argv) as name
     where not conventions.is_plausible((to_jsonb(new) ->> name)::timestamptz)));
  return new;
end $$;
comment on function conventions.tg__refuse_times() is $$Before a row is written with a time that no content can have: names the column.$$;

-- A trigger, and no check constraint: PostgreSQL would check it in each update of a row that is there with such a time, so the post could
-- not be hidden, and its author not be erased. Its condition costs less than a call.
create or replace function conventions.bound_times(relation regclass, columns text[]) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  execute format('create or replace trigger _210_bound_times before insert or update of %s on %s for each row when (not (%s)) execute function conventions.tg__refuse_times(%s)',
    (select string_agg(quote_ident(name), ', ') from unnest(columns) as name), relation,
    (select string_agg(format('conventions.is_plausible(new.%I)', name), ' and ') from unnest(columns) as name),
    (select string_agg(quote_literal(name), ', ') from unnest(columns) as name));
  execute format('comment on trigger _210_bound_times on %s is %L', relation, 'Before a row is written with a time that no content can have: names the column.');
end $$;
comment on function conventions.bound_times(regclass, text[]) is $$Refuses rows of a table whose times no content can have: before conventions.earliest_time(), more than ten years ahead, or infinity. For DBAs, in a migration.$$;

create or replace function app_private.implausible_times(out relation regclass, out column_name text, out "time" timestamptz, out row_key text) returns setof record
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_bound record;
begin
  for v_bound in
    select tgrelid::regclass as relation, attname as name,
           (select array_agg(key.attname::text)
              from pg_catalog.pg_index join pg_catalog.pg_attribute key on key.attrelid = indrelid and key.attnum = any (indkey)
             where indrelid = tgrelid and indisprimary) as key_columns
      from pg_catalog.pg_trigger join pg_catalog.pg_attribute on attrelid = tgrelid and attnum = any (tgattr)
     where tgfoid = 'conventions.tg__refuse_times'::regproc
     order by 1, 2
  loop
    return query execute format(
      'select %1$L::regclass, %2$L, t.%2$I, conventions.row_key(to_jsonb(t), %3$L) from %1$s as t where not conventions.is_plausible(t.%2$I)',
      v_bound.relation, v_bound.name, v_bound.key_columns);
  end loop;
end $$;
comment on function app_private.implausible_times() is $$Rows that were written before their times had bounds, and break them: the table, the column, the time and the row’s key. The analysts’ calendar leaves them out. Reads all rows. For DBAs.$$;
--! EndIncluded functions/conventions/bound_times.sql
select conventions.bound_times(relation::regclass, columns)
  from (values ('app_public.users', '{created_at}'::text[]),
               ('app_public.posts', '{created_at,published_at,first_published_at}'),
               ('app_public.comments', '{created_at}'),
               ('app_public.follows', '{created_at}'),
               ('app_public.chats', '{created_at}'),
               ('app_public.chat_members', '{joined_at}'),
               ('app_public.messages', '{created_at}')) as bounded (relation, columns);

do $$
declare
  v_rows record;
begin
  for v_rows in
    select relation, column_name, count(*) as rows, string_agg(row_key, ', ' order by row_key) filter (where place <= 20) as keys
      from (select *, row_number() over (partition by relation, column_name order by row_key) as place from app_private.implausible_times()) as found
     group by 1, 2
  loop
    raise warning '% rows of % have a time in % that no content can have: %', v_rows.rows, v_rows.relation, v_rows.column_name, v_rows.keys
      using hint = 'They stay as they are, and the analysts'' calendar leaves them out. select * from app_private.implausible_times() lists them.';
  end loop;
end $$;

alter table rollups.watermark
  add column if not exists since date,
  add column if not exists levels_through date,
  add column if not exists levels_since date,
  add column if not exists days_missed bigint not null default 0;
comment on column rollups.watermark.since is $$The first day of the calendar, UTC.$$;
comment on column rollups.watermark.levels_through is $$The last day whose levels are recorded, UTC; null if none is.$$;
comment on column rollups.watermark.levels_since is $$The day that was recorded first, UTC; null before.$$;
comment on column rollups.watermark.days_missed is $$Days after it that no refresh recorded in time.$$;

create table if not exists rollups.levels (
  day             date primary key,
  is_estimate     boolean not null,
  users           bigint not null,
  follows         bigint not null,
  posts_published bigint not null,
  chats           bigint not null,
  chat_members    bigint not null
);
comment on table rollups.levels is $$The levels at the end of days. A day without a row has those of the day before.$$;
comment on column rollups.levels.day is $$The day, UTC.$$;
comment on column rollups.levels.is_estimate is $$Whether the day was over for more than a day when it was recorded.$$;
comment on column rollups.levels.users is $$Users.$$;
comment on column rollups.levels.follows is $$Follows.$$;
comment on column rollups.levels.posts_published is $$Published posts.$$;
comment on column rollups.levels.chats is $$Chats.$$;
comment on column rollups.levels.chat_members is $$Memberships of chats.$$;
alter table rollups.levels enable row level security;

create table if not exists rollups.follower_levels (
  author_id bigint not null references app_public.users on delete cascade,
  day       date not null,
  followers bigint not null,
  primary key (author_id, day)
);
comment on table rollups.follower_levels is $$The followers of a user at the end of a day, where they differ from those of the day before.$$;
comment on column rollups.follower_levels.author_id is $$The user who is followed.$$;
comment on column rollups.follower_levels.day is $$The day, UTC.$$;
comment on column rollups.follower_levels.followers is $$The number of followers.$$;
alter table rollups.follower_levels enable row level security;

-- With the visibility, so that counting an author's comments reads the index only.
create index if not exists comments_author_id_created_at_id_is_public_idx on app_public.comments (author_id, created_at, id) include (is_public);
drop index if exists app_public.comments_author_id_created_at_id_idx;

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

create or replace function rollups.count_period(first date, last date)
returns table (
  new_users bigint, posts_created bigint, posts_published bigint, median_hours numeric, slowest_tenth_hours numeric,
  authors bigint, new_authors bigint, comments bigint, commenters bigint, posts_commented bigint, new_follows bigint,
  unfollows bigint, messages bigint, senders bigint, active_chats bigint, writers bigint, post_writers bigint
)
language sql stable security definer rows 1 set search_path = pg_catalog, pg_temp as $$
  with published as materialized (
    select author_id, created_at, first_published_at from rollups.published
     where (first_published_at at time zone 'UTC')::date between first and last
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
       select from rollups.published
        where published.author_id = authors.author_id and first_published_at >= conventions.earliest_time()
          and first_published_at < first::timestamp at time zone 'UTC'
        order by listed_at, id offset 0)
     union all
    select 'comment', author_id, post_id, null from rollups.comments where (created_at at time zone 'UTC')::date between first and last
     union all
    select 'follow', null, null, null from app_public.follows where (created_at at time zone 'UTC')::date between first and last
     union all
    select 'unfollow', null, null, null from app_private.unfollows where day between first and last
     union all
    select 'message', sender_id, chat_id, null from rollups.messages where (created_at at time zone 'UTC')::date between first and last
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
--! Included views/live_days.sql
-- Subqueries, because the planner calls a stable function for its estimates, and first_day() reads tables.
create or replace view rollups.live_days as
select coalesce(through + 1, (select rollups.first_day())) as first, (now() at time zone 'UTC')::date as last,
       case when through is null then (select rollups.first_day()) else since end as since
  from rollups.watermark;
comment on view rollups.live_days is $$The first and the last of the days that no rollup has. Views compute them from the base tables.$$;
comment on column rollups.live_days.first is $$The day after the watermark, or without one the day of the first event, UTC.$$;
comment on column rollups.live_days.last is $$Today, UTC.$$;
comment on column rollups.live_days.since is $$The first day of the calendar, UTC.$$;
--! EndIncluded views/live_days.sql
--! Included views/calendar.sql
-- Every series has a row for each day or month of these two views, so that one without events is a row of zeros.
create or replace view analytics.days with (security_barrier) as
select moment::date as day from rollups.live_days, generate_series(since::timestamp, last::timestamp, interval '1 day') as moment;
comment on view analytics.days is $$Every day from the first recorded event to today, UTC. One row per day. Key: day.$$;
comment on column analytics.days.day is $$The day, UTC.$$;

create or replace view analytics.months with (security_barrier) as
select moment::date as month
  from rollups.live_days, generate_series(date_trunc('month', since::timestamp), last::timestamp, interval '1 month') as moment;
comment on view analytics.months is $$Every month from the first recorded event to this month, UTC. One row per month. Key: month.$$;
comment on column analytics.months.month is $$The month’s first day, UTC.$$;

-- A driver may set another time zone for its session, and now() and date_trunc() follow it. This view does not.
create or replace view analytics.today with (security_barrier) as
select day, date_trunc('week', day::timestamp)::date as week, date_trunc('month', day::timestamp)::date as month,
       date_trunc('year', day::timestamp)::date as year
  from (select (now() at time zone 'UTC')::date as day) as clock;
comment on view analytics.today is $$Today in UTC, whatever time zone the session has. One row.$$;
comment on column analytics.today.day is $$Today, UTC.$$;
comment on column analytics.today.week is $$The Monday of this week, UTC.$$;
comment on column analytics.today.month is $$The first day of this month, UTC.$$;
comment on column analytics.today.year is $$The first day of this year, UTC.$$;
--! EndIncluded views/calendar.sql

-- Days with events only. Views that read the former rollup are moved to it before that one goes.
update rollups.watermark set through = null where through is not null;
alter materialized view rollups.periods rename to former_periods;
alter index rollups.periods_unit_period_key rename to former_periods_unit_period_key;
create materialized view rollups.periods as
with days as materialized (select days.day from rollups.watermark cross join lateral rollups.event_days(since, through) as days (day))
select 'day' as unit, days.day as period, counts.* from days cross join lateral rollups.count_period(days.day, days.day) as counts
 union all
select 'month', months.first, counts.*
  from (select distinct date_trunc('month', day::timestamp)::date as first, (date_trunc('month', day::timestamp) + interval '1 month - 1 day')::date as last from days) as months
  join rollups.watermark on months.last <= through
 cross join lateral rollups.count_period(months.first, months.last) as counts;
comment on materialized view rollups.periods is $$The counts of each finished day and month with events.$$;
comment on column rollups.periods.unit is $$day or month.$$;
comment on column rollups.periods.period is $$The day, or the month’s first day, UTC.$$;
comment on column rollups.periods.new_users is $$Users who signed up.$$;
comment on column rollups.periods.posts_created is $$Posts created, including drafts.$$;
comment on column rollups.periods.posts_published is $$Posts first published then, and still published.$$;
comment on column rollups.periods.median_hours is $$The median of those posts’ hours from creation to publication; null without posts. median_hours of moderation_by_month is another one.$$;
comment on column rollups.periods.slowest_tenth_hours is $$The 90th percentile of those posts’ hours from creation to publication; null without posts.$$;
comment on column rollups.periods.authors is $$Users who published at least one post.$$;
comment on column rollups.periods.new_authors is $$Those authors who had published no post before.$$;
comment on column rollups.periods.comments is $$Comments written on posts that are published now.$$;
comment on column rollups.periods.commenters is $$The number of distinct users who wrote them.$$;
comment on column rollups.periods.posts_commented is $$The number of distinct posts with these comments.$$;
comment on column rollups.periods.new_follows is $$Follows created, and not undone since.$$;
comment on column rollups.periods.unfollows is $$Follows that users ended. Those that ended because an account was deleted are not counted.$$;
comment on column rollups.periods.messages is $$Messages sent, and not deleted since.$$;
comment on column rollups.periods.senders is $$The number of distinct users who sent them. Users deleted since are not counted.$$;
comment on column rollups.periods.active_chats is $$The number of distinct chats with these messages.$$;
comment on column rollups.periods.writers is $$Users who created a post, including drafts, or a comment on a post that is published now.$$;
comment on column rollups.periods.post_writers is $$Those writers who created a post.$$;
create unique index periods_unit_period_key on rollups.periods (unit, period);

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

create or replace function rollups.count_levels(day date)
returns table (users bigint, follows bigint, posts_published bigint, chats bigint, chat_members bigint)
language sql stable security definer rows 1 set search_path = pg_catalog, pg_temp as $$
  select count(*) filter (where kind = 'user'), count(*) filter (where kind = 'follow'), count(*) filter (where kind = 'post'),
         count(*) filter (where kind = 'chat'), count(*) filter (where kind = 'member')
    from rollups.level_entries
   where at < (count_levels.day + 1)::timestamp at time zone 'UTC'
$$;
comment on function rollups.count_levels(date) is $$The levels at the end of a day, of what exists now. Reads the base tables.$$;

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
  (select users, follows, posts_published, chats, chat_members, is_estimate
     from rollups.levels
    where levels.day <= levels_of_day.day and levels_of_day.day <= (select levels_through from rollups.watermark)
    order by levels.day desc limit 1)
   union all
  select counts.*, levels_of_day.day < (now() at time zone 'UTC')::date
    from rollups.count_levels(levels_of_day.day) as counts
   where levels_of_day.day > coalesce((select levels_through from rollups.watermark), '-infinity')
$$;
comment on function rollups.levels_of_day(date) is $$The levels at the end of a day: the recorded ones, or those of what exists now.$$;
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
--! Included functions/analytics/posts_among.sql
-- What an analyst asks of some posts or authors reads these only: a condition on a view does not reach a function that names drafts to nobody.
create or replace function rollups.posts_among(ids bigint[])
returns table (
  id bigint, author_id bigint, first_published_at timestamptz, comments bigint, comments_first_week bigint, comments_by_author bigint,
  commenters bigint, first_reply_at timestamptz, last_comment_at timestamptz
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select posts.id, posts.author_id, posts.first_published_at, said.*
    from rollups.published as posts
   cross join lateral (
         select count(*),
                count(*) filter (where comments.created_at >= first_published_at and comments.created_at < first_published_at + interval '7 days'),
                count(*) filter (where comments.author_id = posts.author_id),
                count(distinct comments.author_id) filter (where comments.author_id <> posts.author_id),
                min(comments.created_at) filter (where comments.created_at >= first_published_at and comments.author_id <> posts.author_id),
                max(comments.created_at)
           from rollups.comments
          where comments.post_id = posts.id) as said
   where posts.id = any (posts_among.ids)
$$;
comment on function rollups.posts_among(bigint[]) is $$The rows of published_posts() of some posts, counted from the base tables.$$;
--! EndIncluded functions/analytics/posts_among.sql
--! Included views/series.sql
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
select 'day', moment::date, counts.*
  from rollups.live_days
 cross join lateral generate_series(first::timestamp, last::timestamp, interval '1 day') as moment
 cross join lateral rollups.count_period(moment::date, moment::date) as counts
 union all
select 'month', moment::date, counts.*
  from rollups.live_days
 cross join lateral generate_series(date_trunc('month', first::timestamp), last::timestamp, interval '1 month') as moment
 cross join lateral rollups.count_period(moment::date, least((moment + interval '1 month - 1 day')::date, last)) as counts;
comment on view rollups.periods_to_date is $$The counts of each day and month, through today. The columns are those of rollups.periods.$$;

create or replace view rollups.cohorts_to_date as
select * from rollups.cohorts
 union all
select moment::date, counts.cohort, counts.active_users
  from rollups.live_days
 cross join lateral generate_series(date_trunc('month', first::timestamp), last::timestamp, interval '1 month') as moment
 cross join lateral rollups.count_cohorts(moment::date, least((moment + interval '1 month - 1 day')::date, last)) as counts;
comment on view rollups.cohorts_to_date is $$How many users of each month of sign-up wrote in each month, through this one. The columns are those of rollups.cohorts.$$;
--! EndIncluded views/series.sql
drop materialized view rollups.former_periods;
comment on column rollups.discussions.first_reply_at is $$The first comment after its first publication by somebody else than its author.$$;
comment on column rollups.tags.comments is $$Comments written on that day on published posts with the tag.$$;

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
    from rollups.published as posts
    left join (
         select * from rollups.discussions where not exists (select from live where live.post_id = discussions.post_id)
          union all
         select * from live) as said on said.post_id = posts.id
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
     and exists (select from app_public.post_tags where tag_id = tags.id and is_public)
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
    from rollups.posts_among(engagement_of_posts.ids) as posts
   cross join lateral (select title, slug, content, created_at from app_public.posts as texts where texts.id = posts.id offset 0) as texts
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
--! Included views/authors.sql
-- Authors have ids and no names here. The API gives the name of an id.
create or replace view analytics.authors with (security_barrier) as
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
  from (select author_id, count(*) as posts_published, sum(comments - comments_by_author)::bigint as comments_received,
               min(first_published_at) as first_published_at, max(first_published_at) as last_published_at
          from rollups.published_posts()
         group by author_id) as published;
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
    from (select author_id, count(*) as posts_published, sum(comments - comments_by_author)::bigint as comments_received,
                 min(first_published_at) as first_published_at, max(first_published_at) as last_published_at
            from rollups.posts_among(array(select id from rollups.published where author_id = any (totals_of_authors.ids)))
           group by author_id) as published
$$;
comment on function analytics.totals_of_authors(bigint[]) is $$The rows of authors of some users, as of now. Reads their posts only.$$;
grant execute on function analytics.totals_of_authors(bigint[]) to :ANALYST;
--! EndIncluded views/authors.sql
--! Included views/tags.sql
-- Tags that only drafts have are left out: they are as private as the draft.
create or replace view analytics.tags with (security_barrier) as
select tag, posts_published, authors, comments, first_published_on, last_published_on from rollups.tag_totals();
comment on view analytics.tags is $$Totals for each tag, computed at each query. One row for each tag of a published post. Key: tag.$$;
comment on column analytics.tags.tag is $$The tag.$$;
comment on column analytics.tags.posts_published is $$Published posts that have the tag now. A post with two tags counts in both rows, so a sum over tags is no number of posts.$$;
comment on column analytics.tags.authors is $$The number of distinct users who wrote them.$$;
comment on column analytics.tags.comments is $$Comments on those posts. A sum over tags counts those of a post with two tags twice.$$;
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
comment on column analytics.tags_by_day.posts_published is $$Posts with the tag, first published on that day and still published now. A post with two tags counts in both rows.$$;
comment on column analytics.tags_by_day.comments is $$Comments written on that day on published posts that have the tag now. A sum over tags counts those of a post with two tags twice.$$;
--! EndIncluded views/tags.sql
--! Included views/comments.sql
-- A comment on a draft would tell when its author works on it, and a plan would tell how many there are. So a function reads the comments.
create or replace view analytics.comments_by_author_and_day as
select days.day, facts.author_id, facts.comments, facts.posts_commented
  from analytics.days
 cross join lateral rollups.comments_of_day(days.day) as facts;
comment on view analytics.comments_by_author_and_day is $$Users’ comments on published posts over time. One row for each day and user with comments; days without comments have no row. Deleted comments are not counted. Filter by day; for one user, select from comments_of_author(). Key: day, author_id.$$;
comment on column analytics.comments_by_author_and_day.day is $$The day, UTC.$$;
comment on column analytics.comments_by_author_and_day.author_id is $$The id of the user who wrote the comments, as in the API.$$;
comment on column analytics.comments_by_author_and_day.comments is $$Comments that the user wrote on that day, on any published post.$$;
comment on column analytics.comments_by_author_and_day.posts_commented is $$The number of distinct posts with these comments.$$;

create or replace function analytics.comments_of_author(author_id bigint, first date default '-infinity', last date default 'infinity')
returns setof analytics.comments_by_author_and_day
language sql stable security definer rows 100 set search_path = pg_catalog, pg_temp as $$
  select (created_at at time zone 'UTC')::date, comments.author_id, count(*), count(distinct post_id)
    from rollups.comments
   cross join rollups.live_days
   where comments.author_id = comments_of_author.author_id
     and comments.created_at >= greatest(comments_of_author.first, live_days.since)::timestamp at time zone 'UTC'
     and comments.created_at < (least(comments_of_author.last, live_days.last) + 1)::timestamp at time zone 'UTC'
   group by 1, 2
$$;
comment on function analytics.comments_of_author(bigint, date, date) is $$The rows of comments_by_author_and_day of one user, from the first day through the last. Reads that user’s comments only.$$;
grant execute on function analytics.comments_of_author(bigint, date, date) to :ANALYST;
--! EndIncluded views/comments.sql
--! Included views/followers.sql
create or replace view analytics.followers_by_author_and_month with (security_barrier) as
select month, author_id, new_followers, unfollows,
       rollups.followers_of(author_id, least((month + interval '1 month - 1 day')::date, (now() at time zone 'UTC')::date)) as followers
  from (select date_trunc('month', day::timestamp)::date as month, author_id,
               count(*) filter (where kind = 'new') as new_followers, count(*) filter (where kind = 'lost') as unfollows
          from (select (created_at at time zone 'UTC')::date as day, followed_id as author_id, 'new' as kind from app_public.follows
                 union all
                select day, author_id, 'lost' from app_private.unfollows
                 union all
                select day, author_id, 'level' from rollups.follower_levels) as events
         where day between (conventions.earliest_time() at time zone 'UTC')::date and (now() at time zone 'UTC')::date
         group by 1, 2) as months;
comment on view analytics.followers_by_author_and_month is $$Followers of a user, by month: won, lost, and how many there were at its end. One row for each month and user with a change; the number stays until the next one. Net growth is the difference of two numbers of followers: new_followers lacks those who have left since, who were also counted as unfollows. Key: month, author_id.$$;
comment on column analytics.followers_by_author_and_month.month is $$The month’s first day, UTC.$$;
comment on column analytics.followers_by_author_and_month.author_id is $$The id of the user who is followed, as in the API.$$;
comment on column analytics.followers_by_author_and_month.new_followers is $$Users who began to follow in that month, and still do.$$;
comment on column analytics.followers_by_author_and_month.unfollows is $$Follows of the user that were ended in that month.$$;
comment on column analytics.followers_by_author_and_month.followers is $$The user’s followers at the end of the month, as recorded on the next day; of this month, now. For months before freshness.levels_since, those who still followed when it was recorded.$$;
--! EndIncluded views/followers.sql
--! Included views/writers.sql
-- Writers create posts, including drafts, or comments. Chat messages do not count, because chats are private.
create or replace view analytics.active_writers_by_day as
select days.day, coalesce(recent.writers_7_days, 0) as writers_7_days, coalesce(recent.writers_28_days, 0) as writers_28_days
  from analytics.days
  left join lateral rollups.recent_writers_of_day(days.day) as recent on true;
comment on view analytics.active_writers_by_day is $$The number of users who have lately created a post, including drafts, or a comment on a published post. One row for each day. Key: day.$$;
comment on column analytics.active_writers_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.active_writers_by_day.writers_7_days is $$Writers on that day or the six days before.$$;
comment on column analytics.active_writers_by_day.writers_28_days is $$Writers on that day or the 27 days before.$$;
--! EndIncluded views/writers.sql
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
comment on column analytics.retention_by_cohort_and_month.active_users is $$Those users who created a post, including drafts, or a comment on a published post in that month.$$;

-- Whole cohorts: a row names a month, and no user.
create or replace view analytics.first_steps_by_cohort with (security_barrier) as
select date_trunc('month', users.created_at at time zone 'UTC')::date as cohort, count(*) as users,
       count(commented.first_at) as commenters,
       round((percentile_cont(0.5) within group (order by greatest(extract(epoch from commented.first_at - users.created_at)::float8 / 86400, 0))
         filter (where commented.first_at is not null))::numeric, 1) as median_days_to_first_comment,
       count(published.first_at) as authors,
       round((percentile_cont(0.5) within group (order by greatest(extract(epoch from published.first_at - users.created_at)::float8 / 86400, 0))
         filter (where published.first_at is not null))::numeric, 1) as median_days_to_first_post
  from app_public.users
  left join (select author_id, min(created_at) as first_at from rollups.comments group by author_id) as commented on commented.author_id = users.id
  left join (select author_id, min(first_published_at) as first_at from rollups.published group by author_id) as published on published.author_id = users.id
 where users.created_at >= conventions.earliest_time() and users.created_at <= now()
 group by 1;
comment on view analytics.first_steps_by_cohort is $$How many of the users who signed up in a month have commented and published since, and how long it took, computed at each query. One row for each month with sign-ups. Key: cohort.$$;
comment on column analytics.first_steps_by_cohort.cohort is $$The first day of the month of sign-up, UTC.$$;
comment on column analytics.first_steps_by_cohort.users is $$Users who signed up in that month.$$;
comment on column analytics.first_steps_by_cohort.commenters is $$Those users who have commented on a published post.$$;
comment on column analytics.first_steps_by_cohort.median_days_to_first_comment is $$The median of their days from sign-up to the first of these comments; null without commenters.$$;
comment on column analytics.first_steps_by_cohort.authors is $$Those users who have a published post.$$;
comment on column analytics.first_steps_by_cohort.median_days_to_first_post is $$The median of their days from sign-up to the first publication; null without authors.$$;
--! EndIncluded views/cohorts.sql
--! Included views/activity.sql
-- Hours have a time zone, so that an analyst can make local days and local hours of them.
create or replace view analytics.activity_by_hour with (security_barrier) as
select hour,
       count(*) filter (where kind = 'publication') as posts_published,
       count(*) filter (where kind = 'comment') as comments,
       count(*) filter (where kind = 'message') as messages
  from (select date_trunc('hour', first_published_at, 'UTC') as hour, 'publication' as kind
          from rollups.published
         union all
        select date_trunc('hour', created_at, 'UTC'), 'comment' from rollups.comments
         union all
        select date_trunc('hour', created_at, 'UTC'), 'message' from rollups.messages) as events
 where hour >= conventions.earliest_time() and hour <= now()
 group by hour;
comment on view analytics.activity_by_hour is $$What happens at which hour, computed at each query. One row for each hour in which something happened. Key: hour.$$;
comment on column analytics.activity_by_hour.hour is $$The beginning of the hour. `hour at time zone 'Europe/Berlin'` is the local time.$$;
comment on column analytics.activity_by_hour.posts_published is $$Posts that are published now and were first published in that hour.$$;
comment on column analytics.activity_by_hour.comments is $$Comments written in that hour on posts that are published now.$$;
comment on column analytics.activity_by_hour.messages is $$Messages sent in that hour, and not deleted since.$$;

-- Growth accounting: writers of a week or a month are new, retained or resurrected; churned are those of the one before who did not come back.
create or replace view rollups.writer_growth as
select unit, steps.period::date as period,
       count(*) filter (where step = 'new') as new_writers, count(*) filter (where step = 'retained') as retained_writers,
       count(*) filter (where step = 'resurrected') as resurrected_writers, count(*) filter (where step = 'churned') as churned_writers
  from (select unit, length, period, lag(period) over author as before, lead(period) over author as after
          from (select distinct unit, length, author_id, date_trunc(unit, created_at at time zone 'UTC') as period
                  from (values ('week', interval '7 days'), ('month', interval '1 month')) as units (unit, length)
                 cross join (select author_id, created_at from app_public.posts
                              union all
                             select author_id, created_at from rollups.comments) as texts
                 where created_at >= conventions.earliest_time() and created_at <= now()) as texts
        window author as (partition by unit, author_id order by period)) as writing
 cross join lateral (
       values (period, case when before is null then 'new' when before = period - length then 'retained' else 'resurrected' end),
              (period + length, case when after is distinct from period + length then 'churned' end)) as steps (period, step)
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
         from rollups.messages as message
         join rollups.messages as earlier
           on earlier.chat_id = message.chat_id and earlier.number = message.number - 1 and earlier.sender_id <> message.sender_id
        where message.created_at <= now()) as replies
    using (month)
 group by months.month;
comment on view analytics.chat_replies_by_month is $$How fast people reply to each other in chats, computed at each query. One row for each month. Key: month.$$;
comment on column analytics.chat_replies_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.chat_replies_by_month.replies is $$Messages of that month that follow one of another user in their chat. Deleted messages, and those of users deleted since, are not counted, nor are replies to them.$$;
comment on column analytics.chat_replies_by_month.median_minutes is $$The median of the minutes since that message; null without replies.$$;
comment on column analytics.chat_replies_by_month.slowest_tenth_minutes is $$A tenth of the replies took longer than these minutes; null without replies.$$;

-- Comments have replies of one level, so the depth of a thread is whether it has any.
create or replace view analytics.threads_by_month with (security_barrier) as
select months.month, count(threads.month) as threads, count(*) filter (where threads.replies > 0) as threads_with_replies,
       coalesce(sum(threads.replies), 0)::bigint as replies, coalesce(max(threads.replies), 0) as most_replies
  from analytics.months
  left join (
       select date_trunc('month', comments.created_at at time zone 'UTC')::date as month, coalesce(answers.replies, 0) as replies
         from rollups.comments
         left join (select reply_to_id as id, count(*) as replies from rollups.comments where reply_to_id is not null group by 1) as answers using (id)
        where comments.reply_to_id is null and comments.created_at <= now()) as threads
    using (month)
 group by months.month;
comment on view analytics.threads_by_month is $$Discussions below posts by the month of their first comment, computed at each query. A thread is a comment on a published post with its replies. One row for each month. Key: month.$$;
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
comment on column analytics.moderation_by_month.median_hours is $$The median of the hours from the first report to these decisions, not of the hours of drafts as median_hours of totals_by_month is; null without decisions.$$;
comment on column analytics.moderation_by_month.bans is $$Users banned in that month, and still.$$;
--! EndIncluded views/moderation.sql
--! Included views/levels.sql
create or replace view analytics.levels_by_day as
select days.day, coalesce(levels.users, 0) as users, coalesce(levels.follows, 0) as follows, coalesce(levels.posts_published, 0) as posts_published,
       coalesce(levels.chats, 0) as chats, coalesce(levels.chat_members, 0) as chat_members, coalesce(levels.is_estimate, true) as is_estimate
  from analytics.days
  left join lateral rollups.levels_of_day(days.day) as levels on true;
comment on view analytics.levels_by_day is $$How much there was at the end of each day, as it was recorded on the next one; of today, as it is now. A past day stays as it was, and a level falls when people leave. One row for each day. Key: day.$$;
comment on column analytics.levels_by_day.day is $$The day, UTC. No day is left out.$$;

create or replace view analytics.levels_by_month as
select months.month, coalesce(levels.users, 0) as users, coalesce(levels.follows, 0) as follows, coalesce(levels.posts_published, 0) as posts_published,
       coalesce(levels.chats, 0) as chats, coalesce(levels.chat_members, 0) as chat_members, coalesce(levels.is_estimate, true) as is_estimate
  from analytics.months
 cross join analytics.today
  left join lateral rollups.levels_of_day(least((months.month + interval '1 month - 1 day')::date, today.day)) as levels on true;
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
  select day, post_id, reads from app_private.post_reads where post_id in (select id from app_public.posts where id = any (reads_of_posts.ids) and is_public)
$$;
comment on function analytics.reads_of_posts(bigint[]) is $$The rows of reads_by_post_and_day of some posts. Reads these posts only.$$;
grant execute on function analytics.reads_of_posts(bigint[]) to :ANALYST;
--! EndIncluded views/reads.sql
--! Included views/freshness.sql
create or replace view analytics.freshness with (security_barrier) as
select through as refreshed_through, round(extract(epoch from now() - refreshed_at)::numeric / 60, 1) as minutes_since_refresh,
       levels_since, days_missed as levels_missed
  from rollups.watermark;
comment on view analytics.freshness is $$How fresh the views are. Numbers of days through refreshed_through are as of the last refresh; numbers of later days are computed at each query. One row.$$;
comment on column analytics.freshness.refreshed_through is $$The last day whose numbers are stored, UTC; null if none is, and every query computes all numbers.$$;
comment on column analytics.freshness.minutes_since_refresh is $$Minutes since the last refresh, rounded to a tenth; null before the first.$$;
comment on column analytics.freshness.levels_since is $$The last day whose levels are estimates because they were recorded for the first time; null before that. Later ones were recorded day by day.$$;
comment on column analytics.freshness.levels_missed is $$Days since then whose levels were recorded late, because the service did not run on the next day. levels_by_day marks them as estimates.$$;
--! EndIncluded views/freshness.sql
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
  update rollups.watermark
     set through = case when first_day <= v_yesterday then v_yesterday end, since = first_day, refreshed_at = now()
    from rollups.first_day();
  perform rollups.record_levels(v_yesterday);
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
--! Included functions/analytics/views_of_hidden_posts.sql
-- A trial: the rows of each view, computed from the base tables, before and after a post that the public cannot see gets comments, replies,
-- tags and reads. The error undoes it.
create or replace function app_private.views_of_hidden_posts() returns setof text
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_author_id bigint;
  v_other_id bigint;
  v_post_id bigint;
  v_time timestamptz;
  v_sums jsonb[];
  v_differing text;
begin
  -- Withdrawn, or never published: both have the time of a first publication or none.
  foreach v_time in array array[now(), now() - interval '40 days'] loop
    update rollups.watermark set through = null;
    insert into app_public.users (name) values ('A writer') returning id into v_author_id;
    insert into app_public.users (name) values ('A reader') returning id into v_other_id;
    insert into app_public.posts (author_id, title, content, status, created_at, published_at)
      values (v_author_id, 'Shown', 'Text.', 'PUBLISHED', v_time, v_time), (v_author_id, 'Hidden', 'Text.', 'PUBLISHED', v_time, v_time);
    select max(id) into v_post_id from app_public.posts where author_id = v_author_id;
    update app_public.posts set status = 'DRAFT' where id = v_post_id;
    v_sums := '{}';
    for v_step in 1..2 loop
      v_sums := v_sums || (
        select jsonb_object_agg(oid::regclass, md5(query_to_xml(format('select seen::text from %s as seen order by 1', oid::regclass), true, false, '')::text))
          from pg_catalog.pg_class where relnamespace = 'analytics'::regnamespace and relkind = 'v');
      if v_step = 1 then
        insert into app_public.comments (post_id, author_id, text, created_at)
        select v_post_id, author_id, 'Text.', v_time + hours * interval '1 hour'
          from unnest(array[v_author_id, v_other_id]) as author_id, unnest('{-2,-1,0}'::int[]) as hours;
        insert into app_public.comments (post_id, author_id, text, reply_to_id, created_at)
        select post_id, v_author_id, 'Text.', id, v_time from app_public.comments where post_id = v_post_id and author_id = v_other_id;
        insert into app_public.tags (name) values ('a-tag-of-hidden-posts');
        insert into app_public.post_tags (post_id, tag_id, position) select v_post_id, id, 1 from app_public.tags where name = 'a-tag-of-hidden-posts';
        insert into app_private.post_reads (post_id, day, reads) values (v_post_id, (v_time at time zone 'UTC')::date, 3);
      end if;
    end loop;
    v_differing := concat_ws(' ', v_differing, (
      select string_agg(key, ' ') from jsonb_each(v_sums[1]) as first join jsonb_each(v_sums[2]) as second using (key) where first.value <> second.value));
    delete from app_public.users where id in (v_author_id, v_other_id);
    delete from app_public.tags where name = 'a-tag-of-hidden-posts';
  end loop;
  raise exception using errcode = 'TRIAL', detail = v_differing;
exception when sqlstate 'TRIAL' then
  get stacked diagnostics v_differing = pg_exception_detail;
  return query select distinct view from regexp_split_to_table(v_differing, ' ') as view where view <> '';
when others then
  return next format('app_private.views_of_hidden_posts(), which cannot try it: %s', sqlerrm);
end $$;
comment on function app_private.views_of_hidden_posts() is $$The analysts’ views whose numbers change when a post that the public cannot see gets comments, replies, tags or reads. Tries it, and undoes it. For migrations/rules.$$;
--! EndIncluded functions/analytics/views_of_hidden_posts.sql
-- They are empty until the service refreshes them, within a minute. Until then, views count everything at each query.
do $$
declare
  v_rollup regclass;
begin
  for v_rollup in select oid from pg_catalog.pg_class where relnamespace = 'rollups'::regnamespace and relkind = 'm' loop
    execute 'refresh materialized view ' || v_rollup;
  end loop;
end $$;

drop function if exists app_private.admit_analyst(name, interval);
--! Included functions/analytics/admit_analyst.sql
-- Members do not inherit a role's settings, so each login gets its own, for this database. A session can change them: the
-- missing grants, not these settings, are what prevents writes. A session cannot change the connection limit and
-- temp_file_limit.
create or replace function app_private.admit_analyst(login name, statement_timeout interval default null, connections int default null) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_told jsonb := '{}';
  v_defaults jsonb := '{
    "default_transaction_read_only": "on", "statement_timeout": "60000", "lock_timeout": "5s", "idle_in_transaction_session_timeout": "5min",
    "search_path": "analytics", "timezone": "UTC"}';
  v_name text;
  v_value text;
  v_others text;
begin
  if extract(epoch from admit_analyst.statement_timeout) <= 0 then
    raise exception using errcode = '22023', message = 'The statement time-out must be above zero';
  end if;
  if admit_analyst.connections <= 0 then
    raise exception using errcode = '22023', message = 'The limit of connections must be above zero';
  end if;
  -- Only a superuser may set it. Without it, one large sort could fill the disk.
  if (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
    v_defaults := v_defaults || '{"temp_file_limit": "1GB"}';
  end if;
  if admit_analyst.statement_timeout is not null then
    v_told := jsonb_build_object('statement_timeout', (extract(epoch from admit_analyst.statement_timeout) * 1000)::bigint);
  end if;
  -- PostgreSQL 17 has it. A transaction that stays open blocks migrations of what it has read.
  if current_setting('transaction_timeout', true) is not null then
    v_defaults := v_defaults || '{"transaction_timeout": "900000"}';
    if admit_analyst.statement_timeout is not null then
      v_told := v_told || jsonb_build_object('transaction_timeout', greatest(900, extract(epoch from admit_analyst.statement_timeout))::bigint * 1000);
    end if;
  end if;
  -- What the DBA has set stays, unless the call names it.
  v_defaults := v_defaults - array(
    select lower(split_part(setting, '=', 1))
      from pg_catalog.pg_db_role_setting cross join unnest(setconfig) as setting
     where setrole = (select oid from pg_catalog.pg_roles where rolname = login)
       and setdatabase = (select oid from pg_catalog.pg_database where datname = current_database()));
  perform app_private.revoke_default_rights();
  execute format('grant :ANALYST to %I', login);
  if admit_analyst.connections is not null or (select rolconnlimit from pg_catalog.pg_roles where rolname = login) = -1 then
    execute format('alter role %I connection limit %s', login, coalesce(admit_analyst.connections, 5));
  end if;
  execute format('grant connect on database %I to %I', current_database(), login);
  for v_name, v_value in select * from jsonb_each_text(v_defaults || v_told) loop
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
comment on function app_private.admit_analyst(name, interval, int) is $$Gives a person’s login read access to schema analytics in this database. Grants the role and the right to connect, limits the login to five connections, and sets read-only transactions, a statement time-out of a minute, search_path analytics and UTC. Run it again to change the time-out or the number of connections: what the call does not name stays. For DBAs.$$;
--! EndIncluded functions/analytics/admit_analyst.sql
drop function if exists app_private.open_scratch(name);
--! Included functions/analytics/open_scratch.sql
-- A schema of an analyst's own, where dbt, for example, builds its tables. All else stays as it is: the analyst can write nothing but
-- this and temporary tables, and keeps the limits of admit_analyst(). PostgreSQL has no limit for the size of a schema, so a DBA opens one on
-- demand. The comment tells whose schema it is: scratch_jane_new may be a second one of jane, or the one of jane_new.
create or replace function app_private.scratch_comment(login name) returns text
language sql immutable
return format('Tables of the analyst %s. The service does not use them.', login);
comment on function app_private.scratch_comment(name) is $$The comment of an analyst’s schemas.$$;

create or replace function app_private.open_scratch(login name, suffix text default null) returns name
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_schema name := concat_ws('_', 'scratch', login, suffix);
begin
  if not pg_has_role(login, ':ANALYST', 'member') then
    raise exception using errcode = '42501', message = format('%s is no analyst', login), hint = format('select app_private.admit_analyst(%L)', login);
  end if;
  if exists (select from pg_catalog.pg_namespace
              where nspname = v_schema and obj_description(oid, 'pg_namespace') is distinct from app_private.scratch_comment(login)) then
    raise exception using errcode = '42P06', message = format('The schema %s is not one of %s', v_schema, login);
  end if;
  execute format('create schema if not exists %I', v_schema);
  execute format('grant usage, create on schema %I to %I', v_schema, login);
  -- Another analyst sees what the owner of a table grants.
  execute format('grant usage on schema %I to :ANALYST', v_schema);
  execute format('comment on schema %I is %L', v_schema, app_private.scratch_comment(login));
  -- dbt begins incremental models, snapshots and unit tests with a temporary table.
  execute format('grant temporary on database %I to %I', current_database(), login);
  execute format('alter role %I in database %I set default_transaction_read_only = off', login, current_database());
  return v_schema;
end $$;
comment on function app_private.open_scratch(name, text) is $$Creates a schema in which an analyst may write, scratch_<login>, or with a suffix scratch_<login>_<suffix>, and returns its name. The analyst may create temporary tables, too. For DBAs, after admit_analyst().$$;

create or replace function app_private.close_scratch(login name) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_schema name;
begin
  for v_schema in
    select nspname from pg_catalog.pg_namespace
     where nspname like 'scratch\_%' and obj_description(oid, 'pg_namespace') = app_private.scratch_comment(login)
  loop
    execute format('drop schema %I cascade', v_schema);
  end loop;
  execute format('revoke temporary on database %I from %I', current_database(), login);
  execute format('alter role %I in database %I set default_transaction_read_only = on', login, current_database());
end $$;
comment on function app_private.close_scratch(name) is $$Drops an analyst’s schemas with all that is in them. For DBAs, before the login is dropped.$$;
--! EndIncluded functions/analytics/open_scratch.sql
