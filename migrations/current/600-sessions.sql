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

--!include functions/password_hash.sql
--!include functions/password_faults.sql
--!include functions/account_key.sql
--!include functions/client_network.sql
--!include functions/refuse_guessing.sql
--!include functions/count_failed_sign_in.sql
--!include functions/issue_refresh_token.sql
--!include functions/users_email.sql
--!include functions/check_password.sql
--!include functions/sign_in.sql
--!include functions/refresh_session.sql
--!include functions/sign_out.sql
--!include functions/change_password.sql
--!include functions/me.sql

-- The same sign-up, with a password for who wants to sign in.
drop function app_public.create_user(text, text);
--!include functions/create_user.sql
