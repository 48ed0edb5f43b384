--! Previous: sha1:6c004306e5d4458cb6fd433c25af81d177d53b2c
--! Hash: sha1:0db3787900540076f11c556b8a990a4c2d734c2d
--! Message: users and accounts

-- Users: everyone sees who writes. An email is its owner's, so emails and passwords are in another table, out of reach of the
-- API's roles, and users_email() returns a user's own.
create type app_public.user_role as enum ('USER', 'ADMIN');
comment on type app_public.user_role is $$@describe USER Reads published content, and writes content of their own.
@describe ADMIN Reads, changes and deletes everything.
The rights of a user.$$;

create table app_public.users (
  id         bigint generated always as identity primary key,
  name       text not null,
  avatar     text,
  bio        text,
  role       app_public.user_role not null default 'USER',
  created_at timestamptz not null default now(),
  constraint users_name_length_check check (char_length(name) between 1 and 100),
  constraint users_name_blank_check check (name ~ '\S' or name = ''),
  constraint users_avatar_length_check check (char_length(avatar) <= 2000),
  constraint users_avatar_url_check check (avatar ~ '^https://[^[:space:]/?#@"<>\\^`{|}]+([/?#][^[:space:]"<>\\^`{|}]*)?$'),
  constraint users_bio_length_check check (char_length(bio) <= 1000)
);
comment on table app_public.users is $$@listLimit 100
@sameForAll
@listFilter name_starts_with app_hidden.user_ids_named
@describe name_starts_with Names with these words, in any case; the last may be unfinished.
@firstRows app_hidden.first_users_named name_starts_with! after
@subscription meUpdated id updated viewer
@describe meUpdated You, each time you mark notifications as read or change your profile on any device, or an admin changes your role.
A person who writes, comments and follows.$$;
comment on column app_public.users.id is $$The user’s id. Never changes.$$;
comment on column app_public.users.name is $$The display name. Not unique.$$;
comment on column app_public.users.avatar is $$The URL of the user’s picture.$$;
comment on column app_public.users.bio is $$The user’s description of themselves.$$;
comment on column app_public.users.role is $$The user’s rights.$$;
comment on column app_public.users.created_at is $$The time when the user signed up.$$;
comment on constraint users_name_length_check on app_public.users is $$A name needs between 1 and 100 characters.$$;
comment on constraint users_name_blank_check on app_public.users is $$A name needs a character other than white space.$$;
comment on constraint users_avatar_length_check on app_public.users is $$An avatar’s URL has at most 2000 characters.$$;
comment on constraint users_avatar_url_check on app_public.users is $$An avatar is a URL that begins with https://.$$;
comment on constraint users_bio_length_check on app_public.users is $$A bio has at most 1000 characters.$$;
-- For the analysts’ days and months.
create index users_created_at_day_idx on app_public.users (((created_at at time zone 'UTC')::date));
-- For the filter by name.
create index users_name_words_idx on app_public.users using gin (to_tsvector('simple', name));

alter table app_public.users enable row level security;
create policy select_all on app_public.users for select to :API_ANONYMOUS, :API_MEMBER using (true);
create policy update_own on app_public.users for update to :API_MEMBER
  using (id = (select app_hidden.viewer_id()));
grant select on app_public.users to :API_ANONYMOUS, :API_MEMBER;
grant update (name, avatar, bio) on app_public.users to :API_MEMBER;
-- No insert: create_user() adds a user.

--! Included functions/users/users_named.sql
create or replace function app_hidden.unfinished(query tsquery) returns tsquery
language sql immutable parallel safe
return case when numnode(query) > 0 then (query::text || ':*')::tsquery else query end;
comment on function app_hidden.unfinished(tsquery) is $$The words of plainto_tsquery(), of which the last one may be the beginning of a word.$$;
grant execute on function app_hidden.unfinished(tsquery) to :API_ANONYMOUS, :API_MEMBER;

-- Names have no language. A longer text than any name finds nobody.
create or replace function app_hidden.name_query(name_starts_with text) returns tsquery
language sql immutable parallel safe
return app_hidden.unfinished(plainto_tsquery('simple', left(conventions.normal_text(name_starts_with, 100, true), 200)));
comment on function app_hidden.name_query(text) is $$Finds the names that have these words, of which the last one may be unfinished.$$;
grant execute on function app_hidden.name_query(text) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.user_ids_named(name_starts_with text) returns setof bigint
language sql stable as $$
  select id from app_public.users where to_tsvector('simple', name) @@ app_hidden.name_query(name_starts_with)
$$;
comment on function app_hidden.user_ids_named(text) is $$The ids of the users with these words in their name. For the filter by name.$$;
grant execute on function app_hidden.user_ids_named(text) to :API_ANONYMOUS, :API_MEMBER;

-- PostgreSQL's estimate of a beginning, or of two words together, is a guess, and one wrong plan reads all users. So this function looks
-- first: of a frequent name, among the first 500 users; of a rare one, in the index of names; else, in the order of ids until there are enough.
create or replace function app_hidden.first_users_named(name_starts_with text, page int, after_id bigint default -1)
returns setof app_public.users
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
declare
  v_query tsquery := app_hidden.name_query(name_starts_with);
  v_last bigint := (select max(id) from (select id from app_public.users where id > after_id order by id limit 500) as first_users);
  v_ids bigint[];
  v_found int;
begin
  return query select * from app_public.users
    where to_tsvector('simple', name) @@ v_query and id > after_id and id <= v_last order by id limit page;
  get diagnostics v_found = row_count;
  if v_found = page then
    return;
  end if;
  -- "id + 0" rules out the index of ids.
  v_ids := array(select id from app_public.users where to_tsvector('simple', name) @@ v_query and id + 0 > v_last limit 1000);
  if cardinality(v_ids) < 1000 then
    return query select * from app_public.users where id = any (v_ids) order by id limit page - v_found;
  else
    return query select * from app_public.users
      where to_tsvector('simple', name) @@ v_query and id > v_last order by id limit page - v_found;
  end if;
end $$;
comment on function app_hidden.first_users_named(text, int, bigint) is $$The first users with these words in their name, or those after a place.$$;
grant execute on function app_hidden.first_users_named(text, int, bigint) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users/users_named.sql

--! Included functions/users/viewer_is_admin.sql
create or replace function app_hidden.viewer_is_admin() returns boolean
language sql stable
return exists (select from app_public.users where id = (select app_hidden.viewer_id()) and role = 'ADMIN');
comment on function app_hidden.viewer_is_admin() is $$Whether the viewer is an admin. Policies write (select app_hidden.viewer_is_admin()), which runs once per query.$$;
grant execute on function app_hidden.viewer_is_admin() to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.require_admin() returns boolean
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if not app_hidden.viewer_is_admin() then
    perform app_hidden.refuse_unauthorized();
  end if;
  return true;
end $$;
comment on function app_hidden.require_admin() is $$Returns true for an admin, and raises insufficient_privilege for others: an empty list would say that there is nothing.$$;
grant execute on function app_hidden.require_admin() to :API_MEMBER;
--! EndIncluded functions/users/viewer_is_admin.sql
--! Included functions/users/tg_users__prepare.sql
create or replace function app_hidden.tg_users__prepare() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  new.bio := case when new.bio ~ '\S' then new.bio end;
  new.avatar := nullif(new.avatar, '');
  return new;
end $$;
comment on function app_hidden.tg_users__prepare() is $$Before a user is written: a blank bio and an empty avatar become null.$$;
--! EndIncluded functions/users/tg_users__prepare.sql
--! Included functions/users/tg_users__notify_rights.sql
-- Security definer: only the owner and the service may know the channel.
create or replace function app_hidden.tg_users__notify_rights() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform change_feed.notify_services('user:' || old.id);
  return null;
end $$;
comment on function app_hidden.tg_users__notify_rights() is $$After the role of a user changes, or a user is deleted: notifies the services to check again what the user may read.$$;
--! EndIncluded functions/users/tg_users__notify_rights.sql
create trigger _100_prepare before insert or update on app_public.users
  for each row execute function app_hidden.tg_users__prepare();
create trigger _900_notify_rights after update of role or delete on app_public.users
  for each row execute function app_hidden.tg_users__notify_rights();
select conventions.apply_to('app_public.users', '{name,avatar}');
--! Included functions/users/own_reading.sql
-- For any viewer. A policy says the same.
create or replace function app_private.own_reading(user_id bigint, viewer_id bigint) returns table (may_read boolean)
language sql stable rows 1 as $$
  select own_reading.user_id = own_reading.viewer_id
$$;
comment on function app_private.own_reading(bigint, bigint) is $$Whether the viewer may follow what belongs to a user: only one’s own.$$;
--! EndIncluded functions/users/own_reading.sql
select change_feed.stream('app_public.users', 'id', kinds => '{updated}', may_read => 'app_private.own_reading');

-- Accounts.
create table app_private.accounts (
  user_id       bigint primary key references app_public.users on delete cascade,
  email         text not null,
  password_hash text,
  banned_at     timestamptz,
  created_by    text,
  verified_at   timestamptz,
  constraint accounts_email_length_check check (char_length(email) between 3 and 254),
  -- What SMTP takes without quotes, in any script: no special and no invisible character, no empty part, and a host name.
  constraint accounts_email_shape_check check (char_length(email) not between 3 and 254 or email ~ '^[^@]+@[^@]+$' and email
    !~ '[\s"(),:;<>[\\\]\u0001-\u0020\u007F-\u00A0\u00AD\u2000-\u200F\u2028-\u202F\u205F-\u206F\u3000\uFEFF]|(^|[.@])\.|\.(@|$)|@(.*\.)?-|-(\.[^@]*)?$|@.*[!#$%&''*+/=?^_`{|}~]')
);
comment on table app_private.accounts is $$The sign-in data of each user. One row per user.$$;
comment on column app_private.accounts.user_id is $$The user of this account.$$;
comment on column app_private.accounts.email is $$The email as entered. Unique regardless of letter case.$$;
comment on column app_private.accounts.password_hash is $$The bcrypt hash; null without a password, which makes a sign-in with a password impossible.$$;
comment on column app_private.accounts.banned_at is $$The time since which the user’s tokens are invalid; null for a user who is not banned.$$;
comment on column app_private.accounts.created_by is $$The request that created the account (app.request_id). Its result may show the email. Each request has its own id.$$;
comment on column app_private.accounts.verified_at is $$Since when the account is known to belong to a person, for example by a confirmed email; null until then. Requests of an unverified user count against the rate limit of the IP address, too.$$;
comment on constraint accounts_email_length_check on app_private.accounts is $$An email needs between 3 and 254 characters.$$;
comment on constraint accounts_email_shape_check on app_private.accounts is $$This does not look like an email.$$;
create unique index accounts_email_key on app_private.accounts (lower(email));
comment on index app_private.accounts_email_key is $$This email is already in use.$$;

alter table app_private.accounts enable row level security;
-- No policies: only the owner reads it.
select conventions.apply_to('app_private.accounts', '{email}', is_audited => false);

--! Included functions/users/identify.sql
-- Security definer: the login may look up a token's user, but may not read accounts or posts itself. Its connections begin as anonymous callers.
create or replace function app_hidden.identify(user_id bigint, out role text, out viewer_id text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  if identify.user_id is null then
    role := ':API_ANONYMOUS';
    viewer_id := '';
  elsif exists (select from app_private.accounts where accounts.user_id = identify.user_id and banned_at is null) then
    role := ':API_MEMBER';
    viewer_id := identify.user_id;
  else
    raise exception using errcode = 'TOKEN', message = 'This user is deleted or banned';
  end if;
end $$;
comment on function app_hidden.identify(bigint) is $$The database role and viewer id for a request. Called for each request. Raises TOKEN when the user is deleted or banned.$$;
grant execute on function app_hidden.identify(bigint) to :API_LOGIN, :API_ANONYMOUS;
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
  user_id bigint, after_timeline int, after_lsn pg_lsn, out role text, out viewer_id text)
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
    from app_hidden.identify(identify_on_standby.user_id) as identified;
end $$;
comment on function app_private.identify_on_standby(bigint, int, pg_lsn) is $$The database role and viewer id for a query on a standby. Raises what app_hidden.identify() raises, STNDB on a server that is no standby, and BHIND when the server has not replayed the given position within 50 ms.$$;
grant execute on function app_private.identify_on_standby(bigint, int, pg_lsn) to :API_LOGIN;
--! EndIncluded functions/users/identify_on_standby.sql
--! Included functions/accounts/is_verified.sql
-- Security definer: the login role may ask about one user, and read nothing of accounts itself.
create or replace function app_private.is_verified(user_id bigint) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (select from app_private.accounts where accounts.user_id = is_verified.user_id and verified_at is not null)
$$;
comment on function app_private.is_verified(bigint) is $$Whether the account of a user is verified. The service asks at most once a minute for each user.$$;
grant execute on function app_private.is_verified(bigint) to :API_LOGIN;
--! EndIncluded functions/accounts/is_verified.sql

-- Sessions: how a user gets tokens. Passwords and refresh tokens are stored as hashes. Only the functions below reach them.
create table app_private.sessions (
  id         bigint generated always as identity primary key,
  user_id    bigint not null references app_public.users on delete cascade,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);
comment on table app_private.sessions is $$A session: the chain of refresh tokens that started with one sign-in.$$;
comment on column app_private.sessions.id is $$The session’s id. Never changes.$$;
comment on column app_private.sessions.user_id is $$The user who signed in.$$;
comment on column app_private.sessions.created_at is $$The time of the sign-in.$$;
comment on column app_private.sessions.revoked_at is $$The time since which its refresh tokens are invalid: by a sign-out, a password change, a ban, or a token that was used twice.$$;
create index sessions_user_id_idx on app_private.sessions (user_id);
create index sessions_revoked_at_idx on app_private.sessions (revoked_at) where revoked_at is not null;

alter table app_private.sessions enable row level security;

create table app_private.refresh_tokens (
  token_hash     bytea primary key,
  session_id     bigint not null references app_private.sessions on delete cascade,
  expires_at     timestamptz not null,
  used_at        timestamptz,
  successor_salt bytea
);
comment on table app_private.refresh_tokens is $$The refresh tokens of sessions. Each works once, and for 30 seconds more for lost answers and concurrent calls. A later use ends the session, because a thief may hold the token.$$;
comment on column app_private.refresh_tokens.token_hash is $$The SHA-256 of the token. The token itself is not stored.$$;
comment on column app_private.refresh_tokens.session_id is $$The session of the token.$$;
comment on column app_private.refresh_tokens.expires_at is $$The time when the token expires.$$;
comment on column app_private.refresh_tokens.used_at is $$The time when the token was used; null for the session’s newest token.$$;
comment on column app_private.refresh_tokens.successor_salt is $$Random, set when the token is used. With the token itself, gives the next token again: see successor_token().$$;
create index refresh_tokens_session_id_idx on app_private.refresh_tokens (session_id);
create index refresh_tokens_expires_at_idx on app_private.refresh_tokens (expires_at);

alter table app_private.refresh_tokens enable row level security;

create table app_private.session_requests (
  request_id text not null,
  session_id bigint not null references app_private.sessions on delete cascade,
  created_at timestamptz not null default now(),
  primary key (request_id, session_id)
);
comment on table app_private.session_requests is $$The requests of the last hour that signed in or refreshed a session. Their answers may have the user’s email.$$;
comment on column app_private.session_requests.request_id is $$The request: app.request_id.$$;
comment on column app_private.session_requests.session_id is $$The session.$$;
comment on column app_private.session_requests.created_at is $$The time of the request.$$;
create index session_requests_session_id_idx on app_private.session_requests (session_id);
create index session_requests_created_at_idx on app_private.session_requests (created_at);

alter table app_private.session_requests enable row level security;

create table app_private.failed_sign_ins (
  id        bigint generated always as identity primary key,
  account   text not null,
  address   text not null,
  failed_at timestamptz not null default now()
);
comment on table app_private.failed_sign_ins is $$Failed sign-ins of the last day, counted by account and by network. They limit guessing.$$;
comment on column app_private.failed_sign_ins.id is $$The attempt’s id.$$;
comment on column app_private.failed_sign_ins.account is $$The SHA-256 of the email that was tried, whether it has an account or not: see account_key().$$;
comment on column app_private.failed_sign_ins.address is $$The client’s network: an IPv4 address, or the /64 of an IPv6 address.$$;
comment on column app_private.failed_sign_ins.failed_at is $$The time of the attempt.$$;
create index failed_sign_ins_account_failed_at_idx on app_private.failed_sign_ins (account, failed_at);
create index failed_sign_ins_address_failed_at_idx on app_private.failed_sign_ins (address, failed_at);
create index failed_sign_ins_failed_at_idx on app_private.failed_sign_ins (failed_at);

alter table app_private.failed_sign_ins enable row level security;

create table app_private.sign_in_networks (
  user_id      bigint not null references app_public.users on delete cascade,
  network      text not null,
  signed_in_at timestamptz not null default now(),
  primary key (user_id, network)
);
comment on table app_private.sign_in_networks is $$The networks from which a user has signed in within 90 days. Failed sign-ins elsewhere do not lock the user out there.$$;
comment on column app_private.sign_in_networks.user_id is $$The user.$$;
comment on column app_private.sign_in_networks.network is $$An IPv4 address, or the /64 of an IPv6 address: see client_network().$$;
comment on column app_private.sign_in_networks.signed_in_at is $$The time of the last sign-in, to the day.$$;
create index sign_in_networks_signed_in_at_idx on app_private.sign_in_networks (signed_in_at);

alter table app_private.sign_in_networks enable row level security;

create unlogged table app_private.rate_limited_calls (
  key        text primary key,
  points     int not null,
  expires_at timestamptz not null
);
comment on table app_private.rate_limited_calls is $$Calls of mutations with the smart tag @rateLimited in the current minute, counted by IP address for all instances together.$$;
comment on column app_private.rate_limited_calls.key is $$The IP address that the calls come from: IPv4, or the /64 of an IPv6 address.$$;
comment on column app_private.rate_limited_calls.points is $$The number of calls.$$;
comment on column app_private.rate_limited_calls.expires_at is $$When the count ends.$$;
-- Carries the deletion of expired rows.
create index rate_limited_calls_expires_at_idx on app_private.rate_limited_calls (expires_at);

alter table app_private.rate_limited_calls enable row level security;

create type app_public.session as (
  user_id                  bigint,
  refresh_token            text,
  refresh_token_expires_at timestamptz
);
comment on type app_public.session is $$@accessToken user_id
@foreignKey (user_id) references app_public.users (id)|@fieldName user|@notNull
The tokens of a session: one for access, one to get the next two.$$;
comment on column app_public.session.user_id is $$@notNull
The user who signed in.$$;
comment on column app_public.session.refresh_token is $$@notNull
Exchanges once for new tokens: refreshSession(refreshToken). Keep it secret.$$;
comment on column app_public.session.refresh_token_expires_at is $$@notNull
The time when the refresh token expires.$$;

--! Included functions/accounts/account_key.sql
create or replace function app_private.account_key(email text) returns text
language sql immutable set search_path = pg_catalog, pg_temp
return encode(sha256(convert_to(lower(conventions.normal_text(email, 254, true)), 'UTF8')), 'hex');
comment on function app_private.account_key(text) is $$The key for counting failed sign-ins of an account: the SHA-256 of the email. A hash, because some people type their password into the email field.$$;
--! EndIncluded functions/accounts/account_key.sql
--! Included functions/accounts/password_salt.sql
-- A step more doubles the time of each sign-in. Existing hashes keep the cost that they were made with.
create or replace function app_private.password_salt() returns text
language sql volatile set search_path = pg_catalog, pg_temp as $$
  select app_hidden.gen_salt('bf', 10)
$$;
comment on function app_private.password_salt() is $$A salt for a new bcrypt hash, with the cost that an attacker who has the hashes pays for each try.$$;
--! EndIncluded functions/accounts/password_salt.sql
--! Included functions/accounts/password_hash.sql
create or replace function app_private.password_hash(password text, salt text) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
  -- bcrypt ignores everything after 72 bytes, so hash a digest of the password, which is shorter.
  select app_hidden.crypt(encode(sha256(convert_to(normalize(password, NFC), 'UTF8')), 'base64'), salt)
$$;
comment on function app_private.password_hash(text, text) is $$The bcrypt hash of a password. The salt is password_salt() for a new hash, or the stored hash for a comparison.$$;
--! EndIncluded functions/accounts/password_hash.sql
--! Included functions/accounts/password_errors.sql
create or replace function app_private.password_errors("column" text, password text) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
  -- The length is checked first, because the other checks read all of the text.
  select case
    when char_length(password) < 8 then jsonb_build_array(jsonb_build_object('column', "column",
      'code', 'TOO_SHORT', 'message', 'A password needs between 8 and 200 characters.', 'params', '{"min": 8}'::jsonb))
    when char_length(password) > 200 then jsonb_build_array(jsonb_build_object('column', "column",
      'code', 'TOO_LONG', 'message', 'A password needs between 8 and 200 characters.', 'params', '{"max": 200}'::jsonb))
    when password ~ '[\uFDD0-\uFDEF\uFFFE\uFFFF]' then jsonb_build_array(jsonb_build_object('column', "column",
      'code', 'CHARACTERS', 'message', 'Text cannot contain NUL, a lone surrogate or a Unicode noncharacter.'))
    when not conventions.bounded_text(password, 200) then jsonb_build_array(jsonb_build_object('column', "column",
      'code', 'MARKS', 'message', 'A password cannot contain more than 30 combining marks in a row.'))
    else '[]'
  end
$$;
comment on function app_private.password_errors(text, text) is $$The validation errors of a new password, in the form of conventions.validation_errors(). Null has no faults.$$;
--! EndIncluded functions/accounts/password_errors.sql
--! Included functions/accounts/client_network.sql
create or replace function app_private.client_network() returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_address inet;
begin
  -- An IPv6 socket shows an IPv4 client as ::ffff:192.0.2.1. The /64 of that would put all IPv4 clients together.
  v_address := regexp_replace(nullif(current_setting('app.client_address', true), ''), '^::ffff:(?=\d+\.)', '', 'i');
  return coalesce(case when family(v_address) = 6 then network(set_masklen(v_address, 64))::text else host(v_address) end, '');
exception when invalid_text_representation then
  -- A trusted proxy sent something that is not an IP address.
  return '';
end $$;
comment on function app_private.client_network() is $$The network of the client, from its IP address in app.client_address: an IPv4 address, or the /64 of an IPv6 address, which belongs to one customer. Empty when unknown.$$;
--! EndIncluded functions/accounts/client_network.sql
--! Included functions/accounts/refuse_guessing.sql
create or replace function app_private.refuse_guessing(account text, user_id bigint) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_since timestamptz := now() - interval '15 minutes';
  v_network text := app_private.client_network();
  v_is_known boolean;
  v_blocked_at timestamptz;
begin
  -- One attempt at a time per account and network: concurrent attempts would all see a low count. Attempts from another
  -- network do not wait, so that a stranger cannot delay the owner.
  perform pg_advisory_xact_lock(hashtext('app_private.failed_sign_ins'), hashtext(refuse_guessing.account || v_network));
  v_is_known := exists (select from app_private.sign_in_networks n
                         where n.user_id = refuse_guessing.user_id and n.network = v_network
                           and signed_in_at > now() - interval '90 days');
  -- The failure that reached a limit blocks until it is 15 minutes old.
  select max(failed_at) into v_blocked_at from (
    (select failed_at from app_private.failed_sign_ins f
      where f.account = refuse_guessing.account and f.address = v_network and failed_at > v_since
      order by failed_at desc offset 9 limit 1)
    union all
    (select failed_at from app_private.failed_sign_ins f
      where f.address = v_network and v_network <> '' and failed_at > v_since
      order by failed_at desc offset 49 limit 1)
    union all
    (select failed_at from app_private.failed_sign_ins f
      where f.account = refuse_guessing.account and not v_is_known and failed_at > v_since
      order by failed_at desc offset 99 limit 1)
  ) as reached;
  if v_blocked_at is not null then
    raise exception using errcode = 'RATEL', message = 'Too many attempts',
      detail = greatest(1, ceil(extract(epoch from v_blocked_at + interval '15 minutes' - now())))::text;
  end if;
end $$;
comment on function app_private.refuse_guessing(text, bigint) is $$Raises RATEL, with the seconds to wait as its detail, when within fifteen minutes there were ten failed sign-ins for an account from this network, fifty from this network, or a hundred for the account. The last limit does not apply in networks from which the user has signed in within 90 days. The user’s id is null when there is no such account.$$;
--! EndIncluded functions/accounts/refuse_guessing.sql
--! Included functions/accounts/count_rate_limited_calls.sql
-- Security definer: the service's login may count calls, and may neither read nor change the counts.
create or replace function app_private.count_rate_limited_calls(key text, calls int, out points int, out ms_left bigint)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  v_now timestamptz := clock_timestamp();
begin
  if calls < 1 or char_length(count_rate_limited_calls.key) > 100 then
    raise exception using errcode = '22023', message = 'Not a number of calls, or not a network';
  end if;
  insert into app_private.rate_limited_calls as counted (key, points, expires_at)
  values (count_rate_limited_calls.key, calls, v_now + interval '1 minute')
  on conflict (key) do update
    set points = case when counted.expires_at <= v_now then calls else least(counted.points::bigint + calls, 2147483647) end,
        expires_at = case when counted.expires_at <= v_now then excluded.expires_at else counted.expires_at end
  returning counted.points, ceil(extract(epoch from counted.expires_at - v_now) * 1000) into count_rate_limited_calls.points, ms_left;
end $$;
comment on function app_private.count_rate_limited_calls(text, int) is $$Counts calls of mutations with the smart tag @rateLimited, made from one network. Returns the calls of its current minute, and how long that lasts.$$;
grant execute on function app_private.count_rate_limited_calls(text, int) to :API_LOGIN;
--! EndIncluded functions/accounts/count_rate_limited_calls.sql
--! Included functions/accounts/check_password.sql
create or replace function app_private.check_password(email text, password text) returns bigint
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_email text := lower(conventions.normal_text(check_password.email, 254, true));
  v_key text := app_private.account_key(check_password.email);
  v_account app_private.accounts;
  v_is_possible boolean;
  v_is_right boolean;
begin
  perform app_private.refuse_guessing(v_key, (select user_id from app_private.accounts where lower(accounts.email) = v_email));
  -- The lock lasts to the end of the transaction: no session starts while a password change or a ban commits.
  select * into v_account from app_private.accounts where lower(accounts.email) = v_email for share;
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
  insert into app_private.failed_sign_ins (account, address) values (v_key, app_private.client_network());
  return null;
end $$;
comment on function app_private.check_password(text, text) is $$The id of the user with this email and password; null without a match, which takes the same time and is counted. A banned user is refused with the reason.$$;
--! EndIncluded functions/accounts/check_password.sql
--! Included functions/accounts/note_session_request.sql
create or replace function app_private.note_session_request(session_id bigint) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
  insert into app_private.session_requests (request_id, session_id)
  select request_id, note_session_request.session_id from current_setting('app.request_id', true) as request_id
   where request_id <> ''
  on conflict do nothing
$$;
comment on function app_private.note_session_request(bigint) is $$Notes that the current request has signed in or refreshed the session, so that its answer may have the user’s email.$$;
--! EndIncluded functions/accounts/note_session_request.sql
--! Included functions/accounts/successor_token.sql
create or replace function app_private.successor_token(token text, salt bytea) returns text
language sql immutable set search_path = pg_catalog, pg_temp
return encode(sha256(salt || convert_to(token, 'UTF8')), 'hex');
comment on function app_private.successor_token(text, bytea) is $$The refresh token that follows a token. Needs both the token, which only its holder has, and the random salt, which only the database has.$$;
--! EndIncluded functions/accounts/successor_token.sql
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
  return (issue_refresh_token.user_id, issue_refresh_token.token, v_expires_at)::app_public.session;
end $$;
comment on function app_private.issue_refresh_token(bigint, bigint, text) is $$Issues the next refresh token of a session. Only its hash is stored.$$;
--! EndIncluded functions/accounts/issue_refresh_token.sql
--! Included functions/users/users_is_email_confirmed.sql
-- Security definer: nobody reads accounts.
create or replace function app_public.users_is_email_confirmed(users app_public.users) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select verified_at is not null from app_private.accounts
   where user_id = users.id and (user_id = app_hidden.viewer_id() or app_hidden.viewer_is_admin())
$$;
comment on function app_public.users_is_email_confirmed(app_public.users) is 'Whether the e-mail is confirmed. Null for others than the user and admins.';
grant execute on function app_public.users_is_email_confirmed(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users/users_is_email_confirmed.sql
--! Included functions/users/users_email.sql
-- Security definer: the only way to read an email. Allowed for its owner, for admins, and within the request that has just
-- signed its owner up or in.
create or replace function app_public.users_email(users app_public.users) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select accounts.email
    from app_private.accounts
   where accounts.user_id = users.id
     and (accounts.user_id = app_hidden.viewer_id()
       or accounts.created_by = nullif(current_setting('app.request_id', true), '')
       or accounts.user_id in (select sessions.user_id
                                 from app_private.session_requests join app_private.sessions on sessions.id = session_id
                                where request_id = nullif(current_setting('app.request_id', true), ''))
       or app_hidden.viewer_is_admin())
$$;
comment on function app_public.users_email(app_public.users) is E'@unauthorizedWhenNull\nFor the user and admins. For others it is null, with an UNAUTHORIZED error.';
grant execute on function app_public.users_email(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users/users_email.sql
--! Included functions/accounts/begin_session.sql
create or replace function app_private.begin_session(user_id bigint) returns app_public.session
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_session_id bigint;
begin
  insert into app_private.sessions (user_id) values (begin_session.user_id) returning id into v_session_id;
  perform app_private.note_session_request(v_session_id);
  return app_private.issue_refresh_token(v_session_id, begin_session.user_id);
end $$;
comment on function app_private.begin_session(bigint) is $$Begins a session of a user who has shown who they are, and issues its first refresh token.$$;
--! EndIncluded functions/accounts/begin_session.sql
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
@describe email The email that the user signed up with.
@describe password The password.
Signs in with a password. Ten failed attempts for an account from one network, fifty from one network, or a hundred for an account give RATE_LIMITED for up to fifteen minutes; the last not in networks from which the user has signed in within 90 days.$$;
grant execute on function app_public.sign_in(text, text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/accounts/sign_in.sql
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
  if v_text <> refresh_session.refresh_token then
    return (v_session.user_id, v_text, v_token.expires_at)::app_public.session;
  end if;
  update app_private.refresh_tokens set used_at = now(), successor_salt = v_salt where token_hash = v_token.token_hash;
  return app_private.issue_refresh_token(v_session.id, v_session.user_id, app_private.successor_token(v_text, v_salt));
end $$;
comment on function app_public.refresh_session(text) is $$@withoutToken
@unauthorizedWhenNull user_id SESSION_OVER: This refresh token is no longer valid. Sign in again.
@describe refresh_token The session’s newest refresh token.
Returns new tokens. A refresh token works once; for 30 seconds after that, it returns the session’s newest again; a later use ends the session.$$;
grant execute on function app_public.refresh_session(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/accounts/refresh_session.sql
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
  update app_private.sessions set revoked_at = now() where user_id = app_hidden.viewer_id() and revoked_at is null;
  return (true, 'You are signed out everywhere.'::text);
end $$;
comment on function app_public.sign_out_everywhere() is $$Ends all sessions of the signed-in user, this one too.$$;
grant execute on function app_public.sign_out_everywhere() to :API_MEMBER;
--! EndIncluded functions/accounts/sign_out.sql
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
@describe current_password The current password. Ignored when the account has none yet.
@describe new_password The new password: 8 to 200 characters.
Changes the password of the signed-in user, ends all sessions, and returns a new one.$$;
grant execute on function app_public.change_password(text, text) to :API_MEMBER;
--! EndIncluded functions/accounts/change_password.sql
--! Included functions/users/me.sql
create or replace function app_public.me() returns app_public.users
language sql stable
return (select users from app_public.users where users.id = app_hidden.viewer_id());
comment on function app_public.me() is $$The signed-in user; null without one.$$;
grant execute on function app_public.me() to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users/me.sql

-- Emails are confirmed and changed, and forgotten passwords are reset, by tokens that work once. The service sends no mail: it
-- puts a row into an outbox, which the operator's mailer takes.
create table app_private.account_tokens (
  token_hash bytea primary key,
  kind       text not null,
  account    text not null,
  user_id    bigint references app_public.users on delete cascade,
  email      text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint account_tokens_kind_check check (kind in ('VERIFY_EMAIL', 'CHANGE_EMAIL', 'RESET_PASSWORD', 'CONFIRMED'))
);
comment on table app_private.account_tokens is $$Tokens that were sent by mail, until they expire. Those of passwords go when they are used.$$;
comment on column app_private.account_tokens.token_hash is $$The SHA-256 of the token. Only the mail has the token itself.$$;
comment on column app_private.account_tokens.kind is $$What the token is for: VERIFY_EMAIL, CHANGE_EMAIL or RESET_PASSWORD; CONFIRMED when it has confirmed its email.$$;
comment on column app_private.account_tokens.account is $$The key of the email that the token was requested for, as account_key() makes it. Counts the requests.$$;
comment on column app_private.account_tokens.user_id is $$The user who requested it; null for an email without an account. A token whose mail was not sent is stored, so that both cases take the same time and count the same.$$;
comment on column app_private.account_tokens.email is $$The email that the token confirms; null for RESET_PASSWORD.$$;
comment on column app_private.account_tokens.created_at is $$When the token was requested.$$;
comment on column app_private.account_tokens.expires_at is $$When the token stops working.$$;
comment on constraint account_tokens_kind_check on app_private.account_tokens is $$This kind of token does not exist.$$;
create index account_tokens_account_kind_created_at_idx on app_private.account_tokens (account, kind, created_at);
create index account_tokens_user_id_idx on app_private.account_tokens (user_id);
create index account_tokens_expires_at_idx on app_private.account_tokens (expires_at);

alter table app_private.account_tokens enable row level security;

create table app_private.mail_outbox (
  id         bigint generated always as identity primary key,
  kind       text not null,
  user_id    bigint references app_public.users on delete cascade,
  email      text,
  token      text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint mail_outbox_kind_check check (kind in ('VERIFY_EMAIL', 'CHANGE_EMAIL', 'RESET_PASSWORD', 'EMAIL_CHANGED'))
);
comment on table app_private.mail_outbox is $$Mails to send. The operator’s mailer takes them with take_mail().$$;
comment on column app_private.mail_outbox.id is $$Identifies the mail.$$;
comment on column app_private.mail_outbox.kind is $$What the mail is about: VERIFY_EMAIL, CHANGE_EMAIL and RESET_PASSWORD have a token; EMAIL_CHANGED tells the former email of the change.$$;
comment on column app_private.mail_outbox.user_id is $$The user who requested it; null for an email without an account.$$;
comment on column app_private.mail_outbox.email is $$Where to send the mail; null when no mail is to be sent.$$;
comment on column app_private.mail_outbox.token is $$The token. Nothing else in the database has it.$$;
comment on column app_private.mail_outbox.created_at is $$When the mail was requested.$$;
comment on column app_private.mail_outbox.expires_at is $$When the mail is useless. Maintenance then deletes it.$$;
comment on constraint mail_outbox_kind_check on app_private.mail_outbox is $$This kind of mail does not exist.$$;
create index mail_outbox_user_id_idx on app_private.mail_outbox (user_id);
create index mail_outbox_expires_at_idx on app_private.mail_outbox (expires_at);

alter table app_private.mail_outbox enable row level security;

--! Included functions/accounts/take_mail.sql
-- Security definer: the mailer's login may take mails, and read nothing else.
create or replace function app_private.take_mail(batch int default 10) returns setof app_private.mail_outbox
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  with taken as (
    delete from app_private.mail_outbox where id in (
      select id from app_private.mail_outbox order by id limit least(greatest(batch, 1), 1000) for update skip locked)
    returning *)
  select * from taken where email is not null and expires_at > now() order by id
$$;
comment on function app_private.take_mail(int) is $$Takes the oldest mails from the outbox. A mail that is not sent comes back when the transaction rolls back. Several mailers can work at once. For logins that admit_mailer() has admitted.$$;
--! EndIncluded functions/accounts/take_mail.sql
--! Included functions/accounts/admit_mailer.sql
create or replace function app_private.admit_mailer(login name) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  execute format('grant connect on database %I to %I', current_database(), login);
  execute format('grant usage on schema app_private to %I', login);
  execute format('grant execute on function app_private.take_mail(int) to %I', login);
end $$;
comment on function app_private.admit_mailer(name) is $$Lets a login take mails from the outbox, and nothing else. For operators.$$;
--! EndIncluded functions/accounts/admit_mailer.sql
--! Included functions/accounts/send_token.sql
-- The same work and the same counts whether a mail is sent or not, so that neither tells whether an account exists.
create or replace function app_private.send_token(kind text, email text, user_id bigint, lifetime interval) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_account text := app_private.account_key(send_token.email);
  v_token text := encode(app_hidden.gen_random_bytes(32), 'hex');
  v_is_sent boolean := send_token.user_id is not null
    and not (send_token.kind = 'CHANGE_EMAIL' and exists (select from app_private.accounts a where lower(a.email) = lower(send_token.email)));
begin
  -- One request at a time for an email: concurrent requests would all see a low count.
  perform pg_advisory_xact_lock(hashtext('app_private.account_tokens'), hashtext(v_account));
  -- The second limit keeps a user from sending mails to many strangers.
  if (select count(*) >= 3 from app_private.account_tokens t
       where t.account = v_account and t.kind = send_token.kind and created_at > now() - interval '1 hour')
     or (select count(*) >= 10 from app_private.account_tokens t
          where t.user_id = send_token.user_id and created_at > now() - interval '1 hour') then
    return;
  end if;
  insert into app_private.account_tokens (token_hash, kind, account, user_id, email, expires_at)
  values (sha256(convert_to(v_token, 'UTF8')), send_token.kind, v_account, send_token.user_id,
          case when v_is_sent and send_token.kind <> 'RESET_PASSWORD' then send_token.email end,
          now() + send_token.lifetime);
  insert into app_private.mail_outbox (kind, user_id, email, token, expires_at)
  values (send_token.kind, send_token.user_id, case when v_is_sent then send_token.email end,
          case when v_is_sent then v_token end, now() + send_token.lifetime);
  -- Any login can listen, so the notification says nothing.
  perform pg_notify('mail_outbox', '');
end $$;
comment on function app_private.send_token(text, text, bigint, interval) is $$Makes a token and puts the mail with it into the outbox. Without a user, nothing is sent, and no CHANGE_EMAIL to an email that an account has. Three unused tokens of a kind in an hour are the most for an email, and ten for a user; further requests do nothing.$$;
--! EndIncluded functions/accounts/send_token.sql
--! Included functions/accounts/refuse_token.sql
create or replace function app_private.refuse_token() returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  perform conventions.raise_validation_errors(jsonb_build_array(jsonb_build_object('column', 'token',
    'code', 'TOKEN_INVALID', 'message', 'This token is wrong, used or expired. Request a new one.')));
end $$;
comment on function app_private.refuse_token() is $$Refuses a token that is wrong, used, expired or void. The answer does not say which.$$;
--! EndIncluded functions/accounts/refuse_token.sql
--! Included functions/accounts/tg_accounts__end_access.sql
-- Security definer: a role that may change accounts need not have rights on sessions and tokens, nor know the channel.
create or replace function app_hidden.tg_accounts__end_access() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if (old.password_hash, old.banned_at) is distinct from (new.password_hash, new.banned_at) then
    update app_private.sessions set revoked_at = now() where user_id = new.user_id and revoked_at is null;
  end if;
  delete from app_private.account_tokens where user_id = new.user_id and kind <> 'CONFIRMED';
  delete from app_private.mail_outbox where user_id = new.user_id;
  perform change_feed.notify_services('user:' || new.user_id);
  return null;
end $$;
comment on function app_hidden.tg_accounts__end_access() is $$After the password, the email or the ban of an account changes: voids its unused tokens and drops its mails. Its sessions end, unless only the email has changed, and the services check again what the user may read.$$;
--! EndIncluded functions/accounts/tg_accounts__end_access.sql
-- Sessions end with the password that opened them, and with a ban, also when a DBA changes the one or sets the other.
-- Subscriptions end as well.
create trigger _500_end_access_update after update on app_private.accounts
  for each row when (old.password_hash is distinct from new.password_hash or old.banned_at is distinct from new.banned_at
                  or old.email is distinct from new.email)
  execute function app_hidden.tg_accounts__end_access();

--! Included functions/users/create_user.sql
-- Security definer: the API's roles may not write users or accounts directly.
create or replace function app_public.create_user(name text, email text, password text default null) returns app_public.users
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_email text := conventions.normal_text(create_user.email, 254, true);
  v_errors jsonb := conventions.validation_errors('app_public.users', jsonb_build_object('name', create_user.name))
                 || conventions.validation_errors('app_private.accounts', jsonb_build_object('email', v_email))
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
@describe password 8 to 200 characters. Without a password, the operator gives the user tokens.
Signs up a new user, without a session, and sends a mail with a token for confirmEmail.$$;
grant execute on function app_public.create_user(text, text, text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users/create_user.sql
--! Included functions/accounts/request_email_verification.sql
-- Security definer: the API's roles may not read accounts or write tokens.
create or replace function app_public.request_email_verification() returns app_public.action_result
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_account app_private.accounts;
begin
  select * into v_account from app_private.accounts where user_id = app_hidden.viewer_id();
  if v_account.verified_at is null then
    perform app_private.send_token('VERIFY_EMAIL', v_account.email, v_account.user_id, interval '7 days');
  end if;
  return (true, 'A mail is on its way, unless the email is confirmed already.'::text);
end $$;
comment on function app_public.request_email_verification() is $$Sends the signed-in user a mail with a token for confirmEmail, unless the email is confirmed. At most three mails an hour.$$;
grant execute on function app_public.request_email_verification() to :API_MEMBER;
--! EndIncluded functions/accounts/request_email_verification.sql
--! Included functions/accounts/request_email_change.sql
-- Security definer: the API's roles may not read accounts or write tokens. A wrong password returns null and does not raise: an
-- error would roll back the count of the attempt.
create or replace function app_public.request_email_change(email text, password text) returns app_public.users
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_email text := conventions.normal_text(request_email_change.email, 254, true);
  v_account app_private.accounts;
  v_user app_public.users;
begin
  perform conventions.raise_validation_errors(conventions.validation_errors('app_private.accounts', jsonb_build_object('email', v_email)));
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
Sends a mail with a token for confirmEmail to a new email, which changes when the token is used, within a day. Nothing is sent, and the response is the same, when another user has this email. At most three mails an hour to an email, ten by a user.$$;
grant execute on function app_public.request_email_change(text, text) to :API_MEMBER;
--! EndIncluded functions/accounts/request_email_change.sql
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
@describe token The token from a mail.
Confirms the email to which the token was sent. After requestEmailChange it becomes the user’s, and a mail tells the former one. Idempotent. Returns the user.$$;
grant execute on function app_public.confirm_email(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/accounts/confirm_email.sql
--! Included functions/accounts/request_password_reset.sql
-- Security definer: the API's roles may not read accounts or write tokens. The caller need not be signed in.
create or replace function app_public.request_password_reset(email text) returns app_public.action_result
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_account app_private.accounts;
begin
  select * into v_account from app_private.accounts
   where lower(accounts.email) = lower(conventions.normal_text(request_password_reset.email, 254, true)) and banned_at is null;
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
@describe token The token from a mail that requestPasswordReset has sent.
@describe new_password The new password: 8 to 200 characters.
Sets a new password, ends all sessions of the user, and returns a new one. The email counts as confirmed. A token works once.$$;
grant execute on function app_public.reset_password(text, text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/accounts/reset_password.sql

-- Users change their profiles, and delete their accounts with all their data.
create type app_public.update_profile_input as (
  name   text,
  bio    text,
  avatar text,
  cleared text[]
);
comment on type app_public.update_profile_input is $$The changes to a profile. A missing field stays. An empty text, or null, removes the bio or the avatar.$$;
comment on column app_public.update_profile_input.cleared is $$@cleared
@behavior -*
The fields that were given as null.$$;
comment on column app_public.update_profile_input.name is $$The display name. Not unique.$$;
comment on column app_public.update_profile_input.bio is $$The user’s description of themselves.$$;
comment on column app_public.update_profile_input.avatar is $$The URL of the user’s picture.$$;

--! Included functions/users/update_profile.sql
create or replace function app_public.update_profile(input app_public.update_profile_input) returns app_public.users
language sql volatile
return app_hidden.update_row(null::app_public.users, app_hidden.viewer_id(), to_jsonb(input), 'user');
comment on function app_public.update_profile(app_public.update_profile_input) is $$Changes your profile. A missing field stays; null clears bio and avatar.$$;
grant execute on function app_public.update_profile(app_public.update_profile_input) to :API_MEMBER;
--! EndIncluded functions/users/update_profile.sql
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
  create temporary table erased_rows (table_name text, row_key text, primary key (table_name, row_key)) on commit drop;
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
       select $1, conventions.row_key(to_jsonb(t), $2) from %s as t where t.%I = $3 and $2 is not null
       union
       select table_name, row_key from app_public.audit_trail
        where table_name = $1 and $3::text in (changes #>> array[$4, ''old''], changes #>> array[$4, ''new''])
       on conflict do nothing', v_reference.relation, v_reference.referrer)
      using v_reference.audit_name, v_reference.key_columns, erase_user.user_id, v_reference.referrer;
  end loop;

  delete from app_private.failed_sign_ins where account = app_private.account_key(v_email);
  delete from app_private.account_tokens where account = app_private.account_key(v_email);
  -- Counts of the current minute stay: others share the network, and a deletion must not renew its limit. A job deletes them.
  delete from app_private.rate_limited_calls
   where expires_at <= now()
     and key in (select network from app_private.sign_in_networks n where n.user_id = erase_user.user_id);
  -- The numbers of a chat's messages have no gaps, so the messages stay.
  update app_public.messages set text = '[erased]', deleted_at = coalesce(deleted_at, now()), sender_id = null where sender_id = erase_user.user_id;
  update app_public.chats set title = null where creator_id = erase_user.user_id;
  -- Foreign keys delete the rest: account, sessions, networks, posts, comments, follows and memberships.
  delete from app_public.users where id = erase_user.user_id;
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
   where (table_name, row_key) in (select table_name, row_key from pg_temp.erased_rows);
  update app_public.audit_trail set actor_id = null where actor_id = erase_user.user_id;
  drop table pg_temp.erased_rows;
  return v_existed;
end $$;
comment on function app_private.erase_user(bigint) is $$Erases the data of a user everywhere: account, sessions, posts, comments, follows, memberships, notifications, the text of messages, and titles of chats that the user created. In the audit trail, entries about these rows keep the names of columns only, and the user’s own changes lose their actor. Returns whether the user still existed; what an earlier deletion has left is erased as well. For operators.$$;
--! EndIncluded functions/users/erase_user.sql
--! Included functions/users/delete_user.sql
-- Security definer: the API's roles may not delete users. A wrong password returns null and does not raise: an error would roll
-- back the count of the attempt.
create or replace function app_public.delete_user(password text) returns app_public.delete_result
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_account app_private.accounts;
begin
  select * into v_account from app_private.accounts where user_id = app_hidden.viewer_id();
  -- Lock in the order of check_password(), first the attempts, then the row. Another order could deadlock.
  perform app_private.refuse_guessing(app_private.account_key(v_account.email), v_account.user_id);
  perform from app_private.accounts where user_id = v_account.user_id for update;
  if app_private.check_password(v_account.email, delete_user.password) is null then
    return null;
  end if;
  if app_hidden.viewer_is_admin() then
    -- Changes of admins take turns: two at once would each see the other admin.
    perform from app_public.users where role = 'ADMIN' order by id for no key update;
    if not exists (select from app_public.users join app_private.accounts a on a.user_id = users.id
                    where role = 'ADMIN' and banned_at is null and users.id <> v_account.user_id) then
      perform app_hidden.refuse_unauthorized('LAST_ADMIN', 'You are the last admin. Make another user an admin first.');
    end if;
  end if;
  perform app_private.erase_user(v_account.user_id);
  return (true, format('User %s is deleted.', v_account.user_id), v_account.user_id, 'app_public.users', null)::app_public.delete_result;
end $$;
comment on function app_public.delete_user(text) is $$@unauthorizedWhenNull success WRONG_PASSWORD: The password is wrong.
@describe password The password. An account without one sets it first, with changePassword.
Deletes the signed-in user at once and for good, with posts, comments, follows and reports. Messages in chats stay as [erased], chats that the user created without a title. The last admin is refused.$$;
grant execute on function app_public.delete_user(text) to :API_MEMBER;
--! EndIncluded functions/users/delete_user.sql
