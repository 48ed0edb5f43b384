-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- Calls of mutations with the smart tag @rateLimited in the current minute, counted by IP address for all instances together.
create table app_private.rate_limited_calls (
  key        text not null, -- The IP address that the calls come from: IPv4, or the /64 of an IPv6 address.
  points     integer not null, -- The number of calls.
  expires_at timestamptz not null, -- When the count ends.
  constraint rate_limited_calls_pkey primary key (key)
);

-- Indexes
create index rate_limited_calls_expires_at_idx on app_private.rate_limited_calls (expires_at);

-- Row-level security
alter table app_private.rate_limited_calls enable row level security;
