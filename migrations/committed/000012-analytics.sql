--! Previous: sha1:57cd76cb2fef24e1349f9db8e4cca12ac1051e9f
--! Hash: sha1:2231fe9df6a63ab9799978a98ffb993fd9fe2d0b
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

-- Kept facts: what the views count, computed once for each day, month and post. A day is kept when it is over
-- and no transaction that may have written to it is under way. A change of an older row marks its day as stale. Views compute
-- today, and what is stale, from the tables themselves, so a view is always exact and the refresh only makes it fast.
create table app_private.facts_state (
  is_only      boolean primary key default true,
  kept_through date,
  horizon_day  date,
  horizon      xid8,
  refreshed_at timestamptz,
  constraint facts_state_is_only_check check (is_only)
);
comment on table app_private.facts_state is $$How far the analysts’ facts are kept. One row, which the instance that refreshes them locks.$$;
comment on column app_private.facts_state.is_only is $$Allows one row only.$$;
comment on column app_private.facts_state.kept_through is $$The last kept day, UTC; null before the first refresh.$$;
comment on column app_private.facts_state.horizon_day is $$The newest day that may be kept once the transactions older than horizon have ended.$$;
comment on column app_private.facts_state.horizon is $$A transaction that began after horizon_day was over.$$;
comment on column app_private.facts_state.refreshed_at is $$When the last refresh ran.$$;
comment on constraint facts_state_is_only_check on app_private.facts_state is $$There is one row only.$$;

alter table app_private.facts_state enable row level security;
insert into app_private.facts_state default values;

-- Writers append to the two tables of stale facts and never wait for each other there: no column but the id is unique.
create table app_private.stale_days (
  id    bigint generated always as identity primary key,
  day   date not null,
  until date not null
);
comment on table app_private.stale_days is $$Days of which a row was changed after the day, until the next refresh.$$;
comment on column app_private.stale_days.id is $$Identifies the mark.$$;
comment on column app_private.stale_days.day is $$The day of the changed row, UTC.$$;
comment on column app_private.stale_days.until is $$The last day whose facts depend on the row: 27 days later for what writers_28_days counts.$$;
create index stale_days_day_idx on app_private.stale_days (day);

alter table app_private.stale_days enable row level security;

create table app_private.stale_posts (
  id      bigint generated always as identity primary key,
  post_id bigint not null
);
comment on table app_private.stale_posts is $$Posts that changed, or whose tags or older comments did, until the next refresh.$$;
comment on column app_private.stale_posts.id is $$Identifies the mark.$$;
comment on column app_private.stale_posts.post_id is $$The post. It may be deleted.$$;
create index stale_posts_post_id_idx on app_private.stale_posts (post_id);

alter table app_private.stale_posts enable row level security;

create table app_private.stale_months (
  month date primary key
);
comment on table app_private.stale_months is $$Months whose days were refreshed, until the month is refreshed. Written by the refresh only.$$;
comment on column app_private.stale_months.month is $$The month’s first day, UTC.$$;

alter table app_private.stale_months enable row level security;

create table app_private.day_facts (
  day             date primary key,
  new_users       bigint not null,
  posts_created   bigint not null,
  posts_published bigint not null,
  authors         bigint not null,
  new_authors     bigint not null,
  comments        bigint not null,
  commenters      bigint not null,
  posts_commented bigint not null,
  new_follows     bigint not null,
  unfollows       bigint not null,
  messages        bigint not null,
  senders         bigint not null,
  active_chats    bigint not null,
  writers         bigint not null,
  post_writers    bigint not null,
  comment_writers bigint not null,
  writers_7_days  bigint not null,
  writers_28_days bigint not null
);
comment on table app_private.day_facts is $$The kept facts of a day. The views of schema analytics describe the columns.$$;
comment on column app_private.day_facts.day is $$The kept value of day.$$;
comment on column app_private.day_facts.new_users is $$The kept value of new users.$$;
comment on column app_private.day_facts.posts_created is $$The kept value of posts created.$$;
comment on column app_private.day_facts.posts_published is $$The kept value of posts published.$$;
comment on column app_private.day_facts.authors is $$The kept value of authors.$$;
comment on column app_private.day_facts.new_authors is $$The kept value of new authors.$$;
comment on column app_private.day_facts.comments is $$The kept value of comments.$$;
comment on column app_private.day_facts.commenters is $$The kept value of commenters.$$;
comment on column app_private.day_facts.posts_commented is $$The kept value of posts commented.$$;
comment on column app_private.day_facts.new_follows is $$The kept value of new follows.$$;
comment on column app_private.day_facts.unfollows is $$The kept value of unfollows.$$;
comment on column app_private.day_facts.messages is $$The kept value of messages.$$;
comment on column app_private.day_facts.senders is $$The kept value of senders.$$;
comment on column app_private.day_facts.active_chats is $$The kept value of active chats.$$;
comment on column app_private.day_facts.writers is $$The kept value of writers.$$;
comment on column app_private.day_facts.post_writers is $$The kept value of post writers.$$;
comment on column app_private.day_facts.comment_writers is $$The kept value of comment writers.$$;
comment on column app_private.day_facts.writers_7_days is $$The kept value of writers 7 days.$$;
comment on column app_private.day_facts.writers_28_days is $$The kept value of writers 28 days.$$;

alter table app_private.day_facts enable row level security;

create table app_private.month_facts (
  month               date primary key,
  posts_created       bigint not null,
  posts_published     bigint not null,
  median_hours        numeric,
  slowest_tenth_hours numeric,
  authors             bigint not null,
  new_authors         bigint not null,
  comments            bigint not null,
  commenters          bigint not null,
  posts_commented     bigint not null,
  messages            bigint not null,
  senders             bigint not null,
  active_chats        bigint not null,
  writers             bigint not null,
  post_writers        bigint not null,
  comment_writers     bigint not null,
  returning_writers   bigint not null,
  new_users           bigint not null,
  new_follows         bigint not null,
  unfollows           bigint not null
);
comment on table app_private.month_facts is $$The kept facts of a month. The views of schema analytics describe the columns.$$;
comment on column app_private.month_facts.month is $$The kept value of month.$$;
comment on column app_private.month_facts.posts_created is $$The kept value of posts created.$$;
comment on column app_private.month_facts.posts_published is $$The kept value of posts published.$$;
comment on column app_private.month_facts.median_hours is $$The kept value of median hours.$$;
comment on column app_private.month_facts.slowest_tenth_hours is $$The kept value of slowest tenth hours.$$;
comment on column app_private.month_facts.authors is $$The kept value of authors.$$;
comment on column app_private.month_facts.new_authors is $$The kept value of new authors.$$;
comment on column app_private.month_facts.comments is $$The kept value of comments.$$;
comment on column app_private.month_facts.commenters is $$The kept value of commenters.$$;
comment on column app_private.month_facts.posts_commented is $$The kept value of posts commented.$$;
comment on column app_private.month_facts.messages is $$The kept value of messages.$$;
comment on column app_private.month_facts.senders is $$The kept value of senders.$$;
comment on column app_private.month_facts.active_chats is $$The kept value of active chats.$$;
comment on column app_private.month_facts.writers is $$The kept value of writers.$$;
comment on column app_private.month_facts.post_writers is $$The kept value of post writers.$$;
comment on column app_private.month_facts.comment_writers is $$The kept value of comment writers.$$;
comment on column app_private.month_facts.returning_writers is $$The kept value of returning writers.$$;
comment on column app_private.month_facts.new_users is $$The kept value of new users.$$;
comment on column app_private.month_facts.new_follows is $$The kept value of new follows.$$;
comment on column app_private.month_facts.unfollows is $$The kept value of unfollows.$$;

alter table app_private.month_facts enable row level security;

create table app_private.month_cohort_facts (
  month        date not null,
  cohort       date not null,
  active_users bigint not null,
  primary key (month, cohort)
);
comment on table app_private.month_cohort_facts is $$The kept facts of a month and a month of sign-up: users who created a post or a comment.$$;
comment on column app_private.month_cohort_facts.month is $$The kept value of month.$$;
comment on column app_private.month_cohort_facts.cohort is $$The kept value of cohort.$$;
comment on column app_private.month_cohort_facts.active_users is $$The kept value of active users.$$;

alter table app_private.month_cohort_facts enable row level security;

create table app_private.day_tag_facts (
  day             date not null,
  tag_id          bigint not null,
  posts_published bigint not null,
  comments        bigint not null,
  primary key (day, tag_id)
);
comment on table app_private.day_tag_facts is $$The kept facts of a day and a tag of published posts: posts first published on that day, and comments written on that day.$$;
comment on column app_private.day_tag_facts.day is $$The kept value of day.$$;
comment on column app_private.day_tag_facts.tag_id is $$The kept value of tag id.$$;
comment on column app_private.day_tag_facts.posts_published is $$The kept value of posts published.$$;
comment on column app_private.day_tag_facts.comments is $$The kept value of comments.$$;
-- Carries the first day of a tag.
create index day_tag_facts_tag_id_day_idx on app_private.day_tag_facts (tag_id, day) where posts_published > 0;

alter table app_private.day_tag_facts enable row level security;

create table app_private.day_change_facts (
  day        date not null,
  table_name text not null,
  action     text not null,
  actor_kind text not null,
  changes    bigint not null,
  primary key (day, table_name, action, actor_kind)
);
comment on table app_private.day_change_facts is $$The kept facts of the audit trail by day.$$;
comment on column app_private.day_change_facts.day is $$The kept value of day.$$;
comment on column app_private.day_change_facts.table_name is $$The kept value of table name.$$;
comment on column app_private.day_change_facts.action is $$The kept value of action.$$;
comment on column app_private.day_change_facts.actor_kind is $$The kept value of actor kind.$$;
comment on column app_private.day_change_facts.changes is $$The kept value of changes.$$;

alter table app_private.day_change_facts enable row level security;

create table app_private.post_facts (
  post_id             bigint primary key,
  comments            bigint not null,
  comments_first_week bigint not null,
  comments_by_author  bigint not null,
  commenters          bigint not null,
  first_reply_at      timestamptz,
  last_comment_at     timestamptz,
  author_id           bigint,
  title               text,
  slug                text,
  first_published_at  timestamptz,
  tag_ids             bigint[]
);
comment on table app_private.post_facts is $$The kept facts of a published post and the comments on it. With them, totals of posts, tags and authors read one narrow table.$$;
comment on column app_private.post_facts.post_id is $$The kept value of post id.$$;
comment on column app_private.post_facts.comments is $$The kept value of comments.$$;
comment on column app_private.post_facts.comments_first_week is $$The kept value of comments first week.$$;
comment on column app_private.post_facts.comments_by_author is $$The kept value of comments by author.$$;
comment on column app_private.post_facts.commenters is $$The kept value of commenters.$$;
comment on column app_private.post_facts.first_reply_at is $$The kept value of first reply at.$$;
comment on column app_private.post_facts.last_comment_at is $$The kept value of last comment at.$$;
comment on column app_private.post_facts.author_id is $$The kept value of author id.$$;
comment on column app_private.post_facts.title is $$The kept value of title.$$;
comment on column app_private.post_facts.slug is $$The kept value of slug.$$;
comment on column app_private.post_facts.first_published_at is $$The kept value of first published at.$$;
comment on column app_private.post_facts.tag_ids is $$The kept value of tag ids.$$;

alter table app_private.post_facts enable row level security;

--! Included functions/analytics/published_posts.sql
-- Analysts' views that name posts or tags read these two functions, not the tables. PostgreSQL may evaluate a leakproof
-- comparison (`=`, `<`) before the conditions of the view, even of a security_barrier view, and EXPLAIN counts the rows that
-- each step removes. So `where slug = '…'` would tell an analyst whether a draft has that slug. Security definer: such a
-- function is never inlined, so conditions, statistics and EXPLAIN see only its result.
create or replace function app_hidden.published_posts()
returns table (id bigint, author_id bigint, title text, slug text, created_at timestamptz, first_published_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select id, author_id, title, slug, created_at, first_published_at from app_public.posts where status = 'PUBLISHED'
$$;
comment on function app_hidden.published_posts() is $$The published posts, for the views of schema analytics. Drafts leave no trace in a query plan.$$;
grant execute on function app_hidden.published_posts() to :ANALYST;

create or replace function app_hidden.published_post_tags()
returns table (post_id bigint, author_id bigint, tag text, first_published_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select posts.id, posts.author_id, tags.name, posts.first_published_at
    from app_public.posts
    join app_public.post_tags on post_tags.post_id = posts.id
    join app_public.tags on tags.id = post_tags.tag_id
   where posts.status = 'PUBLISHED'
$$;
comment on function app_hidden.published_post_tags() is $$The tags of published posts, for the views of schema analytics. Tags that only drafts have leave no trace in a query plan.$$;
grant execute on function app_hidden.published_post_tags() to :ANALYST;
--! EndIncluded functions/analytics/published_posts.sql
--! Included functions/analytics/live_facts.sql
-- The facts as the tables have them now. What is kept was computed by these functions too.
create or replace function app_hidden.live_day_facts(day date, with_writers boolean default true) returns setof app_private.day_facts
language sql stable rows 1 set search_path = pg_catalog, pg_temp as $$
  select live_day_facts.day, joined.*, created.*, published.*, said.*, began.*, ended.*, chatted.*, wrote.*
    from (select count(*) from app_public.users where (created_at at time zone 'UTC')::date = live_day_facts.day) as joined,
         (select count(*) from app_public.posts where (created_at at time zone 'UTC')::date = live_day_facts.day) as created,
         (select count(*), count(distinct author_id),
                 count(distinct author_id) filter (where not exists (
                   select from app_public.posts as earlier
                    where earlier.author_id = posts.author_id and earlier.status = 'PUBLISHED'
                      and (earlier.first_published_at at time zone 'UTC')::date < live_day_facts.day))
            from app_public.posts
           where status = 'PUBLISHED' and (first_published_at at time zone 'UTC')::date = live_day_facts.day) as published,
         (select count(*), count(distinct author_id), count(distinct post_id)
            from app_public.comments where (created_at at time zone 'UTC')::date = live_day_facts.day) as said,
         (select count(*) from app_public.follows where (created_at at time zone 'UTC')::date = live_day_facts.day) as began,
         (select count(*) from app_private.unfollows where unfollows.day = live_day_facts.day) as ended,
         (select count(*), count(distinct sender_id), count(distinct chat_id)
            from app_public.messages where (created_at at time zone 'UTC')::date = live_day_facts.day) as chatted,
         (select count(*) filter (where wrote_posts or wrote_comments), count(*) filter (where wrote_posts),
                 count(*) filter (where wrote_comments), count(*) filter (where wrote_of_late), count(*)
            from (select bool_or(texts.day = live_day_facts.day and is_post) as wrote_posts,
                         bool_or(texts.day = live_day_facts.day and not is_post) as wrote_comments,
                         bool_or(texts.day > live_day_facts.day - 7) as wrote_of_late
            from (select author_id, (created_at at time zone 'UTC')::date as day, true as is_post
                    from app_public.posts
                   where with_writers and (created_at at time zone 'UTC')::date between live_day_facts.day - 27 and live_day_facts.day
                   union all
                  select author_id, (created_at at time zone 'UTC')::date, false
                    from app_public.comments
                   where with_writers and (created_at at time zone 'UTC')::date between live_day_facts.day - 27 and live_day_facts.day) as texts
           group by author_id) as people) as wrote
$$;
comment on function app_hidden.live_day_facts(date, boolean) is $$The facts of a day, computed from the tables. Those of writers look back over 28 days; without with_writers they are 0.$$;

create or replace function app_hidden.live_month_facts(month date) returns setof app_private.month_facts
language sql stable rows 1 set search_path = pg_catalog, pg_temp as $$
  with bounds as (
    select live_month_facts.month as first, (live_month_facts.month + interval '1 month')::date as next,
           (live_month_facts.month - interval '1 month')::date as previous
  )
  select live_month_facts.month, created.*, published.posts, published.median_hours, published.slowest_tenth_hours,
         published.authors, published.new_authors, said.*, chatted.*, wrote.*, joined.*, began.*, ended.*
    from bounds,
         lateral (select count(*) from app_public.posts
                   where (created_at at time zone 'UTC')::date >= first and (created_at at time zone 'UTC')::date < next) as created,
         lateral (
           select count(*) as posts,
                  round((percentile_cont(0.5) within group (order by extract(epoch from first_published_at - created_at)::float8 / 3600))::numeric, 1) as median_hours,
                  round((percentile_cont(0.9) within group (order by extract(epoch from first_published_at - created_at)::float8 / 3600))::numeric, 1) as slowest_tenth_hours,
                  count(distinct author_id) as authors,
                  count(distinct author_id) filter (where not exists (
                    select from app_public.posts as earlier
                     where earlier.author_id = posts.author_id and earlier.status = 'PUBLISHED'
                       and (earlier.first_published_at at time zone 'UTC')::date < first)) as new_authors
             from app_public.posts
            where status = 'PUBLISHED'
              and (first_published_at at time zone 'UTC')::date >= first and (first_published_at at time zone 'UTC')::date < next) as published,
         lateral (select count(*), count(distinct author_id), count(distinct post_id)
                    from app_public.comments
                   where (created_at at time zone 'UTC')::date >= first and (created_at at time zone 'UTC')::date < next) as said,
         lateral (select count(*), count(distinct sender_id), count(distinct chat_id)
                    from app_public.messages
                   where (created_at at time zone 'UTC')::date >= first and (created_at at time zone 'UTC')::date < next) as chatted,
         lateral (
           select count(*) filter (where posts_now or comments_now), count(*) filter (where posts_now),
                  count(*) filter (where comments_now), count(*) filter (where (posts_now or comments_now) and wrote_before)
             from (select bool_or(is_post and day >= first) as posts_now, bool_or(not is_post and day >= first) as comments_now,
                          bool_or(day < first) as wrote_before
                     from (select author_id, (created_at at time zone 'UTC')::date as day, true as is_post
                             from app_public.posts
                            where (created_at at time zone 'UTC')::date >= previous and (created_at at time zone 'UTC')::date < next
                            union all
                           select author_id, (created_at at time zone 'UTC')::date, false
                             from app_public.comments
                            where (created_at at time zone 'UTC')::date >= previous and (created_at at time zone 'UTC')::date < next) as texts
                    group by author_id) as people) as wrote,
         lateral (select count(*) from app_public.users
                   where (created_at at time zone 'UTC')::date >= first and (created_at at time zone 'UTC')::date < next) as joined,
         lateral (select count(*) from app_public.follows
                   where (created_at at time zone 'UTC')::date >= first and (created_at at time zone 'UTC')::date < next) as began,
         lateral (select count(*) from app_private.unfollows where day >= first and day < next) as ended
$$;
comment on function app_hidden.live_month_facts(date) is $$The facts of a month, computed from the tables.$$;

create or replace function app_hidden.live_month_cohort_facts(month date) returns setof app_private.month_cohort_facts
language sql stable rows 100 set search_path = pg_catalog, pg_temp as $$
  select live_month_cohort_facts.month, date_trunc('month', users.created_at at time zone 'UTC')::date, count(*)
    from (select author_id from app_public.posts
           where (created_at at time zone 'UTC')::date >= live_month_cohort_facts.month
             and (created_at at time zone 'UTC')::date < live_month_cohort_facts.month + interval '1 month'
           union
          select author_id from app_public.comments
           where (created_at at time zone 'UTC')::date >= live_month_cohort_facts.month
             and (created_at at time zone 'UTC')::date < live_month_cohort_facts.month + interval '1 month') as writers
    join app_public.users on users.id = writers.author_id
   group by 2
$$;
comment on function app_hidden.live_month_cohort_facts(date) is $$The facts of a month and each month of sign-up, computed from the tables.$$;

create or replace function app_hidden.live_day_tag_facts(day date) returns setof app_private.day_tag_facts
language sql stable rows 100 set search_path = pg_catalog, pg_temp as $$
  select live_day_tag_facts.day, tag_id, count(*) filter (where is_post), count(*) filter (where not is_post)
    from (select tag_id, true as is_post
            from app_public.posts
            join app_public.post_tags on post_tags.post_id = posts.id
           where status = 'PUBLISHED' and (first_published_at at time zone 'UTC')::date = live_day_tag_facts.day
           union all
          select tag_id, false
            from app_public.comments
            join app_public.posts on posts.id = comments.post_id
            join app_public.post_tags on post_tags.post_id = posts.id
           where status = 'PUBLISHED' and (comments.created_at at time zone 'UTC')::date = live_day_tag_facts.day) as uses
   group by tag_id
$$;
comment on function app_hidden.live_day_tag_facts(date) is $$The facts of a day and each tag, computed from the tables.$$;

create or replace function app_hidden.live_day_change_facts(day date) returns setof app_private.day_change_facts
language sql stable rows 10 set search_path = pg_catalog, pg_temp as $$
  select live_day_change_facts.day, table_name, action::text,
         case when actor_id is not null then 'USER' when actor_login = ':API_LOGIN' then 'ANONYMOUS' else 'DATABASE' end,
         count(*)
    from app_public.audit_trail
   where changed_at >= live_day_change_facts.day::timestamp at time zone 'UTC'
     and changed_at < (live_day_change_facts.day + 1)::timestamp at time zone 'UTC'
   group by 2, 3, 4
$$;
comment on function app_hidden.live_day_change_facts(date) is $$The facts of the audit trail on a day, computed from it.$$;

create or replace function app_hidden.live_post_facts(ids bigint[]) returns setof app_private.post_facts
language sql stable rows 1000 set search_path = pg_catalog, pg_temp as $$
  select posts.id, said.*, author_id, title, slug, first_published_at,
         array(select tag_id from app_public.post_tags where post_id = posts.id order by tag_id)
    from app_public.posts
   cross join lateral (
         select count(*),
                count(*) filter (where comments.created_at >= first_published_at and comments.created_at < first_published_at + interval '7 days'),
                count(*) filter (where comments.author_id = posts.author_id),
                count(distinct comments.author_id) filter (where comments.author_id <> posts.author_id),
                min(comments.created_at) filter (where comments.created_at >= first_published_at),
                max(comments.created_at)
           from app_public.comments
          where post_id = posts.id) as said
   -- Triggers give each post the time of its first publication. An import without triggers may not: such a post counts nowhere.
   where posts.id = any (ids) and status = 'PUBLISHED' and first_published_at is not null
$$;
comment on function app_hidden.live_post_facts(bigint[]) is $$The facts of those of these posts that are published, computed from the tables.$$;
--! EndIncluded functions/analytics/live_facts.sql
--! Included functions/analytics/facts.sql
-- The analysts' views read these functions. Security definer: analysts may read the views only, and a plan shows nothing of
-- what a function reads (published_posts.sql).
create or replace function app_hidden.is_day_kept(day date) returns boolean
language sql stable as $$
  select is_day_kept.day <= (select kept_through from app_private.facts_state)
     and not exists (
       select from app_private.stale_days
        where stale_days.day between is_day_kept.day - 27 and is_day_kept.day and until >= is_day_kept.day)
$$;
comment on function app_hidden.is_day_kept(date) is $$Whether the kept facts of a day are exact.$$;

create or replace function app_hidden.is_month_kept(month date) returns boolean
language sql stable as $$
  select is_month_kept.month + interval '1 month' <= (select kept_through + 1 from app_private.facts_state)
     and not exists (select from app_private.stale_months where stale_months.month = is_month_kept.month)
     -- The month before counts for returning_writers.
     and not exists (
       select from app_private.stale_days
        where day >= is_month_kept.month - interval '1 month' and day < is_month_kept.month + interval '1 month')
$$;
comment on function app_hidden.is_month_kept(date) is $$Whether the kept facts of a month are exact.$$;

-- Kept facts, or else the live ones. A kept day without rows has no live ones either.
create or replace function app_hidden.facts_of_day(day date, with_writers boolean default false) returns setof app_private.day_facts
language plpgsql stable security definer rows 1 set search_path = pg_catalog, pg_temp as $$
begin
  return query select * from app_private.day_facts as kept where kept.day = facts_of_day.day and app_hidden.is_day_kept(facts_of_day.day);
  if not found then
    return query select * from app_hidden.live_day_facts(facts_of_day.day, with_writers);
  end if;
end $$;
comment on function app_hidden.facts_of_day(date, boolean) is $$The facts of a day: the kept ones if they are exact, otherwise computed from the tables, those of writers only on demand.$$;
grant execute on function app_hidden.facts_of_day(date, boolean) to :ANALYST;

create or replace function app_hidden.facts_of_month(month date) returns setof app_private.month_facts
language plpgsql stable security definer rows 1 set search_path = pg_catalog, pg_temp as $$
begin
  return query select * from app_private.month_facts as kept where kept.month = facts_of_month.month and app_hidden.is_month_kept(facts_of_month.month);
  if not found then
    return query select * from app_hidden.live_month_facts(facts_of_month.month);
  end if;
end $$;
comment on function app_hidden.facts_of_month(date) is $$The facts of a month: the kept ones if they are exact, otherwise computed from the tables.$$;
grant execute on function app_hidden.facts_of_month(date) to :ANALYST;

create or replace function app_hidden.cohorts_of_month(month date) returns setof app_private.month_cohort_facts
language plpgsql stable security definer rows 100 set search_path = pg_catalog, pg_temp as $$
begin
  return query select * from app_private.month_cohort_facts as kept where kept.month = cohorts_of_month.month and app_hidden.is_month_kept(cohorts_of_month.month);
  if not found then
    return query select * from app_hidden.live_month_cohort_facts(cohorts_of_month.month);
  end if;
end $$;
comment on function app_hidden.cohorts_of_month(date) is $$How many users of each month of sign-up wrote in a month.$$;
grant execute on function app_hidden.cohorts_of_month(date) to :ANALYST;

create or replace function app_hidden.tags_of_day(day date)
returns table (tag text, posts_published bigint, comments bigint)
language plpgsql stable security definer rows 100 set search_path = pg_catalog, pg_temp as $$
begin
  return query
    select tags.name, kept.posts_published, kept.comments
      from app_private.day_tag_facts as kept join app_public.tags on tags.id = kept.tag_id
     where kept.day = tags_of_day.day and app_hidden.is_day_kept(tags_of_day.day);
  if not found then
    return query
      select tags.name, live.posts_published, live.comments
        from app_hidden.live_day_tag_facts(tags_of_day.day) as live join app_public.tags on tags.id = live.tag_id;
  end if;
end $$;
comment on function app_hidden.tags_of_day(date) is $$The tags of published posts that were used or discussed on a day.$$;
grant execute on function app_hidden.tags_of_day(date) to :ANALYST;

create or replace function app_hidden.published_tags() returns table (tag text, first_day date)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select tags.name, least(kept.first_day, live.first_day)
    from app_public.tags
    -- Not min(day): with another condition, it reads all days of the tag.
    left join lateral (
         select day as first_day from app_private.day_tag_facts as facts
          where tag_id = tags.id and posts_published > 0
            and not exists (select from app_private.stale_days where facts.day between stale_days.day and until)
          order by day limit 1) as kept on true
    left join (
         select tag_id, min((first_published_at at time zone 'UTC')::date) as first_day
           from app_public.posts
           join app_public.post_tags on post_tags.post_id = posts.id
          where status = 'PUBLISHED'
            and ((first_published_at at time zone 'UTC')::date > coalesce((select kept_through from app_private.facts_state), '-infinity')
              or (first_published_at at time zone 'UTC')::date = any (array(
                   select generate_series(day::timestamp, until::timestamp, interval '1 day')::date from app_private.stale_days)))
          group by tag_id) as live on live.tag_id = tags.id
   where least(kept.first_day, live.first_day) is not null
$$;
comment on function app_hidden.published_tags() is $$The tags of published posts, and the day of each tag’s first one.$$;
grant execute on function app_hidden.published_tags() to :ANALYST;

create or replace function app_hidden.changes_of_day(day date) returns setof app_private.day_change_facts
language plpgsql stable security definer rows 10 set search_path = pg_catalog, pg_temp as $$
begin
  -- A day later than the others: the audit trail's time is the start of the statement, which may last past midnight.
  return query
    select * from app_private.day_change_facts as kept
     where kept.day = changes_of_day.day and app_hidden.is_day_kept(changes_of_day.day)
       and kept.day < (select kept_through from app_private.facts_state);
  if not found then
    return query select * from app_hidden.live_day_change_facts(changes_of_day.day);
  end if;
end $$;
comment on function app_hidden.changes_of_day(date) is $$The facts of the audit trail on a day.$$;
grant execute on function app_hidden.changes_of_day(date) to :ANALYST;

create or replace function app_hidden.audited_days() returns setof date
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select generate_series(
    (select min(changed_at) at time zone 'UTC' from app_public.audit_trail)::date::timestamp,
    (select max(changed_at) at time zone 'UTC' from app_public.audit_trail)::date::timestamp, interval '1 day')::date
$$;
comment on function app_hidden.audited_days() is $$The days that the audit trail covers.$$;
grant execute on function app_hidden.audited_days() to :ANALYST;

-- A post that was published or commented on after the kept days counts as stale, so that neither has anything to mark.
create or replace function app_hidden.stale_post_ids() returns bigint[]
language sql stable set search_path = pg_catalog, pg_temp as $$
  with kept as (select coalesce(kept_through, '-infinity') as through from app_private.facts_state)
  select array(
    select post_id from app_private.stale_posts
     union
    select id from app_public.posts where (first_published_at at time zone 'UTC')::date > (select through from kept)
     union
    select post_id from app_public.comments where (created_at at time zone 'UTC')::date > (select through from kept))
$$;
comment on function app_hidden.stale_post_ids() is $$The posts whose kept facts may be wrong.$$;

-- Only the functions below read it.
create or replace view app_hidden.published_post_facts as
select * from app_private.post_facts as kept
 where not exists (select from unnest((select app_hidden.stale_post_ids())) as stale (id) where stale.id = kept.post_id)
 union all
select * from app_hidden.live_post_facts((select app_hidden.stale_post_ids()));
comment on view app_hidden.published_post_facts is $$The published posts with their facts.$$;

create or replace function app_hidden.posts_with_facts() returns setof app_private.post_facts
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select * from app_hidden.published_post_facts
$$;
comment on function app_hidden.posts_with_facts() is $$The published posts with their facts.$$;
grant execute on function app_hidden.posts_with_facts() to :ANALYST;

create or replace function app_hidden.facts_of_authors()
returns table (
  author_id bigint, posts_published bigint, comments_received bigint, first_published_at timestamptz, last_published_at timestamptz
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select author_id, count(*), sum(comments - comments_by_author)::bigint, min(first_published_at), max(first_published_at)
    from app_hidden.published_post_facts
   group by author_id
$$;
comment on function app_hidden.facts_of_authors() is $$The users with a published post, and the totals of their posts.$$;
grant execute on function app_hidden.facts_of_authors() to :ANALYST;

create or replace function app_hidden.facts_of_tags()
returns table (
  tag text, posts_published bigint, authors bigint, comments bigint, first_published_on date, last_published_on date
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select tags.name, sum(by_author.posts)::bigint, count(*), sum(by_author.comments)::bigint,
         (min(by_author.first) at time zone 'UTC')::date, (max(by_author.last) at time zone 'UTC')::date
    -- By author first: count(distinct author_id) would sort.
    from (select tag_id, author_id, count(*) as posts, sum(comments) as comments,
                 min(first_published_at) as first, max(first_published_at) as last
            from (select unnest(tag_ids) as tag_id, author_id, comments, first_published_at from app_hidden.published_post_facts) as used
           group by tag_id, author_id) as by_author
    join app_public.tags on tags.id = tag_id
   group by tags.name
$$;
comment on function app_hidden.facts_of_tags() is $$The tags of published posts with their totals.$$;
grant execute on function app_hidden.facts_of_tags() to :ANALYST;

create or replace function app_hidden.first_posts() returns table (author_id bigint, joined_at timestamptz, first_published_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select users.id, users.created_at, first.published_at
    from (select author_id, min(first_published_at) as published_at from app_public.posts where status = 'PUBLISHED' group by author_id) as first
    join app_public.users on users.id = first.author_id
$$;
comment on function app_hidden.first_posts() is $$The users with a published post, when they signed up, and when they first published.$$;
grant execute on function app_hidden.first_posts() to :ANALYST;

create or replace function app_hidden.facts_freshness()
returns table (kept_through date, stale_days bigint, stale_posts bigint, minutes_since_refresh numeric)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select kept_through, (select count(distinct day) from app_private.stale_days where day <= kept_through),
         (select count(distinct post_id) from app_private.stale_posts),
         round(extract(epoch from now() - refreshed_at)::numeric / 60, 1)
    from app_private.facts_state
$$;
comment on function app_hidden.facts_freshness() is $$How far facts are kept, and what waits for the next refresh.$$;
grant execute on function app_hidden.facts_freshness() to :ANALYST;
--! EndIncluded functions/analytics/facts.sql
--! Included functions/analytics/mark_stale_facts.sql
-- The functions of the triggers that mark stale facts (committed/000011). Security definer: members may not write the marks. A change of a row of
-- today marks no day, because today is never kept. An update counts only if it changes a column that facts depend on.
create or replace function app_hidden.mark_stale_days(days date[], reach int default 0) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
  insert into app_private.stale_days (day, until)
  select distinct day, day + reach from unnest(days) as day where day < (clock_timestamp() at time zone 'UTC')::date
$$;
comment on function app_hidden.mark_stale_days(date[], int) is $$Marks the facts of these days, and of so many days after each, as stale. Days that are not over are left out.$$;

create or replace function app_hidden.mark_stale_posts(ids bigint[]) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
  insert into app_private.stale_posts (post_id) select distinct id from unnest(ids) as id
$$;
comment on function app_hidden.mark_stale_posts(bigint[]) is $$Marks the facts of these posts as stale.$$;

-- The author's next post after the day may become the first one, or no longer be it.
create or replace function app_hidden.mark_stale_publications(author_ids bigint[], days date[]) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
  select app_hidden.mark_stale_days(days || array(
    select (select min((first_published_at at time zone 'UTC')::date) from app_public.posts
             where posts.author_id = gone.author_id and status = 'PUBLISHED'
               and (first_published_at at time zone 'UTC')::date > gone.day)
      from (select distinct author_id, day from unnest(author_ids, days) as published (author_id, day)) as gone
     where gone.day is not null))
$$;
comment on function app_hidden.mark_stale_publications(bigint[], date[]) is $$Marks the facts of the days on which these authors published, and of the days of their next publication.$$;

create or replace function app_hidden.tg_posts__mark_stale_facts() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_today date := (clock_timestamp() at time zone 'UTC')::date;
  v_created date[];
  v_authors bigint[];
  v_published date[];
  v_comments date[];
  v_ids bigint[];
begin
  if tg_op = 'INSERT' then
    -- The usual insert is of today, which is never kept.
    select array_agg(created) filter (where created < v_today), array_agg(author_id) filter (where published < v_today),
           array_agg(published) filter (where published < v_today), array_agg(id) filter (where published < v_today)
      into v_created, v_authors, v_published, v_ids
      from (select id, author_id, (created_at at time zone 'UTC')::date as created,
                   case when status = 'PUBLISHED' then (first_published_at at time zone 'UTC')::date end as published
              from new_rows) as added;
  elsif tg_op = 'DELETE' then
    select array_agg((created_at at time zone 'UTC')::date), array_agg(author_id) filter (where status = 'PUBLISHED'),
           array_agg((first_published_at at time zone 'UTC')::date) filter (where status = 'PUBLISHED'), array_agg(id)
      into v_created, v_authors, v_published, v_ids from old_rows;
  else
    with differing as (
      (select id, author_id, status, created_at, first_published_at from old_rows
        except select id, author_id, status, created_at, first_published_at from new_rows)
       union all
      (select id, author_id, status, created_at, first_published_at from new_rows
        except select id, author_id, status, created_at, first_published_at from old_rows)
    )
    select array_agg((created_at at time zone 'UTC')::date) filter (where is_moved), array_agg(author_id) filter (where status = 'PUBLISHED'),
           array_agg((first_published_at at time zone 'UTC')::date) filter (where status = 'PUBLISHED'), array_agg(id)
      into v_created, v_authors, v_published, v_ids
      from (select *, min(created_at) over same <> max(created_at) over same or min(author_id) over same <> max(author_id) over same as is_moved
              from differing window same as (partition by id)) as rows;
    -- A tag counts the comments of published posts.
    v_comments := array(select distinct (created_at at time zone 'UTC')::date from app_public.comments where post_id = any (v_ids));
    v_ids := v_ids || array(
      select id from (select id, title, slug from old_rows except select id, title, slug from new_rows) as renamed);
  end if;
  if v_created is not null then
    perform app_hidden.mark_stale_days(v_created, 27);
  end if;
  if v_published is not null then
    perform app_hidden.mark_stale_publications(v_authors, v_published);
  end if;
  if v_ids <> '{}' then
    perform app_hidden.mark_stale_days(v_comments), app_hidden.mark_stale_posts(v_ids);
  end if;
  return null;
end $$;
comment on function app_hidden.tg_posts__mark_stale_facts() is $$After posts change: marks the facts that depend on them as stale.$$;

-- Planning for the number of posts would take longer than looking them up by index.
create or replace function app_hidden.tg_post_tags__mark_stale_facts() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_ids bigint[];
begin
  if tg_op = 'INSERT' then
    v_ids := array(select distinct post_id from new_rows);
  elsif tg_op = 'DELETE' then
    v_ids := array(select distinct post_id from old_rows);
  else
    v_ids := array(
      (select post_id from (select post_id, tag_id from old_rows except select post_id, tag_id from new_rows) as removed)
       union
      (select post_id from (select post_id, tag_id from new_rows except select post_id, tag_id from old_rows) as added));
  end if;
  if v_ids = '{}' then
    return null;
  end if;
  perform app_hidden.mark_stale_days(array(
    select (first_published_at at time zone 'UTC')::date from app_public.posts where id = any (v_ids) and status = 'PUBLISHED'
     union
    select (comments.created_at at time zone 'UTC')::date
      from app_public.posts join app_public.comments on comments.post_id = posts.id
     where posts.id = any (v_ids) and status = 'PUBLISHED'));
  perform app_hidden.mark_stale_posts(array(
    select id from app_public.posts
     where id = any (v_ids) and (first_published_at at time zone 'UTC')::date < (clock_timestamp() at time zone 'UTC')::date));
  return null;
end $$;
comment on function app_hidden.tg_post_tags__mark_stale_facts() is $$After the tags of posts change: marks the facts that depend on them as stale.$$;

create or replace function app_hidden.tg_comments__mark_stale_facts() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_today date := (clock_timestamp() at time zone 'UTC')::date;
  v_days date[];
  v_ids bigint[];
begin
  if tg_op = 'INSERT' then
    -- A new comment of today makes its post stale by itself: see stale_post_ids().
    select array_agg((created_at at time zone 'UTC')::date), array_agg(post_id) into v_days, v_ids
      from new_rows where (created_at at time zone 'UTC')::date < v_today;
  elsif tg_op = 'DELETE' then
    select array_agg((created_at at time zone 'UTC')::date), array_agg(post_id) into v_days, v_ids from old_rows;
  else
    with differing as (
      (select id, post_id, author_id, created_at from old_rows except select id, post_id, author_id, created_at from new_rows)
       union all
      (select id, post_id, author_id, created_at from new_rows except select id, post_id, author_id, created_at from old_rows)
    )
    select array_agg((created_at at time zone 'UTC')::date), array_agg(post_id) into v_days, v_ids from differing;
  end if;
  if v_ids is not null then
    perform app_hidden.mark_stale_days(v_days, 27), app_hidden.mark_stale_posts(v_ids);
  end if;
  return null;
end $$;
comment on function app_hidden.tg_comments__mark_stale_facts() is $$After comments change: marks the facts that depend on them as stale.$$;

-- The trigger's arguments are the columns that facts depend on; the first is the row's time, or its day.
create or replace function app_hidden.tg__mark_stale_facts() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_today timestamptz := date_trunc('day', clock_timestamp() at time zone 'UTC') at time zone 'UTC';
  v_columns text := array_to_string(tg_argv, ', ');
  v_changed text;
begin
  -- The usual insert is of today, and ends here without a dynamic statement.
  if tg_op = 'INSERT' and tg_argv[0] = 'created_at' then
    if not exists (select from new_rows where created_at < v_today) then
      return null;
    end if;
  end if;
  v_changed := case tg_op
    when 'INSERT' then 'select * from new_rows'
    when 'DELETE' then 'select * from old_rows'
    else format('(select %1$s from old_rows except all select %1$s from new_rows) union all (select %1$s from new_rows except all select %1$s from old_rows)', v_columns)
  end;
  execute format('select app_hidden.mark_stale_days(array_agg(%s)) from (%s) as changed',
    case tg_argv[0] when 'day' then 'day' else format('(%I at time zone ''UTC'')::date', tg_argv[0]) end, v_changed);
  return null;
end $$;
comment on function app_hidden.tg__mark_stale_facts() is $$After rows change: marks the facts of their days as stale.$$;

-- An update of the time of sign-up moves a user to another cohort, in each month in which the user wrote.
create or replace function app_hidden.tg_users__mark_stale_cohorts() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_ids bigint[] := array(
    select id from (select id, created_at from old_rows except select id, created_at from new_rows) as moved);
begin
  if v_ids = '{}' then
    return null;
  end if;
  perform app_hidden.mark_stale_days(array(
    select date_trunc('month', created_at at time zone 'UTC')::date from app_public.posts where author_id = any (v_ids)
     union
    select date_trunc('month', created_at at time zone 'UTC')::date from app_public.comments where author_id = any (v_ids)));
  return null;
end $$;
comment on function app_hidden.tg_users__mark_stale_cohorts() is $$After users change: marks the months in which they wrote as stale if their time of sign-up is another one.$$;

-- Only removals that somebody chose count: a user who is deleted takes the follows along.
create or replace function app_hidden.tg_follows__record_unfollows() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into app_private.unfollows (author_id)
  select followed_id from old_rows
   where exists (select from app_public.users where id = follower_id) and exists (select from app_public.users where id = followed_id);
  return null;
end $$;
comment on function app_hidden.tg_follows__record_unfollows() is $$After follows are removed: records the day and the author, not the follower.$$;

create or replace function app_private.forget_facts() returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from app_private.day_facts;
  delete from app_private.day_tag_facts;
  delete from app_private.day_change_facts;
  delete from app_private.month_facts;
  delete from app_private.month_cohort_facts;
  delete from app_private.post_facts;
  delete from app_private.stale_days;
  delete from app_private.stale_months;
  delete from app_private.stale_posts;
  update app_private.facts_state set kept_through = null, horizon_day = null, horizon = null;
end $$;
comment on function app_private.forget_facts() is $$Forgets all kept facts of the analysts’ views; the service’s maintenance computes them again. For DBAs, and after a truncate.$$;

create or replace function app_hidden.tg__forget_facts() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app_private.forget_facts();
  return null;
end $$;
comment on function app_hidden.tg__forget_facts() is $$After a table is truncated: forgets all kept facts.$$;
--! EndIncluded functions/analytics/mark_stale_facts.sql
--! Included functions/analytics/refresh_facts.sql
create or replace function app_hidden.keep_changes(days date[]) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  delete from app_private.day_change_facts where day = any (days);
  insert into app_private.day_change_facts
  select facts.* from unnest(days) as d (day), lateral app_hidden.live_day_change_facts(d.day) as facts;
end $$;
comment on function app_hidden.keep_changes(date[]) is $$Keeps the facts of the audit trail on these days, as it has them now.$$;

create or replace function app_hidden.keep_days(days date[]) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  delete from app_private.day_facts where day = any (days);
  insert into app_private.day_facts select facts.* from unnest(days) as d (day), lateral app_hidden.live_day_facts(d.day) as facts;
  delete from app_private.day_tag_facts where day = any (days);
  insert into app_private.day_tag_facts select facts.* from unnest(days) as d (day), lateral app_hidden.live_day_tag_facts(d.day) as facts;
  perform app_hidden.keep_changes(days);
end $$;
comment on function app_hidden.keep_days(date[]) is $$Keeps the facts of these days, as the tables have them now.$$;

create or replace function app_hidden.keep_month(month date) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  delete from app_private.month_facts where month_facts.month = keep_month.month;
  insert into app_private.month_facts select * from app_hidden.live_month_facts(keep_month.month);
  delete from app_private.month_cohort_facts where month_cohort_facts.month = keep_month.month;
  insert into app_private.month_cohort_facts select * from app_hidden.live_month_cohort_facts(keep_month.month);
end $$;
comment on function app_hidden.keep_month(date) is $$Keeps the facts of this month, as the tables have them now.$$;

create or replace function app_hidden.keep_posts(ids bigint[]) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  delete from app_private.post_facts where post_id = any (ids);
  insert into app_private.post_facts select * from app_hidden.live_post_facts(ids);
end $$;
comment on function app_hidden.keep_posts(bigint[]) is $$Keeps the facts of these posts, as the tables have them now.$$;

-- Security definer: the service's login may have facts computed, and chooses none of them.
--
-- Marks are deleted before the facts are computed, each in a statement with a snapshot of its own. A change that commits in between
-- is in the facts, and its mark stays for the next refresh; no change is missed.
create or replace function app_private.refresh_facts(milliseconds int default 200, out is_complete boolean, out done jsonb)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_end timestamptz := clock_timestamp() + make_interval(secs => least(milliseconds, 2000) / 1000.0);
  v_today date := (clock_timestamp() at time zone 'UTC')::date;
  v_state app_private.facts_state;
  v_days date[];
  v_ids bigint[];
  v_month date;
  v_kept int := 0;
  v_months int := 0;
  v_posts int := 0;
begin
  -- The lock on the row lets one instance work at a time. The others have nothing to do.
  select * into v_state from app_private.facts_state for update skip locked;
  is_complete := true;
  done := '{}';
  if not found then
    return;
  end if;

  -- A transaction that wrote during a day marked nothing. So the day is kept only when all transactions that began to write before
  -- this refresh have ended.
  if v_state.horizon_day is null or (v_state.horizon_day < v_today - 1 and v_state.kept_through = v_state.horizon_day) then
    v_state.horizon_day := v_today - 1;
    v_state.horizon := pg_current_xact_id();
  end if;
  if v_state.kept_through is null then
    v_state.kept_through := least(
      (select min(day) from analytics.days), (select min((first_published_at at time zone 'UTC')::date) from app_public.posts),
      (select min(d) from app_hidden.audited_days() as d), v_today) - 1;
  end if;
  if not exists (select from pg_catalog.pg_stat_activity
                  where datname = current_database() and age(backend_xid) > age(v_state.horizon::xid))
     and not exists (select from pg_catalog.pg_prepared_xacts
                      where database = current_database() and age(transaction) > age(v_state.horizon::xid)) then
    while v_state.kept_through < v_state.horizon_day loop
      v_state.kept_through := v_state.kept_through + 1;
      delete from app_private.stale_days where day = v_state.kept_through;
      -- The audit trail's facts of the day before may have grown until now.
      perform app_hidden.keep_changes(array[v_state.kept_through - 1]), app_hidden.keep_days(array[v_state.kept_through]);
      perform app_hidden.keep_posts(array(
        select id from app_public.posts where (first_published_at at time zone 'UTC')::date = v_state.kept_through
         union
        select post_id from app_public.comments where (created_at at time zone 'UTC')::date = v_state.kept_through));
      if extract(day from v_state.kept_through + 1) = 1 then
        perform app_hidden.keep_month(date_trunc('month', v_state.kept_through::timestamp)::date);
        v_months := v_months + 1;
      end if;
      v_kept := v_kept + 1;
      exit when clock_timestamp() >= v_end;
    end loop;
    is_complete := v_state.kept_through >= v_state.horizon_day;
  end if;

  -- Each loop does one step at least, so that a slow machine gets on, too.
  loop
    -- A week at a time, because each of its days may affect 27 more.
    with week as (
      delete from app_private.stale_days
       where day <= v_state.kept_through
         and day < (select min(day) from app_private.stale_days) + 7
      returning day, until
    ), month as (
      insert into app_private.stale_months
      select distinct date_trunc('month', day + n * interval '1 month')::date from week, generate_series(0, 1) as n
      on conflict do nothing
    )
    select array_agg(distinct d::date) into v_days
      from week, generate_series(day::timestamp, least(until, v_state.kept_through)::timestamp, interval '1 day') as d;
    exit when v_days is null;
    perform app_hidden.keep_days(v_days);
    v_kept := v_kept + cardinality(v_days);
    exit when clock_timestamp() >= v_end;
  end loop;
  loop
    delete from app_private.stale_months where month = (select min(month) from app_private.stale_months) returning month into v_month;
    exit when not found;
    perform app_hidden.keep_month(v_month);
    v_months := v_months + 1;
    exit when clock_timestamp() >= v_end;
  end loop;
  loop
    v_ids := array(select distinct post_id from (select post_id from app_private.stale_posts order by post_id limit 1000) as next);
    exit when v_ids = '{}';
    delete from app_private.stale_posts where post_id = any (v_ids);
    perform app_hidden.keep_posts(v_ids);
    v_posts := v_posts + cardinality(v_ids);
    exit when clock_timestamp() >= v_end;
  end loop;

  update app_private.facts_state
     set (kept_through, horizon_day, horizon, refreshed_at)
       = (select v_state.kept_through, v_state.horizon_day, v_state.horizon, clock_timestamp());
  is_complete := is_complete and (clock_timestamp() < v_end or not (
    exists (select from app_private.stale_days where day <= v_state.kept_through)
    or exists (select from app_private.stale_months) or exists (select from app_private.stale_posts)));
  select coalesce(jsonb_object_agg(key, value), '{}') into done
    from (values ('kept_days', v_kept), ('kept_months', v_months), ('kept_posts', v_posts)) as counts (key, value)
   where value > 0;
end $$;
comment on function app_private.refresh_facts(int) is $$Keeps the facts of the analysts’ views: the days that are over, and what was changed since. Stops after about so many milliseconds. Returns what it did, and whether nothing is left to do now. The service calls it at its start and regularly.$$;
grant execute on function app_private.refresh_facts(int) to :API_LOGIN;
--! EndIncluded functions/analytics/refresh_facts.sql

-- A trigger with transition tables serves one kind of statement. New rows of the audit trail and of unfollows are always of today.
create trigger _700_mark_stale_facts_added after insert on app_public.posts
  referencing new table as new_rows for each statement execute function app_hidden.tg_posts__mark_stale_facts();
create trigger _700_mark_stale_facts_updated after update on app_public.posts
  referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.tg_posts__mark_stale_facts();
create trigger _700_mark_stale_facts_removed after delete on app_public.posts
  referencing old table as old_rows for each statement execute function app_hidden.tg_posts__mark_stale_facts();
create trigger _700_forget_facts after truncate on app_public.posts for each statement execute function app_hidden.tg__forget_facts();
create trigger _700_mark_stale_facts_added after insert on app_public.post_tags
  referencing new table as new_rows for each statement execute function app_hidden.tg_post_tags__mark_stale_facts();
create trigger _700_mark_stale_facts_updated after update on app_public.post_tags
  referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.tg_post_tags__mark_stale_facts();
create trigger _700_mark_stale_facts_removed after delete on app_public.post_tags
  referencing old table as old_rows for each statement execute function app_hidden.tg_post_tags__mark_stale_facts();
create trigger _700_forget_facts after truncate on app_public.post_tags for each statement execute function app_hidden.tg__forget_facts();
create trigger _700_mark_stale_facts_added after insert on app_public.comments
  referencing new table as new_rows for each statement execute function app_hidden.tg_comments__mark_stale_facts();
create trigger _700_mark_stale_facts_updated after update on app_public.comments
  referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.tg_comments__mark_stale_facts();
create trigger _700_mark_stale_facts_removed after delete on app_public.comments
  referencing old table as old_rows for each statement execute function app_hidden.tg_comments__mark_stale_facts();
create trigger _700_forget_facts after truncate on app_public.comments for each statement execute function app_hidden.tg__forget_facts();
create trigger _700_mark_stale_facts_added after insert on app_public.users
  referencing new table as new_rows for each statement execute function app_hidden.tg__mark_stale_facts('created_at');
create trigger _700_mark_stale_facts_updated after update on app_public.users
  referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.tg__mark_stale_facts('created_at');
create trigger _700_mark_stale_facts_removed after delete on app_public.users
  referencing old table as old_rows for each statement execute function app_hidden.tg__mark_stale_facts('created_at');
create trigger _700_forget_facts after truncate on app_public.users for each statement execute function app_hidden.tg__forget_facts();
create trigger _700_mark_stale_facts_added after insert on app_public.follows
  referencing new table as new_rows for each statement execute function app_hidden.tg__mark_stale_facts('created_at');
create trigger _700_mark_stale_facts_updated after update on app_public.follows
  referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.tg__mark_stale_facts('created_at');
create trigger _700_mark_stale_facts_removed after delete on app_public.follows
  referencing old table as old_rows for each statement execute function app_hidden.tg__mark_stale_facts('created_at');
create trigger _700_forget_facts after truncate on app_public.follows for each statement execute function app_hidden.tg__forget_facts();
create trigger _700_mark_stale_facts_added after insert on app_public.messages
  referencing new table as new_rows for each statement execute function app_hidden.tg__mark_stale_facts('created_at', 'sender_id', 'chat_id');
create trigger _700_mark_stale_facts_updated after update on app_public.messages
  referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.tg__mark_stale_facts('created_at', 'sender_id', 'chat_id');
create trigger _700_mark_stale_facts_removed after delete on app_public.messages
  referencing old table as old_rows for each statement execute function app_hidden.tg__mark_stale_facts('created_at', 'sender_id', 'chat_id');
create trigger _700_forget_facts after truncate on app_public.messages for each statement execute function app_hidden.tg__forget_facts();
create trigger _700_mark_stale_facts_updated after update on app_private.unfollows
  referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.tg__mark_stale_facts('day');
create trigger _700_mark_stale_facts_removed after delete on app_private.unfollows
  referencing old table as old_rows for each statement execute function app_hidden.tg__mark_stale_facts('day');
create trigger _700_forget_facts after truncate on app_private.unfollows for each statement execute function app_hidden.tg__forget_facts();
create trigger _700_mark_stale_facts_updated after update on app_public.audit_trail
  referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.tg__mark_stale_facts('changed_at', 'actor_id', 'actor_login', 'action', 'table_name');
create trigger _700_mark_stale_facts_removed after delete on app_public.audit_trail
  referencing old table as old_rows for each statement execute function app_hidden.tg__mark_stale_facts('changed_at', 'actor_id', 'actor_login', 'action', 'table_name');
create trigger _700_forget_facts after truncate on app_public.audit_trail for each statement execute function app_hidden.tg__forget_facts();
create trigger _700_mark_stale_cohorts after update on app_public.users
  referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.tg_users__mark_stale_cohorts();
create trigger _700_record_unfollows after delete on app_public.follows
  referencing old table as old_rows for each statement execute function app_hidden.tg_follows__record_unfollows();

-- The views.
--! Included views/calendar.sql
-- Every series joins one of these two views, so that a day or month without events is a row of zeros.
create or replace view analytics.days with (security_barrier) as
select series.moment::date as day
  from (select least((select min((created_at at time zone 'UTC')::date) from app_public.users),
                     (select min((created_at at time zone 'UTC')::date) from app_public.posts),
                     (select min((created_at at time zone 'UTC')::date) from app_public.comments),
                     (select min((created_at at time zone 'UTC')::date) from app_public.follows),
                     (select min((created_at at time zone 'UTC')::date) from app_public.messages)) as day) as first,
       generate_series(first.day::timestamp, (now() at time zone 'UTC')::date::timestamp, interval '1 day') as series (moment);
comment on view analytics.days is $$Every day from the first recorded event to today, UTC. One row per day. Key: day.$$;
comment on column analytics.days.day is $$The day, UTC.$$;

create or replace view analytics.months with (security_barrier) as
select series.moment::date as month
  from (select min(day) as day from analytics.days) as first,
       generate_series(date_trunc('month', first.day::timestamp), now() at time zone 'UTC', interval '1 month') as series (moment);
comment on view analytics.months is $$Every month from the first recorded event to this month, UTC. One row per month. Key: month.$$;
comment on column analytics.months.month is $$The month’s first day, UTC.$$;
--! EndIncluded views/calendar.sql
--! Included views/users.sql
create or replace view analytics.users_by_day with (security_barrier) as
select days.day, facts.new_users, (sum(facts.new_users) over (order by days.day))::bigint as users_total
  from analytics.days
 cross join lateral app_hidden.facts_of_day(days.day) as facts;
comment on view analytics.users_by_day is $$Sign-ups by day. Users deleted since are not counted on any day. One row for each day. Key: day.$$;
comment on column analytics.users_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.users_by_day.new_users is $$Users who signed up on that day.$$;
comment on column analytics.users_by_day.users_total is $$Users who had signed up by the end of that day.$$;

create or replace view analytics.users_by_month with (security_barrier) as
select months.month, facts.new_users, (sum(facts.new_users) over (order by months.month))::bigint as users_total
  from analytics.months
 cross join lateral app_hidden.facts_of_month(months.month) as facts;
comment on view analytics.users_by_month is $$Sign-ups by month. Users deleted since are not counted in any month. One row for each month. Key: month.$$;
comment on column analytics.users_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.users_by_month.new_users is $$Users who signed up in that month.$$;
comment on column analytics.users_by_month.users_total is $$Users who had signed up by the end of that month.$$;
--! EndIncluded views/users.sql
--! Included views/posts.sql
-- A post counts as published while its status is PUBLISHED, on the day of its first publication. Drafts are only counted,
-- because their contents are private.
create or replace view analytics.posts_by_day as
select days.day, facts.posts_created, facts.posts_published
  from analytics.days
 cross join lateral app_hidden.facts_of_day(days.day) as facts;
comment on view analytics.posts_by_day is $$Created and published posts by day. Deleted posts are not counted on any day. One row for each day. Key: day.$$;
comment on column analytics.posts_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.posts_by_day.posts_created is $$Posts created on that day, including drafts.$$;
comment on column analytics.posts_by_day.posts_published is $$Posts first published on that day and still published now.$$;

create or replace view analytics.posts_by_month as
select months.month, facts.posts_created, facts.posts_published
  from analytics.months
 cross join lateral app_hidden.facts_of_month(months.month) as facts;
comment on view analytics.posts_by_month is $$Created and published posts by month. Deleted posts are not counted in any month. One row for each month. Key: month.$$;
comment on column analytics.posts_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.posts_by_month.posts_created is $$Posts created in that month, including drafts.$$;
comment on column analytics.posts_by_month.posts_published is $$Posts first published in that month and still published now.$$;

create or replace view analytics.time_to_publish with (security_barrier) as
select id as post_id,
       author_id,
       (created_at at time zone 'UTC')::date as created_on,
       (first_published_at at time zone 'UTC')::date as published_on,
       round(extract(epoch from first_published_at - created_at)::numeric / 3600, 1) as hours_to_publish
  from app_hidden.published_posts();
comment on view analytics.time_to_publish is $$The time from creation to first publication. One row per published post. Key: post_id.$$;
comment on column analytics.time_to_publish.post_id is $$The post’s id, as in the API.$$;
comment on column analytics.time_to_publish.author_id is $$Its author’s user id, as in the API.$$;
comment on column analytics.time_to_publish.created_on is $$The day on which it was created, UTC.$$;
comment on column analytics.time_to_publish.published_on is $$The day on which it was first published, UTC.$$;
comment on column analytics.time_to_publish.hours_to_publish is $$Hours from creation to the first publication, rounded to a tenth; 0.0 for a post that never was a draft.$$;

create or replace view analytics.time_to_publish_by_month as
select months.month, facts.posts_published, facts.median_hours, facts.slowest_tenth_hours
  from analytics.months
 cross join lateral app_hidden.facts_of_month(months.month) as facts;
comment on view analytics.time_to_publish_by_month is $$The time from creation to first publication, by month of first publication. One row for each month. Key: month.$$;
comment on column analytics.time_to_publish_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.time_to_publish_by_month.posts_published is $$Posts first published in that month and still published now.$$;
comment on column analytics.time_to_publish_by_month.median_hours is $$The median of those posts’ hours from creation to publication; null without posts.$$;
comment on column analytics.time_to_publish_by_month.slowest_tenth_hours is $$The 90th percentile of those posts’ hours from creation to publication; null without posts.$$;

create or replace view analytics.engagement_by_post with (security_barrier) as
select post_id,
       title,
       slug,
       author_id,
       (first_published_at at time zone 'UTC')::date as published_on,
       array(select name from app_public.tags where id = any (tag_ids) order by name) as tags,
       (select char_length(content) from app_public.posts as texts where texts.id = posts.post_id) as characters,
       comments,
       comments_first_week,
       comments_by_author,
       commenters,
       round(extract(epoch from first_reply_at - first_published_at)::numeric / 3600, 1) as hours_to_first_comment,
       (last_comment_at at time zone 'UTC')::date as last_comment_on
  from app_hidden.posts_with_facts() as posts;
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
--! EndIncluded views/posts.sql
--! Included views/authors.sql
-- Authors have ids and no names here. The API gives the name of an id.
create or replace view analytics.authors with (security_barrier) as
select published.author_id,
       (select (users.created_at at time zone 'UTC')::date from app_public.users where users.id = published.author_id) as joined_on,
       published.posts_published,
       (select count(*) from app_public.posts where posts.author_id = published.author_id and posts.status = 'DRAFT') as drafts,
       (select count(*) from app_public.comments where comments.author_id = published.author_id) as comments_written,
       published.comments_received,
       (select count(*) from app_public.follows where follows.followed_id = published.author_id) as followers,
       (select count(*) from app_public.follows where follows.follower_id = published.author_id) as following,
       (published.first_published_at at time zone 'UTC')::date as first_published_on,
       (published.last_published_at at time zone 'UTC')::date as last_published_on
  from app_hidden.facts_of_authors() as published;
comment on view analytics.authors is $$Totals for each author: one row for each user with a published post. Key: author_id.$$;
comment on column analytics.authors.author_id is $$The author’s user id, as in the API.$$;
comment on column analytics.authors.joined_on is $$The day on which the author signed up, UTC.$$;
comment on column analytics.authors.posts_published is $$The author’s posts that are published now.$$;
comment on column analytics.authors.drafts is $$The author’s posts that are drafts now.$$;
comment on column analytics.authors.comments_written is $$Comments that the author has written on any post.$$;
comment on column analytics.authors.comments_received is $$Comments by other users on the author’s published posts.$$;
comment on column analytics.authors.followers is $$The number of users who follow the author.$$;
comment on column analytics.authors.following is $$The number of users whom the author follows.$$;
comment on column analytics.authors.first_published_on is $$The day of the author’s first publication, UTC.$$;
comment on column analytics.authors.last_published_on is $$The day of the author’s latest first publication of a post, UTC.$$;

create or replace view analytics.authors_by_day as
select days.day, facts.authors, facts.new_authors
  from analytics.days
 cross join lateral app_hidden.facts_of_day(days.day) as facts;
comment on view analytics.authors_by_day is $$The number of publishing authors by day. One row for each day. Key: day.$$;
comment on column analytics.authors_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.authors_by_day.authors is $$Users who published at least one post on that day.$$;
comment on column analytics.authors_by_day.new_authors is $$Those authors who had published no post before.$$;

create or replace view analytics.authors_by_month as
select months.month, facts.authors, facts.new_authors
  from analytics.months
 cross join lateral app_hidden.facts_of_month(months.month) as facts;
comment on view analytics.authors_by_month is $$The number of publishing authors by month. One row for each month. Key: month.$$;
comment on column analytics.authors_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.authors_by_month.authors is $$Users who published at least one post in that month.$$;
comment on column analytics.authors_by_month.new_authors is $$Those authors who had published no post before.$$;
--! EndIncluded views/authors.sql
--! Included views/tags.sql
-- Tags that only drafts have are left out: they are as private as the draft.
create or replace view analytics.tags with (security_barrier) as
select tag, posts_published, authors, comments, first_published_on, last_published_on from app_hidden.facts_of_tags();
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
with known as materialized (select tag, first_day from app_hidden.published_tags())
select days.day, tags.tag, tags.posts_published
  from analytics.days
 cross join lateral (
       select known.tag, coalesce(used.posts_published, 0) as posts_published
         from known
         left join app_hidden.tags_of_day(days.day) as used on used.tag = known.tag
        where known.first_day <= days.day
       offset 0) as tags;
comment on view analytics.tags_by_day is $$Published posts by tag and day. One row for each tag and day since the tag’s first post. Filter by day, because the view is large. Key: day, tag.$$;
comment on column analytics.tags_by_day.day is $$The day, UTC. No day since the tag’s first post is left out.$$;
comment on column analytics.tags_by_day.tag is $$The tag.$$;
comment on column analytics.tags_by_day.posts_published is $$Posts with the tag, first published on that day and still published now.$$;

create or replace view analytics.tags_by_month as
with known as materialized (select tag, first_day from app_hidden.published_tags())
select months.month, tags.tag, tags.posts_published
  from analytics.months
 cross join lateral (
       select known.tag, coalesce(used.posts_published, 0) as posts_published
         from known
         left join (
              select tags_of_day.tag, sum(tags_of_day.posts_published)::bigint as posts_published
                from generate_series(months.month::timestamp, months.month + interval '1 month - 1 day', interval '1 day') as moment
               cross join lateral app_hidden.tags_of_day(moment::date)
               group by tags_of_day.tag) as used on used.tag = known.tag
        where known.first_day < months.month + interval '1 month'
       offset 0) as tags;
comment on view analytics.tags_by_month is $$Published posts by tag and month. One row for each tag and month since the tag’s first post. Key: month, tag.$$;
comment on column analytics.tags_by_month.month is $$The month’s first day, UTC. No month since the tag’s first post is left out.$$;
comment on column analytics.tags_by_month.tag is $$The tag.$$;
comment on column analytics.tags_by_month.posts_published is $$Posts with the tag, first published in that month and still published now.$$;

create or replace view analytics.tag_discussion_by_week as
select date_trunc('week', days.day::timestamp)::date as week, used.tag,
       sum(used.comments)::bigint as comments, sum(used.posts_published)::bigint as posts_published
  from analytics.days
 cross join lateral app_hidden.tags_of_day(days.day) as used
 group by 1, 2;
comment on view analytics.tag_discussion_by_week is $$How much each tag is discussed, by week. One row for each week and tag with comments or a publication; other weeks have no row. A comment counts for each tag that its post has now. Key: week, tag.$$;
comment on column analytics.tag_discussion_by_week.week is $$The week’s Monday, UTC.$$;
comment on column analytics.tag_discussion_by_week.tag is $$The tag.$$;
comment on column analytics.tag_discussion_by_week.comments is $$Comments written in that week on published posts that have the tag.$$;
comment on column analytics.tag_discussion_by_week.posts_published is $$Posts with the tag, first published in that week and still published now.$$;
--! EndIncluded views/tags.sql
--! Included views/comments.sql
create or replace view analytics.comments_by_day as
select days.day, facts.comments, facts.commenters, facts.posts_commented
  from analytics.days
 cross join lateral app_hidden.facts_of_day(days.day) as facts;
comment on view analytics.comments_by_day is $$Comments by day. Deleted comments are not counted on any day. One row for each day. Key: day.$$;
comment on column analytics.comments_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.comments_by_day.comments is $$Comments written on that day.$$;
comment on column analytics.comments_by_day.commenters is $$The number of distinct users who wrote them.$$;
comment on column analytics.comments_by_day.posts_commented is $$The number of distinct posts with these comments.$$;

create or replace view analytics.comments_by_month as
select months.month, facts.comments, facts.commenters, facts.posts_commented
  from analytics.months
 cross join lateral app_hidden.facts_of_month(months.month) as facts;
comment on view analytics.comments_by_month is $$Comments by month. Deleted comments are not counted in any month. One row for each month. Key: month.$$;
comment on column analytics.comments_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.comments_by_month.comments is $$Comments written in that month.$$;
comment on column analytics.comments_by_month.commenters is $$The number of distinct users who wrote them.$$;
comment on column analytics.comments_by_month.posts_commented is $$The number of distinct posts with these comments.$$;

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
-- Unfollowing deletes the row, so growth counts only the follows that still exist.
create or replace view analytics.followers_by_day with (security_barrier) as
select days.day, facts.new_follows, (sum(facts.new_follows) over (order by days.day))::bigint as follows_total
  from analytics.days
 cross join lateral app_hidden.facts_of_day(days.day) as facts;
comment on view analytics.followers_by_day is $$Growth of follows by day. A follow that was undone is not counted on any day. One row for each day. Key: day.$$;
comment on column analytics.followers_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.followers_by_day.new_follows is $$Follows created on that day.$$;
comment on column analytics.followers_by_day.follows_total is $$Follows created by the end of that day.$$;

create or replace view analytics.followers_by_month with (security_barrier) as
select months.month, facts.new_follows, (sum(facts.new_follows) over (order by months.month))::bigint as follows_total
  from analytics.months
 cross join lateral app_hidden.facts_of_month(months.month) as facts;
comment on view analytics.followers_by_month is $$Growth of follows by month. A follow that was undone is not counted in any month. One row for each month. Key: month.$$;
comment on column analytics.followers_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.followers_by_month.new_follows is $$Follows created in that month.$$;
comment on column analytics.followers_by_month.follows_total is $$Follows created by the end of that month.$$;

create or replace view analytics.followers_by_author_and_month with (security_barrier) as
select months.month,
       followed.author_id,
       began.new_followers,
       (sum(began.new_followers) over (partition by followed.author_id order by months.month))::bigint as followers_total
  from (select followed_id as author_id, min((created_at at time zone 'UTC')::date) as first_day
          from app_public.follows
         group by followed_id) as followed
  join analytics.months on months.month >= date_trunc('month', followed.first_day::timestamp)
 cross join lateral (
       select count(*) as new_followers
         from app_public.follows
        where followed_id = followed.author_id
          and (created_at at time zone 'UTC')::date >= months.month
          and (created_at at time zone 'UTC')::date < months.month + interval '1 month') as began;
comment on view analytics.followers_by_author_and_month is $$Growth of each user’s followers by month. One row for each user with followers and each month since the first follower. A follow that was undone is not counted in any month. Key: month, author_id.$$;
comment on column analytics.followers_by_author_and_month.month is $$The month’s first day, UTC. No month since the first follower is left out.$$;
comment on column analytics.followers_by_author_and_month.author_id is $$The id of the user who is followed, as in the API.$$;
comment on column analytics.followers_by_author_and_month.new_followers is $$New followers in that month.$$;
comment on column analytics.followers_by_author_and_month.followers_total is $$Followers by the end of that month.$$;

create or replace view analytics.unfollows_by_day as
select days.day, facts.unfollows
  from analytics.days
 cross join lateral app_hidden.facts_of_day(days.day) as facts;
comment on view analytics.unfollows_by_day is $$Follows that users ended, by day. Recorded since the release that added this view; a follow that ended because an account was deleted is not counted. One row for each day. Key: day.$$;
comment on column analytics.unfollows_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.unfollows_by_day.unfollows is $$Follows that were ended on that day.$$;

create or replace view analytics.unfollows_by_month as
select months.month, facts.unfollows
  from analytics.months
 cross join lateral app_hidden.facts_of_month(months.month) as facts;
comment on view analytics.unfollows_by_month is $$Follows that users ended, by month. Recorded since the release that added this view; a follow that ended because an account was deleted is not counted. One row for each month. Key: month.$$;
comment on column analytics.unfollows_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.unfollows_by_month.unfollows is $$Follows that were ended in that month.$$;

create or replace view analytics.unfollows_by_author_and_month with (security_barrier) as
select date_trunc('month', day::timestamp)::date as month, author_id, count(*) as unfollows
  from app_private.unfollows
 group by 1, 2;
comment on view analytics.unfollows_by_author_and_month is $$Followers that a user lost, by month. One row for each month and user with a lost follower; the followers themselves are not recorded. Key: month, author_id.$$;
comment on column analytics.unfollows_by_author_and_month.month is $$The month’s first day, UTC.$$;
comment on column analytics.unfollows_by_author_and_month.author_id is $$The id of the user who was followed, as in the API.$$;
comment on column analytics.unfollows_by_author_and_month.unfollows is $$Follows of the user that were ended in that month.$$;
--! EndIncluded views/followers.sql
--! Included views/writers.sql
-- Writers create posts, including drafts, or comments. Chat messages do not count, because chats are private.
create or replace view analytics.active_writers_by_day as
select days.day, facts.writers, facts.post_writers, facts.comment_writers, facts.writers_7_days, facts.writers_28_days
  from analytics.days
 cross join lateral app_hidden.facts_of_day(days.day, true) as facts;
comment on view analytics.active_writers_by_day is $$The number of users who created a post, including drafts, or a comment, by day. One row for each day. Key: day.$$;
comment on column analytics.active_writers_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.active_writers_by_day.writers is $$Users who created a post or a comment on that day.$$;
comment on column analytics.active_writers_by_day.post_writers is $$Those writers who created a post.$$;
comment on column analytics.active_writers_by_day.comment_writers is $$Those writers who created a comment.$$;
comment on column analytics.active_writers_by_day.writers_7_days is $$Writers on that day or the six days before.$$;
comment on column analytics.active_writers_by_day.writers_28_days is $$Writers on that day or the 27 days before.$$;

create or replace view analytics.active_writers_by_month as
select months.month, facts.writers, facts.post_writers, facts.comment_writers, facts.returning_writers
  from analytics.months
 cross join lateral app_hidden.facts_of_month(months.month) as facts;
comment on view analytics.active_writers_by_month is $$The number of users who created a post, including drafts, or a comment, by month. One row for each month. Key: month.$$;
comment on column analytics.active_writers_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.active_writers_by_month.writers is $$Users who created a post or a comment in that month.$$;
comment on column analytics.active_writers_by_month.post_writers is $$Those writers who created a post.$$;
comment on column analytics.active_writers_by_month.comment_writers is $$Those writers who created a comment.$$;
comment on column analytics.active_writers_by_month.returning_writers is $$Those writers who had also been writers in the month before.$$;
--! EndIncluded views/writers.sql
--! Included views/chat.sql
-- Counts only: chats are private, so these views hold no ids, texts or titles.
create or replace view analytics.chat_by_day as
select days.day, facts.messages, facts.senders, facts.active_chats
  from analytics.days
 cross join lateral app_hidden.facts_of_day(days.day) as facts;
comment on view analytics.chat_by_day is $$Chat activity by day. One row for each day. Key: day.$$;
comment on column analytics.chat_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.chat_by_day.messages is $$Messages sent on that day.$$;
comment on column analytics.chat_by_day.senders is $$The number of distinct users who sent them. Users deleted since are not counted.$$;
comment on column analytics.chat_by_day.active_chats is $$The number of distinct chats with these messages.$$;

create or replace view analytics.chat_by_month as
select months.month, facts.messages, facts.senders, facts.active_chats
  from analytics.months
 cross join lateral app_hidden.facts_of_month(months.month) as facts;
comment on view analytics.chat_by_month is $$Chat activity by month. One row for each month. Key: month.$$;
comment on column analytics.chat_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.chat_by_month.messages is $$Messages sent in that month.$$;
comment on column analytics.chat_by_month.senders is $$The number of distinct users who sent them. Users deleted since are not counted.$$;
comment on column analytics.chat_by_month.active_chats is $$The number of distinct chats with these messages.$$;
--! EndIncluded views/chat.sql
--! Included views/changes.sql
-- Counts only: analysts may not see which rows were changed, or by which user.
create or replace view analytics.changes_by_day as
select days.day, facts.table_name, facts.action, facts.actor_kind, facts.changes
  from app_hidden.audited_days() as days (day)
 cross join lateral app_hidden.changes_of_day(days.day) as facts;
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
  from analytics.users_by_month as joined
  join analytics.months on months.month >= joined.month
  left join (
       select months.month, facts.cohort, facts.active_users
         from analytics.months
        cross join lateral app_hidden.cohorts_of_month(months.month) as facts) as activity
    on activity.cohort = joined.month and activity.month = months.month
 where joined.new_users > 0;
comment on view analytics.retention_by_cohort_and_month is $$Retention: how many of the users who signed up in a month wrote something in each month since. One row for each month with sign-ups and each month from then on. Key: cohort, month.$$;
comment on column analytics.retention_by_cohort_and_month.cohort is $$The first day of the month of sign-up, UTC.$$;
comment on column analytics.retention_by_cohort_and_month.month is $$The month’s first day, UTC. No month since the sign-up is left out.$$;
comment on column analytics.retention_by_cohort_and_month.months_since_sign_up is $$The number of months between the two; 0 for the month of sign-up.$$;
comment on column analytics.retention_by_cohort_and_month.users is $$Users who signed up in the month of the cohort.$$;
comment on column analytics.retention_by_cohort_and_month.active_users is $$Those users who created a post, including drafts, or a comment in that month.$$;

create or replace view analytics.time_to_first_post with (security_barrier) as
select author_id,
       (joined_at at time zone 'UTC')::date as joined_on,
       (first_published_at at time zone 'UTC')::date as first_published_on,
       greatest((first_published_at at time zone 'UTC')::date - (joined_at at time zone 'UTC')::date, 0) as days_to_first_post
  from app_hidden.first_posts();
comment on view analytics.time_to_first_post is $$The time from sign-up to the first published post. One row for each user with a published post. Key: author_id.$$;
comment on column analytics.time_to_first_post.author_id is $$The author’s user id, as in the API.$$;
comment on column analytics.time_to_first_post.joined_on is $$The day on which the author signed up, UTC.$$;
comment on column analytics.time_to_first_post.first_published_on is $$The day of the author’s first publication, UTC.$$;
comment on column analytics.time_to_first_post.days_to_first_post is $$Days from the one to the other; 0 for an imported post that is older than the account.$$;

create or replace view analytics.time_to_first_post_by_month as
select joined.month,
       joined.new_users,
       count(first.author_id) as authors,
       round((percentile_cont(0.5) within group (order by first.days_to_first_post))::numeric, 1) as median_days
  from analytics.users_by_month as joined
  left join analytics.time_to_first_post as first on date_trunc('month', first.joined_on::timestamp)::date = joined.month
 group by joined.month, joined.new_users;
comment on view analytics.time_to_first_post_by_month is $$The time from sign-up to the first published post, by month of sign-up. One row for each month. Key: month.$$;
comment on column analytics.time_to_first_post_by_month.month is $$The first day of the month of sign-up, UTC. No month is left out.$$;
comment on column analytics.time_to_first_post_by_month.new_users is $$Users who signed up in that month.$$;
comment on column analytics.time_to_first_post_by_month.authors is $$Those users who have a published post now.$$;
comment on column analytics.time_to_first_post_by_month.median_days is $$The median of those authors’ days from sign-up to the first post; null without authors.$$;
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

create or replace view analytics.reads_by_day as
select days.day, facts.reads, facts.posts_read
  from analytics.days
 cross join lateral (
       select coalesce(sum(reads), 0)::bigint as reads, count(*) as posts_read from app_hidden.reads_of_day(days.day)) as facts;
comment on view analytics.reads_by_day is $$Reads of published posts by day. One row for each day. Key: day.$$;
comment on column analytics.reads_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.reads_by_day.reads is $$Reads on that day of posts that are published now.$$;
comment on column analytics.reads_by_day.posts_read is $$The number of distinct posts that were read.$$;
--! EndIncluded views/reads.sql
--! Included views/freshness.sql
create or replace view analytics.freshness with (security_barrier) as
select kept_through, stale_days, stale_posts, minutes_since_refresh from app_hidden.facts_freshness();
comment on view analytics.freshness is $$How the views are kept fast. Their numbers have no lag: days after kept_through, and what was changed since the last refresh, are computed from the tables, which takes longer. One row.$$;
comment on column analytics.freshness.kept_through is $$The last day whose facts are kept, UTC; null before the first refresh.$$;
comment on column analytics.freshness.stale_days is $$Earlier days with changes since the last refresh.$$;
comment on column analytics.freshness.stale_posts is $$Posts with changes of older comments since the last refresh.$$;
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
