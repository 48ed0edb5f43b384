--! Previous: sha1:bd95ac302010b9ad99742400f5e5383d7c0cfcf6
--! Hash: sha1:07e86d89f3de831a32812ae3aa00b2f3c311b4f1
--! Message: totals of tags and authors read each table once

--! split: 100-totals.sql

-- allow: change-behaviour:analytics.authors because its rows are the same, and it reads users and follows once: test/analytics/size
-- Totals of all tags and authors read each table once, and look nothing up for each post or author.
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
--! Included views/authors.sql
-- Joins, and no look-up for each author: PostgreSQL leaves out those whose columns nobody asks for. Authors have ids and no names here. The API gives the name of an id.
create or replace view analytics.authors with (security_barrier) as
select published.author_id,
       (users.created_at at time zone 'UTC')::date as joined_on,
       published.posts_published,
       rollups.comments_written(published.author_id) as comments_written,
       published.comments_received,
       coalesce(followed.followers, 0) as followers,
       (select count(*) from app_public.follows where follows.follower_id = published.author_id) as following,
       (published.first_published_at at time zone 'UTC')::date as first_published_on,
       (published.last_published_at at time zone 'UTC')::date as last_published_on,
       (select count(*) from app_public.follows join app_public.follows as back on (back.follower_id, back.followed_id) = (follows.followed_id, follows.follower_id)
         where follows.followed_id = published.author_id) as mutual_followers
  from (select author_id, count(*) as posts_published, sum(comments - comments_by_author)::bigint as comments_received,
               min(first_published_at) as first_published_at, max(first_published_at) as last_published_at
          from rollups.published_posts()
         group by author_id) as published
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
    from (select author_id, count(*) as posts_published, sum(comments - comments_by_author)::bigint as comments_received,
                 min(first_published_at) as first_published_at, max(first_published_at) as last_published_at
            from rollups.posts_among(array(select id from rollups.published where author_id = any (totals_of_authors.ids)))
           group by author_id) as published
$$;
comment on function analytics.totals_of_authors(bigint[]) is $$The rows of authors of some users, as of now. Reads their posts only.$$;
grant execute on function analytics.totals_of_authors(bigint[]) to :ANALYST;
--! EndIncluded views/authors.sql
