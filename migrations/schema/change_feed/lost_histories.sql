-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The streams whose followers had events that are no longer in the history: after a restore, a failover that lost commits, a truncate.
create table change_feed.lost_histories (
  stream_id  integer not null, -- The stream.
  key        text not null, -- The key whose followers were told last.
  number     bigint not null, -- The number of the newest event that they had.
  noticed_at timestamptz not null default now(), -- When they were told.
  constraint lost_histories_pkey primary key (stream_id)
);

-- Row-level security
alter table change_feed.lost_histories enable row level security;
