-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The streams that subscriptions can follow: the rows of a table that are added, updated or deleted, by a key.
create table change_feed.streams (
  id                 integer not null generated always as identity, -- Identifies the stream, in notifications too.
  relation           regclass not null, -- The table.
  key_column         name not null, -- The column whose value a subscription names.
  kind               text not null, -- Which changes: added, updated or deleted.
  may_read           text, -- The function that decides who may follow a key; null where the policies decide.
  number_column      name, -- The column of the table that numbers the rows of a key in the order of commits; null where stream_events does.
  last_number_column name, -- The column of the key’s table that holds the highest number, where there is one; null where the rows themselves, or stream_heads, tell it.
  keep               interval not null, -- How long stream_events keeps an event.
  since_column       name, -- The column of the table that is null until a row belongs to the stream; null where each row does.
  has_triggers       boolean not null default true, -- Whether triggers of the table record the events; if not, functions do.
  mark_column        name, -- Where rows have numbers of their own: the column that never changes, and tells a row from one of another history.
  table_name         text, -- The name of the table after the last migration, for when it is gone.
  emptied_at         timestamptz, -- When somebody has truncated the events of all streams: the id of a row without an event is no position any more.
  pruned_to          timestamptz, -- How far the deletion of expired events has come, while it is under way.
  constraint streams_pkey primary key (id),
  constraint streams_relation_key_column_kind_key unique (relation, key_column, kind), -- Each table, key and kind has one stream.
  constraint streams_kind_check check ((kind = any (array['added'::text, 'updated'::text, 'deleted'::text]))), -- A kind is added, updated or deleted.
  constraint streams_number_column_check check ((((number_column is null) and (last_number_column is null)) or ((number_column is not null) and (kind = 'added'::text)))) -- Only added rows can have numbers of their own.
);

-- Row-level security
alter table change_feed.streams enable row level security;
