-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The keys that have events to send.
create table change_feed.webhook_keys (
  webhook    text not null, -- The endpoint.
  key        text not null, -- The value of the key column.
  due_at     timestamptz not null default clock_timestamp(), -- When the next event is sent.
  attempts   integer not null default 0, -- How many attempts to send the next event have begun.
  lease      uuid, -- Which sender has an attempt under way; null when its result is known.
  last_error text, -- Why the last attempt failed.
  constraint webhook_keys_pkey primary key (webhook, key),
  constraint webhook_keys_webhook_fkey foreign key (webhook) references change_feed.webhooks(name) on update cascade on delete cascade
);

-- Indexes
create index webhook_keys_webhook_attempts_idx on change_feed.webhook_keys (webhook, attempts) where (attempts >= 3);
create index webhook_keys_webhook_due_at_idx on change_feed.webhook_keys (webhook, due_at);

-- Row-level security
alter table change_feed.webhook_keys enable row level security;
