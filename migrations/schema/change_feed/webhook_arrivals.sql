-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The keys of events that were queued, until a sender has put them into webhook_keys.
create table change_feed.webhook_arrivals (
  number  bigint not null generated always as identity, -- The order of arrival.
  webhook text not null, -- The endpoint.
  key     text not null, -- The value of the key column.
  constraint webhook_arrivals_pkey primary key (number)
);

-- Row-level security
alter table change_feed.webhook_arrivals enable row level security;
