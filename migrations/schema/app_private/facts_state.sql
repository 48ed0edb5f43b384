-- Made by npm run db:snapshot from the catalogue. A change is a migration (migrations/README.md).
-- How far the analysts’ facts are kept.
create table app_private.facts_state (
  is_only      boolean not null default true, -- Allows one row only.
  kept_through date, -- The last kept day, UTC; null before the first refresh.
  horizon_day  date, -- The newest day that may be kept once the transactions older than horizon have ended.
  horizon      xid8, -- A transaction that began after horizon_day was over.
  refreshed_at timestamptz, -- When the last refresh ran.
  constraint facts_state_pkey primary key (is_only),
  constraint facts_state_is_only_check check (is_only) -- There is one row only.
);
