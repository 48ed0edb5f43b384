-- A status that a DBA adds to app_public.post_status can be used at once: nothing but PUBLISHED is public.
--!include functions/tg_posts__prepare.sql
comment on column app_public.posts.published_at is $$The time when the post last became public; null if it is not.$$;
