--! Previous: sha1:2be1a1c982eee81dae0cabdfc4ddcd41a19cda81
--! Hash: sha1:1c9a5ffdc849a75e286b75f1b7e392c0d987437a
--! Message: search

-- Search: posts by their words, and titles with spelling mistakes.
--! Included functions/search/set_search_language.sql
-- Stable, not immutable: a plan that a session keeps would have the former language.
create or replace function app_private.set_search_language(language regconfig) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  execute format('create or replace function app_hidden.search_language() returns regconfig language sql stable parallel safe
    as %L', format('select %L::regconfig', language));
end $$;
comment on function app_private.set_search_language(regconfig) is $$Sets the language of the search, a text search configuration such as 'german'. Maintenance finds the words of all posts anew, in batches, and searches have the former words until then. For DBAs.$$;
--! EndIncluded functions/search/set_search_language.sql
select app_private.set_search_language('simple');
comment on function app_hidden.search_language() is $$The language of the search, a text search configuration. app_private.set_search_language() sets it.$$;
grant execute on function app_hidden.search_language() to :API_ANONYMOUS, :API_MEMBER;

-- In two parts, so that PostgreSQL knows how frequent a word is in each: what is frequent in drafts may be rare in published posts.
create table app_private.post_words (
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
comment on table app_private.post_words is $$The words of each post, for the search. A trigger keeps them.$$;
comment on column app_private.post_words.post_id is $$The post.$$;
comment on column app_private.post_words.author_id is $$Its author.$$;
comment on column app_private.post_words.is_public is $$Whether everybody may see it.$$;
comment on column app_private.post_words.listed_at is $$Its place in lists.$$;
comment on column app_private.post_words.title is $$Its title, in the form of app_hidden.similar_text().$$;
comment on column app_private.post_words.words is $$Its words, those of the title with the weight A.$$;
comment on column app_private.post_words.language is $$The text search configuration that found the words.$$;
-- For rare words, for similar titles, and in the order of lists: of all posts, and of an author's.
create index post_words_words_idx on app_private.post_words using gin (words);
create index post_words_title_idx on app_private.post_words using gin (title app_hidden.gin_trgm_ops);
create index post_words_listed_at_post_id_idx on app_private.post_words (listed_at desc, post_id desc);
create index post_words_author_id_listed_at_post_id_idx on app_private.post_words (author_id, listed_at desc, post_id desc);
create index post_words_language_idx on app_private.post_words (language);

alter table app_private.post_words enable row level security;

create table app_private.post_words_public partition of app_private.post_words for values in (true);
comment on table app_private.post_words_public is $$The words of published posts.$$;

alter table app_private.post_words_public enable row level security;

create table app_private.post_words_private partition of app_private.post_words for values in (false);
comment on table app_private.post_words_private is $$The words of the other posts.$$;

alter table app_private.post_words_private enable row level security;

--! Included functions/search/post_words.sql
create or replace function app_hidden.html_text(given text) returns text
language sql immutable parallel safe
return replace(replace(replace(replace(replace(given, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'), '''', '&#39;');
comment on function app_hidden.html_text(text) is $$The text in HTML: no character of it is markup.$$;
grant execute on function app_hidden.html_text(text) to :API_ANONYMOUS, :API_MEMBER;

-- pg_trgm knows the letters of the database's locale only, and under C just those of ASCII. So each other letter is written as one of 36.
create or replace function app_hidden.similar_text(given text) returns text
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  if octet_length(given) = char_length(given) then
    return lower(given);
  end if;
  return (select coalesce(string_agg(case when ascii(letter) < 128 then letter
                                          else substr('abcdefghijklmnopqrstuvwxyz0123456789', ascii(letter) % 36 + 1, 1) end, '' order by place), '')
            from string_to_table(lower(app_hidden.unaccent('app_hidden.unaccent', given)), null) with ordinality as letters (letter, place));
end $$;
comment on function app_hidden.similar_text(text) is $$The form of a text by which similar ones are found: without accents, lower case, in ASCII.$$;

-- Of an angle bracket and what follows it, PostgreSQL would make a tag, which is no word. A word that an operator or a quotation mark follows is finished.
create or replace function app_hidden.search_query(text text, is_unfinished boolean default false) returns tsquery
language sql stable parallel safe
return (
  select case when is_unfinished and query = plainto_tsquery(app_hidden.search_language(), search_query.text) then app_hidden.unfinished(query) else query end
    from websearch_to_tsquery(app_hidden.search_language(), translate(search_query.text, '<>', '  ')) as query);
comment on function app_hidden.search_query(text, boolean) is $$The words to look for, as PostgreSQL's text search reads them. The last one of an unfinished text may be the beginning of a word.$$;
grant execute on function app_hidden.search_query(text, boolean) to :API_ANONYMOUS, :API_MEMBER;

-- As HTML text, so that a tag is words, as in fragments. A headline counts more than the text. A word of more than 2,046 bytes is left out, with a notice that nobody needs.
create or replace function app_hidden.words_in(title text, content text) returns tsvector
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp set client_min_messages = 'warning' as $$
begin
  return setweight(to_tsvector(app_hidden.search_language(), app_hidden.html_text(title)), 'A')
      || setweight(to_tsvector(app_hidden.search_language(), app_hidden.html_text(content)), 'D');
end $$;
comment on function app_hidden.words_in(text, text) is $$The words of a post, as the search finds them.$$;

-- Security definer: nobody may write words. A post without words, which index_posts() has not reached, gets none here: index_posts() goes
-- on below the lowest post that has words. Without enable_seqscan, a plan from when one of the parts was small would read all of it for each post.
create or replace function app_hidden.tg_posts__find_words() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
begin
  if tg_op = 'INSERT' then
    insert into app_private.post_words (post_id, author_id, is_public, listed_at, title, words, language)
    values (new.id, new.author_id, new.is_public, new.listed_at, app_hidden.similar_text(new.title), app_hidden.words_in(new.title, new.content),
            app_hidden.search_language());
  elsif (new.title, new.content) is distinct from (old.title, old.content) then
    update app_private.post_words
       set author_id = new.author_id, is_public = new.is_public, listed_at = new.listed_at, title = app_hidden.similar_text(new.title),
           words = app_hidden.words_in(new.title, new.content), language = app_hidden.search_language()
     where post_id = new.id;
  elsif (new.author_id, new.is_public, new.listed_at) is distinct from (old.author_id, old.is_public, old.listed_at) then
    update app_private.post_words
       set author_id = new.author_id, is_public = new.is_public, listed_at = new.listed_at
     where post_id = new.id;
  end if;
  return null;
end $$;
comment on function app_hidden.tg_posts__find_words() is $$After a post is written: keeps its words for the search.$$;

-- One post after another, for a second at most: the words of a long text take a tenth of one.
create or replace function app_private.index_posts(batch int, out is_complete boolean, out rows int)
language plpgsql volatile set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_until timestamptz := clock_timestamp() + interval '1 second';
  v_language text := app_hidden.search_language();
  v_lowest bigint := (select coalesce(min(post_id), 9223372036854775807) from app_private.post_words);
  v_post app_public.posts;
begin
  rows := 0;
  is_complete := false;
  -- A lock on each post, so that nobody changes it meanwhile.
  for v_post in select * from app_public.posts where id < v_lowest order by id desc limit batch for share loop
    insert into app_private.post_words (post_id, author_id, is_public, listed_at, title, words, language)
    values (v_post.id, v_post.author_id, v_post.is_public, v_post.listed_at, app_hidden.similar_text(v_post.title),
            app_hidden.words_in(v_post.title, v_post.content), v_language);
    rows := rows + 1;
    if rows = batch or clock_timestamp() > v_until then
      return;
    end if;
  end loop;
  for v_post in
    select posts.*
      from (select former.post_id from app_private.post_words former where former.language < v_language
             union all
            select former.post_id from app_private.post_words former where former.language > v_language) as former
      join app_public.posts on posts.id = former.post_id
     limit batch for no key update of posts skip locked
  loop
    update app_private.post_words set words = app_hidden.words_in(v_post.title, v_post.content), language = v_language
     where post_id = v_post.id;
    rows := rows + 1;
    if rows = batch or clock_timestamp() > v_until then
      return;
    end if;
  end loop;
  is_complete := true;
end $$;
comment on function app_private.index_posts(int) is $$A job: finds the words of up to batch posts that have none, or those of another language. A batch takes about a second at most.$$;
--! EndIncluded functions/search/post_words.sql
create trigger _640_find_words after insert or update on app_public.posts
  for each row execute function app_hidden.tg_posts__find_words();

create type app_public.search_result as (
  post_id bigint,
  rank    float8,
  text    text
);
comment on type app_public.search_result is $$@foreignKey (post_id) references app_public.posts (id)|@fieldName post|@notNull
A post that a search has found.$$;
comment on column app_public.search_result.post_id is $$@notNull
The post.$$;
comment on column app_public.search_result.rank is $$@notNull
1 and more for the words themselves, less for a similar title. Compare it within one search only.$$;
comment on column app_public.search_result.text is $$@behavior -*
The text that was searched for.$$;

--! Included functions/search/search.sql
-- An "and" or a phrase compares each place of a word with each place of every other, also when a headline looks for it: a text written for it
-- takes a second. Of single words, each place is looked at once.
create or replace function app_hidden.any_word(query tsquery) returns tsquery
language sql immutable parallel safe
return (select string_agg(distinct word[1], ' | ')::tsquery from regexp_matches(querytree(query), $re$'(?:[^']|'')*'(?::\*)?$re$, 'g') as word);
comment on function app_hidden.any_word(tsquery) is $$Finds what has any of the words, each of which is named once.$$;
grant execute on function app_hidden.any_word(tsquery) to :API_ANONYMOUS, :API_MEMBER;

-- Loads the library. Without it, only a superuser may name its setting below.
select app_hidden.show_limit();

-- Security definer: under policies PostgreSQL may not use an index of words, because their operators are not leakproof. So this function
-- names the rows that the viewer may see, and searches each kind of them by its own index: published posts, and the viewer's own others, for
-- admins all others. No other row is looked at, and search() reads the posts that are found under the policies.
--
-- The newest posts of each kind that have the words are ranked, 200 of each at most: a word that every post has would rank them all. For a
-- frequent word, PostgreSQL reads the newest posts until there are enough. For a rare one it would read all of them, and it cannot tell the one
-- from the other among millions of posts. So the 100 newest published posts are asked first: where fewer than two have the words, all posts
-- that have them are found by the index of words, and sorted.
create or replace function app_hidden.find_posts(text text, tag text default null, author_id bigint default null)
returns table (post_id bigint, rank float8)
language plpgsql stable security definer rows 200
set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_custom_plan' set pg_trgm.word_similarity_threshold = 0.5
set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  v_text text := conventions.normal_text(find_posts.text, 200, true);
  v_similar text;
  v_exact tsquery;
  v_unfinished tsquery;
  v_is_plain boolean;
  v_is_frequent boolean;
  v_query tsquery;
  v_author bigint := find_posts.author_id;
  v_tag bigint;
  v_viewer bigint := app_hidden.viewer_id();
  v_is_admin boolean := app_hidden.viewer_is_admin();
  v_found bigint[];
  v_ranks float8[];
begin
  perform conventions.raise_validation_errors(case
    when char_length(v_text) > 200 then jsonb_build_array(jsonb_build_object('column', 'text',
      'code', 'TOO_LONG', 'message', 'A text to search for has at most 200 characters.', 'params', '{"max": 200}'::jsonb))
    when conventions.text_error(v_text, false) is not null
      then jsonb_build_array(conventions.text_error(v_text, false) || '{"column": "text"}')
    when v_text !~ '\S' then jsonb_build_array(jsonb_build_object('column', 'text',
      'code', 'BLANK', 'message', 'A text to search for needs a character other than white space.'))
    else '[]' end);
  if find_posts.tag is not null then
    v_tag := (select tags.id from app_public.tags where tags.name = app_hidden.tag_name(find_posts.tag));
    if v_tag is null then
      return;
    end if;
  end if;
  v_exact := app_hidden.search_query(v_text);
  v_unfinished := app_hidden.search_query(v_text, is_unfinished => true);
  -- As texts, because tsquery = tsquery ignores what is unfinished.
  v_is_plain := v_exact::text <> v_unfinished::text;
  -- There is nothing to look up: no words, stop words only, or only words to leave out.
  if querytree(v_exact) in ('', 'T') then
    return;
  end if;

  -- An unfinished word only where few posts have it as it is.
  foreach v_query in array array[v_exact, v_unfinished] loop
    v_is_frequent := (select count(*) > 1 from (
      select w.words from app_private.post_words w where w.is_public order by w.listed_at desc, w.post_id desc limit 100) as c where words @@ v_query);
    -- 1 divides a rank by the length of the text, 32 makes it less than 1.
    select coalesce(array_agg(c.post_id), '{}'), array_agg(round(1 + ts_rank(c.words, app_hidden.any_word(v_exact || v_query), 1 | 32)::numeric, 4)::float8) into v_found, v_ranks from (
      (select * from (
        select w.post_id, w.words, w.listed_at from app_private.post_words w
         where w.is_public and w.words @@ v_query and (v_author is null or w.author_id = v_author)
           and (v_tag is null or exists (select from app_public.post_tags t where t.post_id = w.post_id and t.tag_id = v_tag))
         order by case when v_is_frequent then w.listed_at end desc, case when v_is_frequent then w.post_id end desc
         limit case when v_is_frequent then 200 end) as found
        order by listed_at desc, post_id desc limit 200)
       union all
      (select * from (
        select w.post_id, w.words, w.listed_at from app_private.post_words w
         where not w.is_public and (v_is_admin or w.author_id = v_viewer) and w.words @@ v_query and (v_author is null or w.author_id = v_author)
           and (v_tag is null or exists (select from app_public.post_tags t where t.post_id = w.post_id and t.tag_id = v_tag))
         order by case when v_is_frequent then w.listed_at end desc, case when v_is_frequent then w.post_id end desc
         limit case when v_is_frequent then 200 end) as found
        order by listed_at desc, post_id desc limit 200)
    ) as c;
    exit when cardinality(v_found) >= 10 or not v_is_plain;
  end loop;
  return query select * from unnest(v_found, v_ranks);

  -- Too little: titles with spelling mistakes, or with another form of the words. A word similarity is from 0 to 1. Not with operators: a
  -- title would be similar to a word that is to be left out.
  if cardinality(v_found) < 10 and v_is_plain then
    v_similar := app_hidden.similar_text(v_text);
    v_is_frequent := (select count(*) > 1 from (
      select w.title from app_private.post_words w where w.is_public order by w.listed_at desc, w.post_id desc limit 100) as c
      where title operator(app_hidden.%>) v_similar);
    return query
    select c.post_id, round(app_hidden.word_similarity(v_similar, c.title)::numeric * 0.999, 4)::float8 as rank from (
    (select * from (
      select w.post_id, w.title from app_private.post_words w
       where w.is_public and w.title operator(app_hidden.%>) v_similar and (v_author is null or w.author_id = v_author)
         and (v_tag is null or exists (select from app_public.post_tags t where t.post_id = w.post_id and t.tag_id = v_tag))
       limit case when v_is_frequent then 1000 end) as found
      limit 1000)
     union all
    (select * from (
      select w.post_id, w.title from app_private.post_words w
       where not w.is_public and (v_is_admin or w.author_id = v_viewer) and w.title operator(app_hidden.%>) v_similar and (v_author is null or w.author_id = v_author)
         and (v_tag is null or exists (select from app_public.post_tags t where t.post_id = w.post_id and t.tag_id = v_tag))
       limit case when v_is_frequent then 1000 end) as found
      limit 1000)
    ) as c
     where c.post_id <> all (v_found)
     order by rank desc, c.post_id desc limit 200;
  end if;
end $$;
comment on function app_hidden.find_posts(text, text, bigint) is $$The posts that the viewer may see and that have the words, with their ranks, from 1 to 2. If there are fewer than 10, also those with a word that begins with the last one, and those with a similar title, with ranks below 1.$$;
grant execute on function app_hidden.find_posts(text, text, bigint) to :API_ANONYMOUS, :API_MEMBER;

-- The policies are asked for the rows of a page only, in their order.
create or replace function app_public.search(
  text text, tag text default null, author_id bigint default null, page int default null
) returns setof app_public.search_result
language sql stable as $$
  select found.post_id, found.rank, search.text
    from (select * from app_hidden.find_posts(search.text, search.tag, search.author_id) order by rank desc, post_id desc limit search.page) as found
   where exists (select from app_public.posts where posts.id = found.post_id offset 0)
   order by found.rank desc, found.post_id desc
$$;
comment on function app_public.search(text, text, bigint, int) is $$@behavior -queryField:resource:list
@pageArgument page
@listOrder rank desc, post_id desc
@describe text At most 200 characters. All words have to be found, in any order; "in quotes" one after the other; with or between them either; with - before it, a word is excluded.
@describe tag Search only posts with this tag, in any case.
@describe author_id Search only posts of this user.
The posts that you may see and that have the words, best first. Of a frequent word, the newest 200 posts are ranked. If fewer than 10 are found, the last word may be unfinished, and posts with a similar title follow.$$;
grant execute on function app_public.search(text, text, bigint, int) to :API_ANONYMOUS, :API_MEMBER;

-- The text becomes HTML before its words are marked, so that nothing but the marks is markup. The cost is such that PostgreSQL marks the words
-- of the rows of a page only.
create or replace function app_public.search_result_title_html(search_result app_public.search_result) returns text
language sql stable cost 1000
return (
  select ts_headline(app_hidden.search_language(), app_hidden.html_text(title),
           app_hidden.search_query(conventions.normal_text(search_result.text, 200, true), is_unfinished => true),
           'HighlightAll=true, StartSel=<mark>, StopSel=</mark>')
    from app_public.posts where id = search_result.post_id);
comment on function app_public.search_result_title_html(app_public.search_result) is $$@notNull
@behavior -queryField
The title, as HTML that is safe to show: matches in <mark>, the rest escaped.$$;
grant execute on function app_public.search_result_title_html(app_public.search_result) to :API_ANONYMOUS, :API_MEMBER;

-- A headline takes the square of the words that match, so it gets 1,200 characters: of the first 20,000, the part that matches best. A query
-- that names a word twice multiplies the work, so each of its words is looked for once.
create or replace function app_public.search_result_fragments_html(search_result app_public.search_result) returns text
language sql stable cost 1000
return (
  select ts_headline(app_hidden.search_language(), part,
           case when words @@ query and numnode(query) = numnode(any_word) then query else any_word end,
           'MaxFragments=2, MinWords=10, MaxWords=30, FragmentDelimiter=" … ", StartSel=<mark>, StopSel=</mark>')
    from (select app_hidden.search_query(conventions.normal_text(search_result.text, 200, true), is_unfinished => true) as query offset 0) as asked,
         lateral app_hidden.any_word(query),
         app_public.posts,
         generate_series(1, least(char_length(content), 20000), 1000) as start,
         lateral app_hidden.html_text(substr(content, start, 1200)) as part,
         lateral to_tsvector(app_hidden.search_language(), part) as words
   where id = search_result.post_id
   order by words @@ query desc, words @@ any_word desc, start
   limit 1);
comment on function app_public.search_result_fragments_html(app_public.search_result) is $$@notNull
@behavior -queryField
The content around matches, as HTML that is safe to show: matches in <mark>, the rest escaped. Without a match, the beginning.$$;
grant execute on function app_public.search_result_fragments_html(app_public.search_result) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/search/search.sql
