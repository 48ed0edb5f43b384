--! Previous: sha1:3adfd490959f76b091fd2d79bce51fc17504b896
--! Hash: sha1:6e434f303f3e4a8f0fc2b795cfda7160f933c1e8
--! Message: a smart tag is added in one call

--! split: 100-tags.sql

-- allow: change-behaviour:conventions.validation_errors because an error of a check of several columns lists them
-- allow: change-behaviour:conventions.validation_errors because an error of a check of several columns lists them
-- A smart tag is added in one call, and a broken check of several columns names all of them.
--! Included functions/conventions/add_tag.sql
-- Tags are the leading lines of a comment that begin with @. Some may stand several times: then the word after the tag tells them apart.
create or replace function conventions.comment_with_tag(comment text, line text) returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_tag text := substring(line from '^@(\w+)( |$)');
  v_key text := case when v_tag in ('describe', 'firstRows', 'listOrder', 'listPart', 'manyToMany', 'subscription', 'totalCount', 'listFilter')
                     then substring(line from '^@\w+(?: +\S+)?') else '@' || v_tag end;
  v_tags text[] := regexp_split_to_array(substring(comment from '^(?:@[^\n]*(?:\n|$))+'), '\n+');
  v_text text := conventions.comment_text(comment);
  v_at int;
begin
  if v_tag is null or line ~ '\n' then
    raise exception using errcode = '22023', message = 'A tag is one line, and begins with @ and a name';
  end if;
  v_tags := array_remove(coalesce(v_tags, '{}'), '');
  select min(place) into v_at from unnest(v_tags) with ordinality as old (tag, place) where tag = v_key or starts_with(tag, v_key || ' ');
  v_tags[coalesce(v_at, cardinality(v_tags) + 1)] := line;
  return concat_ws(E'\n', array_to_string(v_tags, E'\n'), v_text);
end $$;
comment on function conventions.comment_with_tag(text, text) is $$A comment with a smart tag: in place of the line with the same tag, else after the other tags.$$;

create or replace function conventions.add_tag(relation regclass, line text, on_column text default null, on_constraint text default null) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_kind text := (select case relkind when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table'
                                      when 'c' then 'type' when 'i' then 'index' else 'table' end
                    from pg_catalog.pg_class where oid = relation);
  v_comment text;
  v_target text;
begin
  if on_column is not null then
    v_target := format('column %s.%I', relation, on_column);
    v_comment := (select col_description(relation, attnum) from pg_catalog.pg_attribute where attrelid = relation and attname = on_column);
  elsif on_constraint is not null then
    v_target := format('constraint %I on %s', on_constraint, relation);
    v_comment := (select obj_description(oid, 'pg_constraint') from pg_catalog.pg_constraint where conrelid = relation and conname = on_constraint);
  else
    v_target := format('%s %s', v_kind, relation);
    v_comment := obj_description(relation, 'pg_class');
  end if;
  execute format('comment on %s is %L', v_target, conventions.comment_with_tag(v_comment, line));
end $$;
comment on function conventions.add_tag(regclass, text, text, text) is $$Adds a smart tag to the comment of a table or view, or of its column or constraint, or replaces the one of that name. The rest of the comment stays. For DBAs, in a migration.$$;

create or replace function conventions.add_function_tag(function regprocedure, line text) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  execute format('comment on routine %s is %L', function, conventions.comment_with_tag(obj_description(function, 'pg_proc'), line));
end $$;
comment on function conventions.add_function_tag(regprocedure, text) is $$Adds a smart tag to the comment of a function, or replaces the one of that name. The rest of the comment stays. For DBAs, in a migration.$$;
--! EndIncluded functions/conventions/add_tag.sql
--! Included functions/conventions/validation_errors.sql
-- PostgreSQL reports only the first violated constraint, but a form shows all errors at once. This evaluates every check
-- constraint of a table for a row that need not exist, and returns all violations.
create or replace function conventions.validation_errors(relation regclass, candidate jsonb) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_check record;
  v_expressions text;
  v_holds boolean[];
  v_value text;
  v_bounds int[];
  v_code text;
  v_params jsonb;
  v_errors jsonb;
begin
  select coalesce(jsonb_agg(jsonb_build_object('column', key) || error order by key), '[]')
    into v_errors
    from jsonb_each_text(candidate)
   cross join lateral conventions.text_error(value, key = any (
           (select lines from conventions.tables t where t.relation = validation_errors.relation)::text[])) as error
   where error is not null;

  select string_agg(format('(%s)', expression), ', ' order by column_names, constraint_name)
    into v_expressions
    from conventions.constraint_messages where table_id = relation and kind = 'c';
  if v_expressions is null then
    return v_errors;
  end if;
  execute format('select array[%s] from pg_catalog.jsonb_populate_record(null::%s, $1)', v_expressions, relation)
    into v_holds using candidate;
  if (false = any (v_holds)) is not true then
    return v_errors;
  end if;

  for v_check in
    select column_names[1] as column_name, column_names, expression, message, code,
           row_number() over (order by column_names, constraint_name) as place
      from conventions.constraint_messages where table_id = relation and kind = 'c'
  loop
    continue when v_holds[v_check.place] is not false;
    v_value := candidate ->> v_check.column_name;
    v_code := null;
    v_params := null;
    v_bounds := array[substring(v_check.expression from '>= (-?\d+)'), substring(v_check.expression from '<= (-?\d+)')];
    if v_check.expression like '%char_length(' || v_check.column_name || ')%' then
      if char_length(v_value) > v_bounds[2] then
        v_code := 'TOO_LONG';
        v_params := jsonb_build_object('max', v_bounds[2]);
      elsif char_length(v_value) < v_bounds[1] then
        v_code := 'TOO_SHORT';
        v_params := jsonb_build_object('min', v_bounds[1]);
      end if;
    elsif v_bounds <> array[null, null]::int[] then
      v_params := jsonb_strip_nulls(jsonb_build_object('min', v_bounds[1], 'max', v_bounds[2]));
    end if;
    v_errors := v_errors || jsonb_strip_nulls(jsonb_build_object(
      'column', v_check.column_name,
      'columns', case when cardinality(v_check.column_names) > 1 then to_jsonb(v_check.column_names) end,
      'code', coalesce(v_check.code, v_code, conventions.default_code(v_check.expression), 'INVALID'),
      'message', coalesce(v_check.message, 'This value is not allowed.'), 'params', v_params));
  end loop;
  return v_errors;
end $$;
comment on function conventions.validation_errors(regclass, jsonb) is $$The validation errors of a row of the table: a JSON array of {column, columns, code, message, params}, where `columns` has all columns of a check of several, one for each violated check constraint. The code is the one in the constraint’s comment (@code BLANK), else TOO_LONG or TOO_SHORT, else that of conventions.default_code(), else INVALID. Texts that no column takes have the errors of conventions.text_error().$$;
grant execute on function conventions.validation_errors(regclass, jsonb) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/conventions/validation_errors.sql
select conventions.add_function_tag('app_public.feed(int)', '@notNull items');
select conventions.add_function_tag('app_public.search(text, text, bigint, int)', '@notNull items');
