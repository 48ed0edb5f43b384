-- allow: rows-changed:app_private.jobs because the job finds the words of existing posts again
-- allow: change-behaviour:app_hidden.words_in because the search has one form, and a bounded price: test/reading
-- allow: change-behaviour:app_hidden.tg_posts__find_words because the search has one form, and a bounded price: test/reading
-- allow: change-behaviour:app_private.index_posts because the search has one form, and a bounded price: test/reading
-- allow: change-behaviour:app_hidden.find_posts because the search has one form, and a bounded price: test/reading
-- allow: change-behaviour:app_public.search because the search has one form, and a bounded price: test/reading
-- allow: change-behaviour:app_public.search_result_title_html because the search has one form, and a bounded price: test/reading
-- allow: change-behaviour:app_public.search_result_fragments_html because the search has one form, and a bounded price: test/reading
-- allow: change-behaviour:app_private.check_derived_data because the search has one form, and a bounded price: test/reading
-- allow: change-behaviour:app_private.repair_derived_data because the search has one form, and a bounded price: test/reading
-- allow: definer-function:app_hidden.find_posts because it returns ids of visible posts only, as before
-- allow: require-concurrent-index-creation:app_private.post_words because the new column is empty, so the index takes a moment
-- allow: require-concurrent-index-deletion:app_private.post_words_title_idx because the index that replaces it is here
-- Words of posts in the search form. Maintenance finds those of existing posts anew; until then, searches have the former words.
alter table app_private.post_words add column if not exists title_words tsvector;
comment on column app_private.post_words.title is $$Its title in the search form.$$;
comment on column app_private.post_words.title_words is $$The words of its title and similar ones; null until maintenance has found them.$$;
comment on column app_private.post_words.words is $$Its words in the search form: A and B those of the title, C and D those of the content. A and C are written so.$$;
comment on column app_private.post_words.language is $$How the words were found: app_hidden.word_form().$$;
create index if not exists post_words_title_words_idx on app_private.post_words using gin (title_words);
drop index if exists app_private.post_words_title_idx;
do $$
begin
  if not exists (select from pg_catalog.pg_attribute
                  where attrelid = (select typrelid from pg_catalog.pg_type where oid = 'app_public.search_result'::regtype) and attname = 'is_complete') then
    alter type app_public.search_result add attribute is_complete boolean;
  end if;
end $$;
comment on column app_public.search_result.rank is $$@notNull
1 and more for the words themselves, 1.5 and more where they are written as in the search, less for a similar title. Compare it within one search only.$$;
comment on column app_public.search_result.is_complete is $$@notNull
Whether the search has examined all posts that may match. Of very many, it examines some.$$;
drop function if exists app_hidden.find_posts(text, text, bigint);
--!include functions/search/post_words.sql
--!include functions/search/search.sql
drop function if exists app_hidden.similar_text(text);
drop function if exists app_hidden.search_query(text, boolean);
drop function if exists app_hidden.unfinished(tsquery);
--!include functions/upkeep/check_derived_data.sql
update app_private.jobs set is_complete = false where name = 'search_terms';
