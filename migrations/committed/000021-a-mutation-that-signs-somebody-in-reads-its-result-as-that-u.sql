--! Previous: sha1:8125d6b81143209f67110f0aacebc5ede2cdae4f
--! Hash: sha1:32cbacea0684331fe560c55d020d3f8352e20d9e
--! Message: a mutation that signs somebody in reads its result as that user

--! split: 100-signs-in.sql

-- allow: change-behaviour:app_private.begin_session because the rest of the transaction is read as the user who is signed in: test/identity/signsIn
-- allow: change-behaviour:app_public.sign_in because the rest of the transaction is read as the user who is signed in: test/identity/signsIn
-- allow: change-behaviour:app_public.refresh_session because the rest of the transaction is read as the user who is signed in: test/identity/signsIn
-- allow: change-behaviour:app_public.change_password because the rest of the transaction is read as the user who is signed in: test/identity/signsIn
-- allow: change-behaviour:app_public.confirm_email because the rest of the transaction is read as the user who is signed in: test/identity/signsIn
-- allow: change-behaviour:app_public.reset_password because the rest of the transaction is read as the user who is signed in: test/identity/signsIn
-- A mutation that signs somebody in reads its result as that user.
--! Included functions/accounts/begin_session.sql
create or replace function app_private.begin_session(user_id bigint) returns app_public.session
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_session_id bigint;
begin
  insert into app_private.sessions (user_id) values (begin_session.user_id) returning id into v_session_id;
  perform app_private.note_session_request(v_session_id);
  perform set_config('app.viewer_id', begin_session.user_id::text, true);
  return app_private.issue_refresh_token(v_session_id, begin_session.user_id);
end $$;
comment on function app_private.begin_session(bigint) is $$Begins a session of a user who has shown who they are, and issues its first refresh token. The rest of the transaction is the user’s.$$;
--! EndIncluded functions/accounts/begin_session.sql
--! Included functions/accounts/refresh_session.sql
-- Security definer: the API's roles may not read refresh tokens. The caller need not be signed in.
create or replace function app_public.refresh_session(refresh_token text) returns app_public.session
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_text text := refresh_session.refresh_token;
  v_token app_private.refresh_tokens;
  v_session app_private.sessions;
  v_salt bytea := app_hidden.gen_random_bytes(32);
begin
  -- A token that was used within the grace leads to its successor, and so to the newest token of the session. All calls lock
  -- the tokens in this order, so concurrent calls wait, and cannot deadlock. The number of steps is bounded.
  for v_step in 0..10 loop
    select * into v_token from app_private.refresh_tokens
     where token_hash = sha256(convert_to(v_text, 'UTF8')) for update;
    exit when v_token.used_at is null or v_token.successor_salt is null
           or v_token.used_at <= now() - interval '30 seconds';
    v_text := app_private.successor_token(v_text, v_token.successor_salt);
  end loop;

  select * into v_session from app_private.sessions where id = v_token.session_id;
  if v_token.used_at is not null then
    update app_private.sessions set revoked_at = coalesce(revoked_at, now()) where id = v_session.id;
  end if;
  if v_session.id is null or v_session.revoked_at is not null or v_token.used_at is not null
     or v_token.expires_at <= now()
     or not exists (select from app_private.accounts where user_id = v_session.user_id and banned_at is null) then
    return null;
  end if;
  perform app_private.note_session_request(v_session.id);
  perform set_config('app.viewer_id', v_session.user_id::text, true);
  if v_text <> refresh_session.refresh_token then
    return (v_session.user_id, v_text, v_token.expires_at)::app_public.session;
  end if;
  update app_private.refresh_tokens set used_at = now(), successor_salt = v_salt where token_hash = v_token.token_hash;
  return app_private.issue_refresh_token(v_session.id, v_session.user_id, app_private.successor_token(v_text, v_salt));
end $$;
comment on function app_public.refresh_session(text) is $$@withoutToken
@unauthorizedWhenNull user_id SESSION_OVER: This refresh token is no longer valid. Sign in again.
@signsIn
@describe refresh_token The session’s newest refresh token.
Returns new tokens. A refresh token works once; for 30 seconds after that, it returns the session’s newest again; a later use ends the session.$$;
grant execute on function app_public.refresh_session(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/accounts/refresh_session.sql
--! Included functions/accounts/confirm_email.sql
-- Security definer: the API's roles may not read tokens or write accounts. The caller need not be signed in.
create or replace function app_public.confirm_email(token text) returns app_public.users
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_hash bytea := sha256(convert_to(confirm_email.token, 'UTF8'));
  v_account app_private.accounts;
  v_token app_private.account_tokens;
begin
  -- Lock the account first, as a ban does, which then deletes the tokens. Another order could deadlock.
  select * into v_account from app_private.accounts
   where user_id = (select user_id from app_private.account_tokens where token_hash = v_hash) for update;
  select * into v_token from app_private.account_tokens
   where token_hash = v_hash and kind <> 'RESET_PASSWORD' and user_id = v_account.user_id and expires_at > now();
  -- A used token is accepted again while its email is the account's: people click a link twice, and mail scanners open it first.
  if not found or v_account.banned_at is not null or v_token.kind = 'CONFIRMED' and v_token.email <> v_account.email then
    perform app_private.refuse_token();
  end if;
  -- A used token is in logs and old mails, so it confirms and shows nothing.
  if v_token.kind <> 'CONFIRMED' then
    perform set_config('app.viewer_id', v_account.user_id::text, true);
  end if;
  update app_private.account_tokens set kind = 'CONFIRMED' where token_hash = v_hash;
  update app_private.accounts set email = v_token.email, verified_at = now() where user_id = v_account.user_id and v_token.kind <> 'CONFIRMED';
  if v_token.kind = 'CHANGE_EMAIL' then
    insert into app_private.mail_outbox (kind, user_id, email, expires_at)
    values ('EMAIL_CHANGED', v_account.user_id, v_account.email, now() + interval '7 days');
    perform pg_notify('mail_outbox', '');
  end if;
  return (select users from app_public.users where id = v_account.user_id);
exception when unique_violation then
  -- Meanwhile the email belongs to another account.
  perform app_private.refuse_token();
end $$;
comment on function app_public.confirm_email(text) is $$@errorCode TOKEN_INVALID The token of a mail is wrong, used or expired.
@withoutToken
@signsIn
@describe token The token from a mail.
Confirms the email to which the token was sent. After requestEmailChange it becomes the user’s, and a mail tells the former one. Idempotent. Returns the user, as the user sees themselves the first time.$$;
grant execute on function app_public.confirm_email(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/accounts/confirm_email.sql
--! Included functions/accounts/sign_in.sql
-- Security definer: the API's roles may not read passwords and sessions. A wrong password returns null and does not raise:
-- an error would roll back the count of the attempt. The API turns the null into UNAUTHORIZED.
create or replace function app_public.sign_in(email text, password text) returns app_public.session
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_user_id bigint := app_private.check_password(sign_in.email, sign_in.password);
begin
  if v_user_id is null then
    return null;
  end if;
  insert into app_private.sign_in_networks (user_id, network)
  select v_user_id, network from app_private.client_network() as network where network <> ''
  on conflict on constraint sign_in_networks_pkey do update set signed_in_at = now()
   where sign_in_networks.signed_in_at < now() - interval '1 day';
  return app_private.begin_session(v_user_id);
end $$;
comment on function app_public.sign_in(text, text) is $$@rateLimited
@withoutToken
@unauthorizedWhenNull user_id WRONG_PASSWORD: The email or the password is wrong.
@signsIn
@describe email The email that the user signed up with.
@describe password The password.
Signs in with a password. Ten failed attempts for an account from one network, fifty from one network, or a hundred for an account give RATE_LIMITED for up to fifteen minutes; the last not in networks from which the user has signed in within 90 days.$$;
grant execute on function app_public.sign_in(text, text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/accounts/sign_in.sql
--! Included functions/accounts/reset_password.sql
-- Security definer: the API's roles may not read tokens or write passwords. The caller need not be signed in.
create or replace function app_public.reset_password(token text, new_password text) returns app_public.session
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_hash bytea := sha256(convert_to(reset_password.token, 'UTF8'));
  v_account app_private.accounts;
begin
  perform conventions.raise_validation_errors(app_private.password_errors('new_password', reset_password.new_password));
  -- Lock the account first, as a ban does, which then deletes the tokens. Another order could deadlock.
  select * into v_account from app_private.accounts
   where user_id = (select user_id from app_private.account_tokens where token_hash = v_hash) for update;
  delete from app_private.account_tokens
   where token_hash = v_hash and kind = 'RESET_PASSWORD' and user_id = v_account.user_id and expires_at > now();
  if not found or v_account.banned_at is not null then
    perform app_private.refuse_token();
  end if;
  update app_private.accounts
     set password_hash = app_private.password_hash(reset_password.new_password, app_private.password_salt()),
         verified_at = coalesce(verified_at, now())
   where user_id = v_account.user_id;
  -- The owner of the mailbox need not wait for the end of a limit that wrong passwords have reached.
  delete from app_private.failed_sign_ins where account = app_private.account_key(v_account.email);
  return app_private.begin_session(v_account.user_id);
end $$;
comment on function app_public.reset_password(text, text) is $$@rateLimited
@withoutToken
@signsIn
@describe token The token from a mail that requestPasswordReset has sent.
@describe new_password The new password: 8 to 200 characters.
Sets a new password, ends all sessions of the user, and returns a new one. The email counts as confirmed. A token works once.$$;
grant execute on function app_public.reset_password(text, text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/accounts/reset_password.sql
--! Included functions/accounts/change_password.sql
-- Security definer: the API's roles may not write passwords. A wrong password returns null and does not raise: an error
-- would roll back the count of the attempt.
create or replace function app_public.change_password(current_password text, new_password text) returns app_public.session
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_account app_private.accounts;
begin
  perform conventions.raise_validation_errors(app_private.password_errors('new_password', change_password.new_password));
  select * into v_account from app_private.accounts where user_id = app_hidden.viewer_id();
  -- Lock in the order of check_password(), first the attempts, then the row. Another order could deadlock.
  perform app_private.refuse_guessing(app_private.account_key(v_account.email), v_account.user_id);
  select * into v_account from app_private.accounts where user_id = app_hidden.viewer_id() for update;
  -- An account without a password sets its first one. Its user has signed in with an operator's token.
  if v_account.password_hash is not null
     and app_private.check_password(v_account.email, change_password.current_password) is null then
    return null;
  end if;
  update app_private.accounts
     set password_hash = app_private.password_hash(change_password.new_password, app_private.password_salt())
   where user_id = v_account.user_id;
  return app_private.begin_session(v_account.user_id);
end $$;
comment on function app_public.change_password(text, text) is $$@unauthorizedWhenNull user_id WRONG_PASSWORD: The current password is wrong.
@signsIn
@describe current_password The current password. Ignored when the account has none yet.
@describe new_password The new password: 8 to 200 characters.
Changes the password of the signed-in user, ends all sessions, and returns a new one.$$;
grant execute on function app_public.change_password(text, text) to :API_MEMBER;
--! EndIncluded functions/accounts/change_password.sql
