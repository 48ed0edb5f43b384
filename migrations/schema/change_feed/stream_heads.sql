-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The newest event of each key.
create table change_feed.stream_heads (
  stream_id   integer not null, -- The stream.
  key         text not null, -- The value of the key column.
  last_number bigint not null, -- The number of the newest event.
  constraint stream_heads_pkey primary key (stream_id, key)
);

-- Triggers, before and after, in the order in which they run
-- After the events of all streams are truncated: notes it.
create trigger _500_note_emptied after truncate on change_feed.stream_heads for each statement execute function change_feed.tg__note_emptied();

-- Row-level security
alter table change_feed.stream_heads enable row level security;
