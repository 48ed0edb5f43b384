-- More lists and counts read no more rows than they show, however much content there is.

--!include functions/first_posts_of_tag.sql
comment on constraint post_tags_tag_id_fkey on app_public.post_tags is $$@firstRows app_hidden.first_posts_of_tag status$$;

select app_private.count_rows('app_public.follows', 'follower_id');
alter policy select_public on app_hidden.counts
  using (name in ('follows.followed_id', 'follows.follower_id') or (name, key) = ('posts.status', 'PUBLISHED'));
--!include functions/users_following.sql
-- No count keeps the id of an erased user.
--!include functions/erase_user.sql

-- Tells Query.postsConnection where its totalCount is kept.
do $$
begin
  execute format('comment on table app_public.posts is ''%s''', replace(E'@totalCount app_public.posts_count status\n'
    || regexp_replace(obj_description('app_public.posts'::regclass, 'pg_class'), '@totalCount[^\n]*\n', ''), '''', ''''''));
end $$;
