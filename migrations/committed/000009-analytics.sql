--! Previous: sha1:722377a76c4f7e8be8d1df0ee1ea8b6461f65c6d
--! Hash: sha1:e3cecae1c3272d3c10be2890ad007f4888f3ede7
--! Message: analytics

--! split: 700-analytics.sql
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

--! Included analytics/calendar.sql
-- A day on which nothing happened is a row with zeros in every series, because the series start from these two.
create or replace view analytics.days with (security_barrier) as
select series.moment::date as day
  from (select least((select min((created_at at time zone 'UTC')::date) from app_public.users),
                     (select min((created_at at time zone 'UTC')::date) from app_public.posts),
                     (select min((created_at at time zone 'UTC')::date) from app_public.comments),
                     (select min((created_at at time zone 'UTC')::date) from app_public.follows),
                     (select min((created_at at time zone 'UTC')::date) from app_public.messages)) as day) as first,
       generate_series(first.day::timestamp, (now() at time zone 'UTC')::date::timestamp, interval '1 day') as series (moment);
comment on view analytics.days is $$Every day from the first on which anything happened to today, UTC. One row a day.$$;
comment on column analytics.days.day is $$The day, UTC.$$;

create or replace view analytics.months with (security_barrier) as
select series.moment::date as month
  from (select min(day) as day from analytics.days) as first,
       generate_series(date_trunc('month', first.day::timestamp), now() at time zone 'UTC', interval '1 month') as series (moment);
comment on view analytics.months is $$Every month from the first in which anything happened to this one, UTC. One row a month.$$;
comment on column analytics.months.month is $$The month’s first day, UTC.$$;
--! EndIncluded analytics/calendar.sql
--! Included analytics/users.sql
create or replace view analytics.users_by_day with (security_barrier) as
select days.day,
       joined.new_users,
       (sum(joined.new_users) over (order by days.day))::bigint as users_total
  from analytics.days
 cross join lateral (
       select count(*) as new_users
         from app_public.users
        where (created_at at time zone 'UTC')::date = days.day) as joined;
comment on view analytics.users_by_day is $$How many people have signed up, by day. Those who have left since are not counted on any day.$$;
comment on column analytics.users_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.users_by_day.new_users is $$Users who signed up on that day.$$;
comment on column analytics.users_by_day.users_total is $$Users who had signed up by the end of that day.$$;

create or replace view analytics.users_by_month with (security_barrier) as
select months.month,
       joined.new_users,
       (sum(joined.new_users) over (order by months.month))::bigint as users_total
  from analytics.months
 cross join lateral (
       select count(*) as new_users
         from app_public.users
        where (created_at at time zone 'UTC')::date >= months.month
          and (created_at at time zone 'UTC')::date < months.month + interval '1 month') as joined;
comment on view analytics.users_by_month is $$How many people have signed up, by month. Those who have left since are not counted in any month.$$;
comment on column analytics.users_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.users_by_month.new_users is $$Users who signed up in that month.$$;
comment on column analytics.users_by_month.users_total is $$Users who had signed up by the end of that month.$$;
--! EndIncluded analytics/users.sql
--! Included analytics/posts.sql
-- A post counts as published while it is; its day is the one on which it first became so. A draft is counted, and no more.
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
comment on view analytics.posts_by_day is $$How many posts were begun and published, by day. Deleted posts are not counted on any day.$$;
comment on column analytics.posts_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.posts_by_day.posts_created is $$Posts begun on that day, drafts among them.$$;
comment on column analytics.posts_by_day.posts_published is $$Posts first published on that day that are published now.$$;

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
comment on view analytics.posts_by_month is $$How many posts were begun and published, by month. Deleted posts are not counted in any month.$$;
comment on column analytics.posts_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.posts_by_month.posts_created is $$Posts begun in that month, drafts among them.$$;
comment on column analytics.posts_by_month.posts_published is $$Posts first published in that month that are published now.$$;

create or replace view analytics.time_to_publish with (security_barrier) as
select id as post_id,
       author_id,
       (created_at at time zone 'UTC')::date as created_on,
       (first_published_at at time zone 'UTC')::date as published_on,
       round(extract(epoch from first_published_at - created_at)::numeric / 3600, 1) as hours_to_publish
  from app_public.posts
 where status = 'PUBLISHED';
comment on view analytics.time_to_publish is $$How long each published post was a draft. One row a published post.$$;
comment on column analytics.time_to_publish.post_id is $$The post’s id, as in the API.$$;
comment on column analytics.time_to_publish.author_id is $$Its author’s user id, as in the API.$$;
comment on column analytics.time_to_publish.created_on is $$The day on which it was begun, UTC.$$;
comment on column analytics.time_to_publish.published_on is $$The day on which it was first published, UTC.$$;
comment on column analytics.time_to_publish.hours_to_publish is $$Hours from the beginning to the first publication, to a tenth; 0.0 for a post that never was a draft.$$;

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
comment on view analytics.time_to_publish_by_month is $$How long posts were drafts, by the month of their first publication.$$;
comment on column analytics.time_to_publish_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.time_to_publish_by_month.posts_published is $$Posts first published in that month that are published now.$$;
comment on column analytics.time_to_publish_by_month.median_hours is $$Half of them took at most so many hours; null when there are none.$$;
comment on column analytics.time_to_publish_by_month.slowest_tenth_hours is $$A tenth of them took at least so many hours; null when there are none.$$;

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
       char_length(posts.content) as characters,
       said.comments,
       said.comments_first_week,
       said.comments_by_author,
       said.commenters,
       said.hours_to_first_comment,
       said.last_comment_on
  from app_public.posts
 cross join lateral (
       select count(*) as comments,
              count(*) filter (where comments.created_at < posts.first_published_at + interval '7 days') as comments_first_week,
              count(*) filter (where comments.author_id = posts.author_id) as comments_by_author,
              count(distinct comments.author_id) filter (where comments.author_id <> posts.author_id) as commenters,
              round(extract(epoch from min(comments.created_at) - posts.first_published_at)::numeric / 3600, 1) as hours_to_first_comment,
              (max(comments.created_at) at time zone 'UTC')::date as last_comment_on
         from app_public.comments
        where comments.post_id = posts.id) as said
 where posts.status = 'PUBLISHED';
comment on view analytics.engagement_by_post is $$What readers made of each published post. One row a published post; drafts are not there.$$;
comment on column analytics.engagement_by_post.post_id is $$The post’s id, as in the API.$$;
comment on column analytics.engagement_by_post.title is $$Its title, as published.$$;
comment on column analytics.engagement_by_post.slug is $$Its place in an address.$$;
comment on column analytics.engagement_by_post.author_id is $$Its author’s user id, as in the API.$$;
comment on column analytics.engagement_by_post.published_on is $$The day on which it was first published, UTC.$$;
comment on column analytics.engagement_by_post.tags is $$Its tags, by name; empty when it has none.$$;
comment on column analytics.engagement_by_post.characters is $$How long it is.$$;
comment on column analytics.engagement_by_post.comments is $$Comments on it, its author’s among them.$$;
comment on column analytics.engagement_by_post.comments_first_week is $$Comments written within seven days of its first publication.$$;
comment on column analytics.engagement_by_post.comments_by_author is $$Comments that its author wrote.$$;
comment on column analytics.engagement_by_post.commenters is $$How many different people other than its author commented.$$;
comment on column analytics.engagement_by_post.hours_to_first_comment is $$Hours from its first publication to the first comment, to a tenth; null when there is none.$$;
comment on column analytics.engagement_by_post.last_comment_on is $$The day of the newest comment, UTC; null when there is none.$$;
--! EndIncluded analytics/posts.sql
--! Included analytics/authors.sql
-- People are told apart by their ids and by nothing else: whoever needs a name asks the API for it.
create or replace view analytics.authors with (security_barrier) as
select users.id as author_id,
       (users.created_at at time zone 'UTC')::date as joined_on,
       wrote.posts_published,
       wrote.drafts,
       (select count(*) from app_public.comments where comments.author_id = users.id) as comments_written,
       (select count(*)
          from app_public.posts
          join app_public.comments on comments.post_id = posts.id
         where posts.author_id = users.id and posts.status = 'PUBLISHED'
           and comments.author_id <> users.id) as comments_received,
       (select count(*) from app_public.follows where follows.followed_id = users.id) as followers,
       (select count(*) from app_public.follows where follows.follower_id = users.id) as following,
       wrote.first_published_on,
       wrote.last_published_on
  from app_public.users
 cross join lateral (
       select count(*) filter (where status = 'PUBLISHED') as posts_published,
              count(*) filter (where status = 'DRAFT') as drafts,
              (min(first_published_at) filter (where status = 'PUBLISHED') at time zone 'UTC')::date as first_published_on,
              (max(first_published_at) filter (where status = 'PUBLISHED') at time zone 'UTC')::date as last_published_on
         from app_public.posts
        where posts.author_id = users.id) as wrote
 where wrote.posts_published > 0;
comment on view analytics.authors is $$What each author has done so far. One row for each user with a published post.$$;
comment on column analytics.authors.author_id is $$The author’s user id, as in the API.$$;
comment on column analytics.authors.joined_on is $$The day on which the author signed up, UTC.$$;
comment on column analytics.authors.posts_published is $$The author’s posts that are published now.$$;
comment on column analytics.authors.drafts is $$The author’s posts that are drafts now.$$;
comment on column analytics.authors.comments_written is $$Comments by the author, wherever.$$;
comment on column analytics.authors.comments_received is $$Comments by others on the author’s published posts.$$;
comment on column analytics.authors.followers is $$Users who follow the author.$$;
comment on column analytics.authors.following is $$Users whom the author follows.$$;
comment on column analytics.authors.first_published_on is $$The day of the author’s first publication, UTC.$$;
comment on column analytics.authors.last_published_on is $$The day of the author’s newest publication, UTC.$$;

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
comment on view analytics.authors_by_day is $$How many people published something, by day.$$;
comment on column analytics.authors_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.authors_by_day.authors is $$Users who published at least one post on that day.$$;
comment on column analytics.authors_by_day.new_authors is $$Those of them who had published nothing before.$$;

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
comment on view analytics.authors_by_month is $$How many people published something, by month.$$;
comment on column analytics.authors_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.authors_by_month.authors is $$Users who published at least one post in that month.$$;
comment on column analytics.authors_by_month.new_authors is $$Those of them who had published nothing before.$$;
--! EndIncluded analytics/authors.sql
--! Included analytics/tags.sql
-- A tag that only drafts wear is part of their text: none of these shows it.
create or replace view analytics.tags with (security_barrier) as
select tags.name as tag,
       count(*) as posts_published,
       count(distinct posts.author_id) as authors,
       (sum(said.comments))::bigint as comments,
       (min(posts.first_published_at) at time zone 'UTC')::date as first_published_on,
       (max(posts.first_published_at) at time zone 'UTC')::date as last_published_on
  from app_public.tags
  join app_public.post_tags on post_tags.tag_id = tags.id
  join app_public.posts on posts.id = post_tags.post_id and posts.status = 'PUBLISHED'
 cross join lateral (
       select count(*) as comments from app_public.comments where comments.post_id = posts.id) as said
 group by tags.id, tags.name;
comment on view analytics.tags is $$What each tag stands for so far. One row for each tag of a published post.$$;
comment on column analytics.tags.tag is $$The tag.$$;
comment on column analytics.tags.posts_published is $$Published posts that wear it now.$$;
comment on column analytics.tags.authors is $$How many different people wrote them.$$;
comment on column analytics.tags.comments is $$Comments on them.$$;
comment on column analytics.tags.first_published_on is $$The day of the oldest of these posts’ publication, UTC.$$;
comment on column analytics.tags.last_published_on is $$The day of the newest of these posts’ publication, UTC.$$;

create or replace view analytics.tags_by_day with (security_barrier) as
select days.day, tags.tag, worn.posts_published
  from analytics.tags
  join analytics.days on days.day >= tags.first_published_on
 cross join lateral (
       select count(*) as posts_published
         from app_public.tags as tag_rows
         join app_public.post_tags on post_tags.tag_id = tag_rows.id
         join app_public.posts on posts.id = post_tags.post_id
        where tag_rows.name = tags.tag
          and posts.status = 'PUBLISHED'
          and (posts.first_published_at at time zone 'UTC')::date = days.day) as worn;
comment on view analytics.tags_by_day is $$How many posts were published under each tag, by day. One row for each tag and day since the tag’s first post; ask for one tag or for some days.$$;
comment on column analytics.tags_by_day.day is $$The day, UTC. None since the tag’s first is left out.$$;
comment on column analytics.tags_by_day.tag is $$The tag.$$;
comment on column analytics.tags_by_day.posts_published is $$Posts with the tag that were first published on that day and are published now.$$;

create or replace view analytics.tags_by_month with (security_barrier) as
select months.month, tags.tag, worn.posts_published
  from analytics.tags
  join analytics.months on months.month >= date_trunc('month', tags.first_published_on::timestamp)
 cross join lateral (
       select count(*) as posts_published
         from app_public.tags as tag_rows
         join app_public.post_tags on post_tags.tag_id = tag_rows.id
         join app_public.posts on posts.id = post_tags.post_id
        where tag_rows.name = tags.tag
          and posts.status = 'PUBLISHED'
          and (posts.first_published_at at time zone 'UTC')::date >= months.month
          and (posts.first_published_at at time zone 'UTC')::date < months.month + interval '1 month') as worn;
comment on view analytics.tags_by_month is $$How many posts were published under each tag, by month. One row for each tag and month since the tag’s first post.$$;
comment on column analytics.tags_by_month.month is $$The month’s first day, UTC. None since the tag’s first is left out.$$;
comment on column analytics.tags_by_month.tag is $$The tag.$$;
comment on column analytics.tags_by_month.posts_published is $$Posts with the tag that were first published in that month and are published now.$$;
--! EndIncluded analytics/tags.sql
--! Included analytics/comments.sql
create or replace view analytics.comments_by_day with (security_barrier) as
select days.day, said.comments, said.commenters, said.posts_commented
  from analytics.days
 cross join lateral (
       select count(*) as comments,
              count(distinct author_id) as commenters,
              count(distinct post_id) as posts_commented
         from app_public.comments
        where (created_at at time zone 'UTC')::date = days.day) as said;
comment on view analytics.comments_by_day is $$How much was said below posts, by day. Deleted comments are not counted on any day.$$;
comment on column analytics.comments_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.comments_by_day.comments is $$Comments written on that day.$$;
comment on column analytics.comments_by_day.commenters is $$How many different people wrote them.$$;
comment on column analytics.comments_by_day.posts_commented is $$How many different posts they are about.$$;

create or replace view analytics.comments_by_month with (security_barrier) as
select months.month, said.comments, said.commenters, said.posts_commented
  from analytics.months
 cross join lateral (
       select count(*) as comments,
              count(distinct author_id) as commenters,
              count(distinct post_id) as posts_commented
         from app_public.comments
        where (created_at at time zone 'UTC')::date >= months.month
          and (created_at at time zone 'UTC')::date < months.month + interval '1 month') as said;
comment on view analytics.comments_by_month is $$How much was said below posts, by month. Deleted comments are not counted in any month.$$;
comment on column analytics.comments_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.comments_by_month.comments is $$Comments written in that month.$$;
comment on column analytics.comments_by_month.commenters is $$How many different people wrote them.$$;
comment on column analytics.comments_by_month.posts_commented is $$How many different posts they are about.$$;
--! EndIncluded analytics/comments.sql
--! Included analytics/followers.sql
-- A follow that is taken back leaves no row behind: growth is that of the follows which have lasted.
create or replace view analytics.followers_by_day with (security_barrier) as
select days.day,
       began.new_follows,
       (sum(began.new_follows) over (order by days.day))::bigint as follows_total
  from analytics.days
 cross join lateral (
       select count(*) as new_follows
         from app_public.follows
        where (created_at at time zone 'UTC')::date = days.day) as began;
comment on view analytics.followers_by_day is $$How readership grows, by day. A follow that was taken back is not counted on any day.$$;
comment on column analytics.followers_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.followers_by_day.new_follows is $$Follows begun on that day.$$;
comment on column analytics.followers_by_day.follows_total is $$Follows begun by the end of that day.$$;

create or replace view analytics.followers_by_month with (security_barrier) as
select months.month,
       began.new_follows,
       (sum(began.new_follows) over (order by months.month))::bigint as follows_total
  from analytics.months
 cross join lateral (
       select count(*) as new_follows
         from app_public.follows
        where (created_at at time zone 'UTC')::date >= months.month
          and (created_at at time zone 'UTC')::date < months.month + interval '1 month') as began;
comment on view analytics.followers_by_month is $$How readership grows, by month. A follow that was taken back is not counted in any month.$$;
comment on column analytics.followers_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.followers_by_month.new_follows is $$Follows begun in that month.$$;
comment on column analytics.followers_by_month.follows_total is $$Follows begun by the end of that month.$$;

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
comment on view analytics.followers_by_author_and_month is $$How each user’s readership grows. One row for each user who has followers and each month since the first. A follow that was taken back is not counted in any month.$$;
comment on column analytics.followers_by_author_and_month.month is $$The month’s first day, UTC. None since the first follower is left out.$$;
comment on column analytics.followers_by_author_and_month.author_id is $$The id of the user who is followed, as in the API.$$;
comment on column analytics.followers_by_author_and_month.new_followers is $$Followers won in that month.$$;
comment on column analytics.followers_by_author_and_month.followers_total is $$Followers won by the end of that month.$$;
--! EndIncluded analytics/followers.sql
--! Included analytics/writers.sql
-- To write is to begin a post, draft or not, or to comment. Chat is a private matter and does not count.
create or replace view analytics.active_writers_by_day with (security_barrier) as
select days.day, wrote.writers, wrote.post_writers, wrote.comment_writers, wrote.writers_7_days, wrote.writers_28_days
  from analytics.days
 cross join lateral (
       select count(distinct author_id) filter (where day = days.day) as writers,
              count(distinct author_id) filter (where day = days.day and is_post) as post_writers,
              count(distinct author_id) filter (where day = days.day and not is_post) as comment_writers,
              count(distinct author_id) filter (where day > days.day - 7) as writers_7_days,
              count(distinct author_id) as writers_28_days
         from (select author_id, (created_at at time zone 'UTC')::date as day, true as is_post
                 from app_public.posts
                where (created_at at time zone 'UTC')::date between days.day - 27 and days.day
                union all
               select author_id, (created_at at time zone 'UTC')::date, false
                 from app_public.comments
                where (created_at at time zone 'UTC')::date between days.day - 27 and days.day) as texts
       ) as wrote;
comment on view analytics.active_writers_by_day is $$How many people wrote, by day: began a post, draft or not, or commented. Ask for some days: each looks back over 28.$$;
comment on column analytics.active_writers_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.active_writers_by_day.writers is $$Users who wrote on that day.$$;
comment on column analytics.active_writers_by_day.post_writers is $$Those of them who began a post.$$;
comment on column analytics.active_writers_by_day.comment_writers is $$Those of them who commented.$$;
comment on column analytics.active_writers_by_day.writers_7_days is $$Users who wrote on that day or the six before.$$;
comment on column analytics.active_writers_by_day.writers_28_days is $$Users who wrote on that day or the 27 before.$$;

create or replace view analytics.active_writers_by_month with (security_barrier) as
select months.month, wrote.writers, wrote.post_writers, wrote.comment_writers, wrote.returning_writers
  from analytics.months
 cross join lateral (
       select count(*) filter (where posts_now or comments_now) as writers,
              count(*) filter (where posts_now) as post_writers,
              count(*) filter (where comments_now) as comment_writers,
              count(*) filter (where (posts_now or comments_now) and wrote_before) as returning_writers
         from (select bool_or(is_post and day >= months.month) as posts_now,
                      bool_or(not is_post and day >= months.month) as comments_now,
                      bool_or(day < months.month) as wrote_before
                 from (select author_id, (created_at at time zone 'UTC')::date as day, true as is_post
                         from app_public.posts
                        where (created_at at time zone 'UTC')::date >= months.month - interval '1 month'
                          and (created_at at time zone 'UTC')::date < months.month + interval '1 month'
                        union all
                       select author_id, (created_at at time zone 'UTC')::date, false
                         from app_public.comments
                        where (created_at at time zone 'UTC')::date >= months.month - interval '1 month'
                          and (created_at at time zone 'UTC')::date < months.month + interval '1 month') as texts
                group by author_id) as people
       ) as wrote;
comment on view analytics.active_writers_by_month is $$How many people wrote, by month: began a post, draft or not, or commented.$$;
comment on column analytics.active_writers_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.active_writers_by_month.writers is $$Users who wrote in that month.$$;
comment on column analytics.active_writers_by_month.post_writers is $$Those of them who began a post.$$;
comment on column analytics.active_writers_by_month.comment_writers is $$Those of them who commented.$$;
comment on column analytics.active_writers_by_month.returning_writers is $$Those of them who had written in the month before as well.$$;
--! EndIncluded analytics/writers.sql
--! Included analytics/chat.sql
-- How much is said in chats. What is said, and who says it to whom, stays there: no ids, no texts, no titles.
create or replace view analytics.chat_by_day with (security_barrier) as
select days.day, said.messages, said.senders, said.active_chats
  from analytics.days
 cross join lateral (
       select count(*) as messages,
              count(distinct sender_id) as senders,
              count(distinct chat_id) as active_chats
         from app_public.messages
        where (created_at at time zone 'UTC')::date = days.day) as said;
comment on view analytics.chat_by_day is $$How much is said in chats, by day.$$;
comment on column analytics.chat_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.chat_by_day.messages is $$Messages sent on that day.$$;
comment on column analytics.chat_by_day.senders is $$How many different users sent them; those who have left since are not counted.$$;
comment on column analytics.chat_by_day.active_chats is $$How many different chats they were said in.$$;

create or replace view analytics.chat_by_month with (security_barrier) as
select months.month, said.messages, said.senders, said.active_chats
  from analytics.months
 cross join lateral (
       select count(*) as messages,
              count(distinct sender_id) as senders,
              count(distinct chat_id) as active_chats
         from app_public.messages
        where (created_at at time zone 'UTC')::date >= months.month
          and (created_at at time zone 'UTC')::date < months.month + interval '1 month') as said;
comment on view analytics.chat_by_month is $$How much is said in chats, by month.$$;
comment on column analytics.chat_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.chat_by_month.messages is $$Messages sent in that month.$$;
comment on column analytics.chat_by_month.senders is $$How many different users sent them; those who have left since are not counted.$$;
comment on column analytics.chat_by_month.active_chats is $$How many different chats they were said in.$$;
--! EndIncluded analytics/chat.sql

-- The whole of what an analyst may do: enter this schema and read its views, those too that a later migration adds.
grant usage on schema analytics to :ANALYST;
grant select on all tables in schema analytics to :ANALYST;
alter default privileges in schema analytics grant select on tables to :ANALYST;

-- What PostgreSQL lets everybody do, and nobody here needs: files of one's own, in temporary tables or large objects.
--! Included functions/close_database.sql
-- Kept apart because a database's own grants are not copied with it: a restored or cloned one is open again. An owner who
-- is no superuser may not close large objects; PostgreSQL then warns, and goes on.
create or replace function app_private.close_database() returns void
language plpgsql volatile set search_path = '' as $$
begin
  execute format('revoke temporary on database %I from public', current_database());
  revoke execute on function pg_catalog.lo_creat(int) from public;
  revoke execute on function pg_catalog.lo_create(oid) from public;
  revoke execute on function pg_catalog.lo_from_bytea(oid, bytea) from public;
end $$;
comment on function app_private.close_database() is $$Takes from everybody what PostgreSQL gives to everybody: temporary tables and large objects in this database.$$;
--! EndIncluded functions/close_database.sql
select app_private.close_database();

--! Included functions/admit_analyst.sql
-- A role's settings do not pass to its members, so each login gets its own, for this database. They are defaults that a
-- session can change; that nothing can be written does not depend on them, but on the grants.
create or replace function app_private.admit_analyst(login name, statement_timeout interval default '1 minute') returns void
language plpgsql volatile set search_path = '' as $$
declare
  v_settings jsonb := jsonb_build_object(
    'default_transaction_read_only', 'on',
    'statement_timeout', (extract(epoch from admit_analyst.statement_timeout) * 1000)::bigint,
    'idle_in_transaction_session_timeout', '5min',
    'search_path', 'analytics',
    'timezone', 'UTC');
  v_name text;
  v_value text;
begin
  if extract(epoch from admit_analyst.statement_timeout) <= 0 then
    raise exception using errcode = '22023', message = 'An analyst needs a statement time-out above zero';
  end if;
  perform app_private.close_database();
  execute format('grant :ANALYST to %I', login);
  execute format('grant connect on database %I to :ANALYST', current_database());
  for v_name, v_value in select * from jsonb_each_text(v_settings) loop
    execute format('alter role %I in database %I set %I = %L', login, current_database(), v_name, v_value);
  end loop;
end $$;
comment on function app_private.admit_analyst(name, interval) is $$Makes a person’s login an analyst’s, in this database: grants the role, and sets read-only transactions, a statement time-out, search_path analytics and UTC. Run again to change the time-out. For DBAs.$$;
--! EndIncluded functions/admit_analyst.sql
--! Included functions/analysts.sql
create or replace view app_private.analysts as
select roles.rolname as login,
       coalesce(bool_or(setting = 'default_transaction_read_only=on'), false) as is_read_only,
       max(substring(setting from '^statement_timeout=(.*)$'))::bigint * interval '1 millisecond' as statement_timeout
  from pg_catalog.pg_roles as roles
  left join pg_catalog.pg_db_role_setting as stored
    on stored.setrole = roles.oid
   and stored.setdatabase = (select oid from pg_catalog.pg_database where datname = current_database())
  left join lateral unnest(stored.setconfig) as setting on true
 where roles.rolcanlogin and not roles.rolsuper and pg_catalog.pg_has_role(roles.oid, ':ANALYST', 'member')
 group by roles.rolname;
comment on view app_private.analysts is $$Who may read schema analytics, and what admit_analyst() has set for each: false and null for a login that was only granted the role. For DBAs.$$;
--! EndIncluded functions/analysts.sql
