-- Made by npm run db:snapshot from the catalogue. A change is a migration (migrations/README.md).
-- Days of which a row was changed after the day, until the next refresh.
create table app_private.stale_days (
  id    bigint not null generated always as identity, -- Identifies the mark.
  day   date not null, -- The day of the changed row, UTC.
  until date not null, -- The last day whose facts depend on the row: 27 days later for what writers_28_days counts.
  constraint stale_days_pkey primary key (id)
);

-- Indexes
create index stale_days_day_idx on app_private.stale_days (day);
