-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- Tokens that were sent by mail, until they expire.
create table app_private.account_tokens (
  token_hash bytea not null, -- The SHA-256 of the token.
  kind       text not null, -- What the token is for: VERIFY_EMAIL, CHANGE_EMAIL or RESET_PASSWORD; CONFIRMED when it has confirmed its email.
  user_id    bigint, -- The user who requested it; null for an email without an account.
  email      text, -- The email that the token confirms; null for RESET_PASSWORD.
  created_at timestamptz not null default now(), -- When the token was requested.
  expires_at timestamptz not null, -- When the token stops working.
  constraint account_tokens_pkey primary key (token_hash),
  constraint account_tokens_user_id_fkey foreign key (user_id) references app_public.users(id) on delete cascade,
  constraint account_tokens_kind_check check ((kind = any (array['VERIFY_EMAIL'::text, 'CHANGE_EMAIL'::text, 'RESET_PASSWORD'::text, 'CONFIRMED'::text]))) -- This kind of token does not exist.
);

-- Indexes
create index account_tokens_expires_at_idx on app_private.account_tokens (expires_at);
create index account_tokens_user_id_idx on app_private.account_tokens (user_id);

-- Row-level security
alter table app_private.account_tokens enable row level security;
