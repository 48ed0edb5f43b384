-- Made by npm run db:snapshot from the catalogue. A change is a migration (migrations/README.md).
-- The kept facts of a published post and the comments on it.
create table app_private.post_facts (
  post_id             bigint not null, -- The kept value of post id.
  comments            bigint not null, -- The kept value of comments.
  comments_first_week bigint not null, -- The kept value of comments first week.
  comments_by_author  bigint not null, -- The kept value of comments by author.
  commenters          bigint not null, -- The kept value of commenters.
  first_reply_at      timestamptz, -- The kept value of first reply at.
  last_comment_at     timestamptz, -- The kept value of last comment at.
  author_id           bigint, -- The kept value of author id.
  title               text, -- The kept value of title.
  slug                text, -- The kept value of slug.
  first_published_at  timestamptz, -- The kept value of first published at.
  tag_ids             bigint[], -- The kept value of tag ids.
  constraint post_facts_pkey primary key (post_id)
);
