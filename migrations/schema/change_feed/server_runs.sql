-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- Identifies what the server has run since its last recovery.
create table change_feed.server_runs (
  run_id    uuid not null default gen_random_uuid(), -- Random.
  first_xid xid8 not null default pg_snapshot_xmin(pg_current_snapshot()), -- The oldest transaction that was under way when the row was added.
  constraint server_runs_pkey primary key (run_id)
);

-- Row-level security
alter table change_feed.server_runs enable row level security;
create policy select_by_login on change_feed.server_runs for select to api_login
  using (true);

-- Rights, beside the owner's
grant select on change_feed.server_runs to api_login;
