-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- Requests for mails of the last hours, as ledger_key() hashes them.
create table app_private.mail_ledger (
  id           bigint not null generated always as identity, -- The request.
  email        bytea not null, -- The email that the mail is for.
  is_confirmed boolean not null, -- Whether it is the reset of a confirmed account.
  requester    bytea, -- The user; null for an email without an account.
  network      bytea, -- The client’s network; null when unknown.
  requested_at timestamptz not null default now(), -- The time of the request.
  constraint mail_ledger_pkey primary key (id)
);

-- Indexes
create index mail_ledger_email_requested_at_idx on app_private.mail_ledger (email, requested_at);
create index mail_ledger_network_requested_at_idx on app_private.mail_ledger (network, requested_at);
create index mail_ledger_requested_at_idx on app_private.mail_ledger (requested_at);
create index mail_ledger_requester_requested_at_idx on app_private.mail_ledger (requester, requested_at);

-- Row-level security
alter table app_private.mail_ledger enable row level security;
