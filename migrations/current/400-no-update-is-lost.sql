-- A client that changes a post can say which version it has read: ifUpdatedAt.
--!include functions/require_unchanged.sql
--!include functions/protect.sql
--!include functions/tg_posts__prepare.sql
--!include functions/tg_post_tags__touch_post.sql
-- PostgreSQL cannot add an argument to a function.
drop function if exists app_public.update_post(bigint, app_public.update_post_input);
drop function if exists app_public.update_post(bigint, app_public.update_post_input, timestamptz);
--!include functions/update_post.sql
