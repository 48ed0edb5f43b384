-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- What endpoints have not taken yet.
create table change_feed.webhook_events (
  webhook    text not null, -- The endpoint.
  id         bigint not null generated always as identity, -- The place among the events of a key.
  stream_id  integer not null, -- The stream of the event.
  kind       text not null, -- What happened: added, updated or deleted.
  key        text not null, -- The value of the key column.
  number     bigint not null, -- The number of the event.
  row_id     text not null, -- The primary key of the row.
  created_at timestamptz not null, -- When the row changed.
  queued_at  timestamptz not null default clock_timestamp(), -- Since when it is to be sent.
  attempts   integer not null default 0, -- How often it was sent in vain, when it was given up.
  due_at     timestamptz default '-infinity'::timestamp with time zone, -- Null when the event is given up.
  last_error text, -- Why it was given up.
  mark       integer, -- The mark of the event, a part of its id.
  constraint webhook_events_pkey primary key (webhook, id),
  constraint webhook_events_webhook_fkey foreign key (webhook) references change_feed.webhooks(name) on update cascade on delete cascade
);

-- Indexes
create index webhook_events_webhook_created_at_idx on change_feed.webhook_events (webhook, created_at) where (due_at is null);
create index webhook_events_webhook_key_place_idx on change_feed.webhook_events (webhook, key, ((id + 0))) where (due_at is not null);

-- Triggers, before and after, in the order in which they run
-- Notes the keys of new events for the senders.
create trigger _500_arrive after insert on change_feed.webhook_events referencing new table as added for each statement execute function change_feed.tg_webhook_events__arrive();

-- Row-level security
alter table change_feed.webhook_events enable row level security;
