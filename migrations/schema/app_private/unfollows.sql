-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- Follows that users ended.
create table app_private.unfollows (
  id        bigint not null generated always as identity, -- Identifies the entry.
  author_id bigint not null, -- The user who was followed.
  day       date not null default ((clock_timestamp() at time zone 'UTC'::text))::date, -- The day, UTC.
  constraint unfollows_pkey primary key (id),
  constraint unfollows_author_id_fkey foreign key (author_id) references app_public.users(id) on delete cascade
);

-- Indexes
create index unfollows_author_id_idx on app_private.unfollows (author_id);
create index unfollows_day_idx on app_private.unfollows (day);

-- Row-level security
alter table app_private.unfollows enable row level security;
