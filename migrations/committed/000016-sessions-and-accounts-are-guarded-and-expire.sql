--! Previous: sha1:f46f695eac8b64aba0b0bac2928c46aadd08a6ad
--! Hash: sha1:61970b752638bc57f3a6831d9ba012f6df013bce
--! Message: sessions and accounts are guarded and expire

--! split: 040-accounts.sql
-- Accounts, sessions, retention and the audit trail.

--! Included functions/account_key.sql
create or replace function app_private.account_key(email text) returns text
language sql immutable set search_path = ''
return encode(sha256(convert_to(lower(app_hidden.normal_text(email, 254, true)), 'UTF8')), 'hex');
comment on function app_private.account_key(text) is $$The key for counting failed sign-ins of an account: the SHA-256 of the e-mail. A hash, because some people type their password into the e-mail field.$$;
--! EndIncluded functions/account_key.sql
--! Included functions/password_faults.sql
create or replace function app_private.password_faults("column" text, password text) returns jsonb
language sql immutable set search_path = '' as $$
  -- The length is checked first, because the other checks read all of the text.
  select case
    when char_length(password) < 8 then jsonb_build_array(jsonb_build_object('column', "column",
      'code', 'TOO_SHORT', 'message', 'A password needs between 8 and 200 characters.', 'params', '{"min": 8}'::jsonb))
    when char_length(password) > 200 then jsonb_build_array(jsonb_build_object('column', "column",
      'code', 'TOO_LONG', 'message', 'A password needs between 8 and 200 characters.', 'params', '{"max": 200}'::jsonb))
    when password ~ '[\uFDD0-\uFDEF\uFFFE\uFFFF]' then jsonb_build_array(jsonb_build_object('column', "column",
      'code', 'INVALID', 'message', 'Text cannot contain NUL, a lone surrogate or a Unicode noncharacter.'))
    when not app_hidden.bounded_text(password, 200) then jsonb_build_array(jsonb_build_object('column', "column",
      'code', 'INVALID', 'message', 'A password cannot contain more than 30 combining marks in a row.'))
    else '[]'
  end
$$;
comment on function app_private.password_faults(text, text) is $$The faults of a new password, in the form of app_hidden.faults(). Null has no faults.$$;
--! EndIncluded functions/password_faults.sql

create table if not exists app_private.sign_in_networks (
  user_id      bigint not null references app_public.users on delete cascade,
  network      text not null,
  signed_in_at timestamptz not null default now(),
  primary key (user_id, network)
);
comment on table app_private.sign_in_networks is $$The networks from which a user has signed in within 90 days. Failed sign-ins elsewhere do not lock the user out there.$$;
comment on column app_private.sign_in_networks.user_id is $$The user.$$;
comment on column app_private.sign_in_networks.network is $$An IPv4 address, or the /64 of an IPv6 address: see client_network().$$;
comment on column app_private.sign_in_networks.signed_in_at is $$The time of the last sign-in, to the day.$$;
create index if not exists sign_in_networks_signed_in_at_idx on app_private.sign_in_networks (signed_in_at);
alter table app_private.sign_in_networks enable row level security;
create index if not exists failed_sign_ins_failed_at_idx on app_private.failed_sign_ins (failed_at);
comment on table app_private.failed_sign_ins is $$Failed sign-ins of the last day, counted by account and by network. They limit guessing.$$;

drop function if exists app_private.refuse_guessing(text);
--! Included functions/refuse_guessing.sql
create or replace function app_private.refuse_guessing(account text, user_id bigint) returns void
language plpgsql volatile set search_path = '' as $$
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
--! EndIncluded functions/refuse_guessing.sql
--! Included functions/count_failed_sign_in.sql
create or replace function app_private.count_failed_sign_in(account text) returns void
language sql volatile set search_path = '' as $$
  insert into app_private.failed_sign_ins (account, address)
  values (count_failed_sign_in.account, app_private.client_network());
$$;
comment on function app_private.count_failed_sign_in(text) is $$Stores a failed sign-in. The caller must not raise an error afterwards: that would roll it back.$$;
--! EndIncluded functions/count_failed_sign_in.sql
--! Included functions/check_password.sql
create or replace function app_private.check_password(email text, password text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  v_email text := lower(app_hidden.normal_text(check_password.email, 254, true));
  v_key text := app_private.account_key(check_password.email);
  v_account app_private.accounts;
  -- A hash of an unknown password, compared when the account does not exist, so that both cases take the same time.
  v_dummy_hash text := '$2a$10$abcdefghijklmnopqrstuuWzJ0eJH5E0mJmN0sXJY5l8H9Qk2Y5S6';
  v_is_possible boolean;
  v_is_right boolean;
begin
  perform app_private.refuse_guessing(v_key, (select user_id from app_private.accounts where lower(accounts.email) = v_email));
  -- The lock lasts to the end of the transaction: no session starts while a password change or a ban commits.
  select * into v_account from app_private.accounts where lower(accounts.email) = v_email for share;
  -- No account has such a password. It is not normalised: that would take long, and nothing could interrupt it.
  v_is_possible := app_hidden.bounded_text(check_password.password, 200);
  v_is_right := app_private.password_hash(case when v_is_possible then check_password.password else '' end,
                                          coalesce(v_account.password_hash, v_dummy_hash)) = v_account.password_hash;
  if v_is_possible and v_is_right and v_account.banned_at is null then
    return v_account.user_id;
  end if;
  perform app_private.count_failed_sign_in(v_key);
  return null;
end $$;
comment on function app_private.check_password(text, text) is $$The id of the user with this e-mail and password; null without a match, which takes the same time and is counted.$$;
--! EndIncluded functions/check_password.sql
--! Included functions/change_password.sql
-- Security definer: the API's roles may not write passwords. A wrong password returns null and does not raise: an error
-- would roll back the count of the attempt.
create or replace function app_public.change_password(current_password text, new_password text) returns app_public.users
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_account app_private.accounts;
  v_user app_public.users;
begin
  perform app_hidden.refuse_faults(app_private.password_faults('new_password', change_password.new_password));
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
     set password_hash = app_private.password_hash(change_password.new_password, app_hidden.gen_salt('bf', 10))
   where user_id = v_account.user_id;
  select * into v_user from app_public.users where id = v_account.user_id;
  return v_user;
end $$;
comment on function app_public.change_password(text, text) is $$@unauthorizedWhenNull id The current password is wrong.
@describe current_password The current password. Ignored when the account has none yet.
@describe new_password The new password: 8 to 200 characters.
Changes the password of the signed-in user, and ends all of the user’s sessions.$$;
grant execute on function app_public.change_password(text, text) to :API_MEMBER;
--! EndIncluded functions/change_password.sql
--! Included functions/create_user.sql
-- Security definer: the API's roles may not write users or accounts directly.
create or replace function app_public.create_user(name text, email text, password text default null) returns app_public.users
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_email text := app_hidden.normal_text(create_user.email, 254, true);
  v_faults jsonb := app_hidden.faults('app_public.users', jsonb_build_object('name', create_user.name))
                 || app_hidden.faults('app_private.accounts', jsonb_build_object('email', v_email))
                 || app_private.password_faults('password', create_user.password);
  v_user app_public.users;
begin
  perform app_hidden.refuse_faults(v_faults);
  insert into app_public.users (name) values (create_user.name) returning * into v_user;
  insert into app_private.accounts (user_id, email, password_hash, created_by)
  values (
    v_user.id,
    v_email,
    app_private.password_hash(create_user.password, app_hidden.gen_salt('bf', 10)),
    current_setting('app.request_id', true)
  );
  return v_user;
end $$;
comment on function app_public.create_user(text, text, text) is $$@rateLimited
@describe name The display name: 1 to 100 characters.
@describe email An e-mail that no other user has: 3 to 254 characters.
@describe password The password: 8 to 200 characters. Without it, the user needs a token from the operator to sign in.
Signs up a new user. The result may select the new user’s e-mail.$$;
grant execute on function app_public.create_user(text, text, text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/create_user.sql
-- Sign-in looks for normal form C, so e-mails that were stored in another form are converted.
update app_private.accounts set email = app_hidden.normal_text(email, 254, true)
 where email <> app_hidden.normal_text(email, 254, true)
   and not exists (select from app_private.accounts other
                    where lower(other.email) = lower(app_hidden.normal_text(accounts.email, 254, true)) and other.user_id <> accounts.user_id);

alter table app_private.refresh_tokens add column if not exists successor_salt bytea;
comment on column app_private.refresh_tokens.successor_salt is $$Random, set when the token is used. With the token itself, gives the next token again: see successor_token().$$;
comment on table app_private.refresh_tokens is $$The refresh tokens of sessions. Each works once, and for 30 seconds more for lost answers and concurrent calls. A later use ends the session, because a thief may hold the token.$$;

-- A refresh token may answer several requests, so these have a table of their own.
create table if not exists app_private.session_requests (
  request_id text not null,
  session_id bigint not null references app_private.sessions on delete cascade,
  created_at timestamptz not null default now(),
  primary key (request_id, session_id)
);
comment on table app_private.session_requests is $$The requests of the last hour that signed in or refreshed a session. Their answers may have the user’s e-mail.$$;
comment on column app_private.session_requests.request_id is $$The request: app.request_id.$$;
comment on column app_private.session_requests.session_id is $$The session.$$;
comment on column app_private.session_requests.created_at is $$The time of the request.$$;
create index if not exists session_requests_session_id_idx on app_private.session_requests (session_id);
create index if not exists session_requests_created_at_idx on app_private.session_requests (created_at);
alter table app_private.session_requests enable row level security;
alter table app_private.refresh_tokens drop column if exists issued_to;

drop function if exists app_private.issue_refresh_token(bigint, bigint);
--! Included functions/note_session_request.sql
create or replace function app_private.note_session_request(session_id bigint) returns void
language sql volatile set search_path = '' as $$
  insert into app_private.session_requests (request_id, session_id)
  select request_id, note_session_request.session_id from current_setting('app.request_id', true) as request_id
   where request_id <> ''
  on conflict do nothing
$$;
comment on function app_private.note_session_request(bigint) is $$Notes that the current request has signed in or refreshed the session, so that its answer may have the user’s e-mail.$$;
--! EndIncluded functions/note_session_request.sql
--! Included functions/users_email.sql
-- Security definer: the only way to read an e-mail. Allowed for its owner, for admins, and within the request that has just
-- signed its owner up or in.
create or replace function app_public.users_email(users app_public.users) returns text
language sql stable security definer set search_path = '' as $$
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
comment on function app_public.users_email(app_public.users) is E'@unauthorizedWhenNull\nThe user’s e-mail. Only the user and admins may see it. For others it is null, with an UNAUTHORIZED error.';
grant execute on function app_public.users_email(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users_email.sql
--! Included functions/successor_token.sql
create or replace function app_private.successor_token(token text, salt bytea) returns text
language sql immutable set search_path = ''
return encode(sha256(salt || convert_to(token, 'UTF8')), 'hex');
comment on function app_private.successor_token(text, bytea) is $$The refresh token that follows a token. Needs both the token, which only its holder has, and the random salt, which only the database has.$$;
--! EndIncluded functions/successor_token.sql
--! Included functions/issue_refresh_token.sql
create or replace function app_private.issue_refresh_token(
  session_id bigint, user_id bigint, token text default encode(app_hidden.gen_random_bytes(32), 'hex')
) returns app_public.session
language plpgsql volatile set search_path = '' as $$
declare
  v_expires_at timestamptz := now() + interval '7 days';
begin
  insert into app_private.refresh_tokens (token_hash, session_id, expires_at)
  values (sha256(convert_to(issue_refresh_token.token, 'UTF8')), issue_refresh_token.session_id, v_expires_at);
  return (issue_refresh_token.user_id, issue_refresh_token.token, v_expires_at)::app_public.session;
end $$;
comment on function app_private.issue_refresh_token(bigint, bigint, text) is $$Issues the next refresh token of a session. Only its hash is stored.$$;
--! EndIncluded functions/issue_refresh_token.sql
--! Included functions/refresh_session.sql
-- Security definer: the API's roles may not read refresh tokens. The caller need not be signed in.
create or replace function app_public.refresh_session(refresh_token text) returns app_public.session
language plpgsql volatile security definer set search_path = '' as $$
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
comment on function app_public.refresh_session(text) is $$@unauthorizedWhenNull user_id This refresh token is no longer valid. Sign in again.
@describe refresh_token The session’s newest refresh token.
Returns a new access token and refresh token. A refresh token works once. For 30 seconds after that, it returns the session’s newest refresh token again; a later use ends its session.$$;
grant execute on function app_public.refresh_session(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/refresh_session.sql
--! Included functions/sign_in.sql
-- Security definer: the API's roles may not read passwords and sessions. A wrong password returns null and does not raise:
-- an error would roll back the count of the attempt. The API turns the null into UNAUTHORIZED.
create or replace function app_public.sign_in(email text, password text) returns app_public.session
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_user_id bigint := app_private.check_password(sign_in.email, sign_in.password);
  v_session_id bigint;
begin
  if v_user_id is null then
    return null;
  end if;
  insert into app_private.sign_in_networks (user_id, network)
  select v_user_id, network from app_private.client_network() as network where network <> ''
  on conflict on constraint sign_in_networks_pkey do update set signed_in_at = now()
   where sign_in_networks.signed_in_at < now() - interval '1 day';
  insert into app_private.sessions (user_id) values (v_user_id) returning id into v_session_id;
  perform app_private.note_session_request(v_session_id);
  return app_private.issue_refresh_token(v_session_id, v_user_id);
end $$;
comment on function app_public.sign_in(text, text) is $$@rateLimited
@unauthorizedWhenNull user_id The e-mail or the password is wrong.
@describe email The e-mail that the user signed up with.
@describe password The password.
Signs in with a password. Ten failed attempts for an account from one network, fifty from one network, or a hundred for an account give RATE_LIMITED for up to fifteen minutes. The last limit does not apply in networks from which the user has signed in within 90 days.$$;
grant execute on function app_public.sign_in(text, text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/sign_in.sql

create index if not exists refresh_tokens_expires_at_idx on app_private.refresh_tokens (expires_at);
create index if not exists sessions_revoked_at_idx on app_private.sessions (revoked_at) where revoked_at is not null;
create table if not exists app_private.maintenance (
  is_only     boolean primary key default true,
  last_tag_id bigint not null default 0,
  ran_at      timestamptz,
  constraint maintenance_is_only_check check (is_only)
);
comment on table app_private.maintenance is $$The state of maintain(), in one row. Its lock lets one instance of the service work at a time.$$;
comment on column app_private.maintenance.is_only is $$Always true: there is one row.$$;
comment on column app_private.maintenance.last_tag_id is $$The tag up to which unused tags have been deleted in this round; 0 before a new round.$$;
comment on column app_private.maintenance.ran_at is $$The time of the last batch.$$;
comment on constraint maintenance_is_only_check on app_private.maintenance is $$There is one row.$$;
alter table app_private.maintenance enable row level security;
insert into app_private.maintenance default values on conflict do nothing;
drop function if exists app_private.retire_audit_partitions(interval);
--! Included functions/tg__record_changes.sql
-- Security definer: no role may write the audit trail directly.
--
-- Partitions are made ahead by maintain(). A month without one goes to the default partition, so no change waits for a partition
-- or fails without one.
--
-- One insert records all rows of a statement. The trigger's arguments are the key columns, which match the old version of a
-- row with the new one. Generated columns are left out.
create or replace function app_hidden.tg__record_changes() returns trigger
language plpgsql volatile security definer set search_path = '' set timezone = 'UTC' as $$
declare
  v_table text := case tg_table_schema when 'app_public' then '' else tg_table_schema || '.' end || tg_table_name;
  v_key text[] := tg_argv;
  v_computed text[] := array(
    select attname::text from pg_catalog.pg_attribute where attrelid = tg_relid and attgenerated <> '');
  -- For secret tables, record the names of the changed columns only.
  v_is_secret boolean := tg_table_schema = 'app_private';
begin
  case tg_op
    when 'INSERT' then
      insert into app_public.audit_trail (action, table_name, row_key, changes)
      select 'INSERT', v_table, app_hidden.row_key(after, v_key), app_hidden.row_changes(null, after, v_is_secret)
        from (select to_jsonb(new_rows) - v_computed as after from new_rows) as added;
    when 'DELETE' then
      insert into app_public.audit_trail (action, table_name, row_key, changes)
      select 'DELETE', v_table, app_hidden.row_key(before, v_key), app_hidden.row_changes(before, null, v_is_secret)
        from (select to_jsonb(old_rows) - v_computed as before from old_rows) as removed;
    when 'TRUNCATE' then
      -- A before trigger: a truncate has no transition table of old rows.
      execute format(
        'insert into app_public.audit_trail (action, table_name, row_key, changes)
         select ''DELETE'', $1, app_hidden.row_key(before, $2), app_hidden.row_changes(before, null, $3)
           from (select to_jsonb(truncated) - $4 as before from %s as truncated) as removed', tg_relid::regclass)
        using v_table, v_key, v_is_secret, v_computed;
    when 'UPDATE' then
      -- A row whose key changed counts as two rows: one deleted, one inserted.
      insert into app_public.audit_trail (action, table_name, row_key, changes)
      select (case when after is null then 'DELETE' when before is null then 'INSERT' else 'UPDATE' end)::app_public.audit_action,
             v_table, row_key, changes
        from (select app_hidden.row_key(to_jsonb(old_rows), v_key) as row_key, to_jsonb(old_rows) - v_computed as before
                from old_rows) as old_versions
        full join (select app_hidden.row_key(to_jsonb(new_rows), v_key) as row_key, to_jsonb(new_rows) - v_computed as after
                     from new_rows) as new_versions using (row_key)
       cross join lateral app_hidden.row_changes(before, after, v_is_secret) as changes
       where changes <> '{}';
  end case;
  return null;
end $$;
comment on function app_hidden.tg__record_changes() is $$After a statement: records its changes in the audit trail. record_changes_of() attaches it to a table.$$;
--! EndIncluded functions/tg__record_changes.sql
--! Included functions/prepare_audit_partitions.sql
-- Every lock is taken at once or not at all: a change that waits behind this function would wait for the readers of the audit
-- trail, too.
create or replace function app_private.prepare_audit_partitions(months int default 3) returns int
language plpgsql volatile set search_path = '' set timezone = 'UTC' as $$
declare
  v_from timestamptz;
  v_to timestamptz;
  v_name text;
  v_made int := 0;
begin
  for v_from in
    select generate_series(date_trunc('month', now()), date_trunc('month', now()) + months * interval '1 month', interval '1 month')
  loop
    v_to := v_from + interval '1 month';
    v_name := format('app_private.audit_trail_%s', to_char(v_from, 'YYYY_MM'));
    continue when to_regclass(v_name) is not null;
    lock table only app_public.audit_trail in share update exclusive mode nowait;
    lock table app_private.audit_trail_default in access exclusive mode nowait;
    -- A month with many rows in the default partition stays there: moving them would stop all changes for too long.
    continue when exists (select from app_private.audit_trail_default where changed_at >= v_from and changed_at < v_to offset 10000);
    execute format('create table %s (like app_public.audit_trail including defaults including constraints)', v_name);
    execute format('alter table %s enable row level security', v_name);
    -- Move the month's rows out of the default partition. PostgreSQL refuses to attach a partition otherwise.
    execute format(
      'with moved as (delete from app_private.audit_trail_default where changed_at >= %L and changed_at < %L returning *)
       insert into %s select * from moved', v_from, v_to, v_name);
    -- `attach partition` takes a weaker lock than `create table … partition of`: others can write meanwhile.
    execute format('alter table app_public.audit_trail attach partition %s for values from (%L) to (%L)', v_name, v_from, v_to);
    v_made := v_made + 1;
  end loop;
  return v_made;
end $$;
comment on function app_private.prepare_audit_partitions(int) is $$Creates the audit trail’s missing partitions for this month and the given number of months ahead, and returns how many it created. Raises lock_not_available while a partition is missing and another transaction uses the default partition. maintain() calls it.$$;
--! EndIncluded functions/prepare_audit_partitions.sql
--! Included functions/retire_audit_partitions.sql
-- Every lock is taken at once or not at all, as in prepare_audit_partitions().
create or replace function app_private.retire_audit_partitions(keep interval default '12 months', batch int default 10000) returns int
language plpgsql volatile set search_path = '' set timezone = 'UTC' as $$
declare
  v_limit timestamptz := date_trunc('month', now() - keep);
  v_partition regclass;
  v_retired int := 0;
begin
  if v_limit >= date_trunc('month', now()) then
    raise exception using errcode = '22023', message = 'The audit trail must keep at least the current month';
  end if;
  delete from app_private.audit_trail_default where ctid = any (array(
    select ctid from app_private.audit_trail_default where changed_at < v_limit order by changed_at limit batch));
  for v_partition in
    select inhrelid::regclass
      from pg_catalog.pg_inherits
      join pg_catalog.pg_class on pg_class.oid = inhrelid
     where inhparent = 'app_public.audit_trail'::regclass
       and relname ~ '^audit_trail_\d{4}_\d{2}$'
       and relname < 'audit_trail_' || to_char(v_limit, 'YYYY_MM')
     order by relname
  loop
    lock table app_public.audit_trail in access exclusive mode nowait;
    execute format('drop table %s', v_partition);
    v_retired := v_retired + 1;
  end loop;
  return v_retired;
end $$;
comment on function app_private.retire_audit_partitions(interval, int) is $$Drops the audit trail’s monthly partitions older than the given interval, and returns how many. Deletes up to batch such rows of the default partition. Raises lock_not_available while there is a partition to drop and another transaction uses the audit trail. maintain() calls it.$$;
--! EndIncluded functions/retire_audit_partitions.sql
--! Included functions/set_post_tags.sql
-- Security definer: posts share their tags, so members may not write tags directly. Its callers have just written the post
-- under the viewer's own policies.
create or replace function app_hidden.set_post_tags(post_id bigint, tags text[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_names text[] := app_hidden.tag_names(tags);
begin
  if not exists (
    select from app_public.posts
     where posts.id = set_post_tags.post_id
       and (author_id = app_hidden.viewer_id() or app_hidden.viewer_is_admin()
         -- Logins other than the API's have the rights granted on the tables.
         or session_user <> ':API_LOGIN')
  ) then
    perform app_hidden.refuse_unauthorized();
  end if;

  -- Keeps maintain() from deleting a tag that no post has had until now.
  perform from app_public.tags where name = any (v_names) for key share;
  -- Insert in one order, so that two writers of the same new tags cannot deadlock.
  insert into app_public.tags (name)
  select name from unnest(v_names) as name
   where not exists (select from app_public.tags t where t.name = name.name)
   order by name
  on conflict do nothing;

  delete from app_public.post_tags
   where post_tags.post_id = set_post_tags.post_id
     and tag_id not in (select id from app_public.tags where name = any (v_names));

  set constraints app_public.post_tags_post_id_position_key deferred;
  insert into app_public.post_tags (post_id, tag_id, position)
  select set_post_tags.post_id, tags.id, wanted.place
    from unnest(v_names) with ordinality as wanted (name, place)
    join app_public.tags on tags.name = wanted.name
  on conflict on constraint post_tags_pkey do update set position = excluded.position
   where post_tags.position <> excluded.position;
end $$;
comment on function app_hidden.set_post_tags(bigint, text[]) is $$Replaces the tags of a post.$$;
grant execute on function app_hidden.set_post_tags(bigint, text[]) to :API_MEMBER;
--! EndIncluded functions/set_post_tags.sql
drop function if exists app_private.maintain(int, int);
--! Included functions/maintain.sql
-- Security definer: the service's login may have all this done, and can choose nothing that is kept: what is deleted is over, or
-- older than a retention that has a minimum.
--
-- Each call is a batch. Rows that others have locked are left for the next call, so nothing here waits.
create or replace function app_private.maintain(
  batch int default 1000, audit_retention_days int default 365, out is_complete boolean, out done jsonb
)
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_batch int := least(greatest(batch, 1), 10000);
  v_position bigint;
  v_tags bigint[];
  v_count int;
begin
  if audit_retention_days < 90 then
    raise exception using errcode = '22023', message = 'The audit trail must keep at least 90 days';
  end if;
  -- The lock on the row lets one instance work at a time. The others have nothing to do.
  select last_tag_id into v_position from app_private.maintenance for update skip locked;
  is_complete := true;
  done := '{}';
  if not found then
    return;
  end if;

  -- The last token of a session ends it. The margin keeps clear of refreshes that are under way.
  with expired as (
    delete from app_private.refresh_tokens where token_hash in (
      select token_hash from app_private.refresh_tokens where expires_at < now() - interval '1 day'
       order by expires_at limit v_batch for update skip locked)
    returning session_id
  ), ended as (
    delete from app_private.sessions where id in (select session_id from expired)
       and not exists (select from app_private.refresh_tokens where session_id = sessions.id and expires_at >= now() - interval '1 day')
  )
  select count(*) into v_count from expired;
  done := done || jsonb_build_object('refresh_tokens', v_count);

  -- First the tokens, then the session: a cascade would have no bound.
  delete from app_private.refresh_tokens where token_hash in (
    select token_hash
      from (select id from app_private.sessions where revoked_at < now() - interval '1 day' order by revoked_at limit v_batch) as ended
      join app_private.refresh_tokens on session_id = id
     limit v_batch for update of refresh_tokens skip locked);
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('revoked_tokens', v_count);
  delete from app_private.sessions where id in (
    select id from (select id from app_private.sessions where revoked_at < now() - interval '1 day' order by revoked_at limit v_batch) as ended
     where not exists (select from app_private.refresh_tokens where session_id = id));
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('sessions', v_count);

  delete from app_private.session_requests where ctid = any (array(
    select ctid from app_private.session_requests where created_at < now() - interval '1 hour'
     order by created_at limit v_batch for update skip locked));
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('session_requests', v_count);

  delete from app_private.failed_sign_ins where id in (
    select id from app_private.failed_sign_ins where failed_at < now() - interval '1 day'
     order by failed_at limit v_batch for update skip locked);
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('failed_sign_ins', v_count);

  delete from app_private.sign_in_networks where ctid = any (array(
    select ctid from app_private.sign_in_networks where signed_in_at < now() - interval '90 days'
     order by signed_in_at limit v_batch for update skip locked));
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('sign_in_networks', v_count);

  delete from app_private.rate_limited_calls where key in (
    select key from app_private.rate_limited_calls
     where expire < extract(epoch from now()) * 1000
     order by expire limit v_batch for update skip locked);
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('rate_limited_calls', v_count);

  -- No index finds the tags without posts, so each call looks at the next tags by id. The delete asks again,
  -- because a post may have received a tag just before it was locked.
  select array_agg(id) into v_tags from (
    select id from app_public.tags where id > v_position order by id limit v_batch) as next;
  v_position := case when cardinality(v_tags) = v_batch then v_tags[v_batch] else 0 end;
  v_tags := array(
    select id from app_public.tags where id = any (v_tags)
       and not exists (select from app_public.post_tags where tag_id = tags.id) for update skip locked);
  delete from app_public.tags where id = any (v_tags)
     and not exists (select from app_public.post_tags where tag_id = tags.id);
  get diagnostics v_count = row_count;
  update app_private.maintenance set last_tag_id = v_position, ran_at = now();

  is_complete := v_position = 0
    and not exists (select from jsonb_each_text(done) where value::int >= v_batch);
  done := done || jsonb_build_object('tags', v_count);

  begin
    done := done || jsonb_build_object('created_partitions', app_private.prepare_audit_partitions(),
      'dropped_partitions', app_private.retire_audit_partitions(make_interval(days => audit_retention_days), v_batch));
  exception when lock_not_available then
    -- Somebody reads the audit trail.
    done := done || '{"postponed_partitions": 1}';
  end;
  select coalesce(jsonb_object_agg(key, value), '{}') into done from jsonb_each(done) where value <> '0';
end $$;
comment on function app_private.maintain(int, int) is $$Deletes what is over, up to batch rows of each kind: refresh tokens, sessions, failed sign-ins, networks, rate-limited calls and unused tags. Creates the next partitions of the audit trail and drops those beyond its retention. Returns what it did, and whether nothing is left to do now. The service calls it at its start and regularly.$$;
grant execute on function app_private.maintain(int, int) to :API_LOGIN;
--! EndIncluded functions/maintain.sql
-- maintain() deletes expired rows.
drop trigger if exists _900_delete_expired on app_private.rate_limited_calls;
drop function if exists app_hidden.tg_rate_limited_calls__delete_expired();

--! Included functions/erase_user.sql
create or replace function app_private.erase_user(user_id bigint) returns boolean
language plpgsql volatile set search_path = '' as $$
declare
  v_email text := (select email from app_private.accounts where accounts.user_id = erase_user.user_id);
  v_existed boolean := exists (select from app_public.users where id = erase_user.user_id);
  v_tags bigint[] := array(
    select tag_id from app_public.post_tags join app_public.posts on posts.id = post_id where author_id = erase_user.user_id);
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
    execute format(
      'insert into pg_temp.erased_rows
       select $1, app_hidden.row_key(to_jsonb(t), $2) from %s as t where t.%I = $3 and $2 is not null
       union
       select table_name, row_key from app_public.audit_trail
        where table_name = $1 and $3::text in (changes #>> array[$4, ''old''], changes #>> array[$4, ''new''])
       on conflict do nothing', v_reference.relation, v_reference.referrer)
      using v_reference.audit_name, v_reference.key_columns, erase_user.user_id, v_reference.referrer;
  end loop;

  delete from app_private.failed_sign_ins where account = app_private.account_key(v_email);
  delete from app_private.rate_limited_calls
   where key in (select network from app_private.sign_in_networks n where n.user_id = erase_user.user_id);
  -- The numbers of a chat's messages have no gaps, so the messages stay.
  update app_public.messages set text = '[erased]', sender_id = null where sender_id = erase_user.user_id;
  -- Foreign keys delete the rest: account, sessions, networks, posts, comments, follows and memberships.
  delete from app_public.users where id = erase_user.user_id;
  delete from app_public.tags where id = any (v_tags)
     and not exists (select from app_public.post_tags where tag_id = tags.id);

  update app_public.audit_trail
     set changes = (select coalesce(jsonb_object_agg(name, '{}'::jsonb), '{}') from jsonb_object_keys(changes) as name)
   where (table_name, row_key) in (select table_name, row_key from pg_temp.erased_rows);
  update app_public.audit_trail set actor_id = null where actor_id = erase_user.user_id;
  drop table pg_temp.erased_rows;
  return v_existed;
end $$;
comment on function app_private.erase_user(bigint) is $$Erases the data of a user everywhere: account, sessions, posts, comments, follows, memberships, and the text of messages. In the audit trail, entries about these rows keep the names of columns only, and the user’s own changes lose their actor. Returns whether the user still existed; what an earlier deletion has left is erased as well. For operators.$$;
--! EndIncluded functions/erase_user.sql

revoke all on app_private.rate_limited_calls from :API_LOGIN;
drop policy if exists all_by_login on app_private.rate_limited_calls;
drop function if exists app_private.count_rate_limited_calls(text, int);
--! Included functions/count_rate_limited_calls.sql
-- Security definer: the service's login may count calls, and may neither read nor change the counts.
create or replace function app_private.count_rate_limited_calls(key text, calls int, out points int, out ms_left bigint)
language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_column
declare
  v_now bigint := extract(epoch from clock_timestamp()) * 1000;
begin
  if calls < 1 or char_length(count_rate_limited_calls.key) > 100 then
    raise exception using errcode = '22023', message = 'Not a number of calls, or not a network';
  end if;
  insert into app_private.rate_limited_calls as counted (key, points, expire)
  values (count_rate_limited_calls.key, calls, v_now + 60000)
  on conflict (key) do update
    set points = case when counted.expire <= v_now then calls else least(counted.points::bigint + calls, 2147483647) end,
        expire = case when counted.expire <= v_now then excluded.expire else counted.expire end
  returning counted.points, counted.expire - v_now into count_rate_limited_calls.points, ms_left;
end $$;
comment on function app_private.count_rate_limited_calls(text, int) is $$Counts calls of mutations with the smart tag @rateLimited, made from one network. Returns the calls of its current minute, and how long that lasts.$$;
grant execute on function app_private.count_rate_limited_calls(text, int) to :API_LOGIN;
--! EndIncluded functions/count_rate_limited_calls.sql
