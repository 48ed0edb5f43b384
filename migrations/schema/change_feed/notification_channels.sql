-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The channels that triggers notify and the service listens to.
create table change_feed.notification_channels (
  purpose text not null, -- What the notifications are about.
  name    text not null default ('changes_'::text || replace((gen_random_uuid())::text, '-'::text, ''::text)), -- The name of the channel in LISTEN and NOTIFY.
  constraint notification_channels_pkey primary key (purpose)
);

-- Row-level security
alter table change_feed.notification_channels enable row level security;
create policy select_by_login on change_feed.notification_channels for select to api_login
  using (true);

-- Rights, beside the owner's
grant select on change_feed.notification_channels to api_login;
