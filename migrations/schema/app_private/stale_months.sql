-- Made by npm run db:snapshot from the catalogue. A change is a migration (migrations/README.md).
-- Months whose days were refreshed, until the month is refreshed.
create table app_private.stale_months (
  month date not null, -- The month’s first day, UTC.
  constraint stale_months_pkey primary key (month)
);
