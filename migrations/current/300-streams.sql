-- Subscriptions to any table by SQL alone: app_hidden.stream() records each added, updated and deleted row of a table under a
-- key, and numbers them in the order of commits. The API's subscriptions read from there (src/streams). Messages have
-- numbers of their own, so their stream reads the table itself.
create table if not exists app_private.streams (
  id                 int generated always as identity primary key,
  relation           regclass not null,
  key_column         name not null,
  kind               text not null,
  -- The name, because pg_upgrade does not accept columns of type regproc.
  may_read           text,
  number_column      name,
  last_number_column name,
  keep               interval not null,
  constraint streams_relation_key_column_kind_key unique (relation, key_column, kind),
  constraint streams_kind_check check (kind in ('added', 'updated', 'deleted')),
  constraint streams_number_column_check
    check (number_column is null and last_number_column is null or last_number_column is not null and kind = 'added')
);
comment on table app_private.streams is $$What subscriptions can follow: the rows of a table that are added, updated or deleted, by a key. Written by app_hidden.stream().$$;
comment on column app_private.streams.id is $$Identifies the stream, in notifications too.$$;
comment on column app_private.streams.relation is $$The table.$$;
comment on column app_private.streams.key_column is $$The column whose value a subscription names.$$;
comment on column app_private.streams.kind is $$Which changes: added, updated or deleted.$$;
comment on column app_private.streams.may_read is $$The function that decides who may follow a key; null where the policies decide.$$;
comment on column app_private.streams.number_column is $$The column of the table that numbers the rows of a key in the order of commits; null where stream_events does.$$;
comment on column app_private.streams.last_number_column is $$The column of the key’s table that holds the highest number; null where stream_heads does.$$;
comment on column app_private.streams.keep is $$How long stream_events keeps an event.$$;
comment on constraint streams_relation_key_column_kind_key on app_private.streams is $$Each table, key and kind has one stream.$$;
comment on constraint streams_kind_check on app_private.streams is $$A kind is added, updated or deleted.$$;
comment on constraint streams_number_column_check on app_private.streams is $$Only added rows can have numbers of their own, and the highest number must be stored.$$;
alter table app_private.streams enable row level security;

-- A hot row for each key: the free space keeps its updates on the page.
create table if not exists app_private.stream_heads (
  stream_id   int not null,
  key         text not null,
  last_number bigint not null,
  primary key (stream_id, key)
) with (fillfactor = 50);
comment on table app_private.stream_heads is $$The newest event of each key. Its row is locked until the writer commits, so the numbers of a key have no gaps and are committed in order.$$;
comment on column app_private.stream_heads.stream_id is $$The stream.$$;
comment on column app_private.stream_heads.key is $$The value of the key column.$$;
comment on column app_private.stream_heads.last_number is $$The number of the newest event.$$;
alter table app_private.stream_heads enable row level security;

create table if not exists app_private.stream_events (
  stream_id  int not null,
  key        text not null,
  number     bigint not null,
  row_id     text not null,
  -- Not now(): a transaction that began earlier can commit later, and maintain() must delete in the order of the numbers.
  created_at timestamptz not null default clock_timestamp(),
  primary key (stream_id, key, number)
);
comment on table app_private.stream_events is $$The recent changes of tables that have a stream. maintain() deletes what a stream does not keep any more.$$;
comment on column app_private.stream_events.stream_id is $$The stream.$$;
comment on column app_private.stream_events.key is $$The value of the key column.$$;
comment on column app_private.stream_events.number is $$The place among the events of this stream and key, from 1 and without gaps.$$;
comment on column app_private.stream_events.row_id is $$The primary key of the row.$$;
comment on column app_private.stream_events.created_at is $$When the row changed; infinity for the newest event that is too old, which is kept so that a client can continue from it.$$;
-- Finds the event that a client continues from.
create index if not exists stream_events_stream_id_row_id_idx on app_private.stream_events (stream_id, row_id);
-- Finds what is no longer kept.
create index if not exists stream_events_stream_id_created_at_number_idx on app_private.stream_events (stream_id, created_at, number);
alter table app_private.stream_events enable row level security;

--!include functions/stream_sources.sql
-- A channel of its own: an instance of the previous version would misread the payloads. Until it is replaced, it finds
-- messages by its heartbeat, within five seconds, through open_message_streams() and read_message_streams().
insert into app_private.notification_channels (purpose) values ('streams') on conflict do nothing;
--!include functions/notify_streams.sql
--!include functions/record_stream_events.sql
--!include functions/tg__stream.sql
--!include functions/stream.sql
--!include functions/stream_row_version.sql
--!include functions/open_streams.sql
--!include functions/read_streams.sql
--!include functions/refused_viewers.sql
--!include functions/maintain.sql

select app_hidden.stream('app_public.messages', 'chat_id', kinds => '{added}', may_read => 'app_private.chat_reading',
  number_column => 'number', last_number_column => 'last_number');
drop trigger if exists _900_notify_added on app_public.messages;
drop function if exists app_hidden.tg_messages__notify_added();
--!include functions/tg_chat_members__notify_removed.sql
--!include functions/tg_accounts__notify_barred.sql
--!include functions/tg_users__notify_demoted.sql
drop function if exists app_private.notify_message_streams(text);
