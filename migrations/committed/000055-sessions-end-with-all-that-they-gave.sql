--! Previous: sha1:7096b664507742479947b071251b50e35e53fc5d
--! Hash: sha1:f2f7c9fc48c2472e7add7bd40c5188a7cc526e26
--! Message: sessions end with all that they gave

--! split: 100-credentials.sql

-- allow: drop-column:app_private.account_tokens.account because the ledger of mails counts in its place
-- allow: change-behaviour:app_hidden.identify because tokens end with their sessions, and unconfirmed accounts lose their email instead of being given away
-- allow: change-behaviour:app_private.identify_on_standby because tokens end with their sessions, and unconfirmed accounts lose their email instead of being given away
-- allow: change-behaviour:app_private.account_key because tokens end with their sessions, and unconfirmed accounts lose their email instead of being given away
-- allow: change-behaviour:app_private.check_password because tokens end with their sessions, and unconfirmed accounts lose their email instead of being given away
-- allow: change-behaviour:app_private.issue_refresh_token because tokens end with their sessions, and unconfirmed accounts lose their email instead of being given away
-- allow: change-behaviour:app_public.users_email because tokens end with their sessions, and unconfirmed accounts lose their email instead of being given away
-- allow: change-behaviour:app_public.sign_out_everywhere because tokens end with their sessions, and unconfirmed accounts lose their email instead of being given away
-- allow: change-behaviour:app_private.send_token because tokens end with their sessions, and unconfirmed accounts lose their email instead of being given away
-- allow: change-behaviour:app_hidden.tg_accounts__end_access because tokens end with their sessions, and unconfirmed accounts lose their email instead of being given away
-- allow: change-behaviour:app_public.create_user because tokens end with their sessions, and unconfirmed accounts lose their email instead of being given away
-- allow: change-behaviour:app_public.request_email_verification because tokens end with their sessions, and unconfirmed accounts lose their email instead of being given away
-- allow: change-behaviour:app_public.request_email_change because tokens end with their sessions, and unconfirmed accounts lose their email instead of being given away
-- allow: change-behaviour:app_public.request_password_reset because tokens end with their sessions, and unconfirmed accounts lose their email instead of being given away
-- allow: change-behaviour:app_private.erase_user because tokens end with their sessions, and unconfirmed accounts lose their email instead of being given away
-- allow: change-behaviour:app_public.refresh_session because tokens end with their sessions, and unconfirmed accounts lose their email instead of being given away
-- allow: change-behaviour:app_public.confirm_email because tokens end with their sessions, and unconfirmed accounts lose their email instead of being given away
-- allow: change-behaviour:app_public.reset_password because tokens end with their sessions, and unconfirmed accounts lose their email instead of being given away
-- allow: change-behaviour:app_public.change_password because tokens end with their sessions, and unconfirmed accounts lose their email instead of being given away
-- allow: change-behaviour:app_private.claim_mail because tokens end with their sessions, and unconfirmed accounts lose their email instead of being given away
-- allow: change-behaviour:app_private.mails_to_show because tokens end with their sessions, and unconfirmed accounts lose their email instead of being given away
-- allow: change-behaviour:app_private.user_of_token because tokens end with their sessions, and unconfirmed accounts lose their email instead of being given away
-- allow: change-behaviour:app_public.users_is_email_confirmed because tokens end with their sessions, and unconfirmed accounts lose their email instead of being given away
-- allow: change-behaviour:_500_end_access_update on app_private.accounts because tokens end with their sessions, and unconfirmed accounts lose their email instead of being given away
-- allow: create-trigger:_100_end_credentials on app_private.accounts because it sets the time from which tokens are good
-- allow: create-trigger:_500_end_credentials on app_private.identities because it sets the time from which tokens are good
-- allow: definer-function:app_hidden.identify because identify() and the functions of accounts read accounts, as before
-- allow: definer-function:app_public.change_password because identify() and the functions of accounts read accounts, as before
-- allow: definer-function:app_public.confirm_email because identify() and the functions of accounts read accounts, as before
-- allow: definer-function:app_public.create_user because identify() and the functions of accounts read accounts, as before
-- allow: definer-function:app_public.delete_user because identify() and the functions of accounts read accounts, as before
-- allow: definer-function:app_public.refresh_session because identify() and the functions of accounts read accounts, as before
-- allow: definer-function:app_public.request_email_change because identify() and the functions of accounts read accounts, as before
-- allow: definer-function:app_public.request_email_verification because identify() and the functions of accounts read accounts, as before
-- allow: definer-function:app_public.request_password_reset because identify() and the functions of accounts read accounts, as before
-- allow: definer-function:app_public.reset_password because identify() and the functions of accounts read accounts, as before
-- allow: definer-function:app_public.sign_in because identify() and the functions of accounts read accounts, as before
-- allow: definer-function:app_public.sign_out_everywhere because identify() and the functions of accounts read accounts, as before
-- allow: require-concurrent-index-creation:app_private.accounts because accounts are few and their writes wait seconds
-- allow: require-concurrent-index-deletion:app_private.accounts_email_key because accounts are few and their reads wait seconds
-- allow: value-added-to-enum:ErrorReason.NO_PASSWORD because clients treat unknown reasons as FORBIDDEN
-- What an account gave ends with it: an instant on the account says from when on its tokens are good.
alter table app_private.accounts add column if not exists credentials_since timestamptz;
comment on column app_private.accounts.credentials_since is $$Access tokens of the service that were issued before this time have ended; null when all are good. Triggers set it when the password changes, the user is banned, the email is taken away, or an identity goes. To end all tokens of a user by hand, set it to now().$$;
alter table app_private.accounts alter column email drop not null;
comment on column app_private.accounts.email is $$The email as entered; null when another person has shown that it is theirs, before anybody had confirmed it here.$$;

do $$
begin
  if not exists (select from pg_attribute where attrelid = 'app_public.session'::regclass and attname = 'issued_at' and not attisdropped) then
    alter type app_public.session add attribute issued_at double precision;
  end if;
end $$;
comment on column app_public.session.issued_at is $$@behavior -*
The claim iat of the access token. By the clock of the database, to the microsecond: that of the service may be another.$$;
comment on type app_public.session is $$@accessToken user_id
@issuedAt issued_at
@foreignKey (user_id) references app_public.users (id)|@fieldName user|@notNull
The tokens of a session: one for access, one to get the next two.$$;

-- Emails are equal where their letters of ASCII are, whatever the collation folds.
create unique index if not exists accounts_email_form on app_private.accounts (lower(email collate "C"));
drop index app_private.accounts_email_key;
alter index app_private.accounts_email_form rename to accounts_email_key;
comment on index app_private.accounts_email_key is $$This email is already in use.$$;

-- What was asked for by mail in the last hours. Only time empties it: no act of a user deletes a row.
create table if not exists app_private.ledger_secrets (
  id     int primary key default 1 constraint ledger_secrets_id_check check (id = 1),
  secret bytea not null
);
comment on table app_private.ledger_secrets is $$The key of the hashes in app_private.mail_ledger. Delete its row, and insert another one, to make the hashes meaningless.$$;
comment on column app_private.ledger_secrets.id is $$There is one row.$$;
comment on column app_private.ledger_secrets.secret is $$Random.$$;
comment on constraint ledger_secrets_id_check on app_private.ledger_secrets is $$There is one row.$$;
alter table app_private.ledger_secrets enable row level security;
insert into app_private.ledger_secrets (secret) values (app_hidden.gen_random_bytes(32)) on conflict do nothing;

create table if not exists app_private.mail_ledger (
  id           bigint generated always as identity primary key,
  email        bytea not null,
  is_confirmed boolean not null,
  requester    bytea,
  network      bytea,
  requested_at timestamptz not null default now()
);
comment on table app_private.mail_ledger is $$Requests for mails of the last hours, as ledger_key() hashes them. Only time empties it, by a job: no act of a user, not even an erasure, renews a limit.$$;
comment on column app_private.mail_ledger.id is $$The request.$$;
comment on column app_private.mail_ledger.email is $$The email that the mail is for.$$;
comment on column app_private.mail_ledger.is_confirmed is $$Whether it is the reset of a confirmed account.$$;
comment on column app_private.mail_ledger.requester is $$The user; null for an email without an account.$$;
comment on column app_private.mail_ledger.network is $$The client’s network; null when unknown.$$;
comment on column app_private.mail_ledger.requested_at is $$The time of the request.$$;
create index if not exists mail_ledger_email_requested_at_idx on app_private.mail_ledger (email, requested_at);
create index if not exists mail_ledger_requester_requested_at_idx on app_private.mail_ledger (requester, requested_at);
create index if not exists mail_ledger_network_requested_at_idx on app_private.mail_ledger (network, requested_at);
create index if not exists mail_ledger_requested_at_idx on app_private.mail_ledger (requested_at);
alter table app_private.mail_ledger enable row level security;
insert into app_private.jobs (name, priority, statement) values
  ('mail_ledger', 100, $$select * from app_private.delete_expired('app_private.mail_ledger', 'requested_at', '1 day', $1)$$)
on conflict (name) do nothing;

alter table app_private.account_tokens drop column if exists account;

--! Included functions/accounts/email_form.sql
-- NFC makes ASCII of these three characters: the Kelvin sign, the Greek question mark and a Greek accent. An email with one of them stays as it is.
create or replace function app_private.normal_email(email text) returns text
language sql immutable set search_path = pg_catalog, pg_temp
return case when email ~ '[\u037E\u1FEF\u212A]' then email else conventions.normal_text(email, 254, true) end;
comment on function app_private.normal_email(text) is $$The stored form of an email: as conventions.normal_text(), but no character becomes one of ASCII.$$;

-- The index accounts_email_key has the same expression. Without a search path, so that PostgreSQL inlines it.
create or replace function app_private.email_form(email text) returns text
language sql immutable parallel safe
return lower(email collate "C");
comment on function app_private.email_form(text) is $$The form by which emails are compared. Only letters of ASCII lose their case: other foldings make one address of two.$$;

create or replace function app_private.email_errors(email text) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp
return case
  when email ~ '[\u037E\u1FEF\u212A]' then jsonb_build_array(jsonb_build_object('column', 'email', 'code', 'FORMAT', 'message', 'This does not look like an email.'))
  else conventions.validation_errors('app_private.accounts', jsonb_build_object('email', email))
end;
comment on function app_private.email_errors(text) is $$The validation errors of an email in its stored form: those of conventions.validation_errors(), and FORMAT for a character that would become one of ASCII.$$;
--! EndIncluded functions/accounts/email_form.sql
--! Included functions/accounts/account_key.sql
create or replace function app_private.account_key(email text) returns text
language sql immutable set search_path = pg_catalog, pg_temp
return encode(sha256(convert_to(app_private.email_form(app_private.normal_email(email)), 'UTF8')), 'hex');
comment on function app_private.account_key(text) is $$The key for counting failed sign-ins of an account: the SHA-256 of the email. A hash, because some people type their password into the email field.$$;
--! EndIncluded functions/accounts/account_key.sql
--! Included functions/accounts/ledger_key.sql
create or replace function app_private.ledger_key(subject text) returns bytea
language sql stable set search_path = pg_catalog, pg_temp
return app_hidden.hmac(convert_to(subject, 'UTF8'), (select secret from app_private.ledger_secrets), 'sha256');
comment on function app_private.ledger_key(text) is $$What the ledger of mails has in place of an email, a user or a network: an HMAC, so that a dump without app_private.ledger_secrets tells nothing of them.$$;
--! EndIncluded functions/accounts/ledger_key.sql
--! Included functions/accounts/free_email.sql
create or replace function app_private.free_email(email text, except_user_id bigint default null) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
  update app_private.accounts set email = null, password_hash = null
   where app_private.email_form(accounts.email) = app_private.email_form(free_email.email) and verified_at is null
     and user_id is distinct from except_user_id
$$;
comment on function app_private.free_email(text, bigint) is $$Takes an email from the account that has it without having confirmed it: another person has shown that it is theirs. All credentials of the account end.$$;

create or replace function app_private.make_confirmed_user(email text, names text[] default '{}') returns bigint
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_user_id bigint;
begin
  perform app_private.free_email(make_confirmed_user.email);
  insert into app_public.users (name)
  select name
    from unnest(names || array[split_part(make_confirmed_user.email, '@', 1), 'Somebody']) with ordinality as given (name, place)
   where name is not null and conventions.validation_errors('app_public.users', jsonb_build_object('name', name)) = '[]'
   order by place limit 1
  returning id into v_user_id;
  insert into app_private.accounts (user_id, email, verified_at) values (v_user_id, make_confirmed_user.email, now());
  return v_user_id;
end $$;
comment on function app_private.make_confirmed_user(text, text[]) is $$Makes a user for a person who has shown that an email is theirs, with the first of the names that is one, or what stands before the @. Whoever has the email without having confirmed it loses it.$$;
--! EndIncluded functions/accounts/free_email.sql
--! Included functions/accounts/name_for_mail.sql
create or replace function app_private.name_for_mail(kind text, user_id bigint, email text) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
  select users.name
    from app_public.users join app_private.accounts on accounts.user_id = users.id
   where users.id = name_for_mail.user_id and verified_at is not null
     and (name_for_mail.kind = 'EMAIL_CHANGED' or app_private.email_form(accounts.email) = app_private.email_form(name_for_mail.email))
$$;
comment on function app_private.name_for_mail(text, bigint, text) is $$The name of the user whom a mail is about, for an email that the user has confirmed; otherwise null. A mail to anybody else has no text that a stranger has chosen.$$;
--! EndIncluded functions/accounts/name_for_mail.sql
--! Included functions/accounts/issued_at.sql
-- Not before the end of the account's former credentials, even where the server's clock has been set back.
create or replace function app_private.issued_at(user_id bigint) returns double precision
language sql volatile set search_path = pg_catalog, pg_temp as $$
  select extract(epoch from greatest(clock_timestamp(), credentials_since)) from app_private.accounts where accounts.user_id = issued_at.user_id
$$;
comment on function app_private.issued_at(bigint) is $$The claim iat of an access token that is issued now, as app_hidden.identify() compares it: seconds since 1970, to the microsecond. The caller has locked the account.$$;
--! EndIncluded functions/accounts/issued_at.sql
--! Included functions/accounts/issue_refresh_token.sql
create or replace function app_private.issue_refresh_token(
  session_id bigint, user_id bigint, token text default encode(app_hidden.gen_random_bytes(32), 'hex')
) returns app_public.session
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_expires_at timestamptz := now() + interval '7 days';
begin
  insert into app_private.refresh_tokens (token_hash, session_id, expires_at)
  values (sha256(convert_to(issue_refresh_token.token, 'UTF8')), issue_refresh_token.session_id, v_expires_at);
  return (issue_refresh_token.user_id, issue_refresh_token.token, v_expires_at, app_private.issued_at(issue_refresh_token.user_id))::app_public.session;
end $$;
comment on function app_private.issue_refresh_token(bigint, bigint, text) is $$Issues the next refresh token of a session. Only its hash is stored.$$;
--! EndIncluded functions/accounts/issue_refresh_token.sql
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
  -- The lock lasts to the end of the transaction: no access token is issued while the account’s credentials end. First, as in each function.
  perform from app_private.accounts
    where user_id = (select user_id from app_private.refresh_tokens join app_private.sessions on id = session_id
                      where token_hash = sha256(convert_to(v_text, 'UTF8')))
      for share;
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
    return (v_session.user_id, v_text, v_token.expires_at, app_private.issued_at(v_session.user_id))::app_public.session;
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
--! Included functions/accounts/tg_accounts__end_access.sql
create or replace function app_hidden.tg_accounts__end_credentials() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  -- The row is locked by now, so each token that was issued before has an earlier time. Not that of the transaction, which may have waited.
  new.credentials_since := greatest(old.credentials_since, clock_timestamp());
  return new;
end $$;
comment on function app_hidden.tg_accounts__end_credentials() is $$Before the password or credentials_since of an account changes, it is banned, or its email is taken away: sets credentials_since, from which on tokens are good.$$;

-- Security definer: a role that may change accounts need not have rights on sessions and tokens, nor know the channel.
create or replace function app_hidden.tg_accounts__end_access() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_has_ended boolean := old.credentials_since is distinct from new.credentials_since;
begin
  if v_has_ended then
    update app_private.sessions set revoked_at = now() where user_id = new.user_id and revoked_at is null;
  end if;
  delete from app_private.account_tokens where user_id = new.user_id and (v_has_ended or kind <> 'CONFIRMED');
  -- A mail that only tells something is still true.
  delete from app_private.mail_outbox where user_id = new.user_id and token is not null;
  perform change_feed.notify_services('user:' || new.user_id);
  return null;
end $$;
comment on function app_hidden.tg_accounts__end_access() is $$After the credentials of an account have ended, or its email has changed: voids its tokens of mails and drops the mails. Unless only the email has changed, its sessions end. The services check again what the user may read, and who is the user.$$;

-- Security definer: a role that may delete identities need not have rights on accounts.
create or replace function app_hidden.tg_identities__end_credentials() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update app_private.accounts set credentials_since = now() where user_id = old.user_id;
  return null;
end $$;
comment on function app_hidden.tg_identities__end_credentials() is $$After a person of an identity provider is no user here any more, or another one: ends what the person may have been given as that user.$$;
--! EndIncluded functions/accounts/tg_accounts__end_access.sql
--! Included functions/accounts/send_token.sql
-- The same work and the same counts whether a mail is sent or not, so that neither tells whether an account exists.
create or replace function app_private.send_token(kind text, email text, user_id bigint, lifetime interval) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_token text := encode(app_hidden.gen_random_bytes(32), 'hex');
  v_is_confirmed boolean := exists (
    select from app_private.accounts a
     where app_private.email_form(a.email) = app_private.email_form(send_token.email)
       and (verified_at is not null or send_token.kind = 'CHANGE_EMAIL' and a.user_id = send_token.user_id));
  v_is_sent boolean := send_token.user_id is not null and not (send_token.kind = 'CHANGE_EMAIL' and v_is_confirmed);
begin
  if not app_private.enter_in_mail_ledger(send_token.email, send_token.user_id, v_is_confirmed and send_token.kind = 'RESET_PASSWORD') then
    return;
  end if;
  insert into app_private.account_tokens (token_hash, kind, user_id, email, expires_at)
  values (sha256(convert_to(v_token, 'UTF8')), send_token.kind, send_token.user_id,
          case when v_is_sent and send_token.kind <> 'RESET_PASSWORD' then send_token.email end,
          now() + send_token.lifetime);
  insert into app_private.mail_outbox (kind, user_id, email, token, expires_at)
  values (send_token.kind, send_token.user_id, case when v_is_sent then send_token.email end,
          case when v_is_sent then v_token end, now() + send_token.lifetime);
  -- Any login can listen, so the notification says nothing.
  perform pg_notify('mail_outbox', '');
end $$;
comment on function app_private.send_token(text, text, bigint, interval) is $$Makes a token and puts the mail with it into the outbox, within the limits of enter_in_mail_ledger(); beyond them it does nothing. Without a user, nothing is sent, and no CHANGE_EMAIL to an email that an account has confirmed.$$;

create or replace function app_private.enter_in_mail_ledger(email text, user_id bigint, is_confirmed boolean) returns boolean
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_email bytea := app_private.ledger_key('email ' || app_private.email_form(app_private.normal_email(enter_in_mail_ledger.email)));
  v_user bytea := app_private.ledger_key('user ' || enter_in_mail_ledger.user_id);
  v_network bytea := app_private.ledger_key('network ' || nullif(app_private.client_network(), ''));
  v_since timestamptz := now() - interval '1 hour';
  v_key bytea;
begin
  -- One request at a time for an email, a user and a network: concurrent requests would all see a low count.
  foreach v_key in array array_remove(array[v_email, v_user, v_network], null) loop
    perform pg_advisory_xact_lock(hashtext('app_private.mail_ledger'), ('x' || encode(substr(v_key, 1, 4), 'hex'))::bit(32)::int);
  end loop;
  if (select count(*) >= 3 from app_private.mail_ledger l
       where l.email = v_email and l.is_confirmed = enter_in_mail_ledger.is_confirmed and requested_at > v_since)
     -- These keep a user, or the users of a network, from sending mails to many strangers.
     or (select count(*) >= 10 from app_private.mail_ledger l where l.requester = v_user and requested_at > v_since)
     or (select count(*) >= 300 from app_private.mail_ledger l where l.network = v_network and requested_at > v_since) then
    return false;
  end if;
  insert into app_private.mail_ledger (email, is_confirmed, requester, network)
  values (v_email, enter_in_mail_ledger.is_confirmed, v_user, v_network);
  return true;
end $$;
comment on function app_private.enter_in_mail_ledger(text, bigint, boolean) is $$Counts a request for a mail. False, without counting it, after three in an hour for an email, ten for a user or 300 from a network. Resets of an email that is confirmed are counted apart from all else, so that strangers cannot use them up by other requests.$$;
--! EndIncluded functions/accounts/send_token.sql
--! Included functions/accounts/check_password.sql
create or replace function app_private.check_password(email text, password text) returns bigint
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_email text := app_private.email_form(app_private.normal_email(check_password.email));
  v_key text := app_private.account_key(check_password.email);
  v_account app_private.accounts;
  v_is_possible boolean;
  v_is_right boolean;
begin
  perform app_private.refuse_guessing(v_key, (select user_id from app_private.accounts where app_private.email_form(accounts.email) = v_email));
  -- The lock lasts to the end of the transaction: no session starts while a password change or a ban commits.
  select * into v_account from app_private.accounts where app_private.email_form(accounts.email) = v_email for share;
  -- No account has such a password. It is not normalised: that would take long, and nothing could interrupt it.
  v_is_possible := conventions.bounded_text(check_password.password, 200);
  -- Without an account, a hash is computed too: both cases take the same time.
  v_is_right := app_private.password_hash(case when v_is_possible then check_password.password else '' end,
                                          coalesce(v_account.password_hash, app_private.password_salt())) = v_account.password_hash;
  if v_is_possible and v_is_right then
    if v_account.banned_at is not null then
      perform app_hidden.refuse_unauthorized('BANNED', concat_ws(': ', 'This account is banned', (select reason from app_public.bans where user_id = v_account.user_id)));
    end if;
    return v_account.user_id;
  end if;
  -- The callers raise no error afterwards: that would roll the count back.
  insert into app_private.failed_sign_ins (account, address) values (coalesce(v_key, ''), app_private.client_network());
  return null;
end $$;
comment on function app_private.check_password(text, text) is $$The id of the user with this email and password; null without a match, which takes the same time and is counted. A banned user is refused with the reason.$$;
--! EndIncluded functions/accounts/check_password.sql
--! Included functions/accounts/change_password.sql
-- Security definer: the API’s roles may not write passwords. A wrong password returns null and does not raise: an error
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
  if v_account.password_hash is null then
    -- Whoever holds an old access token must not get a password by it.
    if (nullif(current_setting('app.provider_token_at', true), '')::timestamptz > now() - interval '10 minutes') is not true then
      perform app_hidden.refuse_unauthorized('NO_PASSWORD', 'This account has no password. Set the first one by requestPasswordReset, or with a token that an identity provider has issued within ten minutes.');
    end if;
  elsif app_private.check_password(v_account.email, change_password.current_password) is null then
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
Changes the password of the signed-in user, ends all sessions and access tokens, and returns a new session. The first password needs a token that an identity provider has issued within ten minutes; otherwise NO_PASSWORD.$$;
grant execute on function app_public.change_password(text, text) to :API_MEMBER;
--! EndIncluded functions/accounts/change_password.sql
--! Included functions/accounts/reset_password.sql
-- Security definer: the API’s roles may not read tokens or write passwords. The caller need not be signed in.
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
  -- Nobody has confirmed the account, so somebody else may have begun it. The owner of the mailbox gets a new user.
  if v_account.verified_at is null then
    v_account.user_id := app_private.make_confirmed_user(v_account.email);
  end if;
  update app_private.accounts
     set password_hash = app_private.password_hash(reset_password.new_password, app_private.password_salt())
   where user_id = v_account.user_id;
  -- The owner of the mailbox need not wait for the end of a limit that wrong passwords have reached. The network’s limit stays.
  update app_private.failed_sign_ins set account = '' where account = app_private.account_key(v_account.email);
  return app_private.begin_session(v_account.user_id);
end $$;
comment on function app_public.reset_password(text, text) is $$@rateLimited
@withoutToken
@signsIn
@describe token The token from a mail that requestPasswordReset has sent.
@describe new_password The new password: 8 to 200 characters.
Sets a new password, ends all sessions of the user, and returns a new one. For an account whose email nobody has confirmed, the email goes to a new user, who has it confirmed: the account may be somebody else’s. A token works once.$$;
grant execute on function app_public.reset_password(text, text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/accounts/reset_password.sql
--! Included functions/accounts/request_password_reset.sql
-- Security definer: the API's roles may not read accounts or write tokens. The caller need not be signed in.
create or replace function app_public.request_password_reset(email text) returns app_public.action_result
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_account app_private.accounts;
begin
  select * into v_account from app_private.accounts
   where app_private.email_form(accounts.email) = app_private.email_form(app_private.normal_email(request_password_reset.email)) and banned_at is null;
  -- The stored email, not the given one, which may differ in its letter case: another mailbox at some providers.
  perform app_private.send_token('RESET_PASSWORD', coalesce(v_account.email, request_password_reset.email), v_account.user_id, interval '1 hour');
  return (true, 'If a user has this email, a mail is on its way.'::text);
end $$;
comment on function app_public.request_password_reset(text) is $$@rateLimited
@withoutToken
@describe email The email of the account.
Sends a mail with a token for resetPassword, which works for an hour, if a user has this email. The response is always the same. At most three mails an hour to an email.$$;
grant execute on function app_public.request_password_reset(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/accounts/request_password_reset.sql
--! Included functions/accounts/request_email_change.sql
-- Security definer: the API's roles may not read accounts or write tokens. A wrong password returns null and does not raise: an
-- error would roll back the count of the attempt.
create or replace function app_public.request_email_change(email text, password text) returns app_public.users
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_email text := app_private.normal_email(request_email_change.email);
  v_account app_private.accounts;
  v_user app_public.users;
begin
  perform conventions.raise_validation_errors(app_private.email_errors(v_email));
  select * into v_account from app_private.accounts where user_id = app_hidden.viewer_id();
  if app_private.check_password(v_account.email, request_email_change.password) is null then
    return null;
  end if;
  perform app_private.send_token('CHANGE_EMAIL', v_email, v_account.user_id, interval '1 day');
  select * into v_user from app_public.users where id = v_account.user_id;
  return v_user;
end $$;
comment on function app_public.request_email_change(text, text) is $$@rateLimited
@unauthorizedWhenNull id WRONG_PASSWORD: The password is wrong.
@describe email The new email: 3 to 254 characters.
@describe password The password of the signed-in user.
Sends a mail with a token for confirmEmail to a new email, which changes when the token is used, within a day. Nothing is sent, and the response is the same, when another user has confirmed this email. At most three mails an hour to an email, ten by a user.$$;
grant execute on function app_public.request_email_change(text, text) to :API_MEMBER;
--! EndIncluded functions/accounts/request_email_change.sql
--! Included functions/accounts/request_email_verification.sql
-- Security definer: the API's roles may not read accounts or write tokens.
create or replace function app_public.request_email_verification() returns app_public.action_result
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_account app_private.accounts;
begin
  select * into v_account from app_private.accounts where user_id = app_hidden.viewer_id();
  if v_account.verified_at is null and v_account.email is not null then
    perform app_private.send_token('VERIFY_EMAIL', v_account.email, v_account.user_id, interval '7 days');
  end if;
  return (true, 'A mail is on its way, unless the email is confirmed already.'::text);
end $$;
comment on function app_public.request_email_verification() is $$Sends the signed-in user a mail with a token for confirmEmail, unless the email is confirmed. At most three mails an hour.$$;
grant execute on function app_public.request_email_verification() to :API_MEMBER;
--! EndIncluded functions/accounts/request_email_verification.sql
--! Included functions/accounts/confirm_email.sql
create or replace function app_private.confirmed_user_id() returns bigint
language sql stable
return nullif(current_setting('app.confirmed_user_id', true), '')::bigint;
comment on function app_private.confirmed_user_id() is $$The user whose email the token of this transaction had confirmed before; null without one. Its holder sees the email, and is nobody else.$$;

-- Security definer: the API’s roles may not read tokens or write accounts. The caller need not be signed in.
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
  -- A used token is accepted again while its email is the account’s: people click a link twice, and mail scanners open it first.
  if not found or v_account.banned_at is not null or v_token.kind = 'CONFIRMED' and v_token.email is distinct from v_account.email then
    perform app_private.refuse_token();
  end if;
  if v_token.kind = 'CONFIRMED' then
    -- A used token is in logs and old mails, so it shows the email again, and signs nobody in.
    perform set_config('app.confirmed_user_id', v_account.user_id::text, true);
  else
    perform set_config('app.viewer_id', v_account.user_id::text, true);
    update app_private.account_tokens set kind = 'CONFIRMED' where token_hash = v_hash;
    perform app_private.free_email(v_token.email, v_account.user_id);
    update app_private.accounts set email = v_token.email, verified_at = now() where user_id = v_account.user_id;
  end if;
  if v_token.kind = 'CHANGE_EMAIL' and v_account.verified_at is not null then
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
Confirms the email to which the token was sent. After requestEmailChange it becomes the user’s, and a mail tells the former one. Idempotent. Returns the user, as the user sees themselves the first time; later, of what is private, the email alone.$$;
grant execute on function app_public.confirm_email(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/accounts/confirm_email.sql
--! Included functions/accounts/sign_out.sql
-- Security definer: the API's roles may not write sessions. Whoever has the refresh token may end its session, and needs no other one: the
-- access token may have expired.
create or replace function app_public.sign_out(refresh_token text) returns app_public.action_result
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  update app_private.sessions set revoked_at = coalesce(revoked_at, now())
   where id = (select session_id from app_private.refresh_tokens
                where token_hash = sha256(convert_to(sign_out.refresh_token, 'UTF8')));
  return (true, 'You are signed out.'::text);
end $$;
comment on function app_public.sign_out(text) is $$@withoutToken
@describe refresh_token Any refresh token of the session.
Ends a session. Its last access token stays valid until it expires, within minutes. Idempotent.$$;
grant execute on function app_public.sign_out(text) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.sign_out_everywhere() returns app_public.action_result
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  -- A trigger ends everything, and sets the time anew.
  update app_private.accounts set credentials_since = now() where user_id = app_hidden.viewer_id();
  return (true, 'You are signed out everywhere.'::text);
end $$;
comment on function app_public.sign_out_everywhere() is $$Ends all sessions of the signed-in user, this one too, with their access tokens, the tokens of mails, open sockets and subscriptions.$$;
grant execute on function app_public.sign_out_everywhere() to :API_MEMBER;
--! EndIncluded functions/accounts/sign_out.sql
--! Included functions/accounts/user_of_token.sql
-- Security definer: the service’s login may ask whose a token is, but may not read or write accounts. Yours to change: the claims are those of a token
-- whose issuer, audience, signature and time the service has checked.
create or replace function app_private.user_of_token(claims jsonb) returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_issuer text := claims ->> 'iss';
  v_subject text := claims ->> 'sub';
  v_email text := app_private.normal_email(claims ->> 'email');
  v_user_id bigint;
begin
  for v_attempt in 1..3 loop
    v_user_id := (select user_id from app_private.identities where issuer = v_issuer and subject = v_subject);
    -- A person who is new is known by an email that the provider has verified.
    if v_user_id is not null or (claims ->> 'email_verified') is distinct from 'true' or v_email is null
       or app_private.email_errors(v_email) <> '[]' then
      return v_user_id;
    end if;
    begin
      -- Whoever has the email without having confirmed it may be somebody else, and loses it to the person.
      select user_id into v_user_id from app_private.accounts
       where app_private.email_form(email) = app_private.email_form(v_email) and verified_at is not null for update;
      if not found then
        v_user_id := app_private.make_confirmed_user(v_email, array[claims ->> 'name', claims ->> 'preferred_username']);
      end if;
      insert into app_private.identities (issuer, subject, user_id) values (v_issuer, v_subject, v_user_id);
      return v_user_id;
    exception when unique_violation then
      -- The same person has come, or signed up, at the same moment: look again.
      if v_attempt = 3 then
        raise;
      end if;
    end;
  end loop;
end $$;
comment on function app_private.user_of_token(jsonb) is $$The user whom a token of an identity provider stands for; null for nobody. The rule: who is known by issuer and subject; else who has confirmed the email that the provider has verified; else a new user. Called once for each token, with its claims, not for each request.$$;
grant execute on function app_private.user_of_token(jsonb) to :API_LOGIN;

-- Security definer: the service’s login may not read identities.
create or replace function app_private.judge_token(claims jsonb, out user_id bigint, out link text[])
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  user_id := app_private.user_of_token(claims);
  link := coalesce((select array[issuer, subject] from app_private.identities i
                     where issuer = claims ->> 'iss' and subject = claims ->> 'sub' and i.user_id = judge_token.user_id), '{}');
end $$;
comment on function app_private.judge_token(jsonb) is $$The user of user_of_token(), and the row of app_private.identities, {issuer, subject}, with which the token ends: empty where the rule needs none.$$;
grant execute on function app_private.judge_token(jsonb) to :API_LOGIN;
--! EndIncluded functions/accounts/user_of_token.sql
--! Included functions/accounts/claim_mail.sql
-- Security definer: the service's login reads no other mails. The claim is a time, not a lock: no transaction stays open while a mail server is waited for.
create or replace function app_private.claim_mail(lease interval, batch int default 10)
returns table (id bigint, kind text, email text, token text, created_at timestamptz, expires_at timestamptz, attempts int, name text, language text)
language plpgsql volatile security definer rows 10 set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  v_due bigint[];
begin
  v_due := array(
    select id from app_private.mail_outbox
     where due_at <= now()
     order by due_at, id limit least(greatest(batch, 1), 1000) for update skip locked);
  -- Those that tell nothing to anybody: no account has the email, or the token has expired.
  delete from app_private.mail_outbox where id = any (v_due) and (email is null or expires_at <= now());
  return query
  with claimed as (
    update app_private.mail_outbox set attempts = attempts + 1, due_at = clock_timestamp() + lease where id = any (v_due) returning *)
  select claimed.id, claimed.kind, claimed.email, claimed.token, claimed.created_at, claimed.expires_at, claimed.attempts,
         app_private.name_for_mail(claimed.kind, claimed.user_id, claimed.email), to_jsonb(users) ->> 'language'
    from claimed left join app_public.users on users.id = claimed.user_id
   order by claimed.id;
end $$;
comment on function app_private.claim_mail(interval, int) is $$Mails that are due, for the caller to send within the lease; nobody else gets them meanwhile. A mail that settle_mail() does not settle by then is due again. The language is that of the column users.language, where there is one.$$;
grant execute on function app_private.claim_mail(interval, int) to :API_LOGIN;
--! EndIncluded functions/accounts/claim_mail.sql
--! Included functions/accounts/mails_to_show.sql
-- For a page of development.
create or replace function app_private.mails_to_show()
returns table (id bigint, kind text, email text, token text, created_at timestamptz, expires_at timestamptz, name text, language text)
language sql stable security definer rows 50 set search_path = pg_catalog, pg_temp as $$
  select mail.id, mail.kind, mail.email, mail.token, mail.created_at, mail.expires_at, app_private.name_for_mail(mail.kind, mail.user_id, mail.email), to_jsonb(users) ->> 'language'
    from app_private.mail_outbox as mail left join app_public.users on users.id = mail.user_id
   where mail.email is not null and mail.expires_at > now()
   order by mail.id desc limit 50
$$;
comment on function app_private.mails_to_show() is $$The newest fifty mails of the outbox, which stay in it. The service shows them in development, where it sends none.$$;
grant execute on function app_private.mails_to_show() to :API_LOGIN;
--! EndIncluded functions/accounts/mails_to_show.sql
--! Included functions/users/identify.sql
-- Security definer: the login may look up a token’s user, but may not read accounts or posts itself. Its connections begin as anonymous callers.
create or replace function app_hidden.identify(user_id bigint, issued_at timestamptz, link text[], out role text, out viewer_id text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  if identify.user_id is null then
    role := ':API_ANONYMOUS';
    viewer_id := '';
  elsif exists (select from app_private.accounts a
                 where a.user_id = identify.user_id and banned_at is null
                   and case when identify.link is null then a.credentials_since is null or a.credentials_since <= identify.issued_at
                       else identify.link = '{}' or exists (select from app_private.identities i
                              where i.issuer = identify.link[1] and i.subject = identify.link[2] and i.user_id = a.user_id) end) then
    role := ':API_MEMBER';
    viewer_id := identify.user_id;
    if identify.link is not null then
      perform set_config('app.provider_token_at', coalesce(identify.issued_at::text, ''), true);
    end if;
  else
    raise exception using errcode = 'TOKEN', message = 'This user is deleted or banned, or the token has ended';
  end if;
end $$;
comment on function app_hidden.identify(bigint, timestamptz, text[]) is $$The database role and viewer id for a request. Called for each request, with the user of its token and when the token was issued. A token of the service is good from accounts.credentials_since on, one of an identity provider while its link, {issuer, subject}, is in app_private.identities; a link without elements always is. Raises TOKEN when the user is deleted or banned, or the token has ended.$$;
grant execute on function app_hidden.identify(bigint, timestamptz, text[]) to :API_LOGIN, :API_ANONYMOUS;

create or replace function app_hidden.identify(user_id bigint, out role text, out viewer_id text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select * from app_hidden.identify(user_id, 'infinity', null)
$$;
comment on function app_hidden.identify(bigint) is $$The database role and viewer id for a request of a release that does not say when tokens were issued.$$;
grant execute on function app_hidden.identify(bigint) to :API_LOGIN, :API_ANONYMOUS;

-- Security definer: the login may call identify(), and learns here for whom it would raise TOKEN.
create or replace function app_private.ended_credentials(credentials jsonb) returns int[]
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_ended int[] := '{}';
  v_one record;
begin
  for v_one in
    select place, value ->> 'userId' as user_id, to_timestamp((value ->> 'issuedAt')::float8) as issued_at,
           (value ->> 'link')::text[] as link
      from jsonb_array_elements(ended_credentials.credentials) with ordinality as given (value, place)
  loop
    begin
      perform app_hidden.identify(v_one.user_id::bigint, v_one.issued_at, v_one.link);
    exception when sqlstate 'TOKEN' then
      v_ended := v_ended || v_one.place::int;
    end;
  end loop;
  return v_ended;
end $$;
comment on function app_private.ended_credentials(jsonb) is $$Which of the credentials of open connections app_hidden.identify() refuses, as places in the list of {userId, issuedAt, link}, from 1 on.$$;
grant execute on function app_private.ended_credentials(jsonb) to :API_LOGIN;
--! EndIncluded functions/users/identify.sql
--! Included functions/users/identify_on_standby.sql
-- Security definer: the login may look up a token's user, but may not read accounts or posts itself.
--
-- The role and viewer id of a query that a standby answers, as app_hidden.identify() gives them on the primary. Whatever is refused
-- here, the primary answers:
-- * STNDB: the server has been promoted. It may have lost transactions, or may be one of two primaries.
-- * BHIND: the server has not replayed what the caller has written. The server has 50 ms to catch up, so volatile: the statements
--   after the wait have to see what was replayed meanwhile. Positions of another timeline cannot be compared. A standby that
--   follows a promoted server tells its timeline after the next restart point; at once where the owner is in pg_read_all_stats.
create or replace function app_private.identify_on_standby(
  user_id bigint, issued_at timestamptz, link text[], after_timeline int, after_lsn pg_lsn, out role text, out viewer_id text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_until timestamptz := clock_timestamp() + interval '50 ms';
  v_is_other_timeline boolean;
begin
  if not pg_is_in_recovery() then
    raise exception using errcode = 'STNDB', message = 'This server is no standby';
  end if;
  if identify_on_standby.after_lsn is not null then
    v_is_other_timeline := greatest((select min_recovery_end_timeline from pg_control_recovery()),
                                    (select received_tli from pg_stat_wal_receiver)) < identify_on_standby.after_timeline;
    while v_is_other_timeline or (pg_last_wal_replay_lsn() >= identify_on_standby.after_lsn) is not true loop
      if v_is_other_timeline or clock_timestamp() > v_until then
        raise exception using errcode = 'BHIND', message = 'This server has not replayed what the caller has written';
      end if;
      perform pg_sleep(0.002);
    end loop;
  end if;
  select identified.role, identified.viewer_id into role, viewer_id
    from app_hidden.identify(identify_on_standby.user_id, identify_on_standby.issued_at, identify_on_standby.link) as identified;
end $$;
comment on function app_private.identify_on_standby(bigint, timestamptz, text[], int, pg_lsn) is $$The database role and viewer id for a query on a standby. Raises what app_hidden.identify() raises, STNDB on a server that is no standby, and BHIND when the server has not replayed the given position within 50 ms.$$;
grant execute on function app_private.identify_on_standby(bigint, timestamptz, text[], int, pg_lsn) to :API_LOGIN;

create or replace function app_private.identify_on_standby(
  user_id bigint, after_timeline int, after_lsn pg_lsn, out role text, out viewer_id text)
language sql volatile set search_path = pg_catalog, pg_temp as $$
  select * from app_private.identify_on_standby(user_id, 'infinity', null, after_timeline, after_lsn)
$$;
comment on function app_private.identify_on_standby(bigint, int, pg_lsn) is $$The database role and viewer id for a query on a standby, of a release that does not say when tokens were issued.$$;
grant execute on function app_private.identify_on_standby(bigint, int, pg_lsn) to :API_LOGIN;
--! EndIncluded functions/users/identify_on_standby.sql
--! Included functions/users/create_user.sql
-- Security definer: the API's roles may not write users or accounts directly.
create or replace function app_public.create_user(name text, email text, password text default null) returns app_public.users
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_email text := app_private.normal_email(create_user.email);
  v_errors jsonb := conventions.validation_errors('app_public.users', jsonb_build_object('name', create_user.name))
                 || app_private.email_errors(v_email)
                 || app_private.password_errors('password', create_user.password);
  v_user app_public.users;
begin
  perform conventions.raise_validation_errors(v_errors);
  insert into app_public.users (name) values (create_user.name) returning * into v_user;
  insert into app_private.accounts (user_id, email, password_hash, created_by)
  values (
    v_user.id,
    v_email,
    app_private.password_hash(create_user.password, app_private.password_salt()),
    current_setting('app.request_id', true)
  );
  perform app_private.send_token('VERIFY_EMAIL', v_email, v_user.id, interval '7 days');
  return v_user;
end $$;
comment on function app_public.create_user(text, text, text) is $$@rateLimited
@withoutToken
@describe name The display name: 1 to 100 characters.
@describe email An email that no other user has: 3 to 254 characters.
@describe password 8 to 200 characters. Without a password, the user sets one by requestPasswordReset.
Signs up a new user, without a session, and sends a mail with a token for confirmEmail.$$;
grant execute on function app_public.create_user(text, text, text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users/create_user.sql
--! Included functions/users/erase_user.sql
create or replace function app_private.erase_user(user_id bigint) returns boolean
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_email text := (select email from app_private.accounts where accounts.user_id = erase_user.user_id);
  v_existed boolean := exists (select from app_public.users where id = erase_user.user_id);
  v_tags bigint[] := array(
    select tag_id from app_public.post_tags join app_public.posts on posts.id = post_id where author_id = erase_user.user_id);
  v_relations regclass[] := '{}';
  v_columns name[] := '{}';
  v_streams int[] := '{}';
  v_reference record;
begin
  -- Entries of the audit trail about a row of the user: the user's own, and those of each table that references users. A
  -- table that a DBA adds is found as well. Entries that the rest of this function adds are about the same rows.
  create temporary table erased_rows (table_name text, row_key text) on commit drop;
  insert into pg_temp.erased_rows values ('users', erase_user.user_id::text);
  for v_reference in
    select conrelid::regclass as relation, attname as referrer,
           case nspname when 'app_public' then '' else nspname || '.' end || relname as audit_name,
           (select array_agg(key.attname::text order by array_position(k.conkey, key.attnum))
              from pg_catalog.pg_constraint k
              join pg_catalog.pg_attribute key on key.attrelid = k.conrelid and key.attnum = any (k.conkey)
             where k.conrelid = c.conrelid and k.contype = 'p') as key_columns
      from pg_catalog.pg_constraint c
      join pg_catalog.pg_class r on r.oid = conrelid
      join pg_catalog.pg_namespace n on n.oid = relnamespace
      join pg_catalog.pg_attribute a on a.attrelid = conrelid and a.attnum = c.conkey[1]
     where contype = 'f' and confrelid = 'app_public.users'::regclass and conparentid = 0
  loop
    v_relations := v_relations || v_reference.relation;
    v_columns := v_columns || v_reference.referrer;
    v_streams := v_streams || array(
      select id from change_feed.streams where relation = v_reference.relation and key_column = v_reference.referrer);
    execute format(
      'insert into pg_temp.erased_rows
       select $1, conventions.row_key(jsonb_build_object(%3$s), $2) from %1$s as t where t.%2$I = $3 and $2 is not null
       union all
       select table_name, row_key from app_public.audit_trail
        where table_name = $1 and $3::text in (changes #>> array[$4, ''old''], changes #>> array[$4, ''new''])',
      v_reference.relation, v_reference.referrer,
      (select string_agg(format('%L, t.%I', name, name), ', ') from unnest(v_reference.key_columns) as name))
      using v_reference.audit_name, v_reference.key_columns, erase_user.user_id, v_reference.referrer;
  end loop;

  -- What may still count against the network stays, without the account.
  delete from app_private.failed_sign_ins where account = app_private.account_key(v_email) and failed_at < now() - interval '15 minutes';
  update app_private.failed_sign_ins set account = '' where account = app_private.account_key(v_email);
  -- Counts of the current minute stay: others share the network, and a deletion must not renew its limit. A job deletes them.
  delete from app_private.rate_limited_calls
   where expires_at <= now()
     and key in (select network from app_private.sign_in_networks n where n.user_id = erase_user.user_id);
  -- The numbers of a chat's messages have no gaps, so the messages stay.
  update app_public.messages set text = '[erased]', deleted_at = coalesce(deleted_at, now()), sender_id = null where sender_id = erase_user.user_id;
  update app_public.chats set title = null where creator_id = erase_user.user_id;
  -- Foreign keys delete the rest: account, sessions, networks, posts, comments, follows and memberships.
  perform set_config('app.is_erasure', 'on', true);
  delete from app_public.users where id = erase_user.user_id;
  perform set_config('app.is_erasure', '', true);
  -- Events are numbered at the commit, else. Those of the user's own keys must be there to be deleted.
  set constraints change_feed._500_number immediate;
  delete from change_feed.stream_events where stream_id = any (v_streams) and key = erase_user.user_id::text;
  delete from change_feed.stream_heads where stream_id = any (v_streams) and key = erase_user.user_id::text;
  delete from conventions.counter_shards s
   using conventions.counters c
    join unnest(v_relations, v_columns) as r (relation, referrer) on c.relation = r.relation and c.columns[1] = r.referrer
   where s.counter = c.name and split_part(s.key, ',', 1) = erase_user.user_id::text;
  delete from app_public.tags where id = any (v_tags)
     and not exists (select from app_public.post_tags where tag_id = tags.id);

  update app_public.audit_trail
     set changes = (select coalesce(jsonb_object_agg(name, '{}'::jsonb), '{}') from jsonb_object_keys(changes) as name)
   where (table_name, row_key) in (select table_name, row_key from pg_temp.erased_rows)
     and jsonb_path_exists(changes, '$.*.*');
  update app_public.audit_trail set actor_id = null where actor_id = erase_user.user_id;
  drop table pg_temp.erased_rows;
  return v_existed;
end $$;
comment on function app_private.erase_user(bigint) is $$Erases the data of a user everywhere: account, sessions, posts, comments, follows, memberships, notifications, the text of messages, and titles of chats that the user created. In the audit trail, entries about these rows keep the names of columns only, and the user’s own changes lose their actor. Returns whether the user still existed; what an earlier deletion has left is erased as well. For operators.$$;
--! EndIncluded functions/users/erase_user.sql
--! Included functions/users/users_email.sql
-- Security definer: the only way to read an email. Allowed for its owner, with the right READ_ACCOUNTS, within the request that has just
-- signed its owner up or in, and with the token that has confirmed it.
create or replace function app_public.users_email(users app_public.users) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select coalesce(accounts.email, '')
    from app_private.accounts
   where accounts.user_id = users.id
     and (accounts.user_id = app_hidden.viewer_id()
       or accounts.user_id = app_private.confirmed_user_id()
       or accounts.created_by = nullif(current_setting('app.request_id', true), '')
       or accounts.user_id in (select sessions.user_id
                                 from app_private.session_requests join app_private.sessions on sessions.id = session_id
                                where request_id = nullif(current_setting('app.request_id', true), ''))
       or app_hidden.viewer_may('READ_ACCOUNTS'))
$$;
comment on function app_public.users_email(app_public.users) is E'@unauthorizedWhenNull\nFor the user and admins. For others it is null, with an UNAUTHORIZED error. Empty when another person has shown that it is theirs.';
grant execute on function app_public.users_email(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users/users_email.sql
--! Included functions/users/users_is_email_confirmed.sql
-- Security definer: nobody reads accounts.
create or replace function app_public.users_is_email_confirmed(users app_public.users) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select verified_at is not null from app_private.accounts
   where user_id = users.id and (user_id in (app_hidden.viewer_id(), app_private.confirmed_user_id()) or app_hidden.viewer_may('READ_ACCOUNTS'))
$$;
comment on function app_public.users_is_email_confirmed(app_public.users) is 'Whether the e-mail is confirmed. Null for others than the user and admins.';
grant execute on function app_public.users_is_email_confirmed(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users/users_is_email_confirmed.sql

drop trigger if exists _100_end_credentials on app_private.accounts;
create trigger _100_end_credentials before update on app_private.accounts for each row
  when (old.password_hash is distinct from new.password_hash or (new.banned_at is not null and old.banned_at is distinct from new.banned_at)
    or old.credentials_since is distinct from new.credentials_since or (old.email is null) <> (new.email is null))
  execute function app_hidden.tg_accounts__end_credentials();
drop trigger if exists _500_end_access_update on app_private.accounts;
create trigger _500_end_access_update after update on app_private.accounts for each row
  when (old.credentials_since is distinct from new.credentials_since or old.email is distinct from new.email)
  execute function app_hidden.tg_accounts__end_access();
drop trigger if exists _500_end_credentials on app_private.identities;
create trigger _500_end_credentials after delete or update on app_private.identities for each row
  execute function app_hidden.tg_identities__end_credentials();
