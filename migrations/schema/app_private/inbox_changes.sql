-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The changes of inboxes that are not in the change feed yet.
create table app_private.inbox_changes (
  id      bigint not null generated always as identity, -- Identifies the change.
  chat_id bigint not null, -- The chat.
  user_id bigint, -- The member whose entry has changed, or is gone; null for all members.
  due_at  timestamptz not null default clock_timestamp(), -- From this time on, the change is recorded.
  constraint inbox_changes_pkey primary key (id),
  constraint inbox_changes_user_id_fkey foreign key (user_id) references app_public.users(id) on delete cascade
);

-- Indexes
create index inbox_changes_due_at_id_idx on app_private.inbox_changes (due_at, id);
create index inbox_changes_user_id_idx on app_private.inbox_changes (user_id) where (user_id is not null);

-- Row-level security
alter table app_private.inbox_changes enable row level security;
