-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The words of each post, for the search.
create table app_private.post_words (
  post_id   bigint not null, -- The post.
  author_id bigint not null, -- Its author.
  is_public boolean not null, -- Whether everybody may see it.
  listed_at timestamptz not null, -- Its place in lists.
  title     text not null, -- Its title, in the form of app_hidden.similar_text().
  words     tsvector not null, -- Its words, those of the title with the weight A.
  language  text not null, -- The text search configuration that found the words.
  constraint post_words_pkey primary key (post_id, is_public),
  constraint post_words_post_id_fkey foreign key (post_id) references app_public.posts(id) on delete cascade
) partition by list (is_public);

-- Indexes
create index post_words_author_id_listed_at_post_id_idx on only app_private.post_words (author_id, listed_at desc, post_id desc);
create index post_words_language_idx on only app_private.post_words (language);
create index post_words_listed_at_post_id_idx on only app_private.post_words (listed_at desc, post_id desc);
create index post_words_title_idx on only app_private.post_words using gin (title app_hidden.gin_trgm_ops);
create index post_words_words_idx on only app_private.post_words using gin (words);

-- Row-level security
alter table app_private.post_words enable row level security;
