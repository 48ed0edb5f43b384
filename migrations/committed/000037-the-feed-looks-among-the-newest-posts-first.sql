--! Previous: sha1:3ffa37ea37e9220a62d490181e554788df12ae7e
--! Hash: sha1:3235ba91da69d07cf69eb8de68c03858730c7d95
--! Message: the feed looks among the newest posts first

--! split: 220-feed.sql
-- The feed of a viewer who follows active authors reads the newest posts of everybody, with their authors, from the index. Building it
-- blocks writes to posts: on a large database, build it before the migration with npm run db:index.
create index if not exists posts_published_at_id_author_id_idx
  on app_public.posts (published_at desc, id desc) include (author_id) where status = 'PUBLISHED';
drop index if exists app_public.posts_published_at_id_idx;

--! Included functions/feed.sql
-- A single SQL statement, so that PostgreSQL inlines it and uses the index for order and limit. The body is text: a parsed
-- one (begin atomic) would keep today's columns of posts, and fail when a migration adds one.
--
-- A list needs only its first rows, `page` of them. For a viewer who follows active authors, enough of them are among the newest posts of
-- everybody. If not, they are among the newest of each author, which the index finds however seldom the authors write. Without `page`,
-- for a connection, all posts are read in order until the limit is reached.
-- published_at is the listed_at of a published post; only the indexes of published posts have it.
create or replace function app_public.feed(page int default null) returns setof app_public.posts
language sql stable as $$
  select posts.*
    from app_public.posts
   where status = 'PUBLISHED'
     and (page is null
          and (not (select exists (select from app_public.follows where follower_id = app_hidden.viewer_id()))
            or author_id = (select app_hidden.viewer_id())
            or author_id in (select followed_id from app_public.follows where follower_id = (select app_hidden.viewer_id())))
       or page is not null
          and id = any (array(
            with newest as materialized (
              select latest.id
                from (select posts.id, author_id, published_at from app_public.posts
                       where status = 'PUBLISHED' order by published_at desc, id desc limit greatest(page, 500)) as latest
               where not (select exists (select from app_public.follows where follower_id = app_hidden.viewer_id()))
                  or author_id = (select app_hidden.viewer_id())
                  or author_id in (select followed_id from app_public.follows where follower_id = (select app_hidden.viewer_id()))
               order by published_at desc, latest.id desc limit page
            )
            select newest.id from newest
             union all
            (select of_author.id
               from (select app_hidden.viewer_id() as id
                      union all
                     select followed_id from app_public.follows where follower_id = (select app_hidden.viewer_id())) as author,
                    lateral (select posts.id, posts.published_at from app_public.posts
                              where author_id = author.id and status = 'PUBLISHED'
                              order by published_at desc, id desc limit page) as of_author
              where (select count(*) from newest) < page
                and (select exists (select from app_public.follows where follower_id = app_hidden.viewer_id()))
              order by of_author.published_at desc, of_author.id desc limit page))));
$$;
comment on function app_public.feed(int) is $$@listLimit required
@pageArgument page
The newest published posts by you and the users you follow. By all users when you follow nobody or are not signed in.$$;
grant execute on function app_public.feed(int) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/feed.sql
