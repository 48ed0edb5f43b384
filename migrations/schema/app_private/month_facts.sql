-- Made by npm run db:snapshot from the catalogue. A change is a migration (migrations/README.md).
-- The kept facts of a month.
create table app_private.month_facts (
  month               date not null, -- The kept value of month.
  posts_created       bigint not null, -- The kept value of posts created.
  posts_published     bigint not null, -- The kept value of posts published.
  median_hours        numeric, -- The kept value of median hours.
  slowest_tenth_hours numeric, -- The kept value of slowest tenth hours.
  authors             bigint not null, -- The kept value of authors.
  new_authors         bigint not null, -- The kept value of new authors.
  comments            bigint not null, -- The kept value of comments.
  commenters          bigint not null, -- The kept value of commenters.
  posts_commented     bigint not null, -- The kept value of posts commented.
  messages            bigint not null, -- The kept value of messages.
  senders             bigint not null, -- The kept value of senders.
  active_chats        bigint not null, -- The kept value of active chats.
  writers             bigint not null, -- The kept value of writers.
  post_writers        bigint not null, -- The kept value of post writers.
  comment_writers     bigint not null, -- The kept value of comment writers.
  returning_writers   bigint not null, -- The kept value of returning writers.
  new_users           bigint not null, -- The kept value of new users.
  new_follows         bigint not null, -- The kept value of new follows.
  unfollows           bigint not null, -- The kept value of unfollows.
  constraint month_facts_pkey primary key (month)
);
