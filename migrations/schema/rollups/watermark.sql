-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- Up to which day the rollups go.
create table rollups.watermark (
  is_only        boolean not null default true, -- Allows one row only.
  through        date, -- The last day in the rollups, UTC; null if there is none.
  refreshed_at   timestamptz, -- When the last refresh began; null before the first.
  took           interval, -- How long the last refresh took.
  since          date, -- The first day of the calendar, UTC.
  levels_through date, -- The last day whose levels are recorded, UTC; null if none is.
  levels_since   date, -- The day that was recorded first, UTC; null before.
  days_missed    bigint not null default 0, -- Days after it that no refresh recorded in time.
  constraint watermark_pkey primary key (is_only),
  constraint watermark_is_only_check check (is_only) -- There is one row only.
);

-- Row-level security
alter table rollups.watermark enable row level security;
