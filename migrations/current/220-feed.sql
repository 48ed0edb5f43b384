-- The feed of a viewer who follows active authors reads the newest posts of everybody, with their authors, from the index. Building it
-- blocks writes to posts: on a large database, build it before the migration with npm run db:index.
create index if not exists posts_published_at_id_author_id_idx
  on app_public.posts (published_at desc, id desc) include (author_id) where status = 'PUBLISHED';
drop index if exists app_public.posts_published_at_id_idx;

--!include functions/feed.sql
