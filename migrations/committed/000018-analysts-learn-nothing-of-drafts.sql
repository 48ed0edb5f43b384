--! Previous: sha1:9ee86fadfac82169db2aed57d4b520d74fdd9247
--! Hash: sha1:6b768ad98929e2b5bff016d37bde045c4a10ce98
--! Message: analysts learn nothing of drafts

--! split: 060-analysts.sql
-- Analysts learn nothing that they may not see, and can stop nobody's work.

--! Included functions/published_posts.sql
-- Analysts' views that name posts or tags read these two functions, not the tables. PostgreSQL may evaluate a leakproof
-- comparison (`=`, `<`) before the conditions of the view, even of a security_barrier view, and EXPLAIN counts the rows that
-- each step removes. So `where slug = '…'` would tell an analyst whether a draft has that slug. Security definer: such a
-- function is never inlined, so conditions, statistics and EXPLAIN see only its result.
create or replace function app_hidden.published_posts()
returns table (id bigint, author_id bigint, title text, slug text, created_at timestamptz, first_published_at timestamptz)
language sql stable security definer set search_path = '' as $$
  select id, author_id, title, slug, created_at, first_published_at from app_public.posts where status = 'PUBLISHED'
$$;
comment on function app_hidden.published_posts() is $$The published posts, for the views of schema analytics. Drafts leave no trace in a query plan.$$;
grant execute on function app_hidden.published_posts() to :ANALYST;

create or replace function app_hidden.published_post_tags()
returns table (post_id bigint, author_id bigint, tag text, first_published_at timestamptz)
language sql stable security definer set search_path = '' as $$
  select posts.id, posts.author_id, tags.name, posts.first_published_at
    from app_public.posts
    join app_public.post_tags on post_tags.post_id = posts.id
    join app_public.tags on tags.id = post_tags.tag_id
   where posts.status = 'PUBLISHED'
$$;
comment on function app_hidden.published_post_tags() is $$The tags of published posts, for the views of schema analytics. Tags that only drafts have leave no trace in a query plan.$$;
grant execute on function app_hidden.published_post_tags() to :ANALYST;
--! EndIncluded functions/published_posts.sql
--! Included analytics/posts.sql
-- A post counts as published while its status is PUBLISHED, on the day of its first publication. Drafts are only counted,
-- because their contents are private.
create or replace view analytics.posts_by_day with (security_barrier) as
select days.day, created.posts_created, published.posts_published
  from analytics.days
 cross join lateral (
       select count(*) as posts_created
         from app_public.posts
        where (created_at at time zone 'UTC')::date = days.day) as created
 cross join lateral (
       select count(*) as posts_published
         from app_public.posts
        where status = 'PUBLISHED' and (first_published_at at time zone 'UTC')::date = days.day) as published;
comment on view analytics.posts_by_day is $$Created and published posts by day. Deleted posts are not counted on any day.$$;
comment on column analytics.posts_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.posts_by_day.posts_created is $$Posts created on that day, including drafts.$$;
comment on column analytics.posts_by_day.posts_published is $$Posts first published on that day and still published now.$$;

create or replace view analytics.posts_by_month with (security_barrier) as
select months.month, created.posts_created, published.posts_published
  from analytics.months
 cross join lateral (
       select count(*) as posts_created
         from app_public.posts
        where (created_at at time zone 'UTC')::date >= months.month
          and (created_at at time zone 'UTC')::date < months.month + interval '1 month') as created
 cross join lateral (
       select count(*) as posts_published
         from app_public.posts
        where status = 'PUBLISHED'
          and (first_published_at at time zone 'UTC')::date >= months.month
          and (first_published_at at time zone 'UTC')::date < months.month + interval '1 month') as published;
comment on view analytics.posts_by_month is $$Created and published posts by month. Deleted posts are not counted in any month.$$;
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
comment on view analytics.time_to_publish is $$The time from creation to first publication. One row per published post.$$;
comment on column analytics.time_to_publish.post_id is $$The post’s id, as in the API.$$;
comment on column analytics.time_to_publish.author_id is $$Its author’s user id, as in the API.$$;
comment on column analytics.time_to_publish.created_on is $$The day on which it was created, UTC.$$;
comment on column analytics.time_to_publish.published_on is $$The day on which it was first published, UTC.$$;
comment on column analytics.time_to_publish.hours_to_publish is $$Hours from creation to the first publication, rounded to a tenth; 0.0 for a post that never was a draft.$$;

create or replace view analytics.time_to_publish_by_month with (security_barrier) as
select months.month,
       times.posts_published,
       times.median_hours,
       times.slowest_tenth_hours
  from analytics.months
 cross join lateral (
       select count(*) as posts_published,
              round((percentile_cont(0.5) within group (order by hours))::numeric, 1) as median_hours,
              round((percentile_cont(0.9) within group (order by hours))::numeric, 1) as slowest_tenth_hours
         from (select extract(epoch from first_published_at - created_at)::float8 / 3600 as hours
                 from app_public.posts
                where status = 'PUBLISHED'
                  and (first_published_at at time zone 'UTC')::date >= months.month
                  and (first_published_at at time zone 'UTC')::date < months.month + interval '1 month') as published
       ) as times;
comment on view analytics.time_to_publish_by_month is $$The time from creation to first publication, by month of first publication.$$;
comment on column analytics.time_to_publish_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.time_to_publish_by_month.posts_published is $$Posts first published in that month and still published now.$$;
comment on column analytics.time_to_publish_by_month.median_hours is $$The median of those posts’ hours from creation to publication; null without posts.$$;
comment on column analytics.time_to_publish_by_month.slowest_tenth_hours is $$The 90th percentile of those posts’ hours from creation to publication; null without posts.$$;

create or replace view analytics.engagement_by_post with (security_barrier) as
select posts.id as post_id,
       posts.title,
       posts.slug,
       posts.author_id,
       (posts.first_published_at at time zone 'UTC')::date as published_on,
       array(select tags.name
               from app_public.post_tags
               join app_public.tags on tags.id = post_tags.tag_id
              where post_tags.post_id = posts.id
              order by tags.name) as tags,
       (select char_length(content) from app_public.posts as texts where texts.id = posts.id) as characters,
       said.comments,
       said.comments_first_week,
       said.comments_by_author,
       said.commenters,
       said.hours_to_first_comment,
       said.last_comment_on
  from app_hidden.published_posts() as posts
 cross join lateral (
       select count(*) as comments,
              count(*) filter (where comments.created_at < posts.first_published_at + interval '7 days') as comments_first_week,
              count(*) filter (where comments.author_id = posts.author_id) as comments_by_author,
              count(distinct comments.author_id) filter (where comments.author_id <> posts.author_id) as commenters,
              round(extract(epoch from min(comments.created_at) - posts.first_published_at)::numeric / 3600, 1) as hours_to_first_comment,
              (max(comments.created_at) at time zone 'UTC')::date as last_comment_on
         from app_public.comments
        where comments.post_id = posts.id) as said;
comment on view analytics.engagement_by_post is $$Reader activity for each published post. One row per published post; drafts are left out.$$;
comment on column analytics.engagement_by_post.post_id is $$The post’s id, as in the API.$$;
comment on column analytics.engagement_by_post.title is $$Its current title.$$;
comment on column analytics.engagement_by_post.slug is $$Its name in a URL.$$;
comment on column analytics.engagement_by_post.author_id is $$Its author’s user id, as in the API.$$;
comment on column analytics.engagement_by_post.published_on is $$The day on which it was first published, UTC.$$;
comment on column analytics.engagement_by_post.tags is $$Its tags in alphabetical order; empty without tags.$$;
comment on column analytics.engagement_by_post.characters is $$The length of its content in characters.$$;
comment on column analytics.engagement_by_post.comments is $$Comments on it, including its author’s.$$;
comment on column analytics.engagement_by_post.comments_first_week is $$Comments written within seven days of its first publication.$$;
comment on column analytics.engagement_by_post.comments_by_author is $$Comments that its author wrote.$$;
comment on column analytics.engagement_by_post.commenters is $$The number of distinct users who commented, without its author.$$;
comment on column analytics.engagement_by_post.hours_to_first_comment is $$Hours from its first publication to the first comment, rounded to a tenth; null without comments.$$;
comment on column analytics.engagement_by_post.last_comment_on is $$The day of the newest comment, UTC; null without comments.$$;
--! EndIncluded analytics/posts.sql
--! Included analytics/authors.sql
-- Authors have ids and no names here. The API gives the name of an id.
create or replace view analytics.authors with (security_barrier) as
select published.author_id,
       (select (users.created_at at time zone 'UTC')::date from app_public.users where users.id = published.author_id) as joined_on,
       published.posts_published,
       (select count(*) from app_public.posts where posts.author_id = published.author_id and posts.status = 'DRAFT') as drafts,
       (select count(*) from app_public.comments where comments.author_id = published.author_id) as comments_written,
       (select count(*)
          from app_public.posts
          join app_public.comments on comments.post_id = posts.id
         where posts.author_id = published.author_id and posts.status = 'PUBLISHED'
           and comments.author_id <> published.author_id) as comments_received,
       (select count(*) from app_public.follows where follows.followed_id = published.author_id) as followers,
       (select count(*) from app_public.follows where follows.follower_id = published.author_id) as following,
       published.first_published_on,
       published.last_published_on
  from (select author_id,
               count(*) as posts_published,
               (min(first_published_at) at time zone 'UTC')::date as first_published_on,
               (max(first_published_at) at time zone 'UTC')::date as last_published_on
          from app_hidden.published_posts()
         group by author_id) as published;
comment on view analytics.authors is $$Totals for each author: one row for each user with a published post.$$;
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

create or replace view analytics.authors_by_day with (security_barrier) as
select days.day, published.authors, published.new_authors
  from analytics.days
 cross join lateral (
       select count(distinct author_id) as authors,
              count(distinct author_id) filter (where not exists (
                select from app_public.posts as earlier
                 where earlier.author_id = posts.author_id and earlier.status = 'PUBLISHED'
                   and (earlier.first_published_at at time zone 'UTC')::date < days.day)) as new_authors
         from app_public.posts
        where status = 'PUBLISHED' and (first_published_at at time zone 'UTC')::date = days.day) as published;
comment on view analytics.authors_by_day is $$The number of publishing authors by day.$$;
comment on column analytics.authors_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.authors_by_day.authors is $$Users who published at least one post on that day.$$;
comment on column analytics.authors_by_day.new_authors is $$Those authors who had published no post before.$$;

create or replace view analytics.authors_by_month with (security_barrier) as
select months.month, published.authors, published.new_authors
  from analytics.months
 cross join lateral (
       select count(distinct author_id) as authors,
              count(distinct author_id) filter (where not exists (
                select from app_public.posts as earlier
                 where earlier.author_id = posts.author_id and earlier.status = 'PUBLISHED'
                   and (earlier.first_published_at at time zone 'UTC')::date < months.month)) as new_authors
         from app_public.posts
        where status = 'PUBLISHED'
          and (first_published_at at time zone 'UTC')::date >= months.month
          and (first_published_at at time zone 'UTC')::date < months.month + interval '1 month') as published;
comment on view analytics.authors_by_month is $$The number of publishing authors by month.$$;
comment on column analytics.authors_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.authors_by_month.authors is $$Users who published at least one post in that month.$$;
comment on column analytics.authors_by_month.new_authors is $$Those authors who had published no post before.$$;
--! EndIncluded analytics/authors.sql
--! Included analytics/tags.sql
-- Tags that only drafts have are left out: they are as private as the draft.
create or replace view analytics.tags with (security_barrier) as
select posts.tag,
       count(*) as posts_published,
       count(distinct posts.author_id) as authors,
       (sum(said.comments))::bigint as comments,
       (min(posts.first_published_at) at time zone 'UTC')::date as first_published_on,
       (max(posts.first_published_at) at time zone 'UTC')::date as last_published_on
  from app_hidden.published_post_tags() as posts
 cross join lateral (
       select count(*) as comments from app_public.comments where comments.post_id = posts.post_id) as said
 group by posts.tag;
comment on view analytics.tags is $$Totals for each tag: one row for each tag of a published post.$$;
comment on column analytics.tags.tag is $$The tag.$$;
comment on column analytics.tags.posts_published is $$Published posts that have the tag now.$$;
comment on column analytics.tags.authors is $$The number of distinct users who wrote them.$$;
comment on column analytics.tags.comments is $$Comments on those posts.$$;
comment on column analytics.tags.first_published_on is $$The earliest first publication of these posts, UTC.$$;
comment on column analytics.tags.last_published_on is $$The latest first publication of these posts, UTC.$$;

create or replace view analytics.tags_by_day with (security_barrier) as
select days.day, tags.tag, coalesce(worn.posts_published, 0) as posts_published
  from (select tag, min((first_published_at at time zone 'UTC')::date) as first_day
          from app_hidden.published_post_tags()
         group by tag) as tags
  join analytics.days on days.day >= tags.first_day
  left join (
       select tag, (first_published_at at time zone 'UTC')::date as day, count(*) as posts_published
         from app_hidden.published_post_tags()
        group by 1, 2) as worn on worn.tag = tags.tag and worn.day = days.day;
comment on view analytics.tags_by_day is $$Published posts by tag and day. One row for each tag and day since the tag’s first post. Filter by tag or by day, because the view is large.$$;
comment on column analytics.tags_by_day.day is $$The day, UTC. No day since the tag’s first post is left out.$$;
comment on column analytics.tags_by_day.tag is $$The tag.$$;
comment on column analytics.tags_by_day.posts_published is $$Posts with the tag, first published on that day and still published now.$$;

create or replace view analytics.tags_by_month with (security_barrier) as
select months.month, tags.tag, coalesce(worn.posts_published, 0) as posts_published
  from (select tag, min(date_trunc('month', first_published_at at time zone 'UTC'))::date as first_month
          from app_hidden.published_post_tags()
         group by tag) as tags
  join analytics.months on months.month >= tags.first_month
  left join (
       select tag, date_trunc('month', first_published_at at time zone 'UTC')::date as month, count(*) as posts_published
         from app_hidden.published_post_tags()
        group by 1, 2) as worn on worn.tag = tags.tag and worn.month = months.month;
comment on view analytics.tags_by_month is $$Published posts by tag and month. One row for each tag and month since the tag’s first post.$$;
comment on column analytics.tags_by_month.month is $$The month’s first day, UTC. No month since the tag’s first post is left out.$$;
comment on column analytics.tags_by_month.tag is $$The tag.$$;
comment on column analytics.tags_by_month.posts_published is $$Posts with the tag, first published in that month and still published now.$$;
--! EndIncluded analytics/tags.sql

-- Advisory locks are out of reach for analysts.
--! Included functions/close_database.sql
-- A function of its own, because a restored or cloned database loses its database-level grants and needs it again. An
-- owner without superuser rights cannot revoke PostgreSQL's own functions. PostgreSQL then only warns, and db:status tells.
create or replace function app_private.close_database() returns void
language plpgsql volatile set search_path = '' as $$
declare
  v_function regprocedure;
  v_owners text := (select string_agg(distinct quote_ident(pg_catalog.pg_get_userbyid(owner)), ', ')
                      from (select datdba from pg_catalog.pg_database where datname = current_database()
                            union all
                            select proowner from pg_catalog.pg_proc where oid = 'app_private.close_database()'::regprocedure)
                        as owners (owner));
begin
  execute format('revoke temporary on database %I from public', current_database());
  revoke execute on function pg_catalog.lo_creat(int) from public;
  revoke execute on function pg_catalog.lo_create(oid) from public;
  revoke execute on function pg_catalog.lo_from_bytea(oid, bytea) from public;
  -- All sessions share one table of locks. A login that fills it with advisory locks stops everybody, and one that guesses
  -- a key stops what waits for that key: migrations, sign-in.
  for v_function in
    select oid from pg_catalog.pg_proc
     where pronamespace = 'pg_catalog'::regnamespace
       and proname ~ '^pg_(try_)?advisory_(xact_)?lock(_shared)?$'
       and pg_catalog.pg_has_role(proowner, 'usage')
  loop
    execute format('revoke execute on function %s from public', v_function);
    execute format('grant execute on function %s to %s, :API_LOGIN, :API_ANONYMOUS, :API_MEMBER', v_function, v_owners);
  end loop;
end $$;
comment on function app_private.close_database() is $$Revokes some of PostgreSQL’s default rights from public in this database: temporary tables, large objects and advisory locks. The owner and the API’s roles keep advisory locks.$$;
--! EndIncluded functions/close_database.sql
select app_private.close_database();
--! Included functions/admit_analyst.sql
-- Members do not inherit a role's settings, so each login gets its own, for this database. A session can change them: the
-- missing grants, not these settings, are what prevents writes. A session cannot change the connection limit and
-- temp_file_limit.
create or replace function app_private.admit_analyst(login name, statement_timeout interval default '1 minute') returns void
language plpgsql volatile set search_path = '' as $$
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
begin
  if extract(epoch from admit_analyst.statement_timeout) <= 0 then
    raise exception using errcode = '22023', message = 'The statement time-out must be above zero';
  end if;
  -- Only a superuser may set it. Without it, one large sort could fill the disk.
  if (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
    v_settings := v_settings || '{"temp_file_limit": "1GB"}';
  end if;
  perform app_private.close_database();
  execute format('grant :ANALYST to %I', login);
  execute format('alter role %I connection limit 5', login);
  execute format('grant connect on database %I to :ANALYST', current_database());
  for v_name, v_value in select * from jsonb_each_text(v_settings) loop
    execute format('alter role %I in database %I set %I = %L', login, current_database(), v_name, v_value);
  end loop;
end $$;
comment on function app_private.admit_analyst(name, interval) is $$Gives a person’s login read access to schema analytics in this database. Grants the role, limits the login to five connections, and sets read-only transactions, a statement time-out, search_path analytics and UTC. Run it again to change the time-out. For DBAs.$$;
--! EndIncluded functions/admit_analyst.sql
--! Included functions/analysts.sql
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
--! EndIncluded functions/analysts.sql

-- PostgreSQL cannot revoke LISTEN and NOTIFY: a login that knows a channel's name learns when something happens in which
-- chat, and can make the service read again and again. So the name is random, and only the service may read it. An instance
-- of the previous version listens to the old channel: until it is replaced it finds messages by its heartbeat, within five
-- seconds.
create table if not exists app_private.notification_channels (
  purpose text primary key,
  name    text not null default 'messages_' || replace(gen_random_uuid()::text, '-', '')
);
comment on table app_private.notification_channels is $$The channels that triggers notify and the service listens to. Their names are random, so that other logins can neither listen nor notify.$$;
comment on column app_private.notification_channels.purpose is $$What the notifications are about.$$;
comment on column app_private.notification_channels.name is $$The name of the channel in LISTEN and NOTIFY. A running service reads it when it connects.$$;
alter table app_private.notification_channels enable row level security;
drop policy if exists select_by_login on app_private.notification_channels;
create policy select_by_login on app_private.notification_channels for select to :API_LOGIN using (true);
grant select on app_private.notification_channels to :API_LOGIN;
insert into app_private.notification_channels (purpose) values ('messages') on conflict do nothing;
--! Included functions/notify_message_streams.sql
create or replace function app_private.notify_message_streams(payload text) returns void
language sql volatile set search_path = '' as $$
  select pg_notify(name, payload) from app_private.notification_channels where purpose = 'messages'
$$;
comment on function app_private.notify_message_streams(text) is $$Notifies the services that a chat has new messages, or that somebody’s right to read has changed.$$;
--! EndIncluded functions/notify_message_streams.sql
--! Included functions/tg_messages__notify_added.sql
-- Security definer: only the owner and the service may know the channel.
create or replace function app_hidden.tg_messages__notify_added() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  -- The lowest number is enough: the statement's other messages are committed with it.
  perform app_private.notify_message_streams(format('%s:%s', chat_id, min(number))) from added group by chat_id;
  return null;
end $$;
comment on function app_hidden.tg_messages__notify_added() is $$After messages are added: notifies the services of the chat and the first new number. PostgreSQL delivers it at commit, in the order of the numbers.$$;
--! EndIncluded functions/tg_messages__notify_added.sql
--! Included functions/tg_chat_members__notify_removed.sql
-- Security definer: only the owner and the service may know the channel.
create or replace function app_hidden.tg_chat_members__notify_removed() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform app_private.notify_message_streams(format('%s:', chat_id)) from removed group by chat_id;
  return null;
end $$;
comment on function app_hidden.tg_chat_members__notify_removed() is $$After members leave or are removed: notifies the services to check again who may read the chat.$$;
--! EndIncluded functions/tg_chat_members__notify_removed.sql
--! Included functions/tg_accounts__notify_barred.sql
-- Security definer: only the owner and the service may know the channel.
create or replace function app_hidden.tg_accounts__notify_barred() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform app_private.notify_message_streams(format('user:%s', old.user_id));
  return null;
end $$;
comment on function app_hidden.tg_accounts__notify_barred() is $$After a user is banned or deleted: notifies the services to check again which chats the user may read.$$;
--! EndIncluded functions/tg_accounts__notify_barred.sql
--! Included functions/tg_users__notify_demoted.sql
-- Security definer: only the owner and the service may know the channel.
create or replace function app_hidden.tg_users__notify_demoted() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform app_private.notify_message_streams(format('user:%s', old.id));
  return null;
end $$;
comment on function app_hidden.tg_users__notify_demoted() is $$After a user loses the role ADMIN: notifies the services to check again which chats the user may read.$$;
--! EndIncluded functions/tg_users__notify_demoted.sql
