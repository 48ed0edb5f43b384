-- Made by npm run db:snapshot from the catalogue. A change is a migration (migrations/README.md).
-- The kept facts of a day and a tag of published posts: posts first published on that day, and comments written on that day.
create table app_private.day_tag_facts (
  day             date not null, -- The kept value of day.
  tag_id          bigint not null, -- The kept value of tag id.
  posts_published bigint not null, -- The kept value of posts published.
  comments        bigint not null, -- The kept value of comments.
  constraint day_tag_facts_pkey primary key (day, tag_id)
);

-- Indexes
create index day_tag_facts_tag_id_day_idx on app_private.day_tag_facts (tag_id, day) where (posts_published > 0);
