-- Made by npm run db:snapshot from the catalogue. A change is a migration (migrations/README.md).
-- The posts that have a publish_at.
create table app_private.scheduled_posts (
  post_id    bigint not null, -- The post.
  publish_at timestamptz not null, -- Its publish_at.
  constraint scheduled_posts_pkey primary key (post_id),
  constraint scheduled_posts_post_id_fkey foreign key (post_id) references app_public.posts(id) on delete cascade
);

-- Indexes
create index scheduled_posts_publish_at_idx on app_private.scheduled_posts (publish_at);
