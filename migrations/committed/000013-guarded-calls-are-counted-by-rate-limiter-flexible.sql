--! Previous: sha1:e4aa08f224d8f28a9a5d043f2ef4c83cfd278db9
--! Hash: sha1:4bc73437b9b796289433c742843ec6f2c8b999b1
--! Message: guarded calls are counted by rate-limiter-flexible

--! split: 010-rate-limits.sql
-- Requests are now counted in the memory of each instance. Only calls of mutations with the smart tag @rateLimited are
-- counted here, for all instances together. An instance of the previous version that still runs calls count_requests(),
-- which is gone: it logs a warning and goes on with its own counts.
drop function if exists app_private.count_requests(text[], bigint[], int);
drop table if exists app_private.request_counts;

drop table if exists app_private.rate_limited_calls;
-- The columns are those that rate-limiter-flexible's RateLimiterPostgres expects. Unlogged: no call waits for the disk, and
-- after a crash the counts start again at 0.
create unlogged table app_private.rate_limited_calls (
  key    text not null primary key,
  points int not null,
  expire bigint not null
);
comment on table app_private.rate_limited_calls is $$Calls of mutations with the smart tag @rateLimited in the current minute, counted by IP address for all instances together.$$;
comment on column app_private.rate_limited_calls.key is $$The IP address that the calls come from: IPv4, or the /64 of an IPv6 address.$$;
comment on column app_private.rate_limited_calls.points is $$The number of calls.$$;
comment on column app_private.rate_limited_calls.expire is $$When the count ends, in milliseconds since 1970.$$;
-- Carries the deletion of expired rows.
create index rate_limited_calls_expire_idx on app_private.rate_limited_calls (expire);

alter table app_private.rate_limited_calls enable row level security;
create policy all_by_login on app_private.rate_limited_calls for all to :API_LOGIN using (true);
-- No delete: expired rows are deleted by the trigger.
grant select, insert, update (points, expire) on app_private.rate_limited_calls to :API_LOGIN;

--! Included functions/tg_rate_limited_calls__delete_expired.sql
-- Security definer: the login counts calls and may not delete a count that still holds.
create or replace function app_hidden.tg_rate_limited_calls__delete_expired() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  -- Ten rows for each new one: the work is bounded, and the table shrinks. The minute allows for clocks that differ, because
  -- the instances write `expire` by their own clocks. Rows that another instance has locked are left to it.
  delete from app_private.rate_limited_calls as expired where expired.key in (
    select candidate.key from app_private.rate_limited_calls as candidate
     where candidate.expire < extract(epoch from clock_timestamp() - interval '1 minute') * 1000
     limit 10 for update skip locked);
  return null;
end $$;
comment on function app_hidden.tg_rate_limited_calls__delete_expired() is $$After an IP address is counted that was not in the table: deletes up to ten expired rows.$$;
--! EndIncluded functions/tg_rate_limited_calls__delete_expired.sql
create or replace trigger _900_delete_expired after insert on app_private.rate_limited_calls
  for each row execute function app_hidden.tg_rate_limited_calls__delete_expired();

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
  insert into app_private.sessions (user_id) values (v_user_id) returning id into v_session_id;
  return app_private.issue_refresh_token(v_session_id, v_user_id);
end $$;
comment on function app_public.sign_in(text, text) is $$@rateLimited
@unauthorizedWhenNull user_id The e-mail or the password is wrong.
@describe email The e-mail that the user signed up with.
@describe password The password.
Signs in with a password. Ten failed attempts for an account, or fifty from one network, give RATE_LIMITED for up to fifteen minutes.$$;
grant execute on function app_public.sign_in(text, text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/sign_in.sql
--! Included functions/create_user.sql
-- Security definer: the API's roles may not write users or accounts directly.
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
comment on function app_public.create_user(text, text, text) is $$@rateLimited
@describe name The display name: 1 to 100 characters.
@describe email An e-mail that no other user has: 3 to 254 characters.
@describe password The password: 8 to 200 characters. Without it, the user needs a token from the operator to sign in.
Signs up a new user. The result may select the new user’s e-mail.$$;
grant execute on function app_public.create_user(text, text, text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/create_user.sql
