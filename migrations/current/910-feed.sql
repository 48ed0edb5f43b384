-- The feed reads the newest posts of each followed author, however long ago they wrote, and passes over no drafts.
create index if not exists posts_published_at_id_idx on app_public.posts (published_at desc, id desc) where status = 'PUBLISHED';
create index if not exists posts_author_id_published_at_id_idx on app_public.posts (author_id, published_at desc, id desc) where status = 'PUBLISHED';

-- It got an argument.
drop function if exists app_public.feed();
--!include functions/feed.sql
