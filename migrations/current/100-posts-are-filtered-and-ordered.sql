-- Posts are found by their slug, filtered by author and tag, and listed in orders that clients choose. Counts by author and tag are kept.

comment on constraint posts_slug_key on app_public.posts is $$This slug is already in use.$$;

-- Each kind of posts that a viewer may see has an index in each order: all, and those of an author.
create index if not exists posts_published_listed_at_id_idx on app_public.posts (listed_at desc, id desc) where status = 'PUBLISHED';
create index if not exists posts_author_id_published_listed_at_id_idx on app_public.posts (author_id, listed_at desc, id desc) where status = 'PUBLISHED';
create index if not exists posts_published_updated_at_id_idx on app_public.posts (updated_at desc, id desc) where status = 'PUBLISHED';
create index if not exists posts_private_updated_at_id_idx on app_public.posts (updated_at desc, id desc) where status <> 'PUBLISHED';
create index if not exists posts_author_id_published_updated_at_id_idx on app_public.posts (author_id, updated_at desc, id desc) where status = 'PUBLISHED';
create index if not exists posts_author_id_private_updated_at_id_idx on app_public.posts (author_id, updated_at desc, id desc) where status <> 'PUBLISHED';
create index if not exists posts_published_title_id_idx on app_public.posts (title, id) where status = 'PUBLISHED';
create index if not exists posts_private_title_id_idx on app_public.posts (title, id) where status <> 'PUBLISHED';
create index if not exists posts_author_id_published_title_id_idx on app_public.posts (author_id, title, id) where status = 'PUBLISHED';
create index if not exists posts_author_id_private_title_id_idx on app_public.posts (author_id, title, id) where status <> 'PUBLISHED';

--!include functions/tag_names.sql
drop function if exists app_private.count_rows(regclass, name);
--!include functions/counts.sql
select app_private.count_rows('app_public.posts', 'author_id', 'status');
select app_private.count_rows('app_public.post_tags', 'tag_id', 'is_public');
alter policy select_public on app_hidden.counts
  using (name in ('follows.followed_id', 'follows.follower_id') or (name, key) = ('posts.status', 'PUBLISHED')
      or name = 'posts.author_id,status' and key like '%,PUBLISHED' or name = 'post_tags.tag_id,is_public' and key like '%,true');
drop policy if exists select_own on app_hidden.counts;
create policy select_own on app_hidden.counts for select to :API_MEMBER
  using (name = 'posts.author_id,status' and split_part(key, ',', 1) = (select app_hidden.viewer_id())::text);
--!include functions/erase_user.sql

drop function if exists app_hidden.first_posts(int, app_public.post_status);
--!include functions/listed_posts.sql
drop function if exists app_hidden.first_posts_of_tag(bigint, int, app_public.post_status);
--!include functions/first_posts_of_tag.sql
drop function if exists app_public.posts_count(app_public.post_status);
--!include functions/posts_count.sql

-- Smart tags.
do $$
begin
  execute format('comment on table app_public.posts is %L', $tags$@describe listOrder Newest first, by publishedAt; drafts by createdAt.
@listOrder listed_at desc, id desc
@listOrder NEWEST: listed_at desc, id desc
@listOrder OLDEST: listed_at, id
@listOrder UPDATED: updated_at desc, id desc
@listOrder TITLE: title, id
@describe NEWEST Newest first, by publishedAt; drafts by createdAt.
@describe OLDEST Oldest first, by publishedAt; drafts by createdAt.
@describe UPDATED By updatedAt, the latest change first.
@describe TITLE By title, as the database sorts texts.
@listFilter tag app_hidden.post_ids_of_tag
@describe tag Only those with this tag, in any case.
@listPart app_hidden.listed_published_posts status
@listPart app_hidden.listed_own_posts status
@listPart app_hidden.listed_private_posts status
@firstRows app_hidden.first_posts_tagged tag! status after
@totalCount app_public.posts_count status author_id tag
$tags$ || regexp_replace(obj_description('app_public.posts'::regclass, 'pg_class'),
      '@(describe (listOrder|NEWEST|OLDEST|UPDATED|TITLE|tag)|listOrder|listFilter|listPart|firstRows|totalCount) [^\n]*\n', '', 'g'));
end $$;
comment on column app_public.posts.author_id is E'@listFilter\nThe user who wrote the post.';
comment on constraint posts_author_id_fkey on app_public.posts is E'@notNull\n@totalCount app_public.posts_count status';
comment on constraint post_tags_tag_id_fkey on app_public.post_tags is E'@firstRows app_hidden.first_posts_of_tag status after\n@totalCount app_hidden.posts_count_of_tag status';
