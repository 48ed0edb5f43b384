-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- How often each published post was read on each day.
create table app_private.post_reads (
  post_id bigint not null, -- The post.
  day     date not null, -- The day, UTC.
  reads   bigint not null, -- The number of reads.
  constraint post_reads_pkey primary key (post_id, day),
  constraint post_reads_post_id_fkey foreign key (post_id) references app_public.posts(id) on delete cascade
);

-- Indexes
create index post_reads_day_idx on app_private.post_reads (day);

-- Row-level security
alter table app_private.post_reads enable row level security;
