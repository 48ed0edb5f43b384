-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The changes of rows: user, time, and old and new values.
-- @behavior -*
create table app_public.audit_trail (
  id          bigint not null generated always as identity, -- The entry’s id.
  changed_at  timestamptz not null default statement_timestamp(), -- The time of the change.
  actor_id    bigint default app_hidden.viewer_id(), -- The user who made the change through the API; null without a signed-in user, and for direct SQL.
  actor_login text not null default session_user, -- The database login that made the change: the service’s or a person’s.
  action      app_public.audit_action not null, -- The kind of change.
  table_name  text not null, -- The table.
  row_key     text not null, -- The row’s primary key, usually its id.
  changes     jsonb not null, -- The changed columns, each with its previous value as `old` and its new value as `new`, and without them where the trail does not keep values.
  constraint audit_trail_pkey primary key (changed_at, id)
);

-- Indexes
create index audit_trail_actor_id_idx on app_public.audit_trail (actor_id, changed_at desc, id desc);
create index audit_trail_table_name_row_key_idx on app_public.audit_trail (table_name, row_key, changed_at desc, id desc);

-- Row-level security
alter table app_public.audit_trail enable row level security;
