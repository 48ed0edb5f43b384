--! Previous: sha1:cbdc3e0887cf5fc957df1c6e49d73fc85119607d
--! Hash: sha1:742f57c6caf985a6830f77da19875642b1f2557a
--! Message: lists say their order

--! split: 420-lists-say-their-order.sql
-- Descriptions of lists say their order. Without a line of its own, a list names the columns that it is ordered by.
do $$
declare
  v_table record;
begin
  for v_table in
    select * from (values
      ('app_public.posts'::regclass, 'Newest first, by publishedAt; drafts by createdAt.'),
      ('app_public.comments', 'Oldest first.'),
      ('app_public.messages', 'Newest first.')) as described (name, sentence)
  loop
    execute format('comment on table %s is %L', v_table.name, E'@describe listOrder ' || v_table.sentence || E'\n'
      || regexp_replace(obj_description(v_table.name, 'pg_class'), '@describe listOrder[^\n]*\n', ''));
  end loop;
end $$;
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
The published posts by you and the users you follow, newest first. By all users when you follow nobody or are not signed in.$$;
grant execute on function app_public.feed(int) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/feed.sql
