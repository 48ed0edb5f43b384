-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The sign-in data of each user.
create table app_private.accounts (
  user_id           bigint not null, -- The user of this account.
  email             text, -- The email as entered; null when another person has shown that it is theirs, before anybody had confirmed it here.
  password_hash     text, -- The bcrypt hash; null without a password, which makes a sign-in with a password impossible.
  banned_at         timestamptz, -- The time since which the user’s tokens are invalid; null for a user who is not banned.
  created_by        text, -- The request that created the account (app.request_id).
  verified_at       timestamptz, -- Since when the account is known to belong to a person, for example by a confirmed email; null until then.
  credentials_since timestamptz, -- Access tokens of the service that were issued before this time have ended; null when all are good.
  constraint accounts_pkey primary key (user_id),
  constraint accounts_user_id_fkey foreign key (user_id) references app_public.users(id) on delete cascade,
  constraint accounts_email_length_check check (((char_length(email) >= 3) and (char_length(email) <= 254))), -- An email needs between 3 and 254 characters.
  constraint accounts_email_shape_check check ((((char_length(email) < 3) or (char_length(email) > 254)) or ((email ~ '^[^@]+@[^@]+$'::text) and (email !~ '[\s"(),:;<>[\\\]\u0001-\u0020\u007F-\u00A0\u00AD\u2000-\u200F\u2028-\u202F\u205F-\u206F\u3000\uFEFF]|(^|[.@])\.|\.(@|$)|@(.*\.)?-|-(\.[^@]*)?$|@.*[!#$%&''*+/=?^_`{|}~]'::text)))) -- This does not look like an email.
);

-- Indexes
-- This email is already in use.
create unique index accounts_email_key on app_private.accounts (lower((email collate "C")));

-- Triggers, before and after, in the order in which they run
-- Before the password or credentials_since of an account changes, it is banned, or its email is taken away: sets credentials_since, from which on tokens are good.
create trigger _100_end_credentials before update on app_private.accounts for each row when (((old.password_hash is distinct from new.password_hash) or ((new.banned_at is not null) and (old.banned_at is distinct from new.banned_at)) or (old.credentials_since is distinct from new.credentials_since) or ((old.email is null) <> (new.email is null)))) execute function app_hidden.tg_accounts__end_credentials();
-- Before a row of app_private.accounts is written: brings its texts into Unicode normal form C, and raises all its validation errors at once.
create trigger _200_validate before insert or update of created_by, email, password_hash on app_private.accounts for each row execute function conventions.validate_app_private_accounts();
-- After the credentials of an account have ended, or its email has changed: voids its tokens of mails and drops the mails.
create trigger _500_end_access_update after update on app_private.accounts for each row when (((old.credentials_since is distinct from new.credentials_since) or (old.email is distinct from new.email))) execute function app_hidden.tg_accounts__end_access();

-- Row-level security
alter table app_private.accounts enable row level security;
