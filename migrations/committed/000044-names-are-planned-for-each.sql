--! Previous: sha1:d267fc5193c4cf9c96d203329cc023ac557c7681
--! Hash: sha1:a59b80dc5ef6bb7ad0d784e7bba212ab85ad265a
--! Message: names are planned for each

--! split: 100-plans-of-names.sql

-- allow: change-behaviour:app_hidden.first_users_named because only its plans change
-- Requests plan their statements once a connection. This function plans for each name: of a frequent one, the first users are soon found.
--! Included functions/users/users_named.sql
create or replace function app_hidden.name_words(name text) returns tsvector
language sql immutable parallel safe
return to_tsvector('simple', conventions.search_form(name)) || to_tsvector('simple', conventions.search_compounds(conventions.search_letters(name)));
comment on function app_hidden.name_words(text) is $$The words of a name in the search form. An index has those of all users.$$;
grant execute on function app_hidden.name_words(text) to :API_ANONYMOUS, :API_MEMBER;

-- Names have no language. A longer text than any name finds nobody.
create or replace function app_hidden.name_query(name_starts_with text) returns tsquery
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  v_words text[] := regexp_split_to_array(btrim(left(conventions.normal_text(name_starts_with, 100, true), 200)), '\s+');
  v_query tsquery := '';
begin
  for v_place in 1 .. coalesce(cardinality(v_words), 0) loop
    v_query := v_query && conventions.search_term('simple', v_words[v_place], v_place = cardinality(v_words));
  end loop;
  return v_query;
end $$;
comment on function app_hidden.name_query(text) is $$Finds the names that have these words, of which the last one may be unfinished.$$;
grant execute on function app_hidden.name_query(text) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.user_ids_named(name_starts_with text) returns setof bigint
language sql stable as $$
  select id from app_public.users where app_hidden.name_words(name) @@ app_hidden.name_query(name_starts_with)
$$;
comment on function app_hidden.user_ids_named(text) is $$The ids of the users with these words in their name. For the filter by name.$$;
grant execute on function app_hidden.user_ids_named(text) to :API_ANONYMOUS, :API_MEMBER;

-- PostgreSQL's estimate of a beginning, or of two words together, is a guess, and one wrong plan reads all users. So this function looks
-- first, and plans for what it finds: of a frequent name, among the first 500 users; of a rare one, in the index of names; else, in the order of ids until there are enough.
create or replace function app_hidden.first_users_named(name_starts_with text, page int, after_id bigint default -1)
returns setof app_public.users
language plpgsql stable set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan set enable_seqscan = off set jit = off as $$
declare
  v_query tsquery := app_hidden.name_query(name_starts_with);
  v_last bigint := (select max(id) from (select id from app_public.users where id > after_id order by id limit 500) as first_users);
  v_ids bigint[];
  v_found int;
begin
  return query select * from app_public.users
    where app_hidden.name_words(name) @@ v_query and id > after_id and id <= v_last order by id limit page;
  get diagnostics v_found = row_count;
  if v_found = page then
    return;
  end if;
  -- "id + 0" rules out the index of ids.
  v_ids := array(select id from app_public.users where app_hidden.name_words(name) @@ v_query and id + 0 > v_last limit 1000);
  if cardinality(v_ids) < 1000 then
    return query select * from app_public.users where id = any (v_ids) order by id limit page - v_found;
  else
    return query select * from app_public.users
      where app_hidden.name_words(name) @@ v_query and id > v_last order by id limit page - v_found;
  end if;
end $$;
comment on function app_hidden.first_users_named(text, int, bigint) is $$The first users with these words in their name, or those after a place.$$;
grant execute on function app_hidden.first_users_named(text, int, bigint) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users/users_named.sql
