--! Previous: sha1:2b289cd9eabc7c47e9f19f2486241aa7934bee81
--! Hash: sha1:eb62c36b24925c8f3464bd85df78c0bc9912dc40
--! Message: lists of posts read their first rows by index

--! split: 920-first-posts.sql
-- The list of posts reads no drafts that its viewer may not see: neither before the published posts nor among the viewer's own drafts.
create index if not exists posts_private_listed_at_id_idx on app_public.posts (listed_at desc, id desc) where status <> 'PUBLISHED';

--! Included functions/first_posts.sql
-- One index for each kind of posts that a viewer may see: published posts, the viewer's own others, and for admins all others. So
-- no draft of another user is read and left out by a policy.
create or replace function app_hidden.first_posts(page int, status app_public.post_status default null)
returns setof app_public.posts
language sql stable as $$
  (select posts.* from app_public.posts
    where posts.status = 'PUBLISHED' and coalesce(first_posts.status, 'PUBLISHED') = 'PUBLISHED'
    order by published_at desc, id desc limit page)
   union all
  (select posts.* from app_public.posts
    where posts.status <> 'PUBLISHED' and (first_posts.status is null or posts.status = first_posts.status)
      and author_id = (select app_hidden.viewer_id()) and not (select app_hidden.viewer_is_admin())
    order by listed_at desc, id desc limit page)
   union all
  (select posts.* from app_public.posts
    where posts.status <> 'PUBLISHED' and (first_posts.status is null or posts.status = first_posts.status)
      and (select app_hidden.viewer_is_admin())
    order by listed_at desc, id desc limit page)
$$;
comment on function app_hidden.first_posts(int, app_public.post_status) is $$The first posts of the list Query.posts, or those of a status.$$;
grant execute on function app_hidden.first_posts(int, app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/first_posts.sql
do $$
begin
  execute format('comment on table app_public.posts is %L', E'@firstRows app_hidden.first_posts status\n'
    || regexp_replace(obj_description('app_public.posts'::regclass, 'pg_class'), '@firstRows[^\n]*\n', ''));
end $$;
