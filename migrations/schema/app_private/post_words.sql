-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The words of each post, for the search.
create table app_private.post_words (
  post_id     bigint not null, -- The post.
  author_id   bigint not null, -- Its author.
  is_public   boolean not null, -- Whether everybody may see it.
  listed_at   timestamptz not null, -- Its place in lists.
  title       text not null, -- Its title in the search form.
  words       tsvector not null, -- Its words in the search form: A and B those of the title, C and D those of the content.
  language    text not null, -- How the words were found: app_hidden.word_form().
  title_words tsvector, -- The words of its title and similar ones; null until maintenance has found them.
  constraint post_words_pkey primary key (post_id, is_public),
  constraint post_words_post_id_fkey foreign key (post_id) references app_public.posts(id) on delete cascade
) partition by list (is_public);

-- Indexes
create index post_words_author_id_listed_at_post_id_idx on only app_private.post_words (author_id, listed_at desc, post_id desc);
create index post_words_language_idx on only app_private.post_words (language);
create index post_words_listed_at_post_id_idx on only app_private.post_words (listed_at desc, post_id desc);
create index post_words_title_words_idx on only app_private.post_words using gin (title_words);
create index post_words_words_idx on only app_private.post_words using gin (words);

-- Row-level security
alter table app_private.post_words enable row level security;
