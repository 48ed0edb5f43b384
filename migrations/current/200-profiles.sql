-- Users edit their profiles. An avatar is a URL that a page can show, and no other text.
--!include functions/tg_users__prepare.sql
create or replace trigger _100_prepare before insert or update on app_public.users
  for each row execute function app_hidden.tg_users__prepare();

-- Not valid: avatars that were written in SQL stay until their users change their profiles.
alter table app_public.users drop constraint if exists users_avatar_url_check;
alter table app_public.users add constraint users_avatar_url_check
  check (avatar ~ '^https://[^[:space:]/?#@"<>\\^`{|}]+([/?#][^[:space:]"<>\\^`{|}]*)?$') not valid;
comment on constraint users_avatar_url_check on app_public.users is $$An avatar is a URL that begins with https://.$$;

drop policy if exists update_own on app_public.users;
create policy update_own on app_public.users for update to :API_MEMBER
  using (id = (select app_hidden.viewer_id()));

drop function if exists app_public.update_profile;
drop type if exists app_public.update_profile_input;
create type app_public.update_profile_input as ();
comment on type app_public.update_profile_input is $$The changes to a profile. Fields that are missing or null stay unchanged. An empty text removes the bio or the avatar.$$;
select app_hidden.accept('app_public.users', '{name,bio,avatar}', on_update => 'app_public.update_profile_input');
--!include functions/update_profile.sql
