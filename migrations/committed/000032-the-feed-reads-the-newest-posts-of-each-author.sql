--! Previous: sha1:3807d487f686ee438e367da9c3e88e476c7a96d4
--! Hash: sha1:2b289cd9eabc7c47e9f19f2486241aa7934bee81
--! Message: the feed reads the newest posts of each author

--! split: 910-feed.sql
-- The feed reads the newest posts of each followed author, however long ago they wrote, and passes over no drafts.
create index if not exists posts_published_at_id_idx on app_public.posts (published_at desc, id desc) where status = 'PUBLISHED';
create index if not exists posts_author_id_published_at_id_idx on app_public.posts (author_id, published_at desc, id desc) where status = 'PUBLISHED';

-- It got an argument.
drop function if exists app_public.feed();
--! Included functions/feed.sql
-- A single SQL statement, so that PostgreSQL inlines it and uses the index for order and limit. The body is text: a parsed
-- one (begin atomic) would keep today's columns of posts, and fail when a migration adds one.
--
-- A list needs only its first rows, `page` of them. They are among the newest of each followed author, which the index finds,
-- however seldom the authors write. Without `page`, for a connection, all posts are read in order until the limit is reached.
-- published_at is the listed_at of a published post; only the index of published posts has it.
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
            (select newest.id
               from (select app_hidden.viewer_id() as id
                      union all
                     select followed_id from app_public.follows where follower_id = (select app_hidden.viewer_id())) as author,
                    lateral (select posts.id, posts.published_at from app_public.posts
                              where author_id = author.id and status = 'PUBLISHED'
                              order by published_at desc, id desc limit page) as newest
              where (select exists (select from app_public.follows where follower_id = app_hidden.viewer_id()))
              order by newest.published_at desc, newest.id desc limit page)
             union all
            (select posts.id from app_public.posts
              where status = 'PUBLISHED'
                and not (select exists (select from app_public.follows where follower_id = app_hidden.viewer_id()))
              order by published_at desc, id desc limit page))));
$$;
comment on function app_public.feed(int) is $$@listLimit required
@pageArgument page
The newest published posts by you and the users you follow. By all users when you follow nobody or are not signed in.$$;
grant execute on function app_public.feed(int) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/feed.sql
