-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The recent changes of tables that have a stream.
create table change_feed.stream_events (
  stream_id  integer not null, -- The stream.
  key        text not null, -- The value of the key column.
  number     bigint not null, -- The place among the events of this stream and key, from 1 and without gaps.
  row_id     text not null, -- The primary key of the row.
  created_at timestamptz not null default clock_timestamp(), -- When the row changed; infinity for the newest event that is too old, which is kept so that a client can continue from it.
  mark       integer default uuid_hash(gen_random_uuid()), -- Random: tells the event from one of another history that has its number.
  constraint stream_events_pkey primary key (stream_id, key, number)
);

-- Indexes
create index stream_events_stream_id_created_at_number_idx on change_feed.stream_events (stream_id, created_at, number);
create index stream_events_stream_id_row_id_idx on change_feed.stream_events (stream_id, row_id);

-- Triggers, before and after, in the order in which they run
-- After the events of all streams are truncated: notes it.
create trigger _500_note_emptied after truncate on change_feed.stream_events for each statement execute function change_feed.tg__note_emptied();

-- Row-level security
alter table change_feed.stream_events enable row level security;
