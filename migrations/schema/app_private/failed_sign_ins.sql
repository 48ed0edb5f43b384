-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- Failed sign-ins of the last day, counted by account and by network.
create table app_private.failed_sign_ins (
  id        bigint not null generated always as identity, -- The attempt’s id.
  account   text not null, -- The SHA-256 of the email that was tried, whether it has an account or not: see account_key().
  address   text not null, -- The client’s network: an IPv4 address, or the /64 of an IPv6 address.
  failed_at timestamptz not null default now(), -- The time of the attempt.
  constraint failed_sign_ins_pkey primary key (id)
);

-- Indexes
create index failed_sign_ins_account_failed_at_idx on app_private.failed_sign_ins (account, failed_at);
create index failed_sign_ins_address_failed_at_idx on app_private.failed_sign_ins (address, failed_at);
create index failed_sign_ins_failed_at_idx on app_private.failed_sign_ins (failed_at);

-- Row-level security
alter table app_private.failed_sign_ins enable row level security;
