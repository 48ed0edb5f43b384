-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The refresh tokens of sessions.
create table app_private.refresh_tokens (
  token_hash     bytea not null, -- The SHA-256 of the token.
  session_id     bigint not null, -- The session of the token.
  expires_at     timestamptz not null, -- The time when the token expires.
  used_at        timestamptz, -- The time when the token was used; null for the session’s newest token.
  successor_salt bytea, -- Random, set when the token is used.
  constraint refresh_tokens_pkey primary key (token_hash),
  constraint refresh_tokens_session_id_fkey foreign key (session_id) references app_private.sessions(id) on delete cascade
);

-- Indexes
create index refresh_tokens_expires_at_idx on app_private.refresh_tokens (expires_at);
create index refresh_tokens_session_id_idx on app_private.refresh_tokens (session_id);

-- Row-level security
alter table app_private.refresh_tokens enable row level security;
