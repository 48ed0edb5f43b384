--! Previous: sha1:029b691a12a6adf5c3263be0e1ba6dfb40235233
--! Hash: sha1:49617a177311b44a274c0af0cd4123a2cb246d80
--! Message: search results have their marked texts

--! split: 100-fields.sql
-- Query had the fields searchResultTitleHtml and searchResultFragmentsHtml, because the engine takes a function of a composite type for a
-- query too. They answered some values with an internal error, and are fields of SearchResult only.
--! Included functions/search.sql
-- Security definer: under policies PostgreSQL may not use an index of words, because their operators are not leakproof. So this function
-- names the rows that the viewer may see, and searches each kind of them by its own index: published posts, the viewer's own, and for
-- admins all others. No other row is looked at, and search() reads the posts that are found under the policies.
--
-- The newest posts of each kind that have the words are ranked, 200 published ones at most: a word that every post has would rank them all. Planned for each call,
-- so that PostgreSQL reads the newest posts for a frequent word, and the index of words for a rare one.
create or replace function app_hidden.find_posts(text text, tag text default null, author_id bigint default null)
returns table (post_id bigint, rank float8)
language plpgsql stable security definer rows 200
set search_path = '' set plan_cache_mode = 'force_custom_plan' set pg_trgm.word_similarity_threshold = 0.5 as $$
#variable_conflict use_column
declare
  v_text text := app_hidden.normal_text(find_posts.text, 200, true);
  v_similar text;
  v_query tsquery;
  v_author bigint := find_posts.author_id;
  v_tag bigint;
  v_viewer bigint := app_hidden.viewer_id();
  v_is_admin boolean := app_hidden.viewer_is_admin();
  v_found bigint[];
  v_ranks float8[];
begin
  perform app_hidden.refuse_faults(case
    when char_length(v_text) > 200 then jsonb_build_array(jsonb_build_object('column', 'text',
      'code', 'TOO_LONG', 'message', 'A text to search for has at most 200 characters.', 'params', '{"max": 200}'::jsonb))
    -- The service writes a noncharacter for what PostgreSQL cannot store or normalise.
    when v_text ~ '[\uFDD0\uFDD2-\uFDEF\uFFFE\uFFFF]' then jsonb_build_array(jsonb_build_object('column', 'text',
      'code', 'CHARACTERS', 'message', 'Text cannot contain NUL, a lone surrogate or a Unicode noncharacter.'))
    when v_text ~ '\uFDD1' or not app_hidden.bounded_text(v_text, 200) then jsonb_build_array(jsonb_build_object('column', 'text',
      'code', 'MARKS', 'message', 'Text cannot contain more than 30 combining marks in a row.'))
    when v_text !~ '\S' then jsonb_build_array(jsonb_build_object('column', 'text',
      'code', 'BLANK', 'message', 'A text to search for needs a character other than white space.'))
    else '[]' end);
  if find_posts.tag is not null then
    v_tag := (select tags.id from app_public.tags where tags.name = app_hidden.tag_name(find_posts.tag));
    if v_tag is null then
      return;
    end if;
  end if;
  v_query := app_hidden.search_query(v_text);
  -- There is nothing to look up: no words, stop words only, or only words to leave out.
  if querytree(v_query) in ('', 'T') then
    return;
  end if;

  -- 1 divides a rank by the length of the text, 32 makes it less than 1.
  select coalesce(array_agg(c.post_id), '{}'), array_agg(round(1 + ts_rank(c.words, v_query, 1 | 32)::numeric, 4)::float8) into v_found, v_ranks from (
    (select w.post_id, w.words from app_private.post_words w
      where w.is_public and w.words @@ v_query and (v_author is null or w.author_id = v_author)
        and (v_tag is null or exists (select from app_public.post_tags t where t.post_id = w.post_id and t.tag_id = v_tag))
      order by w.listed_at desc, w.post_id desc limit 200)
     union all
    (select w.post_id, w.words from app_private.post_words w
      where not w.is_public and w.author_id = v_viewer and w.words @@ v_query and (v_author is null or w.author_id = v_author)
        and (v_tag is null or exists (select from app_public.post_tags t where t.post_id = w.post_id and t.tag_id = v_tag))
      order by w.listed_at desc, w.post_id desc limit 100)
     union all
    (select w.post_id, w.words from app_private.post_words w
      where v_is_admin and not w.is_public and w.author_id is distinct from v_viewer and w.words @@ v_query and (v_author is null or w.author_id = v_author)
        and (v_tag is null or exists (select from app_public.post_tags t where t.post_id = w.post_id and t.tag_id = v_tag))
      order by w.listed_at desc, w.post_id desc limit 100)
  ) as c;
  return query select * from unnest(v_found, v_ranks);

  -- Too little: titles with spelling mistakes, or with another form of the words. A word similarity is from 0 to 1. Not with operators: a
  -- title would be similar to a word that is to be left out.
  if cardinality(v_found) < 10 and v_query = plainto_tsquery(app_hidden.search_language(), v_text) then
    v_similar := app_hidden.similar_text(v_text);
    return query
    select c.post_id, round(app_hidden.word_similarity(v_similar, c.title)::numeric * 0.999, 4)::float8 as rank from (
    (select w.post_id, w.title from app_private.post_words w
      where w.is_public and w.title operator(app_hidden.%>) v_similar and (v_author is null or w.author_id = v_author)
        and (v_tag is null or exists (select from app_public.post_tags t where t.post_id = w.post_id and t.tag_id = v_tag))
      limit 1000)
     union all
    (select w.post_id, w.title from app_private.post_words w
      where not w.is_public and w.author_id = v_viewer and w.title operator(app_hidden.%>) v_similar and (v_author is null or w.author_id = v_author)
        and (v_tag is null or exists (select from app_public.post_tags t where t.post_id = w.post_id and t.tag_id = v_tag))
      limit 1000)
     union all
    (select w.post_id, w.title from app_private.post_words w
      where v_is_admin and not w.is_public and w.author_id is distinct from v_viewer and w.title operator(app_hidden.%>) v_similar and (v_author is null or w.author_id = v_author)
        and (v_tag is null or exists (select from app_public.post_tags t where t.post_id = w.post_id and t.tag_id = v_tag))
      limit 1000)
    ) as c
     where c.post_id <> all (v_found)
     order by rank desc, c.post_id desc limit 200;
  end if;
end $$;
comment on function app_hidden.find_posts(text, text, bigint) is $$The posts that the viewer may see and that have the words, with their ranks, from 1 to 2. If there are fewer than 10, also those with a similar title, with ranks below 1.$$;
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
comment on function app_public.search(text, text, bigint, int) is $$@pageArgument page
@listOrder rank desc, post_id desc
@describe text The words to look for, at most 200 characters. “Several words” all have to be found, in any order; "in quotes" one after the other; or between them for either; a minus before one to leave it out.
@describe tag Search only posts with this tag, in any case.
@describe author_id Search only posts of this user.
The posts that you may see and that have the words, best first. Of a frequent word, the newest 200 posts are ranked. If fewer than 10 are found, posts with a similar title follow, so that spelling mistakes are forgiven.$$;
grant execute on function app_public.search(text, text, bigint, int) to :API_ANONYMOUS, :API_MEMBER;

-- The text becomes HTML before its words are marked, so that nothing but the marks is markup. The cost is such that PostgreSQL marks the words
-- of the rows of a page only.
create or replace function app_public.search_result_title_html(search_result app_public.search_result) returns text
language sql stable cost 1000
return (
  select ts_headline(app_hidden.search_language(), app_hidden.html_text(title),
           app_hidden.search_query(app_hidden.normal_text(search_result.text, 200, true)),
           'HighlightAll=true, StartSel=<mark>, StopSel=</mark>')
    from app_public.posts where id = search_result.post_id);
comment on function app_public.search_result_title_html(app_public.search_result) is $$@notNull
@behavior -queryField
The title, as HTML that is safe to show: matches are in <mark>, and the rest is escaped text.$$;
grant execute on function app_public.search_result_title_html(app_public.search_result) to :API_ANONYMOUS, :API_MEMBER;

-- Of a very long text, the first 20,000 characters are looked at, which takes some milliseconds.
create or replace function app_public.search_result_fragments_html(search_result app_public.search_result) returns text
language sql stable cost 1000
return (
  select ts_headline(app_hidden.search_language(), app_hidden.html_text(left(content, 20000)),
           app_hidden.search_query(app_hidden.normal_text(search_result.text, 200, true)),
           'MaxFragments=2, MinWords=10, MaxWords=30, FragmentDelimiter=" … ", StartSel=<mark>, StopSel=</mark>')
    from app_public.posts where id = search_result.post_id);
comment on function app_public.search_result_fragments_html(app_public.search_result) is $$@notNull
@behavior -queryField
The parts of the content around the first matches, with “…” between them, as HTML that is safe to show: matches are in <mark>, and the rest is escaped text. Without a match, the beginning.$$;
grant execute on function app_public.search_result_fragments_html(app_public.search_result) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/search.sql
