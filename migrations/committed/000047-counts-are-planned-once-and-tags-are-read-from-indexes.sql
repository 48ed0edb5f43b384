--! Previous: sha1:616edf7d594eee6f34a319dc7ca761221ee46ef7
--! Hash: sha1:7bf4bbca6d9d5ba303d0fdc2ee580448b5d05445
--! Message: counts are planned once, and tags are read from indexes

--! split: 100-counts-are-planned-once-and-tags-are-read-from-indexes.sql
-- PostgreSQL planned the counts of posts anew for each call. That took most of the time of a page with a count.
--! Included functions/posts_count.sql
-- The functions below are plpgsql with generic plans, so that a connection plans their statements once. PostgreSQL planned the same queries,
-- as bodies of SQL functions, for each call: custom plans look cheaper when they leave out an argument that is null.
--
-- Rows of post_tags whose is_public may be wrong are not counted by it: while there are any, the posts of the tag are counted. Of the kept
-- counts, the policies show those of published posts and, to admins, the others.
create or replace function app_hidden.posts_count_of_tag(tag_id bigint, status app_public.post_status default null) returns int
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
#variable_conflict use_column
declare
  v_is_admin boolean := app_hidden.viewer_id() is not null and app_hidden.viewer_is_admin();
  v_count int;
begin
  if exists (select from app_hidden.unsettled where relation = 'app_public.post_tags'::regclass)
    -- Which private status a post has stands in no count.
    or v_is_admin and posts_count_of_tag.status <> 'PUBLISHED' then
    return (select count(*) from app_public.post_tags
              join app_public.posts on posts.id = post_id
             where post_tags.tag_id = posts_count_of_tag.tag_id
               and (posts_count_of_tag.status is null or posts.status = posts_count_of_tag.status));
  end if;
  v_count := (select coalesce(sum(rows), 0) from app_hidden.counts
               where name = 'post_tags.tag_id,is_public'
                 and (key = posts_count_of_tag.tag_id || ',true' and coalesce(posts_count_of_tag.status, 'PUBLISHED') = 'PUBLISHED'
                   or key = posts_count_of_tag.tag_id || ',false' and posts_count_of_tag.status is null));
  if app_hidden.viewer_id() is null or v_is_admin then
    return v_count;
  end if;
  return v_count + (
    select count(*) from app_public.posts
     where posts.status <> 'PUBLISHED' and (posts_count_of_tag.status is null or posts.status = posts_count_of_tag.status)
       and author_id = (select app_hidden.viewer_id())
       and exists (select from app_public.post_tags where post_tags.post_id = posts.id and post_tags.tag_id = posts_count_of_tag.tag_id));
end $$;
comment on function app_hidden.posts_count_of_tag(bigint, app_public.post_status) is $$The number of posts of a tag that the viewer may see.$$;
grant execute on function app_hidden.posts_count_of_tag(bigint, app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.posts_count(
  status app_public.post_status default null, author_id bigint default null, tag text default null
) returns int
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
#variable_conflict use_column
begin
  if tag is not null and posts_count.author_id is not null then
    return (select count(*) from app_public.posts
             where posts.author_id = posts_count.author_id and (posts_count.status is null or posts.status = posts_count.status)
               and id in (select * from app_hidden.post_ids_of_tag(posts_count.tag)));
  elsif tag is not null then
    return coalesce((select app_hidden.posts_count_of_tag(tags.id, posts_count.status) from app_public.tags
                      where name = app_hidden.tag_name(posts_count.tag)), 0);
  elsif posts_count.author_id is not null then
    -- The policies of counts show those of published posts, and of all posts to their author and to admins. After a comma comes a hyphen.
    return (select coalesce(sum(rows), 0) from app_hidden.counts
             where name = 'posts.author_id,status' and key > posts_count.author_id || ',' and key < posts_count.author_id || '-'
               and (posts_count.status is null or key = posts_count.author_id || ',' || posts_count.status));
  elsif app_hidden.viewer_id() is null then
    -- A plan is made for one role. With statements of their own, visitors and members keep their plans on a connection that serves both.
    return (select coalesce(sum(rows), 0) from app_hidden.counts
             where name = 'posts.status' and (posts_count.status is null or key = posts_count.status::text));
  else
    return (select coalesce(sum(rows), 0) from app_hidden.counts
             where name = 'posts.status' and (posts_count.status is null or key = posts_count.status::text))
      + case when app_hidden.viewer_is_admin() then 0 else
       (select count(*) from app_public.posts
         where posts.author_id = (select app_hidden.viewer_id()) and posts.status <> 'PUBLISHED'
           and (posts_count.status is null or posts.status = posts_count.status)) end;
  end if;
end $$;
comment on function app_public.posts_count(app_public.post_status, bigint, text) is $$@describe status Count only posts with this status.
@describe author_id Count only posts of this user.
@describe tag Count only posts with this tag, in any case.
The number of posts that you may see.$$;
grant execute on function app_public.posts_count(app_public.post_status, bigint, text) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.tags_posts_count(tags app_public.tags, status app_public.post_status default null) returns int
language sql stable
return app_hidden.posts_count_of_tag(tags.id, tags_posts_count.status);
comment on function app_public.tags_posts_count(app_public.tags, app_public.post_status) is $$@notNull
@describe status Count only posts with this status.
The number of posts of this tag that you may see.$$;
grant execute on function app_public.tags_posts_count(app_public.tags, app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.users_posts_count(users app_public.users, status app_public.post_status default null) returns int
language sql stable
return app_public.posts_count(users_posts_count.status, users.id);
comment on function app_public.users_posts_count(app_public.users, app_public.post_status) is $$@notNull
@describe status Count only posts with this status.
The number of posts of this user that you may see.$$;
grant execute on function app_public.users_posts_count(app_public.users, app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts_count.sql

-- Carry the tags of a post with all that the policies read, so that no row of either table is visited.
create index if not exists post_tags_post_id_tag_id_is_public_idx on app_public.post_tags (post_id) include (tag_id, is_public);
create index if not exists tags_id_name_is_public_idx on app_public.tags (id) include (name, is_public);
