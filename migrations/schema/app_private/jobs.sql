-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The maintenance jobs.
create table app_private.jobs (
  name        text not null, -- The job’s name, in logs too.
  statement   text not null, -- The query that does a batch.
  priority    integer not null default 100, -- Lower numbers run first.
  every       interval not null default '00:00:00'::interval, -- The least time between two runs.
  state       text, -- A position that the job keeps from one batch to the next.
  ran_at      timestamptz, -- The time of the last batch.
  is_complete boolean, -- Whether the last batch left nothing to do.
  error       text, -- The error of the last batch; null if it was done.
  constraint jobs_pkey primary key (name)
);

-- Row-level security
alter table app_private.jobs enable row level security;
