-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The requests of the last hour that signed in or refreshed a session.
create table app_private.session_requests (
  request_id text not null, -- The request: app.request_id.
  session_id bigint not null, -- The session.
  created_at timestamptz not null default now(), -- The time of the request.
  constraint session_requests_pkey primary key (request_id, session_id),
  constraint session_requests_session_id_fkey foreign key (session_id) references app_private.sessions(id) on delete cascade
);

-- Indexes
create index session_requests_created_at_idx on app_private.session_requests (created_at);
create index session_requests_session_id_idx on app_private.session_requests (session_id);

-- Row-level security
alter table app_private.session_requests enable row level security;
