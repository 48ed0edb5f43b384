-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The idempotency keys of the last day, with which users repeat a call without creating twice.
create table app_private.idempotency_keys (
  user_id        bigint not null, -- The user who sent the key.
  key            text not null, -- The key, which the client has chosen.
  arguments_hash bytea not null, -- The SHA-256 of what is created, and of the arguments.
  result_id      bigint, -- The id of the row that the call has made.
  created_at     timestamptz not null default now(), -- When the key was sent first.
  constraint idempotency_keys_pkey primary key (user_id, key),
  constraint idempotency_keys_user_id_fkey foreign key (user_id) references app_public.users(id) on delete cascade
);

-- Indexes
create index idempotency_keys_created_at_idx on app_private.idempotency_keys (created_at);

-- Row-level security
alter table app_private.idempotency_keys enable row level security;
