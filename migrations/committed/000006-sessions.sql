--! Previous: sha1:e8bbf55659e8527ada5cfaa29b3661b1dcd87a97
--! Hash: sha1:21158dd47752ba108b014324e8c866391e673ef5
--! Message: sessions

--! split: 600-sessions.sql
-- Sessions: how a person gets tokens. Passwords and refresh tokens are kept as hashes, out of the API roles' reach; the
-- functions below are the only way to them.
create extension pgcrypto with schema app_hidden;

create table app_private.sessions (
  id         bigint generated always as identity primary key,
  user_id    bigint not null references app_public.users on delete cascade,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);
comment on table app_private.sessions is $$A sign-in: the chain of refresh tokens that came from it.$$;
comment on column app_private.sessions.id is $$Identifies the session, for good.$$;
comment on column app_private.sessions.user_id is $$Who has signed in.$$;
comment on column app_private.sessions.created_at is $$When.$$;
comment on column app_private.sessions.revoked_at is $$Since when none of its tokens is worth anything: signed out, a password change, or a token that was used twice.$$;
create index sessions_user_id_idx on app_private.sessions (user_id);
alter table app_private.sessions enable row level security;

create table app_private.refresh_tokens (
  token_hash bytea primary key,
  session_id bigint not null references app_private.sessions on delete cascade,
  expires_at timestamptz not null,
  used_at    timestamptz,
  issued_to  text
);
comment on table app_private.refresh_tokens is $$What a session can be prolonged with. Each works once; using one twice ends its session, for one of the two who had it has stolen it.$$;
comment on column app_private.refresh_tokens.token_hash is $$SHA-256 of the token, which nobody but its holder has.$$;
comment on column app_private.refresh_tokens.session_id is $$The session that it prolongs.$$;
comment on column app_private.refresh_tokens.expires_at is $$Until when it can be used.$$;
comment on column app_private.refresh_tokens.used_at is $$When it was used; null while it is the session’s newest.$$;
comment on column app_private.refresh_tokens.issued_to is $$The request that it was issued to (app.request_id), whose answer may show what is the user’s own.$$;
-- Carries users_email(), for the request that has just signed somebody in.
create index refresh_tokens_issued_to_idx on app_private.refresh_tokens (issued_to);
create index refresh_tokens_session_id_idx on app_private.refresh_tokens (session_id);
alter table app_private.refresh_tokens enable row level security;

create table app_private.failed_sign_ins (
  id        bigint generated always as identity primary key,
  account   text not null,
  address   text not null,
  failed_at timestamptz not null default now()
);
comment on table app_private.failed_sign_ins is $$Wrong passwords of the last day, counted by account and by address so that nobody can go on guessing.$$;
comment on column app_private.failed_sign_ins.id is $$Identifies the attempt.$$;
comment on column app_private.failed_sign_ins.account is $$SHA-256 of the address that was tried, whether there is such an account or not: see account_key().$$;
comment on column app_private.failed_sign_ins.address is $$Where it came from: an IPv4 address, or the /64 of an IPv6 one.$$;
comment on column app_private.failed_sign_ins.failed_at is $$When.$$;
create index failed_sign_ins_account_failed_at_idx on app_private.failed_sign_ins (account, failed_at);
create index failed_sign_ins_address_failed_at_idx on app_private.failed_sign_ins (address, failed_at);
alter table app_private.failed_sign_ins enable row level security;

create type app_public.session as (
  user_id                  bigint,
  refresh_token            text,
  refresh_token_expires_at timestamptz
);
comment on type app_public.session is E'@accessToken user_id\n@foreignKey (user_id) references app_public.users (id)|@fieldName user\nWhat signing in gives: an access token for the next minutes, and a refresh token to get the next ones with.';
comment on column app_public.session.user_id is $$Who has signed in.$$;
comment on column app_public.session.refresh_token is $$Gets the next tokens, once: refreshSession(refreshToken). Keep it secret.$$;
comment on column app_public.session.refresh_token_expires_at is $$Until when the refresh token can be used.$$;

--! Included functions/password_hash.sql
create or replace function app_private.password_hash(password text, salt text) returns text
language sql immutable set search_path = '' as $$
  -- bcrypt looks at 72 bytes and no further; of the digest it sees all.
  select app_hidden.crypt(encode(sha256(convert_to(normalize(password, NFC), 'UTF8')), 'base64'), salt)
$$;
comment on function app_private.password_hash(text, text) is $$bcrypt of a password. The salt is gen_salt('bf', …) for a new hash, the old hash to compare with.$$;
--! EndIncluded functions/password_hash.sql
--! Included functions/password_faults.sql
create or replace function app_private.password_faults("column" text, password text) returns jsonb
language sql immutable set search_path = '' as $$
  select case
    when password ~ '[\uFDD0-\uFDEF\uFFFE\uFFFF]' then jsonb_build_array(jsonb_build_object('column', "column",
      'code', 'INVALID', 'message', 'Text cannot hold NUL, half a surrogate pair or a Unicode noncharacter.'))
    when char_length(password) < 8 then jsonb_build_array(jsonb_build_object('column', "column",
      'code', 'TOO_SHORT', 'message', 'A password needs between 8 and 200 characters.', 'params', '{"min": 8}'::jsonb))
    when char_length(password) > 200 then jsonb_build_array(jsonb_build_object('column', "column",
      'code', 'TOO_LONG', 'message', 'A password needs between 8 and 200 characters.', 'params', '{"max": 200}'::jsonb))
    else '[]'
  end
$$;
comment on function app_private.password_faults(text, text) is $$What is wrong with a new password, as app_hidden.faults() says it; nothing is wrong with null.$$;
--! EndIncluded functions/password_faults.sql
--! Included functions/account_key.sql
create or replace function app_private.account_key(email text) returns text
language sql immutable set search_path = ''
return encode(sha256(convert_to(lower(email), 'UTF8')), 'hex');
comment on function app_private.account_key(text) is $$What wrong passwords for an address are counted under: its SHA-256, since an address may be of any length, and some people type their password there.$$;
--! EndIncluded functions/account_key.sql
--! Included functions/client_network.sql
create or replace function app_private.client_network() returns text
language plpgsql stable set search_path = '' as $$
declare
  v_address inet;
begin
  -- An IPv4 client of a socket that speaks IPv6 is ::ffff:192.0.2.1; by its /64 all of them would be one.
  v_address := regexp_replace(nullif(current_setting('app.client_address', true), ''), '^::ffff:(?=\d+\.)', '', 'i');
  return coalesce(case when family(v_address) = 6 then network(set_masklen(v_address, 64))::text else host(v_address) end, '');
exception when invalid_text_representation then
  -- A proxy that is trusted wrote something else than an address.
  return '';
end $$;
comment on function app_private.client_network() is $$Where the request comes from (app.client_address): an IPv4 address, or the /64 that one IPv6 client has to itself. Empty when nobody knows.$$;
--! EndIncluded functions/client_network.sql
--! Included functions/refuse_guessing.sql
create or replace function app_private.refuse_guessing(account text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  v_since timestamptz := now() - interval '15 minutes';
  v_address text := app_private.client_network();
  v_until timestamptz;
begin
  -- One guess at a time for each account: a hundred at once would all find the count still low.
  perform pg_advisory_xact_lock(hashtext('app_private.failed_sign_ins'), hashtext(refuse_guessing.account));
  select max(wait_until) into v_until from (
    select min(failed_at) + interval '15 minutes' as wait_until, count(*) as failures, 10 as allowed
      from app_private.failed_sign_ins f where f.account = refuse_guessing.account and failed_at > v_since
    union all
    select min(failed_at) + interval '15 minutes', count(*), 50
      from app_private.failed_sign_ins f where f.address = v_address and v_address <> '' and failed_at > v_since
  ) as counted where failures >= allowed;
  if v_until is not null then
    raise exception using errcode = 'RATEL', message = 'Too many attempts',
      detail = greatest(1, ceil(extract(epoch from v_until - now())))::text;
  end if;
end $$;
comment on function app_private.refuse_guessing(text) is $$Raises RATEL, with the seconds to wait as its detail, after ten wrong passwords for an account or fifty from an address within fifteen minutes.$$;
--! EndIncluded functions/refuse_guessing.sql
--! Included functions/count_failed_sign_in.sql
create or replace function app_private.count_failed_sign_in(account text) returns void
language sql volatile set search_path = '' as $$
  delete from app_private.failed_sign_ins where failed_at < now() - interval '1 day';
  insert into app_private.failed_sign_ins (account, address)
  values (count_failed_sign_in.account, app_private.client_network());
$$;
comment on function app_private.count_failed_sign_in(text) is $$Remembers a wrong password for a day. Whoever calls it must not raise afterwards, or it is forgotten again.$$;
--! EndIncluded functions/count_failed_sign_in.sql
--! Included functions/issue_refresh_token.sql
create or replace function app_private.issue_refresh_token(session_id bigint, user_id bigint) returns app_public.session
language plpgsql volatile set search_path = '' as $$
declare
  v_token text := encode(app_hidden.gen_random_bytes(32), 'hex');
  v_expires_at timestamptz := now() + interval '7 days';
begin
  insert into app_private.refresh_tokens (token_hash, session_id, expires_at, issued_to)
  values (sha256(convert_to(v_token, 'UTF8')), issue_refresh_token.session_id, v_expires_at,
          current_setting('app.request_id', true));
  return (issue_refresh_token.user_id, v_token, v_expires_at)::app_public.session;
end $$;
comment on function app_private.issue_refresh_token(bigint, bigint) is $$The next refresh token of a session. Only its hash stays here.$$;
--! EndIncluded functions/issue_refresh_token.sql
--! Included functions/users_email.sql
-- Security definer: the one door to an address. It opens to its owner, to an admin, and within the request that has just
-- signed its owner up or in.
create or replace function app_public.users_email(users app_public.users) returns text
language sql stable security definer set search_path = '' as $$
  select accounts.email
    from app_private.accounts
   where accounts.user_id = users.id
     and (accounts.user_id = app_hidden.viewer_id()
       or accounts.created_by = nullif(current_setting('app.request_id', true), '')
       or accounts.user_id in (select sessions.user_id
                                 from app_private.refresh_tokens join app_private.sessions on sessions.id = session_id
                                where issued_to = nullif(current_setting('app.request_id', true), ''))
       or app_hidden.viewer_is_admin())
$$;
comment on function app_public.users_email(app_public.users) is E'@unauthorizedWhenNull\nThe user’s email address. Only the user and admins may see it; for others it is null, with an UNAUTHORIZED error.';
grant execute on function app_public.users_email(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users_email.sql
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
  select * into v_account from app_private.accounts where lower(accounts.email) = lower(check_password.email);
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
--! Included functions/sign_in.sql
-- Security definer: passwords and sessions are nobody's to read. Answers null to a wrong password, so that the attempt
-- stays counted; the API makes UNAUTHORIZED of it.
create or replace function app_public.sign_in(email text, password text) returns app_public.session
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_user_id bigint := app_private.check_password(sign_in.email, sign_in.password);
  v_session_id bigint;
begin
  if v_user_id is null then
    return null;
  end if;
  insert into app_private.sessions (user_id) values (v_user_id) returning id into v_session_id;
  return app_private.issue_refresh_token(v_session_id, v_user_id);
end $$;
comment on function app_public.sign_in(text, text) is $$@unauthorizedWhenNull user_id The address or the password is wrong.
@describe email The address that the user has signed up with.
@describe password The password.
Signs in with a password. After ten wrong ones for an account, or fifty from one place, RATE_LIMITED for up to fifteen minutes.$$;
grant execute on function app_public.sign_in(text, text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/sign_in.sql
--! Included functions/refresh_session.sql
-- Security definer: refresh tokens are nobody's to read. Whoever has one need not be signed in.
create or replace function app_public.refresh_session(refresh_token text) returns app_public.session
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_hash bytea := sha256(convert_to(refresh_session.refresh_token, 'UTF8'));
  v_token app_private.refresh_tokens;
  v_session app_private.sessions;
begin
  -- Two that come at once wait for each other here: the second finds the token used.
  select * into v_token from app_private.refresh_tokens where token_hash = v_hash for update;
  select * into v_session from app_private.sessions where id = v_token.session_id;
  if v_token.used_at is not null then
    update app_private.sessions set revoked_at = coalesce(revoked_at, now()) where id = v_session.id;
  end if;
  if v_session.id is null or v_session.revoked_at is not null or v_token.used_at is not null
     or v_token.expires_at <= now()
     or not exists (select from app_private.accounts where user_id = v_session.user_id and banned_at is null) then
    return null;
  end if;
  update app_private.refresh_tokens set used_at = now() where token_hash = v_hash;
  return app_private.issue_refresh_token(v_session.id, v_session.user_id);
end $$;
comment on function app_public.refresh_session(text) is $$@unauthorizedWhenNull user_id This refresh token is worth nothing any more. Sign in again.
@describe refresh_token The newest one of the session.
The next access token and refresh token of a session. A refresh token works once: using one twice ends its session.$$;
grant execute on function app_public.refresh_session(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/refresh_session.sql
--! Included functions/sign_out.sql
-- Security definer: sessions are nobody's to write.
create or replace function app_public.sign_out(refresh_token text default null) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
begin
  if sign_out.refresh_token is not null then
    update app_private.sessions set revoked_at = coalesce(revoked_at, now())
     where id = (select session_id from app_private.refresh_tokens
                  where token_hash = sha256(convert_to(sign_out.refresh_token, 'UTF8')));
  elsif app_hidden.viewer_id() is not null then
    update app_private.sessions set revoked_at = now() where user_id = app_hidden.viewer_id() and revoked_at is null;
  else
    perform app_hidden.refuse_unauthorized();
  end if;
  return true;
end $$;
comment on function app_public.sign_out(text) is $$@describe refresh_token Any one of the session to end; without it, all sessions of the user who asks end.
Ends a session: its refresh tokens are worth nothing from now on, its last access token for some minutes more. True even if there was nothing to end.$$;
grant execute on function app_public.sign_out(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/sign_out.sql
--! Included functions/change_password.sql
-- Security definer: passwords are nobody's to write. Answers null to a wrong password, so that the attempt stays counted.
create or replace function app_public.change_password(current_password text, new_password text) returns app_public.users
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_account app_private.accounts;
  v_user app_public.users;
begin
  perform app_hidden.refuse_faults(app_private.password_faults('new_password', change_password.new_password));
  select * into v_account from app_private.accounts where user_id = app_hidden.viewer_id() for update;
  -- Who has never had a password came by another way, and sets the first one.
  if v_account.password_hash is not null
     and app_private.check_password(v_account.email, change_password.current_password) is null then
    return null;
  end if;
  update app_private.accounts
     set password_hash = app_private.password_hash(change_password.new_password, app_hidden.gen_salt('bf', 10))
   where user_id = v_account.user_id;
  update app_private.sessions set revoked_at = now() where user_id = v_account.user_id and revoked_at is null;
  select * into v_user from app_public.users where id = v_account.user_id;
  return v_user;
end $$;
comment on function app_public.change_password(text, text) is $$@unauthorizedWhenNull id The current password is wrong.
@describe current_password The one to replace. Whoever has none yet may write anything here.
@describe new_password The one to sign in with from now on: 8 to 200 characters.
Changes the password of the user who asks, and ends all of their sessions.$$;
grant execute on function app_public.change_password(text, text) to :API_MEMBER;
--! EndIncluded functions/change_password.sql
--! Included functions/me.sql
create or replace function app_public.me() returns app_public.users
language sql stable
return (select users from app_public.users where users.id = app_hidden.viewer_id());
comment on function app_public.me() is $$The user who asks; null when nobody is signed in.$$;
grant execute on function app_public.me() to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/me.sql

-- The same sign-up, with a password for who wants to sign in.
drop function app_public.create_user(text, text);
--! Included functions/create_user.sql
-- Security definer: nobody may write users or accounts but through here.
create or replace function app_public.create_user(name text, email text, password text default null) returns app_public.users
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_faults jsonb := app_hidden.faults('app_public.users', jsonb_build_object('name', create_user.name))
                 || app_hidden.faults('app_private.accounts', jsonb_build_object('email', create_user.email))
                 || app_private.password_faults('password', create_user.password);
  v_user app_public.users;
begin
  perform app_hidden.refuse_faults(v_faults);
  insert into app_public.users (name) values (create_user.name) returning * into v_user;
  insert into app_private.accounts (user_id, email, password_hash, created_by)
  values (
    v_user.id,
    create_user.email,
    app_private.password_hash(create_user.password, app_hidden.gen_salt('bf', 10)),
    current_setting('app.request_id', true)
  );
  return v_user;
end $$;
comment on function app_public.create_user(text, text, text) is $$@describe name The name the user goes by: 1 to 100 characters.
@describe email An address that no other user has: 3 to 254 characters.
@describe password To sign in with: 8 to 200 characters. Without it, only an operator’s token lets the user in.
Signs up a new user. The answer may ask for the email address that was just given.$$;
grant execute on function app_public.create_user(text, text, text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/create_user.sql
