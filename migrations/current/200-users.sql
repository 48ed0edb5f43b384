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

--!include functions/tg_users__prepare.sql
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

--!include functions/identify.sql
--!include functions/viewer_is_admin.sql

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

--!include functions/users_email.sql
--!include functions/users_followers.sql
--!include functions/users_following.sql
--!include functions/create_user.sql
--!include functions/follow_user.sql
--!include functions/unfollow_user.sql
