-- Made by npm run db:snapshot from the catalogue. A change is a migration (migrations/README.md).
-- The kept facts of a day.
create table app_private.day_facts (
  day             date not null, -- The kept value of day.
  new_users       bigint not null, -- The kept value of new users.
  posts_created   bigint not null, -- The kept value of posts created.
  posts_published bigint not null, -- The kept value of posts published.
  authors         bigint not null, -- The kept value of authors.
  new_authors     bigint not null, -- The kept value of new authors.
  comments        bigint not null, -- The kept value of comments.
  commenters      bigint not null, -- The kept value of commenters.
  posts_commented bigint not null, -- The kept value of posts commented.
  new_follows     bigint not null, -- The kept value of new follows.
  unfollows       bigint not null, -- The kept value of unfollows.
  messages        bigint not null, -- The kept value of messages.
  senders         bigint not null, -- The kept value of senders.
  active_chats    bigint not null, -- The kept value of active chats.
  writers         bigint not null, -- The kept value of writers.
  post_writers    bigint not null, -- The kept value of post writers.
  comment_writers bigint not null, -- The kept value of comment writers.
  writers_7_days  bigint not null, -- The kept value of writers 7 days.
  writers_28_days bigint not null, -- The kept value of writers 28 days.
  constraint day_facts_pkey primary key (day)
);
