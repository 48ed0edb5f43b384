-- Posts: what users write for others to read. A draft is its author's own; a published post is everyone's.
create type app_public.post_status as enum ('DRAFT', 'PUBLISHED');
comment on type app_public.post_status is $$@describe DRAFT Its author’s own.
@describe PUBLISHED Everyone’s.
Who may read a post: a DRAFT is its author’s, a PUBLISHED post is everyone’s.$$;

create table app_public.posts (
  id                 bigint generated always as identity primary key,
  author_id          bigint not null references app_public.users on delete cascade,
  title              text not null,
  slug               text not null,
  excerpt            text not null,
  content            text not null,
  status             app_public.post_status not null default 'DRAFT',
  published_at       timestamptz,
  first_published_at timestamptz,
  created_at         timestamptz not null default now(),
  updated_at         timestamptz not null default now(),
  -- Lists are ordered by one key that is never null: publication for what is published, else creation.
  listed_at          timestamptz not null generated always as (coalesce(published_at, created_at)) stored,
  constraint posts_slug_key unique (slug),
  constraint posts_title_length_check check (char_length(title) between 1 and 200),
  constraint posts_title_blank_check check (title ~ '\S' or title = ''),
  constraint posts_slug_check check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  constraint posts_excerpt_length_check check (char_length(excerpt) <= 200),
  constraint posts_content_length_check check (char_length(content) between 1 and 100000),
  constraint posts_published_at_check check ((status = 'PUBLISHED') = (published_at is not null))
);
comment on table app_public.posts is E'@listOrder listed_at desc, id desc\n@listLimit required\nWhat a user writes for others to read.';
comment on column app_public.posts.id is $$Identifies the post, for good.$$;
comment on column app_public.posts.author_id is $$Who wrote it.$$;
comment on column app_public.posts.title is $$The headline.$$;
comment on column app_public.posts.slug is $$The post’s name in a URL: ASCII, unique, made from the title. Never changes once the post has been published.$$;
comment on column app_public.posts.excerpt is $$A taste of the post, at most 200 characters: as the author gave it, else the start of the content.$$;
comment on column app_public.posts.content is $$The whole text.$$;
comment on column app_public.posts.status is E'@listFilter\nWho may read it.';
comment on column app_public.posts.published_at is $$When the post last became public; null for a draft.$$;
comment on column app_public.posts.first_published_at is E'@behavior -*\nWhen the post first became public. From then on its slug stays.';
comment on column app_public.posts.created_at is $$When the post was first saved.$$;
comment on column app_public.posts.updated_at is $$When anything a reader can see last changed: title, content, excerpt, status or tags.$$;
comment on column app_public.posts.listed_at is E'@behavior -*\nThe place in lists, newest first: published_at, for drafts created_at.';
comment on constraint posts_slug_key on app_public.posts is E'@behavior -single\nThis slug is taken.';
comment on constraint posts_title_length_check on app_public.posts is $$A title needs between 1 and 200 characters.$$;
comment on constraint posts_title_blank_check on app_public.posts is $$A title needs more than spaces.$$;
comment on constraint posts_slug_check on app_public.posts is $$A slug holds small letters and digits, with single hyphens between them.$$;
comment on constraint posts_excerpt_length_check on app_public.posts is $$An excerpt has at most 200 characters.$$;
comment on constraint posts_content_length_check on app_public.posts is $$Content needs between 1 and 100000 characters.$$;
comment on constraint posts_published_at_check on app_public.posts is $$A post has a time of publication exactly while it is published.$$;

-- Carries posts and feed, newest first.
create index posts_listed_at_id_idx on app_public.posts (listed_at desc, id desc);
-- Carries User.posts, one's own drafts, and the foreign key to users.
create index posts_author_id_listed_at_id_idx on app_public.posts (author_id, listed_at desc, id desc);
-- Carries postsCount(status).
create index posts_status_idx on app_public.posts (status);

--!include functions/slugify.sql
--!include functions/free_slug.sql
--!include functions/start_of.sql
--!include functions/tg_posts__prepare.sql
create trigger _100_prepare before insert or update on app_public.posts
  for each row execute function app_hidden.tg_posts__prepare();
create trigger _200_refuse_faults before insert or update on app_public.posts
  for each row execute function app_hidden.tg__refuse_faults();

alter table app_public.posts enable row level security;
create policy select_published on app_public.posts for select to :API_ANONYMOUS, :API_MEMBER
  using (status = 'PUBLISHED');
create policy select_own on app_public.posts for select to :API_MEMBER
  using (author_id = (select app_hidden.viewer_id()));
create policy select_as_admin on app_public.posts for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
create policy insert_own on app_public.posts for insert to :API_MEMBER
  with check (author_id = (select app_hidden.viewer_id()));
create policy update_own on app_public.posts for update to :API_MEMBER
  using (author_id = (select app_hidden.viewer_id()));
create policy update_as_admin on app_public.posts for update to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
create policy delete_own on app_public.posts for delete to :API_MEMBER
  using (author_id = (select app_hidden.viewer_id()));
create policy delete_as_admin on app_public.posts for delete to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
grant select on app_public.posts to :API_ANONYMOUS, :API_MEMBER;
-- Slug, times and author are not a writer's to set.
grant insert (author_id, title, content, excerpt, status), update (title, content, excerpt, status), delete
  on app_public.posts to :API_MEMBER;

-- Tags: words that posts share.
create table app_public.tags (
  id   bigint generated always as identity primary key,
  name text not null,
  constraint tags_name_key unique (name),
  constraint tags_name_length_check check (char_length(name) between 1 and 50),
  constraint tags_name_check check (name = lower(name) and name = btrim(name))
);
comment on table app_public.tags is E'@listOrder name\nA word that says what posts are about.';
comment on column app_public.tags.id is $$Identifies the tag, for good.$$;
comment on column app_public.tags.name is $$The word: lower case, with no space around it, unique.$$;
comment on constraint tags_name_key on app_public.tags is $$This tag is there already.$$;
comment on constraint tags_name_length_check on app_public.tags is $$A tag needs between 1 and 50 characters.$$;
comment on constraint tags_name_check on app_public.tags is $$A tag is in lower case, with no space around it.$$;

create table app_public.post_tags (
  post_id  bigint not null references app_public.posts on delete cascade,
  tag_id   bigint not null references app_public.tags on delete cascade,
  position smallint not null,
  primary key (post_id, tag_id),
  -- One tag a place and fifteen places: so at most fifteen tags a post.
  constraint post_tags_post_id_position_key unique (post_id, position) deferrable,
  constraint post_tags_position_check check (position between 1 and 15)
);
comment on table app_public.post_tags is E'@manyToMany\nWhich post has which tags.';
comment on column app_public.post_tags.post_id is $$The post that has the tag.$$;
comment on column app_public.post_tags.tag_id is $$The tag that it has.$$;
comment on column app_public.post_tags.position is $$The place among the post’s tags, as the author gave them, from 1.$$;
comment on constraint post_tags_post_id_position_key on app_public.post_tags is $$A post has one tag in each place.$$;
comment on constraint post_tags_position_check on app_public.post_tags is $$A post has at most 15 tags.$$;
-- Carries Tag.posts and the foreign key to tags.
create index post_tags_tag_id_post_id_idx on app_public.post_tags (tag_id, post_id);

--!include functions/tg_post_tags__touch_post.sql
create trigger _500_touch_post_added after insert on app_public.post_tags
  referencing new table as changed for each statement execute function app_hidden.tg_post_tags__touch_post();
create trigger _500_touch_post_removed after delete on app_public.post_tags
  referencing old table as changed for each statement execute function app_hidden.tg_post_tags__touch_post();

alter table app_public.post_tags enable row level security;
-- The posts that the subquery sees are the viewer's own policies' answer, so a draft's tags are as private as the draft.
create policy select_visible on app_public.post_tags for select to :API_ANONYMOUS, :API_MEMBER
  using (exists (select from app_public.posts where posts.id = post_tags.post_id));
grant select on app_public.post_tags to :API_ANONYMOUS, :API_MEMBER;
-- No writes: a post's tags change through create_post() and update_post().

alter table app_public.tags enable row level security;
create policy select_visible on app_public.tags for select to :API_ANONYMOUS, :API_MEMBER
  using (exists (select from app_public.post_tags where post_tags.tag_id = tags.id));
grant select on app_public.tags to :API_ANONYMOUS, :API_MEMBER;

--!include functions/tag_names.sql
--!include functions/tag_faults.sql
--!include functions/set_post_tags.sql

create type app_public.create_post_input as (
  title   text,
  content text,
  tags    text[],
  excerpt text,
  status  app_public.post_status
);
comment on type app_public.create_post_input is $$A new post.$$;
comment on column app_public.create_post_input.title is E'@notNull\nThe headline: 1 to 200 characters.';
comment on column app_public.create_post_input.content is E'@notNull\nThe whole text: 1 to 100,000 characters.';
comment on column app_public.create_post_input.tags is $$At most 15 words of 1 to 50 characters. They are trimmed and put in lower case; doubles count once.$$;
comment on column app_public.create_post_input.excerpt is $$A taste of the post, at most 200 characters. Without it, the start of the content.$$;
comment on column app_public.create_post_input.status is $$DRAFT unless given.$$;

create type app_public.update_post_input as (
  title   text,
  content text,
  tags    text[],
  excerpt text,
  status  app_public.post_status
);
comment on type app_public.update_post_input is $$What to change of a post. What is missing or null stays.$$;
comment on column app_public.update_post_input.title is $$The headline: 1 to 200 characters.$$;
comment on column app_public.update_post_input.content is $$The whole text: 1 to 100,000 characters.$$;
comment on column app_public.update_post_input.tags is $$All the tags that the post has from now on, at most 15; an empty list clears them.$$;
comment on column app_public.update_post_input.excerpt is $$A taste of the post, at most 200 characters.$$;
comment on column app_public.update_post_input.status is $$PUBLISHED shows the post to everyone, DRAFT takes it back.$$;

create type app_public.delete_result as (success boolean, message text);
comment on type app_public.delete_result is $$What came of a deletion.$$;
comment on column app_public.delete_result.success is $$True: what could not be deleted is an error instead.$$;
comment on column app_public.delete_result.message is $$What was deleted, in words for a person.$$;

--!include functions/refuse_post.sql
--!include functions/create_post.sql
--!include functions/update_post.sql
--!include functions/delete_post.sql
--!include functions/posts_count.sql
--!include functions/feed.sql
