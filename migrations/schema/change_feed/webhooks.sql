-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The endpoints that are told of changes.
create table change_feed.webhooks (
  name                text not null, -- The name, in logs.
  relation            regclass not null, -- The table.
  key_column          name not null, -- The changes of rows with one value of this column arrive in order.
  kinds               text[] not null, -- Which changes: added, updated, deleted.
  url                 text not null, -- The endpoint: https://, or http:// to an address that the sender’s settings list.
  role                name, -- The role that reads the rows: what it may not see is not sent.
  secret              text not null default ('whsec_'::text || encode(sha256((uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))), 'base64'::text)), -- The secret that signs (Standard Webhooks): whsec_ and Base64.
  is_paused           boolean not null default false, -- Nothing is sent, and everything keeps its place.
  give_up_after       interval not null default '3 days'::interval, -- After this time an event that the endpoint refuses is given up, and the next ones of its key are sent.
  due_at              timestamptz not null default now(), -- Until when the endpoint is left alone: after failures in a row, or because it has asked for that (Retry-After).
  failures            integer not null default 0, -- How many attempts in a row have failed because of the endpoint, and not of one event.
  last_error          text, -- Why the last attempt failed; null after a delivery.
  last_delivered_at   timestamptz, -- When the endpoint has taken the last event.
  lease               uuid, -- Which sender of version 11 has the endpoint.
  leased_until        timestamptz, -- Until when.
  former_secret       text, -- The secret before the last change.
  former_secret_until timestamptz, -- Until when both secrets sign.
  secret_overlap      interval not null default '1 day'::interval, -- For how long the former secret signs, too, after a change of the secret.
  disabled_at         timestamptz, -- When the endpoint has responded 410 (Gone), which pauses the webhook.
  constraint webhooks_pkey primary key (name),
  constraint webhooks_kinds_check check (((kinds <@ '{added,updated,deleted}'::text[]) and (cardinality(kinds) > 0))), -- A kind is added, updated or deleted.
  constraint webhooks_secret_check check ((secret ~ '^whsec_[A-Za-z0-9+/]{32,86}={0,2}$'::text)), -- The secret is whsec_ and 24 to 64 bytes in Base64.
  constraint webhooks_url_check check ((url ~ '^https?://[^[:space:]@/?#]+([/?][^[:space:]#]*)?$'::text)) -- The endpoint is a URL that begins with https:// or http://, without a user and a fragment.
);

-- Triggers, before and after, in the order in which they run
-- Lets the former secret sign for a while, and enables an endpoint that has gone when it has another URL or is not paused any more.
create trigger _100_change before update of secret, url, is_paused on change_feed.webhooks for each row execute function change_feed.tg_webhooks__change();

-- Row-level security
alter table change_feed.webhooks enable row level security;

-- Referenced by
-- change_feed.webhook_events (webhook_events_webhook_fkey)
-- change_feed.webhook_keys (webhook_keys_webhook_fkey)
