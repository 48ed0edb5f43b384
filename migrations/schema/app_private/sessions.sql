-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- A session: the chain of refresh tokens that started with one sign-in.
create table app_private.sessions (
  id         bigint not null generated always as identity, -- The session’s id.
  user_id    bigint not null, -- The user who signed in.
  created_at timestamptz not null default now(), -- The time of the sign-in.
  revoked_at timestamptz, -- The time since which its refresh tokens are invalid: by a sign-out, a password change, a ban, or a token that was used twice.
  constraint sessions_pkey primary key (id),
  constraint sessions_user_id_fkey foreign key (user_id) references app_public.users(id) on delete cascade
);

-- Indexes
create index sessions_revoked_at_idx on app_private.sessions (revoked_at) where (revoked_at is not null);
create index sessions_user_id_idx on app_private.sessions (user_id);

-- Row-level security
alter table app_private.sessions enable row level security;

-- Referenced by
-- app_private.refresh_tokens (refresh_tokens_session_id_fkey)
-- app_private.session_requests (session_requests_session_id_fkey)
