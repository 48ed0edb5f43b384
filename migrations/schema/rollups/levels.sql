-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The levels at the end of days.
create table rollups.levels (
  day             date not null, -- The day, UTC.
  is_estimate     boolean not null, -- Whether the day was over for more than a day when it was recorded.
  users           bigint not null, -- Users.
  follows         bigint not null, -- Follows.
  posts_published bigint not null, -- Published posts.
  chats           bigint not null, -- Chats.
  chat_members    bigint not null, -- Memberships of chats.
  constraint levels_pkey primary key (day)
);

-- Row-level security
alter table rollups.levels enable row level security;
