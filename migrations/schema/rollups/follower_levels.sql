-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The followers of a user at the end of a day, where they differ from those of the day before.
create table rollups.follower_levels (
  author_id bigint not null, -- The user who is followed.
  day       date not null, -- The day, UTC.
  followers bigint not null, -- The number of followers.
  constraint follower_levels_pkey primary key (author_id, day),
  constraint follower_levels_author_id_fkey foreign key (author_id) references app_public.users(id) on delete cascade
);

-- Row-level security
alter table rollups.follower_levels enable row level security;
