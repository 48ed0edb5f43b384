-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The newest event of each key.
create table change_feed.stream_heads (
  stream_id   integer not null, -- The stream.
  key         text not null, -- The value of the key column.
  last_number bigint not null, -- The number of the newest event.
  constraint stream_heads_pkey primary key (stream_id, key)
);

-- Row-level security
alter table change_feed.stream_heads enable row level security;
