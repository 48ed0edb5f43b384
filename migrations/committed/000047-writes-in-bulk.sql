--! Previous: sha1:64ec3ba68209b99d87166242ccd13229ee7f9544
--! Hash: sha1:0a41332fbe7480a9aeb90e093b72a399f8f41b5e
--! Message: writes in bulk

--! split: 100-writes-in-bulk.sql

-- allow: change-behaviour:conventions.tg__record_changes because it returns the same, sooner
-- allow: change-behaviour:app_hidden.slug_words because it returns the same, sooner
-- allow: change-behaviour:app_hidden.plain_text because it returns the same, sooner
-- allow: change-behaviour:app_hidden.similar_words because it returns the same, sooner
-- allow: change-behaviour:app_hidden.title_words because it returns the same, sooner
-- allow: change-behaviour:conventions.search_compounds because it returns the same, sooner
-- Writes of many rows, and posts, take less time. What is written, counted and found is the same.
--! Included functions/conventions/record_changes.sql
create or replace function conventions.derived_columns(relation oid) returns text[]
language sql stable set search_path = pg_catalog, pg_temp as $$
  select array(
    select attname from pg_catalog.pg_attribute where attrelid = relation and attnum > 0 and attgenerated <> ''
     union all
    select attname
      from pg_catalog.pg_constraint
     cross join lateral unnest(conkey[2:]) as copy (number)
      join pg_catalog.pg_attribute on attrelid = conrelid and attnum = copy.number
     where conrelid = relation and contype = 'f' and conname like '%\_inherited\_fkey')
$$;
comment on function conventions.derived_columns(oid) is $$The columns that nobody writes: generated ones, and copies of another row’s columns. Copies are the columns after the first of a foreign key whose name ends in _inherited_fkey. The audit trail and updated_at ignore them.$$;

create or replace function conventions.escape_key(value text) returns text
language sql immutable parallel safe
return replace(replace(value, '\', '\\'), ',', '\,');
comment on function conventions.escape_key(text) is $$A value as a part of a key of several: with a backslash before each comma and backslash.$$;

-- plpgsql: each row that is recorded calls it, and a SQL function of this form costs ten times as much.
create or replace function conventions.row_key(version jsonb, columns text[]) returns text
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  if cardinality(columns) = 1 then
    return version ->> columns[1];
  end if;
  return (select string_agg(conventions.escape_key(version ->> name), ',' order by ordinality) from unnest(columns) with ordinality as c (name, ordinality));
end $$;
comment on function conventions.row_key(jsonb, text[]) is $$The key of a row in the audit trail: its value in the given column. Values of several columns are separated by commas; a comma or a backslash in a value has a backslash before it.$$;

-- As text: the comparison of arrays is not leakproof, so policies would keep it from the index.
create or replace function conventions.counter_key(version jsonb, first text, second text) returns text
language sql immutable parallel safe
return case when second is null then version ->> first
  else conventions.escape_key(version ->> first) || ',' || conventions.escape_key(version ->> second) end;
comment on function conventions.counter_key(jsonb, text, text) is $$The key of a row in a counter of one column, or of two, separated by a comma; null when one of them is.$$;

-- Security definer: no role may write the audit trail or the counters directly.
--
-- One trigger for a table and event serves the audit trail and all counters. Its arguments are written by
-- conventions.record(): the key columns ({} without audit), the columns whose values the trail omits ({*} for all), the names of the
-- counters, the first and the second column of each, and the columns that nobody writes.
--
-- Settings: the statements are planned once in a session, and shards are found by their index, also by a session that planned while there were few.
create or replace function conventions.tg__record_changes() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set jit = off as $$
declare
  v_table text := case tg_table_schema when 'app_public' then '' else tg_table_schema || '.' end || tg_table_name;
  v_key text[] := tg_argv[0];
  v_omitted text[] := tg_argv[1];
  v_names text[] := tg_argv[2];
  v_firsts text[] := tg_argv[3];
  v_seconds text[] := tg_argv[4];
  v_derived text[] := tg_argv[5];
  v_old jsonb[] := '{}';
  v_new jsonb[] := '{}';
  v_is_many boolean;
  v_is_changed boolean;
  v_old_key text;
  v_new_key text;
  v_columns text;
  v_counters text[];
  v_keys text[];
  v_changes bigint[];
begin
  -- Few rows are frequent. They become values, so that one statement serves each kind of change, and is planned once in a session.
  if tg_op in ('INSERT', 'UPDATE') then
    v_new := array(select to_jsonb(few) from (select * from new_rows limit 100) as few);
    -- An insert with `on conflict do update` fires the trigger of an update, too.
    if v_new = '{}' then
      return null;
    end if;
  end if;
  if tg_op in ('UPDATE', 'DELETE') then
    v_old := array(select to_jsonb(few) from (select * from old_rows limit 100) as few);
  end if;
  v_is_many := tg_op = 'TRUNCATE' or greatest(cardinality(v_old), cardinality(v_new)) = 100;
  -- A foreign key that keeps copies of another row's columns may update many rows, and nothing that is recorded.
  if v_is_many and tg_op = 'UPDATE' then
    execute format('select exists (select row(%1$s)::text from new_rows except all select row(%1$s)::text from old_rows)',
      (select string_agg(quote_ident(attname), ', ') from pg_catalog.pg_attribute
        where attrelid = tg_relid and attnum > 0 and not attisdropped and (attname <> all (v_derived) or attname = any (v_firsts || v_seconds))))
      into v_is_changed;
    if not v_is_changed then
      return null;
    end if;
  end if;
  if v_key <> '{}' then
    case
      when v_is_many and tg_op <> 'UPDATE' then
        -- Naming the columns takes half the time of jsonb_each() for each row, and longer to plan. A truncate has no transition table.
        execute (
          select format('insert into app_public.audit_trail (action, table_name, row_key, changes)
                         select %L, %L, conventions.row_key(jsonb_build_object(%s), $1), (''{'' || concat_ws('','', %s) || ''}'')::jsonb from %s',
                   case tg_op when 'INSERT' then 'INSERT' else 'DELETE' end, v_table,
                   (select string_agg(format('%L, %I', name, name), ', ') from unnest(v_key) as name),
                   string_agg(case when v_omitted && array[attname::text, '*'] then format('case when %I is not null then %L end', attname, to_json(attname) || ':{}')
                                else format('%L || to_json(%I)::text || ''}''', to_json(attname) || case tg_op when 'INSERT' then ':{"new":' else ':{"old":' end, attname) end, ', '),
                   case tg_op when 'INSERT' then 'new_rows' when 'DELETE' then 'old_rows' else tg_relid::regclass::text end)
            from pg_catalog.pg_attribute where attrelid = tg_relid and attnum > 0 and not attisdropped and attname <> all (v_derived))
          using v_key;
      when tg_op <> 'UPDATE' then
        insert into app_public.audit_trail (action, table_name, row_key, changes)
        select tg_op::app_public.audit_action, v_table, conventions.row_key(version, v_key), (
                 select coalesce(jsonb_object_agg(key, case when v_omitted && array[key, '*'] then '{}'
                          else jsonb_build_object(case tg_op when 'INSERT' then 'new' else 'old' end, value) end), '{}')
                   from jsonb_each(version) where value <> 'null' and key <> all (v_derived))
          from unnest(v_old || v_new) as version;
      else
        -- A row whose key changed has two entries: one deleted, one inserted.
        insert into app_public.audit_trail (action, table_name, row_key, changes)
        select (case when after is null then 'DELETE' when before is null then 'INSERT' else 'UPDATE' end)::app_public.audit_action,
               v_table, row_key, changes
          from (select conventions.row_key(to_jsonb(old_rows), v_key) as row_key, to_jsonb(old_rows) as before from old_rows) as old_versions
          full join (select conventions.row_key(to_jsonb(new_rows), v_key) as row_key, to_jsonb(new_rows) as after from new_rows) as new_versions using (row_key)
         cross join lateral (
               select jsonb_object_agg(key, case when v_omitted && array[key, '*'] then '{}'
                        else case when before is null then '{}' else jsonb_build_object('old', before -> key) end
                          || case when after is null then '{}' else jsonb_build_object('new', after -> key) end end) as changes
                 from jsonb_object_keys(coalesce(after, before)) as key
                where nullif(before -> key, 'null') is distinct from nullif(after -> key, 'null') and key <> all (v_derived)) as change
         where changes is not null;
    end case;
  end if;

  if v_names = '{}' then
    return null;
  end if;
  case
    when tg_op = 'TRUNCATE' then
      delete from conventions.counter_shards where counter = any (v_names);
    when v_is_many then
      -- Rows are grouped by the columns that have counters before they become values.
      select string_agg(format('%1$L, %1$I', attname), ', ') into v_columns
        from pg_catalog.pg_attribute where attrelid = tg_relid and attnum > 0 and not attisdropped and attname = any (v_firsts || v_seconds);
      execute format('select array_agg(counter), array_agg(key), array_agg(change)
        from (select counter, key, sum(sign)::bigint as change
                from (%s offset 0) as versions (version, sign)
               cross join unnest($1, $2, $3) as c (counter, first, second)
               cross join lateral conventions.counter_key(version, first, second) as key
               where key is not null group by counter, key having sum(sign) <> 0) as changes',
        concat_ws(' union all ',
          case when tg_op <> 'DELETE' then format('select jsonb_build_object(%s), count(*) from new_rows group by 1', v_columns) end,
          case when tg_op <> 'INSERT' then format('select jsonb_build_object(%s), -count(*) from old_rows group by 1', v_columns) end))
        into v_counters, v_keys, v_changes using v_names, v_firsts, v_seconds;
    else
      -- Assignments: PostgreSQL computes them without a query.
      for v_row in 1 .. greatest(cardinality(v_old), cardinality(v_new)) loop
        for v_counter in 1 .. cardinality(v_names) loop
          v_old_key := conventions.counter_key(v_old[v_row], v_firsts[v_counter], v_seconds[v_counter]);
          v_new_key := conventions.counter_key(v_new[v_row], v_firsts[v_counter], v_seconds[v_counter]);
          if v_old_key is distinct from v_new_key then
            v_counters := v_counters || v_names[v_counter] || v_names[v_counter];
            v_keys := v_keys || v_old_key || v_new_key;
            v_changes := v_changes || array[-1, 1]::bigint[];
          end if;
        end loop;
      end loop;
  end case;
  for v_place in 1 .. coalesce(cardinality(v_keys), 0) loop
    continue when v_keys[v_place] is null;
    -- A shard that no other transaction is writing, or a new one, so that nobody waits. With a stricter isolation level, a row that was changed
    -- since the transaction began cannot be changed.
    update conventions.counter_shards set value = value + v_changes[v_place]
     where ctid = (select ctid from conventions.counter_shards s
                    where s.counter = v_counters[v_place] and s.key = v_keys[v_place]
                      and current_setting('transaction_isolation') in ('read committed', 'read uncommitted')
                    limit 1 for update skip locked);
    if not found then
      insert into conventions.counter_shards (counter, key, value) values (v_counters[v_place], v_keys[v_place], v_changes[v_place]);
    end if;
  end loop;
  return null;
end $$;
comment on function conventions.tg__record_changes() is $$After a statement: records its changes in the audit trail, and in the counters of the table. audit() and count_rows() attach it.$$;

-- A trigger with transition tables can serve one kind of statement only, so there are four.
create or replace function conventions.record(relation regclass) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_run text;
begin
  select format('for each statement execute function conventions.tg__record_changes(%L, %L, %L, %L, %L, %L)',
           coalesce(t.key_columns, '{}'), coalesce(t.omitted_columns, '{}'), coalesce(c.names, '{}'), coalesce(c.firsts, '{}'), coalesce(c.seconds, '{}'),
           conventions.derived_columns(record.relation))
    into v_run
    from (select array_agg(name order by name) as names, array_agg(columns[1]::text order by name) as firsts, array_agg(columns[2]::text order by name) as seconds
            from conventions.counters where counters.relation = record.relation) as c
    left join conventions.tables t on t.relation = record.relation
   where c.names is not null or t.key_columns is not null;
  -- Replacing a trigger locks the table.
  if v_run is null or pg_catalog.obj_description((select oid from pg_catalog.pg_trigger where tgrelid = relation and tgname = '_900_record_insert'), 'pg_trigger') = v_run then
    return;
  end if;
  execute format('create or replace trigger _900_record_insert after insert on %s referencing new table as new_rows %s', relation, v_run);
  execute format('create or replace trigger _900_record_update after update on %s referencing old table as old_rows new table as new_rows %s', relation, v_run);
  execute format('create or replace trigger _900_record_delete after delete on %s referencing old table as old_rows %s', relation, v_run);
  execute format('create or replace trigger _900_record_truncate before truncate on %s %s', relation, v_run);
  execute format('comment on trigger _900_record_insert on %s is %L', relation, v_run);
end $$;
comment on function conventions.record(regclass) is $$Attaches tg__record_changes() to a table, with what conventions.tables, conventions.counters and the catalogue say of it.$$;

create or replace function conventions.audit(relation regclass, omitted_columns name[] default '{}') returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_key name[] := (
    select array_agg(attname order by array_position(conkey, attnum))
      from pg_catalog.pg_constraint
      join pg_catalog.pg_attribute on attrelid = conrelid and attnum = any (conkey)
     where conrelid = relation and contype = 'p');
begin
  if v_key is null then
    raise exception using errcode = '42P16', message = format('%s has no primary key, which the audit trail needs to identify rows', relation);
  end if;
  insert into conventions.tables as t (relation, key_columns, omitted_columns)
  select audit.relation, v_key, case when pg_catalog.has_schema_privilege(':API_MEMBER', relnamespace, 'usage') then audit.omitted_columns else '{*}' end
    from pg_catalog.pg_class where oid = audit.relation
  on conflict on constraint tables_pkey do update set key_columns = excluded.key_columns, omitted_columns = excluded.omitted_columns;
  perform conventions.record(relation);
end $$;
comment on function conventions.audit(regclass, name[]) is $$Records changes of this table in the audit trail from now on. The table needs a primary key. The trail holds only the names of omitted columns that change, not their values: use it for long texts. For a table in a schema that members may not use, it omits all values. For DBAs, in a migration.$$;

create or replace function conventions.count_rows(relation regclass, counted name, counted_with name default null) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_counter text := format('%s.%s', (select relname from pg_catalog.pg_class where oid = relation), concat_ws(',', counted, counted_with));
begin
  insert into conventions.counters as c (name, relation, columns)
  values (v_counter, count_rows.relation, array_remove(array[counted, counted_with], null))
  on conflict on constraint counters_pkey do update set relation = excluded.relation, columns = excluded.columns;
  perform conventions.record(relation), conventions.repair_counter(v_counter);
end $$;
comment on function conventions.count_rows(regclass, name, name) is $$Counts the rows of each value of a column, or of each pair of values of two columns, in conventions.counter_shards, from now on. Idempotent. For DBAs, in a migration.$$;
--! EndIncluded functions/conventions/record_changes.sql
--! Included functions/posts/slugify.sql
-- An explicit list, because [[:alnum:]] and \w depend on the database's locale: all but letters, digits and marks, as far as
-- plane 0 goes, and the symbols, tags and private characters of the others. Not SQL: PostgreSQL would plan a check that calls it for each statement.
create or replace function app_hidden.slug_words(value text) returns text
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  -- Almost always, and much quicker.
  if value ~ '^[a-z0-9]+(-[a-z0-9]+)*$' then
    return value;
  end if;
  if octet_length(value) = char_length(value) then
    return trim(both '-' from regexp_replace(lower(value collate "C"), '[^a-z0-9]+', '-', 'g'));
  end if;
  return trim(both '-' from regexp_replace(lower(value collate "C"),
  '[\u0000-\u002F\u003A-\u0040\u005B-\u0060\u007B-\u00A9\u00AB-\u00B4\u00B6-\u00B8\u00BB-\u00BF\u00D7\u00F7'
  '\u02C2-\u02C5\u02D2-\u02DF\u02E5-\u02EB\u02ED\u02EF-\u02FF\u0375\u037E\u0384-\u0385\u0387\u03F6\u0482'
  '\u055A-\u055F\u0589-\u058F\u05BE\u05C0\u05C3\u05C6\u05F3-\u060F\u061B-\u061F\u066A-\u066D\u06D4\u06DD-\u06DE'
  '\u06E9\u06FD-\u06FE\u0700-\u070F\u07F6-\u07F9\u07FE-\u07FF\u0830-\u083E\u085E\u0888\u0890-\u0891\u08E2'
  '\u0964-\u0965\u0970\u09F2-\u09FB\u09FD\u0A76\u0AF0-\u0AF1\u0B70\u0BF3-\u0BFA\u0C77-\u0C7F\u0C84\u0D4F\u0D79'
  '\u0DF4\u0E3F\u0E4F\u0E5A-\u0E5B\u0F01-\u0F17\u0F1A-\u0F1F\u0F34\u0F36\u0F38\u0F3A-\u0F3D\u0F85\u0FBE-\u0FC5'
  '\u0FC7-\u0FDA\u104A-\u104F\u109E-\u109F\u10FB\u1360-\u1368\u1390-\u1399\u1400\u166D-\u166E\u1680\u169B-\u169C'
  '\u16EB-\u16ED\u1735-\u1736\u17D4-\u17D6\u17D8-\u17DB\u1800-\u180A\u180E\u1940-\u1945\u19DE-\u19FF\u1A1E-\u1A1F'
  '\u1AA0-\u1AA6\u1AA8-\u1AAD\u1B5A-\u1B6A\u1B74-\u1B7E\u1BFC-\u1BFF\u1C3B-\u1C3F\u1C7E-\u1C7F\u1CC0-\u1CC7\u1CD3'
  '\u1FBD\u1FBF-\u1FC1\u1FCD-\u1FCF\u1FDD-\u1FDF\u1FED-\u1FEF\u1FFD-\u2101\u2103-\u2106\u2108-\u2109\u2114'
  '\u2116-\u2118\u211E-\u2123\u2125\u2127\u2129\u212E\u213A-\u213B\u2140-\u2144\u214A-\u214D\u214F\u218A-\u2BFF'
  '\u2CE5-\u2CEA\u2CF9-\u2CFF\u2D70\u2E00-\u2E2E\u2E30-\u3004\u3008-\u3020\u3030\u3036-\u3037\u303D-\u303F'
  '\u309B-\u309C\u30A0\u30FB\u3190-\u319F\u31C0-\u31E3\u3200-\u33FF\u4DC0-\u4DFF\uA490-\uA4C6\uA4FE-\uA4FF'
  '\uA60D-\uA60F\uA673\uA67E\uA6F2-\uA716\uA720-\uA721\uA789-\uA78A\uA828-\uA82B\uA836-\uA839\uA874-\uA877'
  '\uA8CE-\uA8CF\uA8F8-\uA8FA\uA8FC\uA92E-\uA92F\uA95F\uA9C1-\uA9CD\uA9DE-\uA9DF\uAA5C-\uAA5F\uAA77-\uAA79'
  '\uAADE-\uAADF\uAAF0-\uAAF1\uAB5B\uAB6A-\uAB6B\uABEB\uD800-\uF8FF\uFB29\uFBB2-\uFBC2\uFD3E-\uFD4F\uFDCF-\uFDEF'
  '\uFDFC-\uFDFF\uFE10-\uFE19\uFE30-\uFE6B\uFEFF-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65\uFFE0-\uFFFF'
  '\U0001D000-\U0001D164\U0001F000-\U0001FAFF\U000E0000-\U000E00FF\U000F0000-\U0010FFFF]+', '-', 'g'));
end $$;
comment on function app_hidden.slug_words(text) is $$The words of a text, with single hyphens between them. ASCII letters are in lower case. A valid slug is its own result.$$;
grant execute on function app_hidden.slug_words(text) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.slugify(title text) returns text
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  v_words text := app_hidden.slug_words(normalize(lower(app_hidden.unaccent('app_hidden.unaccent', left(title, 200))), NFC));
begin
  -- A title without letters and digits, such as an emoji, needs a slug, too.
  return coalesce(nullif(rtrim(case when conventions.bounded_text(v_words, null) then left(v_words, 80) end, '-'), ''), 'post');
end $$;
comment on function app_hidden.slugify(text) is $$The title as lower-case letters and digits of any script, without Latin accents, and hyphens, at most 80 characters: “Crème brûlée!” becomes creme-brulee.$$;
grant execute on function app_hidden.slugify(text) to :API_MEMBER;
--! EndIncluded functions/posts/slugify.sql
--! Included functions/posts/plain_text.sql
-- Each pattern ends at the first character that it cannot hold, so a text of unfinished marks takes linear time. What a backslash protects
-- waits as a private character.
create or replace function app_hidden.plain_text(markdown text) returns text
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  v_text text := markdown;
begin
  if v_text ~ '[]*_~`[<>#=|\\&-]|^ {0,3}\d{1,9}[.)]' then
    if strpos(v_text, '\') > 0 then
      v_text := regexp_replace(v_text, '\\$', '', 'gn');
      for v_place in 1..12 loop
        v_text := replace(v_text, '\' || substr('*_[]<`#\~|&!', v_place, 1), chr(63233 + v_place));
      end loop;
    end if;
    -- Fences of code, headings, quotations, items of lists, rules, definitions of links, rows that divide a table.
    v_text := regexp_replace(v_text, '^[ \t]{0,3}(`{3,}[^`\n]*|~{3,}[^\n]*|=+[ \t]*|[-*_](?:[ \t]*[-*_]){2,}[ \t]*|\[[^]\n]+\]:[ \t]*[^ \t\n]+[^\n]*|\|?[ \t]*:?-+:?[ \t]*\|[-:| \t]*)$', '', 'gn');
    v_text := regexp_replace(v_text, '^[ \t]*(?:>[ \t]?)+', '', 'gn');
    v_text := regexp_replace(v_text, '^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?', '', 'gn');
    v_text := regexp_replace(v_text, '^[ \t]*#{1,6}(?:[ \t]+|$)', '', 'gn');
    v_text := regexp_replace(v_text, '[ \t]+#+[ \t]*$', '', 'gn');
    if strpos(v_text, '<') > 0 then
      v_text := regexp_replace(v_text, '<!--(?:[^-]|-[^-])*-->', ' ', 'g');
      v_text := regexp_replace(v_text, '<(?:script|style)(?:\s[^<>]*)?>(?:[^<]|<[^/])*</(?:script|style)\s*>', ' ', 'gi');
      v_text := regexp_replace(v_text, '<((?:https?|ftp|mailto):[^\s<>]*|[^\s<>@]+@[^\s<>@]+)>', '\1', 'gi');
      v_text := regexp_replace(v_text, '</?(?:p|div|br|hr|li|ul|ol|h[1-6]|tr|td|th|table|blockquote|pre|section|figure|figcaption)(?:[\s/][^<>]*)?>', ' ', 'gi');
      v_text := regexp_replace(v_text, '</?[a-z][a-z0-9-]*(?:[\s/][^<>]*)?>', '', 'gi');
    end if;
    if strpos(v_text, '[') > 0 then
      -- Pictures first: one may be the text of a link.
      v_text := regexp_replace(v_text, '!\[([^][]*)\](?:\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+["''(][^()]*)?\)|\[[^][]*\])', '\1', 'g');
      v_text := regexp_replace(v_text, '\[([^][]*)\](?:\(\s*(?:<[^<>\n]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+["''(][^()]*)?\s*\)|\[[^][]*\])', '\1', 'g');
    end if;
    v_text := regexp_replace(v_text, '`+([^`]+)`+', '\1', 'g');
    if strpos(v_text, '*') > 0 then
      v_text := regexp_replace(v_text, '\*{1,3}([^\s*](?:[^*\n]*[^\s*])?)\*{1,3}', '\1', 'g');
      v_text := regexp_replace(v_text, '\*{1,3}([^\s*](?:[^*\n]*[^\s*])?)\*{1,3}', '\1', 'g');
    end if;
    if strpos(v_text, '_') > 0 then
      v_text := regexp_replace(v_text, '(^|[\s(\[{"''>*~.,;:!?“‘„«¿¡—–-])_{1,3}([^\s_](?:[^\n_]*[^\s_])?)_{1,3}(?![a-zA-Z0-9_\u00C0-\u024F])', '\1\2', 'g');
    end if;
    v_text := regexp_replace(v_text, '~~([^~\n]+)~~', '\1', 'g');
    if strpos(v_text, '&') > 0 then
      v_text := replace(replace(replace(replace(replace(replace(v_text, '&nbsp;', ' '), '&lt;', '<'), '&gt;', '>'), '&quot;', '"'), '&#39;', ''''), '&amp;', '&');
    end if;
    if strpos(markdown, '\') > 0 then
      v_text := translate(v_text, U&'\F702\F703\F704\F705\F706\F707\F708\F709\F70A\F70B\F70C\F70D', '*_[]<`#\~|&!');
    end if;
  end if;
  -- To look whether anything is replaced takes a tenth of the time of replacing each space by a space.
  if v_text ~ '[\t-\r\u001C-\u001F\u0080-\uFFFF]|  ' then
    v_text := regexp_replace(v_text, '[\s\u0085\u00A0\u2028\u2029]+', ' ', 'g');
  end if;
  return btrim(v_text, ' ');
end $$;
comment on function app_hidden.plain_text(text) is $$A text without the marks of CommonMark and HTML: of links and pictures their text, of code its lines. White space is one space.$$;
grant execute on function app_hidden.plain_text(text) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.posts_plain_text(posts app_public.posts) returns text
language sql stable cost 1000 as $$
  select app_hidden.plain_text(posts.content)
$$;
comment on function app_public.posts_plain_text(app_public.posts) is $$@notNull
The content without the marks of Markdown and HTML, in one line: for previews, feeds and search engines.$$;
grant execute on function app_public.posts_plain_text(app_public.posts) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts/plain_text.sql
--! Included functions/conventions/search_form.sql
-- Tables, because lower() depends on the database's locale, and the rules of unaccent on the version of PostgreSQL: an index of forms has to
-- outlive both. Marks of Indic scripts, kana and Thai are letters; those of Latin, Greek, Cyrillic, Hebrew and Arabic are accents.
-- What cannot be seen goes after the last normalize(): without it, runs of marks could join, and normalize() is quadratic in them.
create or replace function conventions.search_letters(given text, keeps_accents boolean default false) returns text
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  v_text text := given;
  v_emoji text;
begin
  if octet_length(given) > char_length(given) then
    if not conventions.bounded_text(given, null) then
      return '';
    end if;
    v_text := left(normalize(translate(given, '’‘‛ʼʻ‵′´ʹʾʿ׳״™®©℠…‐‑−–·־֊‧', '''''''''''''''''''''''''''     --------'), NFKD), 180000);
    if not keeps_accents then
      v_text := regexp_replace(v_text, '[\u0300-\u036F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u064B-\u065F\u0670\u06D6-\u06DC'
        '\u06DF-\u06E8\u06EA-\u06ED\u0711\u0730-\u074A\u093C\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]+', '', 'g');
    end if;
    if v_text ~ '[ÆØÞÐĐĦŁŊŒŦƀ-ɏẞ]' then
      v_text := translate(v_text, 'ÆÐØÞĐĦŁŊŒŦƁƂƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƢƤƦƧƩƬƮƱƲƳƵƷƸƼǤǶǷȜȠȢȤȺȻȽȾɁɃɄɅɆɈɊɌɎẞ',
        'æðøþđħłŋœŧɓƃƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵƣƥʀƨʃƭʈʊʋƴƶʒƹƽǥƕƿȝƞȣȥⱥȼƚⱦɂƀʉʌɇɉɋɍɏß');
    end if;
    if v_text ~ '[Ͱ-Ͽ]' then
      v_text := translate(v_text, 'ͰͲͶͿΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩϏς',
        'ͱͳͷϳαβγδεζηθικλμνξοπρστυφχψωϗσ');
    end if;
    if v_text ~ '[Ѐ-Я\u0460-\u052F]' then
      v_text := translate(v_text, 'ЂЄЅІЈЉЊЋЏАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯѠѢѤѦѨѪѬѮѰѲѴѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӃӅӇӉӋӍ'
        'ӔӘӠӨӶӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬԮ',
        'ђєѕіјљњћџабвгдежзиклмнопрстуфхцчшщъыьэюяѡѣѥѧѩѫѭѯѱѳѵѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏӄӆӈӊӌӎ'
        'ӕәӡөӷӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧԩԫԭԯ');
    end if;
    if v_text ~ '[Ա-Ֆ]' then
      v_text := translate(v_text, 'ԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖ',
        'աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ');
    end if;
    if v_text ~ '[Ა-Ჿ]' then
      v_text := translate(v_text, 'ᲐᲑᲒᲓᲔᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤᲥᲦᲧᲨᲩᲪᲫᲬᲭᲮᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿ',
        'აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰჱჲჳჴჵჶჷჸჹჺჽჾჿ');
    end if;
    if not keeps_accents then
      -- Letters that Unicode does not decompose, and what writers of Arabic, Persian and Hindi use alike.
      v_text := translate(v_text, 'øłđħŧıðƀɓƈɖɗǝəɛƒɠɣǥɨɩƙƚɲŋɵɔƥɍƭʈʉʋƴƶʒĸɇɉȼⱥⱦґғқңҝүұҳҷөӏىةکیےٱەँ',
                                  'oldhtidbbcddeeefgggiiklnnooprttuvyzzkejcatггкнкуухчоіيهكيياهं');
      if v_text ~ '[ßæœþ]' then
        v_text := replace(replace(replace(replace(v_text, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
      end if;
    end if;
    v_text := normalize(translate(v_text, '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९০১২৩৪৫৬৭৮৯', '0123456789012345678901234567890123456789'), NFC);
    v_text := regexp_replace(v_text, '[\u00AD\u034F\u0640\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164'
      '\uFE00-\uFE0F\uFEFF\uFFA0\uFFF9-\uFFFB\U0001F3FB-\U0001F3FF\U000E0000-\U000E0FFF]+', '', 'g');
    -- As words of letters, because a text search parser reads no symbols.
    if v_text ~ '[\u231A-\u23FF\u2600-\u27BF\u2B00-\u2BFF\U0001F000-\U0001FAFF]' then
      for v_emoji in
        select distinct emoji[1] from regexp_matches(v_text, '[\u231A-\u23FF\u2600-\u27BF\u2B00-\u2BFF\U0001F000-\U0001FAFF]', 'g') as emoji limit 40
      loop
        v_text := replace(v_text, v_emoji, ' emoji' || to_hex(ascii(v_emoji)) || ' ');
      end loop;
    end if;
  end if;
  v_text := lower(v_text collate "C");
  if strpos(v_text, '+') > 0 or strpos(v_text, '#') > 0 then
    v_text := regexp_replace(replace(v_text, '++', 'plusplus'), '(^|[^a-z0-9])([a-z])#(?![a-z0-9])', '\1\2sharp', 'g');
  end if;
  return v_text;
end $$;
comment on function conventions.search_letters(text, boolean) is $$The letters of a text as the search compares them: in lower case, in compatible form (NFKC), without what cannot be seen, and without accents unless keeps_accents. Punctuation stays. The first 180,000 characters.$$;
grant execute on function conventions.search_letters(text, boolean) to :API_ANONYMOUS, :API_MEMBER;

-- Each character of a script without spaces is doubled, the first of each run goes, and each two are a word.
create or replace function conventions.search_words(letters text) returns text
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  v_text text := replace(app_hidden.slug_words(replace(letters, '''', '')), '-', ' ');
begin
  if octet_length(v_text) = char_length(v_text) or v_text !~ ('[' || conventions.unspaced_scripts() || ']') then
    return v_text;
  end if;
  v_text := regexp_replace(v_text, '([' || conventions.unspaced_scripts() || '])(?=[^ ' || conventions.unspaced_scripts() || '])', '\1 ', 'g');
  v_text := regexp_replace(v_text, '([' || conventions.unspaced_scripts() || '])', '\1\1', 'g');
  v_text := regexp_replace(v_text, '(^|[^' || conventions.unspaced_scripts() || '])[' || conventions.unspaced_scripts() || ']', '\1 ', 'g');
  v_text := regexp_replace(v_text, '([' || conventions.unspaced_scripts() || '][' || conventions.unspaced_scripts() || '])', '\1 ', 'g');
  return btrim(regexp_replace(v_text, ' {2,}', ' ', 'g'));
end $$;
comment on function conventions.search_words(text) is $$The words of what conventions.search_letters() returns, with a space between two. Of a script without spaces, each character with the next one is a word, and the last one alone.$$;
grant execute on function conventions.search_words(text) to :API_ANONYMOUS, :API_MEMBER;

create or replace function conventions.unspaced_scripts() returns text
language sql immutable parallel safe
return '\u0E01-\u0EFF\u1000-\u109F\u1780-\u17DD\u2E80-\u2FDF\u3005-\u3007\u3041-\u309F\u30A1-\u30FF\u31F0-\u31FF\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\U00020000-\U0003FFFF';
comment on function conventions.unspaced_scripts() is $$The characters of scripts without spaces between words, for a bracket expression: Han, kana, Thai, Lao, Khmer, Burmese.$$;
grant execute on function conventions.unspaced_scripts() to :API_ANONYMOUS, :API_MEMBER;

create or replace function conventions.search_form(given text) returns text
language sql immutable strict parallel safe
return conventions.search_words(conventions.search_letters(given));
comment on function conventions.search_form(text) is $$The form by which a text is found: “Anne-Marie O’Neil, Tromsø” is “anne marie oneil tromso”, “東京都” is “東京 京都 都”. In any database and version of PostgreSQL the same.$$;
grant execute on function conventions.search_form(text) to :API_ANONYMOUS, :API_MEMBER;

-- The joints are those after which people may or may not write a space.
create or replace function conventions.search_compounds(letters text) returns text
language plpgsql immutable parallel safe strict set search_path = pg_catalog, pg_temp as $$
begin
  if letters !~ '[a-z0-9\u0080-\U0010FFFF][-_.&'',][a-z0-9\u0080-\U0010FFFF]' then
    return '';
  end if;
  return (select conventions.search_words(coalesce(string_agg(translate(word[1], '-_.&,''', '') || case when word[1] ~ '''' then ' ' || replace(word[1], '''', ' ') else '' end, ' '), ''))
            from regexp_matches(letters, '[0-9]+(?:,[0-9]{3})+|[a-z0-9\u0080-\U0010FFFF]+(?:[-_.&''][a-z0-9\u0080-\U0010FFFF]+)+', 'g') as word where char_length(word[1]) <= 60);
end $$;
comment on function conventions.search_compounds(text) is $$Further words of what conventions.search_letters() returns: those of a compound in one, and what an apostrophe divides. “anne-marie o'neil” has annemarie, oneil, o and neil.$$;
grant execute on function conventions.search_compounds(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/conventions/search_form.sql
--! Included functions/search/post_words.sql
create or replace function app_hidden.html_text(given text) returns text
language sql immutable parallel safe
return replace(replace(replace(replace(replace(given, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'), '''', '&#39;');
comment on function app_hidden.html_text(text) is $$The text in HTML: no character of it is markup.$$;
grant execute on function app_hidden.html_text(text) to :API_ANONYMOUS, :API_MEMBER;

-- The number grows with the rules of conventions.search_letters(), so that maintenance finds all words anew.
create or replace function app_hidden.word_form() returns text
language sql stable parallel safe
return app_hidden.search_language()::text || ' 2';
comment on function app_hidden.word_form() is $$The language of the search and the number of its form: how the words of a post were found.$$;

-- A word is with exact as it is written, with folded in another form. What is written otherwise than its form is a further word.
-- A word of more than 2,046 bytes is left out, with a notice that nobody needs.
create or replace function app_hidden.weighed_words(text text, exact "char", folded "char") returns tsvector
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp set client_min_messages = 'warning' as $$
declare
  v_letters text := conventions.search_letters(text);
  v_exact_letters text := conventions.search_letters(text, keeps_accents => true);
  v_words tsvector := to_tsvector(app_hidden.search_language(), left(conventions.search_words(v_letters), 180000));
  v_compounds tsvector := setweight(to_tsvector(app_hidden.search_language(), conventions.search_compounds(v_letters)), folded);
  v_exact tsvector;
begin
  if v_letters = v_exact_letters then
    return setweight(v_words, exact) || v_compounds;
  end if;
  v_exact := to_tsvector(app_hidden.search_language(), left(conventions.search_words(v_exact_letters), 180000));
  return setweight(setweight(v_words, folded), exact, tsvector_to_array(v_exact)) || v_compounds
      || setweight(ts_delete(v_exact, tsvector_to_array(v_words)), exact);
end $$;
comment on function app_hidden.weighed_words(text, "char", "char") is $$The words of a text in the search form, with a weight for those that are written so and one for all others.$$;
grant execute on function app_hidden.weighed_words(text, "char", "char") to :API_ANONYMOUS, :API_MEMBER;

-- A headline counts more than the text: A and B are its words, C and D those of the content.
create or replace function app_hidden.words_in(title text, content text) returns tsvector
language sql stable parallel safe
return app_hidden.weighed_words(title, 'A', 'B') || app_hidden.weighed_words(app_hidden.plain_text(content), 'C', 'D');
comment on function app_hidden.words_in(text, text) is $$The words of a post, as the search finds them.$$;

-- Two words are similar if they are equal without one letter of either, or of both: a letter is missing, too many, another one, or two have
-- changed places. An index of these finds similar words by equality, so PostgreSQL looks at no other row. The first letter of a short word stays.
--
-- In PL/pgSQL, which plans once in a session: PostgreSQL 15 to 17 plan a function in SQL for each statement.
create or replace function app_hidden.similar_words(word text) returns text[]
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  v_words text[] := array[word];
begin
  if char_length(word) between 4 and 30 and (octet_length(word) = char_length(word) or word !~ ('[' || conventions.unspaced_scripts() || ']')) then
    for v_place in case when char_length(word) < 6 then 2 else 1 end .. char_length(word) loop
      v_words := v_words || (left(word, v_place - 1) || substr(word, v_place + 1));
    end loop;
  end if;
  return v_words;
end $$;
comment on function app_hidden.similar_words(text) is $$The word, and the word without each of its letters.$$;

create or replace function app_hidden.title_words(form text) returns tsvector
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  return array_to_tsvector(array(select distinct variant from string_to_table(form, ' ') as word, unnest(app_hidden.similar_words(word)) as variant where variant <> ''));
end $$;
comment on function app_hidden.title_words(text) is $$The words of a title in the search form, and the words that are similar.$$;

-- The four longest words: each has some twenty places in the index. A long word may also end in another way.
create or replace function app_hidden.similar_query(form text) returns tsquery
language sql immutable parallel safe
return (
  select string_agg('(' || variants || ')', ' & ')::tsquery
    from (select (select string_agg(quote_literal(w), ' | ') from unnest(app_hidden.similar_words(word)) as w)
              || case when char_length(word) >= 6 then ' | ' || quote_literal(left(word, ceil(char_length(word) * 0.7)::int)) || ':*' else '' end as variants
            from (select distinct word, char_length(word) as length from string_to_table(form, ' ') as word
                   where char_length(word) > 2 or word ~ ('^[' || conventions.unspaced_scripts() || ']{2}$')
                   order by length desc, word limit 4) as words) as words);
comment on function app_hidden.similar_query(text) is $$Finds titles with words that are similar to the longest of these, or begin alike. Null without a word of three letters.$$;

-- Security definer: nobody may write words. A post without words, which index_posts() has not reached, gets none here: index_posts() goes
-- on below the lowest post that has words. Without enable_seqscan, a plan from when one of the parts was small would read all of it for each post.
create or replace function app_hidden.tg_posts__find_words() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
declare
  v_title text;
begin
  if tg_op = 'INSERT' then
    v_title := conventions.search_form(new.title);
    insert into app_private.post_words (post_id, author_id, is_public, listed_at, title, title_words, words, language)
    values (new.id, new.author_id, new.is_public, new.listed_at, v_title, app_hidden.title_words(v_title), app_hidden.words_in(new.title, new.content),
            app_hidden.word_form());
  elsif (new.title, new.content) is distinct from (old.title, old.content) then
    v_title := conventions.search_form(new.title);
    update app_private.post_words
       set author_id = new.author_id, is_public = new.is_public, listed_at = new.listed_at, title = v_title, title_words = app_hidden.title_words(v_title),
           words = app_hidden.words_in(new.title, new.content), language = app_hidden.word_form()
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
  v_form text := app_hidden.word_form();
  v_lowest bigint := (select coalesce(min(post_id), 9223372036854775807) from app_private.post_words);
  v_post app_public.posts;
begin
  rows := 0;
  is_complete := false;
  -- A lock on each post, so that nobody changes it meanwhile.
  for v_post in select * from app_public.posts where id < v_lowest order by id desc limit batch for share loop
    insert into app_private.post_words (post_id, author_id, is_public, listed_at, title, title_words, words, language)
    select v_post.id, v_post.author_id, v_post.is_public, v_post.listed_at, title, app_hidden.title_words(title),
           app_hidden.words_in(v_post.title, v_post.content), v_form
      from conventions.search_form(v_post.title) as title;
    rows := rows + 1;
    if rows = batch or clock_timestamp() > v_until then
      return;
    end if;
  end loop;
  for v_post in
    select posts.*
      from (select former.post_id from app_private.post_words former where former.language < v_form
             union all
            select former.post_id from app_private.post_words former where former.language > v_form) as former
      join app_public.posts on posts.id = former.post_id
     limit batch for no key update of posts skip locked
  loop
    update app_private.post_words set title = form, title_words = app_hidden.title_words(form),
           words = app_hidden.words_in(v_post.title, v_post.content), language = v_form
      from conventions.search_form(v_post.title) as form
     where post_id = v_post.id;
    rows := rows + 1;
    if rows = batch or clock_timestamp() > v_until then
      return;
    end if;
  end loop;
  is_complete := true;
end $$;
comment on function app_private.index_posts(int) is $$A job: finds the words of up to batch posts that have none, or those of another language or form. A batch takes about a second at most.$$;
--! EndIncluded functions/search/post_words.sql
