-- Made by npm run db:snapshot from the catalogue. A change is a migration (migrations/README.md).
-- Posts that changed, or whose tags or older comments did, until the next refresh.
create table app_private.stale_posts (
  id      bigint not null generated always as identity, -- Identifies the mark.
  post_id bigint not null, -- The post.
  constraint stale_posts_pkey primary key (id)
);

-- Indexes
create index stale_posts_post_id_idx on app_private.stale_posts (post_id);
