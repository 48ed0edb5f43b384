-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The key of the hashes in app_private.mail_ledger.
create table app_private.ledger_secrets (
  id     integer not null default 1, -- There is one row.
  secret bytea not null, -- Random.
  constraint ledger_secrets_pkey primary key (id),
  constraint ledger_secrets_id_check check ((id = 1)) -- There is one row.
);

-- Row-level security
alter table app_private.ledger_secrets enable row level security;
