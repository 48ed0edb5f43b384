-- An excerpt that is made from the content ends with an ellipsis where the content goes on, and an author can return to it.
create temporary table if not exists made_excerpts on commit drop as
select id from app_public.posts where char_length(content) > 200 and excerpt = app_hidden.start_of(content);
--!include functions/start_of.sql
--!include functions/tg_posts__prepare.sql
-- Those that were made before. No author has changed anything, so updated_at, the audit trail and revisions stay as they are.
alter table app_public.posts disable trigger user;
update app_public.posts set excerpt = app_hidden.start_of(content)
 where id in (select id from pg_temp.made_excerpts) and excerpt <> app_hidden.start_of(content);
alter table app_public.posts enable trigger user;

comment on column app_public.posts.excerpt is $$A short preview, at most 200 characters: written by the author, or else the beginning of the content, with an ellipsis if the content goes on.$$;
comment on column app_public.create_post_input.excerpt is $$A short preview, at most 200 characters. The default is the beginning of the content, also if it is blank.$$;
comment on column app_public.update_post_input.excerpt is $$A short preview, at most 200 characters. A blank one returns to the beginning of the content.$$;
