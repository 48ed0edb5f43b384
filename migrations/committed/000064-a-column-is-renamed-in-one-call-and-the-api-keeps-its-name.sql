--! Previous: sha1:1a6082b4aaa041750c1540b6e512724c04cf83ae
--! Hash: sha1:83d3a274646ea9fecfa8eb6212f617e308503874
--! Message: a column is renamed in one call and the api keeps its name

--! split: 810-rename-column.sql

-- allow: change-behaviour:conventions.validation_errors because errors name the field of the API, and one query names its table
-- allow: change-behaviour:app_private.repair_derived_data because errors name the field of the API, and one query names its table
-- allow: change-behaviour:app_private.check_derived_data because errors name the field of the API, and one query names its table
-- allow: change-behaviour:conventions.kept_columns because errors name the field of the API, and one query names its table
-- allow: change-behaviour:conventions.write_keeping_trigger because errors name the field of the API, and one query names its table
-- allow: change-behaviour:conventions.keep_fields because errors name the field of the API, and one query names its table
-- allow: rewrite:conventions.kept_fields because it has two rows
-- A column is renamed in SQL, and keeps its name in the API. pg_upgrade takes no column of type regproc.
alter table conventions.kept_fields alter column keeper type text using keeper::text;
--! Included functions/conventions/constraint_messages.sql
create or replace function conventions.comment_text(comment text) returns text
language sql immutable parallel safe
return nullif(regexp_replace(comment, '^(@[^\n]*(\n|$))+', ''), '');
comment on function conventions.comment_text(text) is $$A comment without its leading smart tags, which are for the API's plugins.$$;
grant execute on function conventions.comment_text(text) to :API_ANONYMOUS, :API_MEMBER, :API_LOGIN;

create or replace function conventions.comment_code(comment text) returns text
language sql immutable parallel safe
return substring(comment from '^(?:@[^\n]*\n)*?@code +([A-Z][A-Z0-9_]*) *(?:\n|$)');
comment on function conventions.comment_code(text) is $$The error code in a constraint’s comment, from a line @code BLANK among its leading smart tags; null without one.$$;
grant execute on function conventions.comment_code(text) to :API_ANONYMOUS, :API_MEMBER, :API_LOGIN;

create or replace function conventions.default_code(expression text) returns text
language sql immutable parallel safe
return case
  when strpos(expression, ' ~ ''\S''') > 0 then 'BLANK'
  when expression ~ ' ~{1,2}\*? ''' then 'FORMAT'
  when expression not like '%char_length(%' and expression ~ '[<>]= -?\d' then 'OUT_OF_RANGE'
end;
comment on function conventions.default_code(text) is $$The error code of a check constraint whose comment names none: BLANK for a search for a character that is not white space, FORMAT for any other pattern, OUT_OF_RANGE for bounds; null for all others.$$;
grant execute on function conventions.default_code(text) to :API_ANONYMOUS, :API_MEMBER, :API_LOGIN;

create or replace function conventions.field_name(relation oid, column_name text) returns text
language sql stable parallel safe set search_path = pg_catalog, pg_temp as $$
  select coalesce((
    select substring(pg_catalog.col_description(relation, attnum) from '^(?:@[^\n]*\n)*?@name +(\w+) *(?:\n|$)')
      from pg_catalog.pg_attribute where attrelid = relation and attname = column_name), column_name)
$$;
comment on function conventions.field_name(oid, text) is $$The name of a column in the API, before it is camel case: its smart tag @name, else its own.$$;
grant execute on function conventions.field_name(oid, text) to :API_ANONYMOUS, :API_MEMBER, :API_LOGIN;

-- Error messages for violated constraints come from the catalogue: the constraint's columns name the field, and its comment
-- is the message. So a DBA who adds a constraint with a comment has also defined its error.
create or replace view conventions.constraint_messages as
select n.nspname as schema_name,
       t.relname as table_name,
       c.conname as constraint_name,
       t.oid as table_id,
       c.contype::text as kind,
       (select array_agg(a.attname::text order by k.place)
          from unnest(c.conkey) with ordinality as k (attnum, place)
          join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum) as column_names,
       pg_catalog.pg_get_expr(c.conbin, c.conrelid) as expression,
       conventions.comment_text(pg_catalog.obj_description(c.oid, 'pg_constraint')) as message,
       conventions.comment_code(pg_catalog.obj_description(c.oid, 'pg_constraint')) as code
  from pg_catalog.pg_constraint c
  join pg_catalog.pg_class t on t.oid = c.conrelid
  join pg_catalog.pg_namespace n on n.oid = t.relnamespace
 where n.nspname not in ('pg_catalog', 'information_schema')
union all
-- A unique index over an expression is not a constraint. Its columns are the ones that it depends on.
select n.nspname, t.relname, i.relname, t.oid, 'u',
       (select array_agg(distinct a.attname::text)
          from pg_catalog.pg_depend d
          join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
         where d.classid = 'pg_catalog.pg_class'::regclass and d.objid = i.oid
           and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid = t.oid),
       null,
       conventions.comment_text(pg_catalog.obj_description(i.oid, 'pg_class')),
       conventions.comment_code(pg_catalog.obj_description(i.oid, 'pg_class'))
  from pg_catalog.pg_index x
  join pg_catalog.pg_class i on i.oid = x.indexrelid
  join pg_catalog.pg_class t on t.oid = x.indrelid
  join pg_catalog.pg_namespace n on n.oid = t.relnamespace
 where x.indisunique
   and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
   and not exists (select from pg_catalog.pg_constraint c where c.conindid = x.indexrelid);
comment on view conventions.constraint_messages is $$Every constraint and unique index, with its columns, and the error message and the error code for clients. The code is null where the comment names none.$$;
grant select on conventions.constraint_messages to :API_ANONYMOUS, :API_MEMBER, :API_LOGIN;
--! EndIncluded functions/conventions/constraint_messages.sql
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
  select coalesce(jsonb_agg(jsonb_build_object('column', conventions.field_name(relation, key)) || error order by key), '[]')
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
      'column', conventions.field_name(relation, v_check.column_name),
      'columns', case when cardinality(v_check.column_names) > 1
                      then to_jsonb(array(select conventions.field_name(relation, name) from unnest(v_check.column_names) as name)) end,
      'code', coalesce(v_check.code, v_code, conventions.default_code(v_check.expression), 'INVALID'),
      'message', coalesce(v_check.message, 'This value is not allowed.'), 'params', v_params));
  end loop;
  return v_errors;
end $$;
comment on function conventions.validation_errors(regclass, jsonb) is $$The validation errors of a row of the table: a JSON array of {column, columns, code, message, params}, where `columns` has all columns of a check of several, one for each violated check constraint. The code is the one in the constraint’s comment (@code BLANK), else TOO_LONG or TOO_SHORT, else that of conventions.default_code(), else INVALID. Texts that no column takes have the errors of conventions.text_error().$$;
grant execute on function conventions.validation_errors(regclass, jsonb) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/conventions/validation_errors.sql
--! Included functions/conventions/kept_fields.sql
-- Revisions and working copies keep the fields of a row of another table. Which columns these are says the catalogue: those that the input type of an
-- update has, without the derived ones and those of conventions.not_kept(). A column of the keeping table with the name and type of such a column
-- holds its value, and the jsonb column `fields` all others.
--
-- Security definer: these read declarations, no rows.
create or replace function conventions.kept_columns(relation regclass)
returns table (name name, type text, is_required boolean, is_own boolean, is_comparable boolean, description text)
language sql stable security definer rows 10 set search_path = pg_catalog, pg_temp as $$
  select a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
         exists (select from pg_attribute own
                  where own.attrelid = k.relation and own.attname = a.attname and own.atttypid = a.atttypid and own.attnum > 0 and not own.atthasdef),
         type.typcategory in ('B', 'D', 'E', 'N', 'S'),
         concat_ws(E'\n', '@fieldName ' || nullif(conventions.field_name(k.of_table, a.attname), a.attname),
                   conventions.comment_text(col_description(k.of_table, a.attnum)))
    from conventions.kept_fields k
    join pg_attribute a on a.attrelid = k.of_table and a.attnum > 0 and not a.attisdropped
    join pg_type type on type.oid = a.atttypid
    join pg_type input on input.oid = k.input
    join pg_attribute field on field.attrelid = input.typrelid and field.attname = a.attname and not field.attisdropped
   where k.relation = kept_columns.relation and a.attname <> all (conventions.derived_columns(k.of_table))
     and not exists (select from conventions.columns c where c.relation = k.of_table and c.name = a.attname and not c.is_kept)
   order by a.attnum
$$;
comment on function conventions.kept_columns(regclass) is $$The columns that a table keeps of another one, as conventions.keep_fields() has declared it.$$;

create or replace function conventions.kept_names(relation regclass) returns text[]
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select array(select name from conventions.kept_columns(relation))
$$;
comment on function conventions.kept_names(regclass) is $$The names of the columns that a table keeps of another one.$$;
grant execute on function conventions.kept_names(regclass) to :API_MEMBER;

create or replace function conventions.without_nulls(fields jsonb) returns jsonb
language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
  select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(fields) where value <> 'null'
$$;
comment on function conventions.without_nulls(jsonb) is $$The fields of an object that are not null. Unlike jsonb_strip_nulls(), it leaves a null inside of a field.$$;
grant execute on function conventions.without_nulls(jsonb) to :API_ANONYMOUS, :API_MEMBER;

create or replace function conventions.pack_fields(relation regclass, version jsonb) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select coalesce(jsonb_object_agg(name, version -> name) filter (where is_own), '{}')
      || jsonb_build_object('fields', coalesce(jsonb_object_agg(name, version -> name) filter (where not is_own), '{}'))
    from conventions.kept_columns(relation) where version ? name
$$;
comment on function conventions.pack_fields(regclass, jsonb) is $$The row that keeps the fields of a row of another table, both as JSON.$$;

create or replace function conventions.unpack_fields(relation regclass, kept jsonb) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select coalesce(jsonb_object_agg(name, value), '{}')
    from conventions.kept_columns(relation)
   cross join lateral (values (case when is_own then kept -> name::text else kept -> 'fields' -> name::text end)) as v (value)
   where value is not null
$$;
comment on function conventions.unpack_fields(regclass, jsonb) is $$The fields that a row keeps of a row of another table, both as JSON. A column that is younger than the kept row is missing.$$;
grant execute on function conventions.unpack_fields(regclass, jsonb) to :API_ANONYMOUS, :API_MEMBER;

-- The functions are the fields of the API. The first line of each has the hash of the comment that it was given, so that a comment that somebody
-- has written since stays. @notNull in it decides whether a field that was cleared is that of the present row.
create or replace function conventions.write_field_functions(relation regclass) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $call$
declare
  v_mark text := '-- Written by conventions.renew_columns(): ';
  v_kept conventions.kept_fields := (select k from conventions.kept_fields k where k.relation = write_field_functions.relation);
  v_schema text := (select relnamespace::regnamespace::text from pg_class where oid = relation);
  v_table text := (select relname from pg_class where oid = relation);
  v_key text := (select attname from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
                  where conrelid = relation and contype = 'f' and confrelid = v_kept.of_table);
  v_column record;
  v_former record;
  v_comment text;
  v_body text;
begin
  for v_former in
    select p.oid::regprocedure as function from pg_proc p
     where p.pronamespace = v_schema::regnamespace and p.pronargs = 1 and p.proargtypes[0] = (select reltype from pg_class where oid = relation)
       and starts_with(p.prosrc, v_mark)
       and not exists (select from conventions.kept_columns(relation) c
                        where not is_own and left(v_table || '_' || c.name, 63) = p.proname and format_type(p.prorettype, null) = regexp_replace(c.type, '\([0-9,]+\)', ''))
  loop
    execute format('drop function %s', v_former.function);
  end loop;
  for v_column in
    select c.*, format('%I.%I', v_schema, left(v_table || '_' || name, 63)) as function from conventions.kept_columns(relation) c where not is_own
  loop
    select p.prosrc, obj_description(p.oid, 'pg_proc') as comment into v_former
      from pg_proc p where p.oid = to_regprocedure(format('%s(%s)', v_column.function, relation));
    -- A function that somebody else has written stays.
    continue when v_former.prosrc is not null and not starts_with(v_former.prosrc, v_mark);
    v_comment := concat_ws(E'\n', case when v_kept.shows_present and v_column.is_required then '@notNull' end, v_column.description);
    if md5(v_former.comment) is distinct from substring(v_former.prosrc from ': ([0-9a-f]{32})') and v_former.comment is not null then
      v_comment := v_former.comment;
    end if;
    v_body := format(case
      when not v_kept.shows_present then '%1$s%2$s%3$s'
      when v_comment ~ '^(@[^\n]*\n)*@notNull' then E'%1$s%2$scoalesce((%3$s),\n    (select %4$I from %5$s where id = %6$I.%7$I))'
      else E'%1$s%2$scase when %6$I.fields ? %4$L then (%3$s)\n    else (select %4$I from %5$s where id = %6$I.%7$I) end' end,
      v_mark || case when v_comment = v_former.comment and md5(v_comment) is distinct from substring(v_former.prosrc from ': ([0-9a-f]{32})')
                     then 'its comment is another’s' else md5(v_comment) end || E'\n',
      case when v_kept.shows_present then '  select ' else '  ' end,
      format('select given.%1$I from jsonb_to_record(%2$I.fields) as given (%1$I %3$s)', v_column.name, v_table, v_column.type),
      v_column.name, v_kept.of_table, v_table, v_key);
    continue when v_former.prosrc = v_body and v_former.comment = v_comment;
    execute format('create or replace function %s(%I %s) returns %s language sql stable as %L', v_column.function, v_table, relation, v_column.type, v_body);
    execute format('comment on function %s(%s) is %L', v_column.function, relation, v_comment);
    execute format('grant execute on function %s(%s) to :API_ANONYMOUS, :API_MEMBER', v_column.function, relation);
  end loop;
end $call$;
comment on function conventions.write_field_functions(regclass) is $$Writes the functions that show the fields that a table keeps of another one, and drops those of columns that are gone.$$;

create or replace function conventions.write_keeping_trigger(relation regclass) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_kept conventions.kept_fields := (select k from conventions.kept_fields k where k.relation = write_keeping_trigger.relation);
  v_name name := (select '_500_' || substring(proname from '__(\w+)$') || '_update' from pg_proc where oid = v_kept.keeper::regproc);
  v_definition text;
begin
  select format('after update on %s for each row when (%s) execute function %s()', v_kept.of_table,
           string_agg(format(case when is_comparable then 'old.%1$I is distinct from new.%1$I' else 'old.%1$I::text is distinct from new.%1$I::text' end, name), ' or '),
           v_kept.keeper)
    into v_definition from conventions.kept_columns(relation) having count(*) > 0;
  -- Replacing a trigger locks the table.
  if v_definition is null
     or obj_description((select oid from pg_trigger where tgrelid = v_kept.of_table and tgname = v_name), 'pg_trigger') is not distinct from v_definition then
    return;
  end if;
  execute format('create or replace trigger %I %s', v_name, v_definition);
  execute format('comment on trigger %I on %s is %L', v_name, v_kept.of_table, v_definition);
end $$;
comment on function conventions.write_keeping_trigger(regclass) is $$Writes the trigger that keeps a row of another table when one of the columns changes that are kept.$$;

create or replace function conventions.renew_columns() returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  -- A table or a column may have been dropped.
  delete from conventions.kept_fields where not exists (select from pg_class where oid = relation) or not exists (select from pg_class where oid = of_table);
  delete from conventions.columns where not exists (select from pg_attribute where attrelid = relation and attname = name and not attisdropped);
  perform conventions.write_field_functions(relation) from conventions.kept_fields;
  perform conventions.write_keeping_trigger(relation) from conventions.kept_fields where keeper is not null;
  perform conventions.write_searched_texts(relation) from conventions.tables where search_form is not null and exists (select from pg_class where oid = relation);
end $$;
comment on function conventions.renew_columns() is $$Brings the functions and triggers of kept fields and of the search in line with the columns that there are now. Runs after each migration.$$;

create or replace function conventions.keep_fields(relation regclass, of_table regclass, input regtype, shows_present boolean default false, keeper regproc default null)
returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from pg_constraint where conrelid = relation and contype = 'f' and confrelid = of_table and cardinality(conkey) = 1) then
    raise exception using errcode = '42704', message = format('%s has no foreign key to %s', relation, of_table);
  end if;
  insert into conventions.kept_fields as k (relation, of_table, input, shows_present, keeper)
  values (keep_fields.relation, keep_fields.of_table, keep_fields.input, keep_fields.shows_present, keep_fields.keeper::text)
  on conflict on constraint kept_fields_pkey do update
    set of_table = excluded.of_table, input = excluded.input, shows_present = excluded.shows_present, keeper = excluded.keeper;
  perform conventions.renew_columns();
end $$;
comment on function conventions.keep_fields(regclass, regclass, regtype, boolean, regproc) is $$Declares that a table with a jsonb column `fields` keeps the fields of the input type of another table. Each is a field of the API. With shows_present, a field that a row lacks is that of the present row. The keeper is a trigger function, called when one of the columns has changed. For DBAs, in a migration.$$;
--! EndIncluded functions/conventions/kept_fields.sql
--! Included functions/conventions/rename_column.sql
-- The text of a function is no part of the catalogue. A name is replaced where it is surely that of the column: after the table, an alias of it, or a
-- variable, argument or trigger's row of its type; without one of these, in a statement that names the table and no other with such a column.
create or replace function conventions.renamed_text(
  body text, former name, present name, relation text, namesakes text[], transitions text[], rows text[], others text[], variables text[], prefers_columns boolean, has_row boolean,
  out text text, out is_unsure boolean
)
language plpgsql stable set search_path = pg_catalog, pg_temp as $call$
declare
  v_tokens text[] := array(select m[1] from regexp_matches(body,
    $re$(--[^\n]*|/\*(?:[^*]|\*[^/])*\*/|'(?:[^']|'')*'|"(?:[^"]|"")*"|[A-Za-z_\u0080-\uFFFF][\w$\u0080-\uFFFF]*|\s+|::|:=|=>|.)$re$, 'g') as m);
  -- The significant tokens, and where they stand.
  v_words text[] := '{}';
  v_places int[] := '{}';
  v_word text;
  v_before text;
  v_statement text;
  v_names_ours boolean;
  v_reads_ours boolean;
  v_names_other boolean;
  v_is_alone boolean := body ~ ('(^|\W)' || relation || '\M')
    and not exists (select from unnest(namesakes) as other where body ~ ('(^|\W)' || other || '\M'));
  v_is_list boolean := false;
  v_is_ours boolean;
begin
  is_unsure := false;
  for v_at in 1 .. cardinality(v_tokens) loop
    if v_tokens[v_at] !~ '^(\s|--|/\*)' then
      v_words := v_words || lower(v_tokens[v_at]);
      v_places := v_places || v_at;
    end if;
  end loop;
  for v_at in 1 .. cardinality(v_words) loop
    v_word := v_words[v_at];
    v_before := coalesce(v_words[v_at - 1], '');
    if v_at = 1 or v_before = ';' then
      v_statement := array_to_string(v_words[v_at:coalesce(array_position(v_words, ';', v_at), cardinality(v_words))], ' ');
      v_statement := replace(v_statement, ' . ', '.');
      v_names_ours := v_statement ~ ('(^|\W)(' || array_to_string(relation || transitions, '|') || ')\M');
      v_reads_ours := v_statement ~ ('(^|\W)(from|join|update|into|using|only|,) (' || array_to_string(relation || transitions, '|') || ')\M');
      v_names_other := exists (select from unnest(namesakes) as other where v_statement ~ ('(^|\W)' || other || '\M'));
    end if;
    -- Within the columns of an insert.
    if v_word = '(' and not v_is_list and v_words[v_at - 4] = 'into' and v_words[v_at - 2] = '.' then
      v_is_list := true;
      v_is_ours := relation = v_words[v_at - 3] || '.' || v_before;
    elsif v_word = '(' and not v_is_list and v_words[v_at - 6] = 'into' and v_words[v_at - 2] = 'as' then
      v_is_list := true;
      v_is_ours := relation = v_words[v_at - 5] || '.' || v_words[v_at - 3];
    elsif v_word = ')' then
      v_is_list := false;
    end if;
    continue when trim(both '"' from v_word) <> former and v_word <> quote_literal(former);
    if starts_with(v_word, '''') then
      -- An error names the field of the API.
      continue when v_words[v_at - 2] = '''column''';
      v_is_ours := case when v_is_alone or (has_row or v_names_ours) and not v_names_other then true when not v_names_ours then false end;
    elsif v_is_list then
      null;
    elsif v_words[v_at + 1] in ('=>', '(') or v_before in ('::', 'as', 'returns') then
      continue;
    elsif v_before = '.' then
      -- (post).title
      v_before := case when v_words[v_at - 2] = ')' and v_words[v_at - 4] = '(' then v_words[v_at - 3] else v_words[v_at - 2] end;
      v_is_ours := case when v_before = any (rows) then true
                        when v_before = any (others) or to_regnamespace(quote_ident(v_before)) is not null then false
                        when v_is_alone or v_names_ours and not v_names_other then true
                        when not v_names_ours and (v_names_other or not has_row) then false end;
    elsif former = any (variables) and not (prefers_columns and v_reads_ours) and not (v_before in ('set', ',') and v_words[v_at + 1] = '=') then
      continue;
    -- The type of a variable.
    elsif v_before ~ '^(v_|in$|out$|inout$)' and exists (select from pg_type where typname = former) then
      continue;
    else
      v_is_ours := case when v_reads_ours and not v_names_other then true when not v_reads_ours then false end;
    end if;
    is_unsure := is_unsure or v_is_ours is null;
    if v_is_ours then
      v_tokens[v_places[v_at]] := case when starts_with(v_word, '''') then quote_literal(present) else quote_ident(present) end;
    end if;
  end loop;
  text := array_to_string(v_tokens, '');
end $call$;
comment on function conventions.renamed_text(text, name, name, text, text[], text[], text[], text[], text[], boolean, boolean) is $$The text of a function after a column is renamed. `namesakes` are other tables with such a column. is_unsure says that a name could be that of another column, and is left.$$;

create or replace function conventions.rename_in_functions(relation regclass, former name, present name) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $call$
declare
  v_type oid := (select reltype from pg_class where oid = relation);
  v_inputs oid[] := array(select input from conventions.input_types(relation) as input);
  v_namesakes text[] := array(
    select c.oid::regclass::text from pg_attribute join pg_class c on c.oid = attrelid
     where attname = former and attrelid <> relation and relkind in ('r', 'p', 'v', 'm') and attnum > 0 and not attisdropped
       and conventions.is_covered(relnamespace::regnamespace::text));
  -- Functions that return such rows, and the columns in which they do.
  v_sources text[];
  v_source_columns text[];
  v_function record;
  v_new record;
  v_unsure text[] := '{}';
begin
  select coalesce(array_agg(format('%s.%s', pronamespace::regnamespace, proname)), '{}'), coalesce(array_agg(argument.name), '{}') into v_sources, v_source_columns
    from pg_proc cross join unnest(proargnames, proallargtypes, proargmodes) as argument (name, type, mode) where type = v_type and mode in ('o', 'b', 't');
  for v_function in
    select p.oid::regprocedure as function, p.oid, p.prosrc, p.proargnames, p.proname::text as name, t.*,
           lanname = 'sql' or prosrc ~ '#variable_conflict use_column' as prefers_columns,
           array(select argument.name from unnest(p.proargnames, coalesce(p.proallargtypes, p.proargtypes::oid[])) as argument (name, type)
                  where type = v_type or type = any (v_inputs)) as rows
      from pg_proc p
      join pg_language on pg_language.oid = prolang and lanname in ('sql', 'plpgsql')
     cross join lateral (
           select coalesce(bool_or(tgrelid = relation), false), coalesce(bool_and(tgrelid = relation), false),
                  array_remove(array_agg(tgoldtable) filter (where tgrelid = relation) || array_agg(tgnewtable) filter (where tgrelid = relation), null)::text[],
                  array_remove(array_agg(tgoldtable) filter (where tgrelid <> relation) || array_agg(tgnewtable) filter (where tgrelid <> relation), null)::text[]
             from pg_trigger where tgfoid = p.oid and tgparentid = 0) as t (is_trigger, is_only_trigger, transitions, foreign_transitions)
     where (conventions.is_covered(pronamespace::regnamespace::text) and pronamespace::regnamespace::text not in ('conventions', 'change_feed')
         or pronamespace::regnamespace::text = 'analytics')
       and prosqlbody is null and prosrc ~ format('\y%s\y', former) and prosrc !~ '^-- Written by conventions\.'
       and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype = 'e')
       and (t.is_trigger or prosrc ~ ('(^|\W)(' || array_to_string(relation::text || v_sources, '|') || ')\M') or v_type = any (proargtypes) or proargtypes::oid[] && v_inputs)
     order by 1
  loop
    with named as (
      -- Variables, and tables with their aliases.
      select m[2] as type, unnest(array[m[1], m[3]]) as name
        from regexp_matches(v_function.prosrc, '(?:(\w+)\s+)?\y([a-z_]\w*\.[a-z_]\w*)\y(?:(?:\s+as)?\s+(?!(?:as|on|where|set|for|order|left|right|full|inner|join|cross|using|limit|group|returning|default|union|offset|loop|then|values|select)\y)(\w+))?', 'g') as m
       union all
      select m[1], split_part(m[1], '.', 2) from regexp_matches(v_function.prosrc, '\y([a-z_]\w*\.[a-z_]\w*)\y', 'g') as m
    ), known as (
      select t.oid = v_type or t.oid = any (v_inputs) as is_ours, lower(name) as name
        from named join pg_type t on format('%s.%s', t.typnamespace::regnamespace, t.typname) = named.type where name is not null
       union all
      select p.prorettype = v_type, m[2]
        from regexp_matches(v_function.prosrc, '\y([a-z_]\w*\.[a-z_]\w*)\([^()]*\) as (\w+)', 'g') as m
        join pg_proc p on format('%s.%s', p.pronamespace::regnamespace, p.proname) = m[1]
    )
    select (conventions.renamed_text(v_function.prosrc, former, present, relation::text, v_namesakes, coalesce(v_function.transitions, '{}'),
             array(select name from known where is_ours) || v_function.rows || v_function.transitions
               || array(select name from unnest(v_sources, v_source_columns) as source (function, name) where strpos(v_function.prosrc, function || '(') > 0)
               || case when v_function.is_only_trigger then array['new', 'old'] else '{}' end,
             v_function.foreign_transitions || array(select k.name from known k where not is_ours and k.name not in (select o.name from known o where o.is_ours)) || v_function.name
               || array(select unnest(v_function.proargnames) except select unnest(v_function.rows)),
             v_function.proargnames || array(select m[1] from regexp_matches(v_function.prosrc, '(?n)^\s*(\w+) [\w.]+(?:\[\])?(?: :=.*)?;', 'g') as m),
             v_function.prefers_columns, v_function.is_only_trigger or v_function.rows <> '{}')).*
      into v_new;
    if v_new.is_unsure then
      v_unsure := v_unsure || v_function.function::text;
    elsif v_new.text <> v_function.prosrc then
      begin
        execute replace(pg_get_functiondef(v_function.oid), v_function.prosrc, v_new.text);
      exception when undefined_column then
        v_unsure := v_unsure || v_function.function::text;
        continue;
      end;
      raise notice '% names % now. Edit its fixture, too.', v_function.function, present;
    end if;
  end loop;
  if v_unsure <> '{}' then
    raise exception using errcode = '0A000', message = format('The text of %s may mean another column by %s', array_to_string(v_unsure, ' and of '), former),
      hint = format('Write the table or an alias before each name there, as in %I.%I, and call this again.', (select relname from pg_class where oid = relation), former);
  end if;
end $call$;
comment on function conventions.rename_in_functions(regclass, name, name) is $$Changes the text of functions in which a column is named by its former name. Refuses where a name may be that of another column.$$;

create or replace function conventions.input_types(relation regclass) returns setof oid
language sql stable set search_path = pg_catalog, pg_temp as $$
  select distinct t.oid
    from pg_proc p
   cross join unnest(p.proargtypes::oid[]) as argument (type)
    join pg_type t on t.oid = argument.type
    join pg_class c on c.oid = t.typrelid and c.relkind = 'c'
   where p.prorettype = (select reltype from pg_class where oid = relation) and p.pronamespace = (select relnamespace from pg_class where oid = relation)
$$;
comment on function conventions.input_types(regclass) is $$The input types of a table: composite types that are arguments of functions of its schema that return a row of it.$$;

create or replace function conventions.rename_column(relation regclass, former name, present name) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $call$
declare
  v_row record;
  v_tags text := '@(?:listOrder|listPart|listFilter|firstRows|totalCount|subscription|nodeIdOf|pageArgument)\M';
begin
  if former in ('id', 'updated_at') or former = 'fields' and exists (select from conventions.kept_fields k where k.relation = rename_column.relation) then
    raise exception using errcode = '0A000', message = format('Functions for all tables name the column %s', former);
  end if;
  execute format('alter table %s rename column %I to %I', relation, former, present);
  -- The API's names stay.
  if coalesce(col_description(relation, (select attnum from pg_attribute where attrelid = relation and attname = present)), '') !~ '^(@[^\n]*\n)*@name ' then
    perform conventions.add_tag(relation, '@name ' || former, on_column => present);
  end if;
  for v_row in
    select t.typrelid::regclass as type from conventions.input_types(relation) as input
      join pg_type t on t.oid = input join pg_attribute on attrelid = typrelid and attname = former and not attisdropped
  loop
    execute format('alter type %s rename attribute %I to %I', v_row.type, former, present);
    perform conventions.add_tag(v_row.type, '@name ' || former, on_column => present);
  end loop;
  -- Tags that name columns.
  for v_row in
    select format('table %s', relation) as target, obj_description(relation, 'pg_class') as comment
     union all
    select format('constraint %I on %s', conname, relation), obj_description(oid, 'pg_constraint') from pg_constraint where conrelid = relation
  loop
    if v_row.comment ~ (v_tags || '[^\n]*\y' || former || '\y') then
      execute format('comment on %s is %L', v_row.target, (
        select string_agg(case when line ~ ('^' || v_tags) then regexp_replace(line, '(?<= .*)\y' || former || '\y', present, 'g') else line end, E'\n' order by place)
          from regexp_split_to_table(v_row.comment, '\n') with ordinality as lines (line, place)));
    end if;
  end loop;
  -- Declarations, and the arguments of triggers.
  update conventions.columns c set name = present where c.relation = rename_column.relation and c.name = former;
  update conventions.tables t set lines = array_replace(lines, former::text, present::text), key_columns = array_replace(key_columns, former, present),
         omitted_columns = array_replace(omitted_columns, former, present) where t.relation = rename_column.relation;
  update conventions.counters c set columns = array_replace(columns, former, present) where c.relation = rename_column.relation;
  update change_feed.streams s set key_column = case key_column when former then present else key_column end,
         number_column = case number_column when former then present else number_column end,
         since_column = case since_column when former then present else since_column end where s.relation = rename_column.relation;
  update change_feed.streams s set last_number_column = present
   where last_number_column = former and exists (
     select from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and k.conkey = array[a.attnum]
      where k.contype = 'f' and k.conrelid = s.relation and k.confrelid = rename_column.relation and a.attname = s.key_column);
  for v_row in
    select tgname, pg_get_triggerdef(oid) as definition, tgrelid::regclass as target, obj_description(oid, 'pg_trigger') as comment
      from pg_trigger
     where tgrelid in (select relation union select relid from pg_partition_tree(relation)) and not tgisinternal and tgparentid = 0
       and former = any (string_to_array(encode(tgargs, 'escape'), '\000'))
  loop
    execute format('drop trigger %I on %s', v_row.tgname, v_row.target);
    execute (select left(v_row.definition, place) || replace(substr(v_row.definition, place + 1), quote_literal(former), quote_literal(present))
               from strpos(v_row.definition, ' EXECUTE FUNCTION ') as place);
    execute format('comment on trigger %I on %s is %L', v_row.tgname, v_row.target, v_row.comment);
  end loop;
  -- Rows that keep its values.
  for v_row in
    select k.relation as keeping, to_regprocedure(format('%I.%I(%s)', n.nspname, left(c.relname || '_' || former, 63), k.relation)) as function,
           left(c.relname || '_' || present, 63) as renamed,
           exists (select from pg_attribute where attrelid = k.relation and attname = former and not attisdropped) as is_own
      from conventions.kept_fields k join pg_class c on c.oid = k.relation join pg_namespace n on n.oid = relnamespace
     where k.of_table = rename_column.relation
     order by is_own
  loop
    if v_row.is_own then
      perform conventions.rename_column(v_row.keeping, former, present);
    else
      -- The versions of the rows stay.
      execute format('alter table %s disable trigger user', v_row.keeping);
      execute format('update %s set fields = fields - $1 || jsonb_build_object($2, fields -> $1) where fields ? $1', v_row.keeping) using former::text, present::text;
      execute format('alter table %s enable trigger user', v_row.keeping);
      if v_row.function is not null then
        execute format('alter function %s rename to %I', v_row.function, v_row.renamed);
        perform conventions.add_function_tag(v_row.function::oid::regprocedure, '@fieldName ' || former);
      end if;
    end if;
  end loop;
  perform conventions.write_validator(t.relation) from conventions.tables t where t.relation = rename_column.relation and is_validated;
  perform conventions.rename_in_functions(relation, former, present), conventions.record(relation), conventions.renew_columns();
end $call$;
comment on function conventions.rename_column(regclass, name, name) is $$Renames a column in SQL, and keeps its name in the API: its input types, validator, counters, streams, revisions, working copies, smart tags, and the functions that name it. Says which functions it has changed: their fixtures are yours to edit. Refuses when the text of a function could mean another column. For DBAs, in a migration.$$;
--! EndIncluded functions/conventions/rename_column.sql
--! Included functions/upkeep/check_derived_data.sql
create or replace function app_private.inherited_columns()
returns table (name name, relation regclass, parent regclass, key_is_equal text, copies_differ text, assignments text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select conname, conrelid::regclass, confrelid::regclass,
         string_agg(format('child.%I = parent.%I', ours.attname, theirs.attname), ' and ') filter (where ordinality = 1),
         string_agg(format('child.%I is distinct from parent.%I', ours.attname, theirs.attname), ' or ' order by ordinality) filter (where ordinality > 1),
         string_agg(format('%I = parent.%I', ours.attname, theirs.attname), ', ' order by ordinality) filter (where ordinality > 1)
    from pg_catalog.pg_constraint
   cross join lateral unnest(conkey, confkey) with ordinality as columns (our_number, their_number, ordinality)
    join pg_catalog.pg_attribute ours on ours.attrelid = conrelid and ours.attnum = our_number
    join pg_catalog.pg_attribute theirs on theirs.attrelid = confrelid and theirs.attnum = their_number
   where contype = 'f' and conname like '%\_inherited\_fkey' and conparentid = 0
   group by conname, conrelid, confrelid
$$;
comment on function app_private.inherited_columns() is $$The copies of another row’s columns, by foreign key, with the parts of the statements that check and repair them.$$;

create or replace function app_private.check_derived_data() returns table (derived text, row_key text)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_copy record;
begin
  for v_copy in select * from app_private.inherited_columns() order by 1 loop
    return query execute format('select $1, to_jsonb(child)::text from %s as child join %s as parent on %s where %s',
      v_copy.relation, v_copy.parent, v_copy.key_is_equal, v_copy.copies_differ) using v_copy.name::text;
  end loop;
  return query
  select 'tags_public_post_fkey', to_jsonb(tags)::text from app_public.tags
   where is_public and not exists (
     select from app_public.post_tags where post_id = public_post_id and tag_id = public_tag_id and post_tags.is_public);
  return query
  select 'conventions.counter_shards', c.counter || ' ' || c.key from conventions.check_counters() c;
  return query
  select 'app_public.trashed_posts', coalesce(posts.id, t.id)::text
    from (select id from app_public.posts where posts.status = 'TRASHED') as posts
    full join app_public.trashed_posts t on t.id = posts.id
   where posts.id is null or t.id is null;
  return query
  select 'app_private.post_words', coalesce(posts.id, w.post_id)::text
    from app_public.posts
    full join app_private.post_words w on w.post_id = posts.id
    left join lateral app_hidden.words_of(posts) as found on posts.id is not null and w.language = app_hidden.word_form()
   where (w.author_id, w.is_public, w.listed_at) is distinct from (posts.author_id, posts.is_public, posts.listed_at)
      -- Words of another language or form are found anew by a job.
      or (w.title, w.words, w.title_words) is distinct from (found.title, found.words, found.title_words) and found.post_id is not null;
end $$;
comment on function app_private.check_derived_data() is $$Derived data that differs from the rows that it is derived from: none. Inherited visibility, counts, the trash and search terms. Reads all rows. For DBAs and tests.$$;

create or replace function app_private.repair_derived_data() returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_copy record;
  v_count bigint;
begin
  -- A repaired row is the parent of others, until nothing is left.
  loop
    v_count := 0;
    for v_copy in select * from app_private.inherited_columns() loop
      execute format('with repaired as (update %s as child set %s from %s as parent where %s and (%s) returning 1) select $1 + count(*) from repaired',
        v_copy.relation, v_copy.assignments, v_copy.parent, v_copy.key_is_equal, v_copy.copies_differ) into v_count using v_count;
    end loop;
    exit when v_count = 0;
  end loop;
  update app_public.tags set public_post_id = null, public_tag_id = null, is_public = null
   where is_public and not exists (
     select from app_public.post_tags where post_id = public_post_id and tag_id = public_tag_id and post_tags.is_public);
  perform conventions.repair_counters();
  delete from app_public.trashed_posts t where not exists (select from app_public.posts where posts.id = t.id and posts.status = 'TRASHED');
  -- Of a lost row of the trash, the status is not known: editors can restore a draft.
  insert into app_public.trashed_posts (id, author_id, title, content, status, tags, slug, expires_at)
  select posts.id, posts.author_id, posts.title, posts.content, 'DRAFT', '{}', app_hidden.free_slug(posts), now() + interval '30 days'
    from app_public.posts where posts.status = 'TRASHED' and not exists (select from app_public.trashed_posts t where t.id = posts.id);
  delete from app_private.post_words where post_id in (
    select row_key::bigint from app_private.check_derived_data() where derived = 'app_private.post_words');
  insert into app_private.post_words
  select found.* from app_public.posts, lateral app_hidden.words_of(posts) as found
   where not exists (select from app_private.post_words where post_id = posts.id);
end $$;
comment on function app_private.repair_derived_data() is $$Makes all that check_derived_data() checks agree with the rows that it is derived from, in one transaction. After rows were written without triggers, as by a restore of data alone. For DBAs.$$;
--! EndIncluded functions/upkeep/check_derived_data.sql
