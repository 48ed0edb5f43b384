-- Search: posts by their words, and titles with spelling mistakes.
create extension if not exists pg_trgm with schema app_hidden;

-- In two parts, so that PostgreSQL knows how frequent a word is in each: what is frequent in drafts may be rare in published posts.
create table if not exists app_private.post_words (
  post_id   bigint not null references app_public.posts on delete cascade,
  author_id bigint not null,
  is_public boolean not null,
  listed_at timestamptz not null,
  title     text not null,
  words     tsvector not null,
  -- As text: pg_upgrade refuses a column of the type regconfig.
  language  text collate "C" not null,
  primary key (post_id, is_public)
) partition by list (is_public);
create table if not exists app_private.post_words_public partition of app_private.post_words for values in (true);
create table if not exists app_private.post_words_private partition of app_private.post_words for values in (false);
comment on table app_private.post_words is $$The words of each post, for the search. A trigger keeps them.$$;
comment on table app_private.post_words_public is $$The words of published posts.$$;
comment on table app_private.post_words_private is $$The words of the other posts.$$;
comment on column app_private.post_words.post_id is $$The post.$$;
comment on column app_private.post_words.author_id is $$Its author.$$;
comment on column app_private.post_words.is_public is $$Whether everybody may see it.$$;
comment on column app_private.post_words.listed_at is $$Its place in lists.$$;
comment on column app_private.post_words.title is $$Its title, in the form of app_hidden.similar_text().$$;
comment on column app_private.post_words.words is $$Its words, those of the title with the weight A.$$;
comment on column app_private.post_words.language is $$The text search configuration that found the words.$$;
alter table app_private.post_words enable row level security;
alter table app_private.post_words_public enable row level security;
alter table app_private.post_words_private enable row level security;

-- For rare words, for similar titles, and in the order of lists: of all posts, and of an author's.
create index if not exists post_words_words_idx on app_private.post_words using gin (words);
create index if not exists post_words_title_idx on app_private.post_words using gin (title app_hidden.gin_trgm_ops);
create index if not exists post_words_listed_at_post_id_idx on app_private.post_words (listed_at desc, post_id desc);
create index if not exists post_words_author_id_listed_at_post_id_idx on app_private.post_words (author_id, listed_at desc, post_id desc);
create index if not exists post_words_language_idx on app_private.post_words (language);

-- A later set_search_language() stays.
do $$
begin
  if to_regprocedure('app_hidden.search_language()') is null then
    create function app_hidden.search_language() returns regconfig language sql stable parallel safe as $body$ select 'simple'::regconfig $body$;
  end if;
end $$;
--!include functions/post_words.sql
comment on function app_hidden.search_language() is $$The language of the search, a text search configuration. app_private.set_search_language() sets it.$$;
grant execute on function app_hidden.search_language() to :API_ANONYMOUS, :API_MEMBER;

create or replace trigger _640_find_words_added after insert on app_public.posts
  for each row execute function app_hidden.tg_posts__find_words();
create or replace trigger _640_find_words_updated after update on app_public.posts
  for each row when ((old.title, old.content, old.author_id, old.listed_at) is distinct from (new.title, new.content, new.author_id, new.listed_at)
    or app_hidden.is_public(old) is distinct from app_hidden.is_public(new))
  execute function app_hidden.tg_posts__find_words();

-- Of a large table, maintenance does the rest.
select app_private.index_posts(1000);
--!include functions/maintain.sql

drop type if exists app_public.search_result cascade;
create type app_public.search_result as (post_id bigint, rank float8, text text);
comment on type app_public.search_result is $$@foreignKey (post_id) references app_public.posts (id)|@fieldName post|@notNull
A post that a search has found.$$;
comment on column app_public.search_result.post_id is E'@notNull\nThe post.';
comment on column app_public.search_result.rank is E'@notNull\nThe greater, the better the match: 1 and more for the words themselves, less for a similar title. Compare it within one search only.';
comment on column app_public.search_result.text is E'@behavior -*\nThe text that was searched for.';
--!include functions/search.sql
