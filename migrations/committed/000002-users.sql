--! Previous: sha1:ee1347aaa109a09977fc58c8a4c347dd7ac39ec2
--! Hash: sha1:d02699900251d6f53fb45a2c88ae68561a962966
--! Message: users

--! split: 200-users.sql
-- Users: everyone sees who writes; an address is its owner's. So the address and the password live in another table, out
-- of the API roles' reach, and come back through users_email().
create type app_public.user_role as enum ('USER', 'ADMIN');
comment on type app_public.user_role is $$@describe USER Reads what is published, and writes what is their own.
@describe ADMIN Reads, changes and deletes everything.
What a user may do.$$;

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
  constraint users_bio_length_check check (char_length(bio) <= 1000)
);
comment on table app_public.users is E'@listLimit 100\nA person who writes, comments and follows.';
comment on column app_public.users.id is $$Identifies the user, for good.$$;
comment on column app_public.users.name is $$The name the user goes by. Not unique.$$;
comment on column app_public.users.avatar is $$Where the user’s picture is: a URL.$$;
comment on column app_public.users.bio is $$What the user says about themselves.$$;
comment on column app_public.users.role is $$What the user may do.$$;
comment on column app_public.users.created_at is $$When the user signed up.$$;
comment on constraint users_name_length_check on app_public.users is $$A name needs between 1 and 100 characters.$$;
comment on constraint users_name_blank_check on app_public.users is $$A name needs more than spaces.$$;
comment on constraint users_avatar_length_check on app_public.users is $$An avatar’s URL has at most 2000 characters.$$;
comment on constraint users_bio_length_check on app_public.users is $$A bio has at most 1000 characters.$$;

--! Included functions/tg_users__prepare.sql
create or replace function app_hidden.tg_users__prepare() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.name := normalize(new.name, NFC);
  new.bio := normalize(new.bio, NFC);
  return new;
end $$;
comment on function app_hidden.tg_users__prepare() is $$Before a user is written: text is stored in normal form C, so that equal texts are equal.$$;
--! EndIncluded functions/tg_users__prepare.sql
create trigger _100_prepare before insert or update on app_public.users
  for each row execute function app_hidden.tg_users__prepare();
create trigger _200_refuse_faults before insert or update on app_public.users
  for each row execute function app_hidden.tg__refuse_faults();

alter table app_public.users enable row level security;
create policy select_all on app_public.users for select to :API_ANONYMOUS, :API_MEMBER using (true);
grant select on app_public.users to :API_ANONYMOUS, :API_MEMBER;
-- No insert: a user comes to be through create_user().

create table app_private.accounts (
  user_id       bigint primary key references app_public.users on delete cascade,
  email         text not null,
  password_hash text,
  banned_at     timestamptz,
  created_by    text,
  constraint accounts_email_length_check check (char_length(email) between 3 and 254),
  constraint accounts_email_shape_check check (email ~ '^[^@[:space:]]+@[^@[:space:]]+$' or char_length(email) not between 3 and 254)
);
comment on table app_private.accounts is $$How a user signs in. One row a user.$$;
comment on column app_private.accounts.user_id is $$Whose account this is.$$;
comment on column app_private.accounts.email is $$The address, as given. Unique whatever its letter case.$$;
comment on column app_private.accounts.password_hash is $$bcrypt; null where no password has been set, so that nobody can sign in with one.$$;
comment on column app_private.accounts.banned_at is $$Since when the user’s tokens are worth nothing; null for everyone in good standing.$$;
comment on column app_private.accounts.created_by is $$The request that created it (app.request_id), whose answer may show the address. No use to anyone else: every request has its own.$$;
comment on constraint accounts_email_length_check on app_private.accounts is $$An email address needs between 3 and 254 characters.$$;
comment on constraint accounts_email_shape_check on app_private.accounts is $$This does not look like an email address.$$;
create unique index accounts_email_key on app_private.accounts (lower(email));
comment on index app_private.accounts_email_key is $$This email address is taken.$$;
create trigger _200_refuse_faults before insert or update on app_private.accounts
  for each row execute function app_hidden.tg__refuse_faults();
-- Nobody but the owner reads it, so there are no policies.
alter table app_private.accounts enable row level security;

--! Included functions/identify.sql
-- Security definer: the login role may ask who a token's user is, and read nothing of accounts itself.
create or replace function app_private.identify(user_id bigint, out role text, out viewer_id text)
language plpgsql stable security definer set search_path = '' as $$
begin
  if identify.user_id is null then
    role := ':API_ANONYMOUS';
    viewer_id := '';
  elsif exists (select from app_private.accounts where accounts.user_id = identify.user_id and banned_at is null) then
    role := ':API_MEMBER';
    viewer_id := identify.user_id;
  else
    raise exception using errcode = 'TOKEN', message = 'This user is gone or banned';
  end if;
end $$;
comment on function app_private.identify(bigint) is $$Who a request is made as: the database role to become and the viewer’s id, looked up afresh for each request. Raises TOKEN when the user is gone or banned.$$;
grant execute on function app_private.identify(bigint) to :API_LOGIN;
--! EndIncluded functions/identify.sql
--! Included functions/viewer_is_admin.sql
create or replace function app_hidden.viewer_is_admin() returns boolean
language sql stable
return exists (select from app_public.users where id = (select app_hidden.viewer_id()) and role = 'ADMIN');
comment on function app_hidden.viewer_is_admin() is $$Whether the user who is asking is an admin. Policies write (select app_hidden.viewer_is_admin()).$$;
grant execute on function app_hidden.viewer_is_admin() to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/viewer_is_admin.sql

-- Follows: who reads whom. Nobody’s secret: the counts are everyone’s.
create table app_public.follows (
  follower_id bigint not null references app_public.users on delete cascade,
  followed_id bigint not null references app_public.users on delete cascade,
  created_at  timestamptz not null default now(),
  primary key (follower_id, followed_id),
  constraint follows_not_oneself_check check (follower_id <> followed_id)
);
comment on table app_public.follows is E'@behavior -*\nWho follows whom.';
comment on column app_public.follows.follower_id is $$The user who follows.$$;
comment on column app_public.follows.followed_id is $$The user who is followed.$$;
comment on column app_public.follows.created_at is $$Since when.$$;
comment on constraint follows_not_oneself_check on app_public.follows is $$You cannot follow yourself.$$;
comment on constraint follows_follower_id_fkey on app_public.follows is E'@behavior -*';
comment on constraint follows_followed_id_fkey on app_public.follows is E'@behavior -*';
create index follows_followed_id_idx on app_public.follows (followed_id);

alter table app_public.follows enable row level security;
create policy select_all on app_public.follows for select to :API_ANONYMOUS, :API_MEMBER using (true);
create policy insert_own on app_public.follows for insert to :API_MEMBER
  with check (follower_id = (select app_hidden.viewer_id()));
create policy delete_own on app_public.follows for delete to :API_MEMBER
  using (follower_id = (select app_hidden.viewer_id()));
grant select on app_public.follows to :API_ANONYMOUS, :API_MEMBER;
grant insert (follower_id, followed_id), delete on app_public.follows to :API_MEMBER;

create type app_public.follow_summary as (count int);
comment on type app_public.follow_summary is $$How many users are on one side of a user’s follows.$$;
comment on column app_public.follow_summary.count is $$How many there are.$$;

--! Included functions/users_email.sql
-- Security definer: the one door to an address. It opens to its owner, to an admin, and to whoever has just given it in
-- create_user(), within the same request.
create or replace function app_public.users_email(users app_public.users) returns text
language sql stable security definer set search_path = '' as $$
  select accounts.email
    from app_private.accounts
   where accounts.user_id = users.id
     and (accounts.user_id = app_hidden.viewer_id()
       or accounts.created_by = nullif(current_setting('app.request_id', true), '')
       or app_hidden.viewer_is_admin())
$$;
comment on function app_public.users_email(app_public.users) is E'@unauthorizedWhenNull\nThe user’s email address. Only the user and admins may see it; for others it is null, with an UNAUTHORIZED error.';
grant execute on function app_public.users_email(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users_email.sql
--! Included functions/users_followers.sql
create or replace function app_public.users_followers(users app_public.users) returns app_public.follow_summary
language sql stable
return (select row(count(*))::app_public.follow_summary from app_public.follows where followed_id = users.id);
comment on function app_public.users_followers(app_public.users) is $$Who follows this user.$$;
grant execute on function app_public.users_followers(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users_followers.sql
--! Included functions/users_following.sql
create or replace function app_public.users_following(users app_public.users) returns app_public.follow_summary
language sql stable
return (select row(count(*))::app_public.follow_summary from app_public.follows where follower_id = users.id);
comment on function app_public.users_following(app_public.users) is $$Whom this user follows.$$;
grant execute on function app_public.users_following(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users_following.sql
--! Included functions/create_user.sql
-- Security definer: nobody may write users or accounts but through here.
create or replace function app_public.create_user(name text, email text) returns app_public.users
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_faults jsonb := app_hidden.faults('app_public.users', jsonb_build_object('name', create_user.name))
                 || app_hidden.faults('app_private.accounts', jsonb_build_object('email', create_user.email));
  v_user app_public.users;
begin
  perform app_hidden.refuse_faults(v_faults);
  insert into app_public.users (name) values (create_user.name) returning * into v_user;
  insert into app_private.accounts (user_id, email, created_by)
  values (v_user.id, create_user.email, current_setting('app.request_id', true));
  return v_user;
end $$;
comment on function app_public.create_user(text, text) is $$@describe name The name the user goes by: 1 to 100 characters.
@describe email An address that no other user has: 3 to 254 characters.
Signs up a new user. The answer may ask for the email address that was just given.$$;
grant execute on function app_public.create_user(text, text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/create_user.sql
--! Included functions/follow_user.sql
create or replace function app_public.follow_user(id bigint) returns app_public.users
language plpgsql volatile set search_path = '' as $$
declare
  v_user app_public.users;
begin
  select * into v_user from app_public.users where users.id = follow_user.id;
  if not found then
    perform app_hidden.refuse_missing('user');
  end if;
  insert into app_public.follows (follower_id, followed_id)
  values (app_hidden.viewer_id(), follow_user.id)
  on conflict do nothing;
  return v_user;
end $$;
comment on function app_public.follow_user(bigint) is $$@describe id The user to follow.
Follows a user: their posts come into your feed. Following twice is following once.$$;
grant execute on function app_public.follow_user(bigint) to :API_MEMBER;
--! EndIncluded functions/follow_user.sql
--! Included functions/unfollow_user.sql
create or replace function app_public.unfollow_user(id bigint) returns app_public.users
language plpgsql volatile set search_path = '' as $$
declare
  v_user app_public.users;
begin
  select * into v_user from app_public.users where users.id = unfollow_user.id;
  if not found then
    perform app_hidden.refuse_missing('user');
  end if;
  delete from app_public.follows
   where follower_id = app_hidden.viewer_id() and followed_id = unfollow_user.id;
  return v_user;
end $$;
comment on function app_public.unfollow_user(bigint) is $$@describe id The user to follow no more.
Stops following a user. Nothing happens if you did not.$$;
grant execute on function app_public.unfollow_user(bigint) to :API_MEMBER;
--! EndIncluded functions/unfollow_user.sql
