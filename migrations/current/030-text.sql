-- All texts follow the same rules, normalisation cannot run away, and slugs have letters of all scripts and no common lock.
--!include functions/bounded_text.sql
--!include functions/normal_text.sql
--!include functions/faults.sql
--!include functions/normalize_text.sql

drop trigger if exists _100_prepare on app_public.users;
drop trigger if exists _100_prepare on app_public.comments;
drop function if exists app_hidden.tg_users__prepare();
drop function if exists app_hidden.tg_comments__prepare();
--!include functions/tg_messages__prepare.sql
select app_hidden.normalize_text('app_public.users', '{name,avatar}');
select app_hidden.normalize_text('app_private.accounts', '{email}');
select app_hidden.normalize_text('app_public.posts', '{title}');
select app_hidden.normalize_text('app_public.tags', '{name}');
select app_hidden.normalize_text('app_public.comments');
select app_hidden.normalize_text('app_public.chats', '{title}');
select app_hidden.normalize_text('app_public.messages');

-- The triggers normalise rows that earlier versions left as they were given. A row that cannot be normalised, such as an
-- e-mail that another account has in normal form C, stays.
do $$
declare
  v_id bigint;
begin
  for v_id in select user_id from app_private.accounts where email is not nfc normalized loop
    begin
      update app_private.accounts set email = email where user_id = v_id;
    exception when unique_violation or sqlstate 'FAULT' then
      raise warning 'The e-mail of user % stays as it is: %', v_id, sqlerrm;
    end;
  end loop;
  for v_id in select id from app_public.chats where title is not nfc normalized or title ~ '^\s|\s$' loop
    begin
      update app_public.chats set title = title where id = v_id;
    exception when sqlstate 'FAULT' then
      raise warning 'The title of chat % stays as it is: %', v_id, sqlerrm;
    end;
  end loop;
end $$;

--!include functions/tag_names.sql
--!include functions/tag_faults.sql
comment on column app_public.create_post_input.tags is $$At most 15 tags of 1 to 50 characters. They are trimmed and converted to lower case; duplicates are removed.$$;
--!include functions/member_faults.sql
--!include functions/create_chat.sql

--!include functions/slugify.sql
--!include functions/free_slug.sql
--!include functions/start_of.sql
--!include functions/tg_posts__prepare.sql
drop function if exists app_hidden.free_slug(text, bigint);

comment on column app_public.posts.slug is $$The post’s name in URLs: made from the title, unique, with letters and digits of any script. A draft’s slug ends in its id, and so does a published post’s if the title alone is taken or ends in a number. Does not change after the first publication.$$;

-- The slugs of drafts had no ids. Without triggers: nothing that a reader can see changes, and a draft that breaks a new rule
-- stays.
alter table app_public.posts drop constraint if exists posts_slug_check;
alter table app_public.posts disable trigger user;
update app_public.posts set slug = app_hidden.free_slug(title, id, false)
 where first_published_at is null and slug !~ ('-' || id || '$');
alter table app_public.posts enable trigger user;

-- Not valid: older rows stay as they are until they are written again, and no table is scanned under its lock.
alter table app_public.posts add constraint posts_slug_check check (slug <> '' and slug = app_hidden.slug_words(slug)) not valid;
comment on constraint posts_slug_check on app_public.posts is $$A slug consists of lower-case letters and digits, with single hyphens between them.$$;
alter table app_public.posts drop constraint if exists posts_content_blank_check;
alter table app_public.posts add constraint posts_content_blank_check check (content ~ '\S' or content = '') not valid;
comment on constraint posts_content_blank_check on app_public.posts is $$Content needs a character other than white space.$$;
alter table app_public.chats drop constraint if exists chats_title_blank_check;
alter table app_public.chats add constraint chats_title_blank_check check (title ~ '\S' or title = '') not valid;
comment on constraint chats_title_blank_check on app_public.chats is $$A chat’s title needs a character other than white space.$$;
