--! Previous: sha1:64ec3ba68209b99d87166242ccd13229ee7f9544
--! Hash: sha1:431829c0bd5049a1a97990547c397c5d18fa1f42
--! Message: writes in bulk

--! split: 100-writes-in-bulk.sql

-- allow: change-behaviour:conventions.tg__record_changes because it returns the same, sooner
-- allow: change-behaviour:app_hidden.slug_words because it returns the same, sooner
-- allow: change-behaviour:app_hidden.plain_text because it returns the same, sooner
-- allow: change-behaviour:app_hidden.similar_words because it returns the same, sooner
-- allow: change-behaviour:app_hidden.title_words because it returns the same, sooner
-- allow: change-behaviour:conventions.search_compounds because it returns the same, sooner
-- Writes of many rows, and posts, take less time. What is written, counted and found is the same.
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

-- Each pattern ends at the first character that it cannot hold, so a text of unfinished marks takes linear time. What a backslash precedes
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
create or replace function app_hidden.title_words(form text) returns tsvector
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  return array_to_tsvector(array(select distinct variant from string_to_table(form, ' ') as word, unnest(app_hidden.similar_words(word)) as variant where variant <> ''));
end $$;
create or replace function conventions.search_compounds(letters text) returns text
language plpgsql immutable parallel safe strict set search_path = pg_catalog, pg_temp as $$
begin
  if letters !~ '[a-z0-9\u0080-\U0010FFFF][-_.&'',][a-z0-9\u0080-\U0010FFFF]' then
    return '';
  end if;
  return (select conventions.search_words(coalesce(string_agg(translate(word[1], '-_.&,''', '') || case when word[1] ~ '''' then ' ' || replace(word[1], '''', ' ') else '' end, ' '), ''))
            from regexp_matches(letters, '[0-9]+(?:,[0-9]{3})+|[a-z0-9\u0080-\U0010FFFF]+(?:[-_.&''][a-z0-9\u0080-\U0010FFFF]+)+', 'g') as word where char_length(word[1]) <= 60);
end $$;
