--! Previous: sha1:fcf9571fcfb82478ab42ae78966c918f03744f66
--! Hash: sha1:e4aa08f224d8f28a9a5d043f2ef4c83cfd278db9
--! Message: sessions-end-with-the-account

--! split: 910-sessions-end-with-the-account.sql
-- Sessions end with the password that opened them, and with a ban: also when a DBA changes the one or sets the other. Until
-- now only change_password() ended them, and a session came back to life when a ban was lifted.
--! Included functions/tg_accounts__end_sessions.sql
-- Security definer: whoever may change an account need not be able to touch sessions.
create or replace function app_hidden.tg_accounts__end_sessions() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update app_private.sessions set revoked_at = now() where user_id = new.user_id and revoked_at is null;
  return null;
end $$;
comment on function app_hidden.tg_accounts__end_sessions() is $$After a password changes or a user is banned, by whatever way: all of the user’s sessions end, for good.$$;
--! EndIncluded functions/tg_accounts__end_sessions.sql
create or replace trigger _500_end_sessions after update on app_private.accounts
  for each row when (old.password_hash is distinct from new.password_hash or old.banned_at is distinct from new.banned_at)
  execute function app_hidden.tg_accounts__end_sessions();
--! Included functions/check_password.sql
create or replace function app_private.check_password(email text, password text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  v_key text := app_private.account_key(check_password.email);
  v_account app_private.accounts;
  -- Somebody's hash, whose password nobody knows: so that a missing account takes as long as a wrong password.
  v_nobodys text := '$2a$10$abcdefghijklmnopqrstuuWzJ0eJH5E0mJmN0sXJY5l8H9Qk2Y5S6';
  v_is_right boolean;
begin
  perform app_private.refuse_guessing(v_key);
  -- Held to the end: a password that is just being changed opens no session any more, nor does who is just being banned.
  select * into v_account from app_private.accounts where lower(accounts.email) = lower(check_password.email) for share;
  v_is_right := app_private.password_hash(check_password.password, coalesce(v_account.password_hash, v_nobodys))
              = v_account.password_hash;
  if v_is_right and v_account.banned_at is null then
    return v_account.user_id;
  end if;
  perform app_private.count_failed_sign_in(v_key);
  return null;
end $$;
comment on function app_private.check_password(text, text) is $$Whose address and password these are; null when they are nobody’s, which takes the same time and is counted.$$;
--! EndIncluded functions/check_password.sql
--! Included functions/change_password.sql
-- Security definer: passwords are nobody's to write. Answers null to a wrong password, so that the attempt stays counted.
create or replace function app_public.change_password(current_password text, new_password text) returns app_public.users
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_account app_private.accounts;
  v_user app_public.users;
begin
  perform app_hidden.refuse_faults(app_private.password_faults('new_password', change_password.new_password));
  select * into v_account from app_private.accounts where user_id = app_hidden.viewer_id();
  -- First the guesses, then the row, as check_password() does: in another order two could wait for each other.
  perform app_private.refuse_guessing(app_private.account_key(v_account.email));
  select * into v_account from app_private.accounts where user_id = app_hidden.viewer_id() for update;
  -- Who has never had a password came by another way, and sets the first one.
  if v_account.password_hash is not null
     and app_private.check_password(v_account.email, change_password.current_password) is null then
    return null;
  end if;
  update app_private.accounts
     set password_hash = app_private.password_hash(change_password.new_password, app_hidden.gen_salt('bf', 10))
   where user_id = v_account.user_id;
  select * into v_user from app_public.users where id = v_account.user_id;
  return v_user;
end $$;
comment on function app_public.change_password(text, text) is $$@unauthorizedWhenNull id The current password is wrong.
@describe current_password The one to replace. Whoever has none yet may write anything here.
@describe new_password The one to sign in with from now on: 8 to 200 characters.
Changes the password of the user who asks, and ends all of their sessions.$$;
grant execute on function app_public.change_password(text, text) to :API_MEMBER;
--! EndIncluded functions/change_password.sql
