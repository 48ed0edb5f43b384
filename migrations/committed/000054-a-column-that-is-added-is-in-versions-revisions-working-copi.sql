--! Previous: sha1:30278a9dd927a16d0e0f746ead2363f2cae7730c
--! Hash: sha1:7096b664507742479947b071251b50e35e53fc5d
--! Message: a column that is added is in versions, revisions, working copies and the search

--! split: 800-columns.sql

-- allow: change-behaviour:conventions.derived_columns because the functions read from the catalogue what they named by hand
-- allow: change-behaviour:conventions.allow_writing because the functions read from the catalogue what they named by hand
-- allow: change-behaviour:app_hidden.keep_revision because the functions read from the catalogue what they named by hand
-- allow: change-behaviour:app_public.restore_revision because the functions read from the catalogue what they named by hand
-- allow: change-behaviour:app_public.create_comment because the functions read from the catalogue what they named by hand
-- allow: change-behaviour:app_hidden.tg_posts__prepare because the functions read from the catalogue what they named by hand
-- allow: change-behaviour:app_private.index_posts because the functions read from the catalogue what they named by hand
-- allow: change-behaviour:app_hidden.tg_posts__find_words because the functions read from the catalogue what they named by hand
-- allow: change-behaviour:app_private.repair_derived_data because the functions read from the catalogue what they named by hand
-- allow: change-behaviour:app_private.problems because the functions read from the catalogue what they named by hand
-- allow: change-behaviour:app_public.search_result_fragments_html because the functions read from the catalogue what they named by hand
-- allow: change-behaviour:app_public.save_working_copy because the functions read from the catalogue what they named by hand
-- allow: change-behaviour:app_hidden.preview_of because the functions read from the catalogue what they named by hand
-- allow: change-behaviour:app_private.check_derived_data because the functions read from the catalogue what they named by hand
-- allow: change-behaviour:app_hidden.word_form because the functions read from the catalogue what they named by hand
-- allow: definer-function:app_hidden.set_post_tags because declarations of columns and the fields of the given row are all that they read more
-- allow: definer-function:app_public.preview because declarations of columns and the fields of the given row are all that they read more
-- allow: definer-function:conventions.kept_names because declarations of columns and the fields of the given row are all that they read more
-- allow: definer-function:conventions.unpack_fields because declarations of columns and the fields of the given row are all that they read more
-- One list of columns, and it is the catalogue: versions, revisions, working copies and the search follow the columns that there are.
create table if not exists conventions.columns (
  relation    regclass not null,
  name        name not null,
  is_derived  boolean not null default false,
  is_kept     boolean not null default true,
  searched_as text,
  number      int not null generated always as identity,
  constraint columns_pkey primary key (relation, name),
  constraint columns_searched_as_check check (searched_as in ('headline', 'text'))
);
comment on table conventions.columns is $$What is said of a column beyond its type: conventions.derived(), not_kept() and searchable().$$;
comment on column conventions.columns.relation is $$The table.$$;
comment on column conventions.columns.name is $$The column.$$;
comment on column conventions.columns.is_derived is $$Whether the database computes it.$$;
comment on column conventions.columns.is_kept is $$Whether revisions and working copies have its values.$$;
comment on column conventions.columns.searched_as is $$As what the search finds it: headline, text, or not at all.$$;
comment on column conventions.columns.number is $$The order of the declarations.$$;
comment on constraint columns_searched_as_check on conventions.columns is $$A column is searched as its row’s headline or as text.$$;
alter table conventions.columns enable row level security;

create table if not exists conventions.kept_fields (
  relation      regclass not null,
  of_table      regclass not null,
  input         regtype not null,
  shows_present boolean not null,
  keeper        regproc,
  constraint kept_fields_pkey primary key (relation)
);
comment on table conventions.kept_fields is $$The declarations of conventions.keep_fields(): tables that keep the fields of rows of another one.$$;
comment on column conventions.kept_fields.relation is $$The table that keeps them.$$;
comment on column conventions.kept_fields.of_table is $$The table whose fields they are.$$;
comment on column conventions.kept_fields.input is $$The input type that has them.$$;
comment on column conventions.kept_fields.shows_present is $$Whether a field that a row lacks is that of the present row.$$;
comment on column conventions.kept_fields.keeper is $$The trigger function that keeps a row when one of the fields changes.$$;
alter table conventions.kept_fields enable row level security;

alter table conventions.tables add column if not exists search_form int;
comment on column conventions.tables.search_form is $$The number of what a search finds of the rows, which grows with conventions.searchable(); null where there is no search.$$;
alter table app_public.post_revisions add column if not exists fields jsonb not null default '{}';
comment on column app_public.post_revisions.fields is $$@behavior -*
The other fields of this version: of the columns of posts that this table lacks.$$;
-- A change of posts must not fail here because one of these columns is renamed or dropped there.
alter table app_public.post_revisions alter column title drop not null, alter column excerpt drop not null, alter column content drop not null;
select conventions.add_tag('app_public.post_revisions', '@notNull', on_column => name) from unnest('{title,excerpt,content}'::text[]) as name;
comment on column app_public.posts.updated_at is $$@timestampFormat DATE
The time of the last change of the post or its tags.$$;

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
     where conrelid = relation and contype = 'f' and conname like '%\_inherited\_fkey'
     union all
    select name from conventions.columns c where c.relation = derived_columns.relation and is_derived)
$$;
comment on function conventions.derived_columns(oid) is $$The columns that nobody writes: generated ones, those of conventions.derived(), and copies of another row’s columns. Copies are the columns after the first of a foreign key whose name ends in _inherited_fkey. The audit trail and updated_at ignore them.$$;

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
  -- erase_user() sets it: what it deletes is recorded without values.
  v_omitted text[] := case when current_setting('app.is_erasure', true) = 'on' then '{*}' else tg_argv[1] end;
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
      -- The two transition tables have the versions of a row at the same place, and few rows change their key.
      when not v_is_many and (select bool_and(conventions.row_key(before, v_key) is not distinct from conventions.row_key(after, v_key)) from unnest(v_old, v_new) as v (before, after)) then
        insert into app_public.audit_trail (action, table_name, row_key, changes)
        select 'UPDATE', v_table, conventions.row_key(after, v_key), changes
          from unnest(v_old, v_new) as version (before, after)
         cross join lateral (
               select jsonb_object_agg(key, case when v_omitted && array[key, '*'] then '{}' else jsonb_build_object('old', before -> key, 'new', value) end) as changes
                 from jsonb_each(after) where value <> before -> key and key <> all (v_derived)) as change
         where changes is not null;
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
--! Included functions/conventions/columns.sql
-- What a column means beyond its type. Names, not numbers of columns, because a restore gives other numbers: rename_column() changes them.
create or replace function conventions.declare_column(relation regclass, column_name name) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from pg_attribute where attrelid = relation and attname = column_name and attnum > 0 and not attisdropped) then
    raise exception using errcode = '42703', message = format('%s has no column %s', relation, column_name);
  end if;
  insert into conventions.columns (relation, name) values (declare_column.relation, column_name) on conflict do nothing;
end $$;
comment on function conventions.declare_column(regclass, name) is $$Makes room for what is said of a column.$$;

create or replace function conventions.derived(relation regclass, column_name name, is_derived boolean default true) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  perform conventions.declare_column(relation, column_name);
  update conventions.columns c set is_derived = derived.is_derived where c.relation = derived.relation and c.name = column_name;
  perform conventions.renew_validators(), conventions.renew_columns();
end $$;
comment on function conventions.derived(regclass, name, boolean) is $$Says that the database computes a column, by a trigger or a job: its changes move no version and no updated_at, and are not in the audit trail, revisions and exports. Generated columns and copies of another row’s columns need no call. For DBAs, in a migration.$$;

create or replace function conventions.not_kept(relation regclass, column_name name, is_not_kept boolean default true) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  perform conventions.declare_column(relation, column_name);
  update conventions.columns c set is_kept = not is_not_kept where c.relation = not_kept.relation and c.name = column_name;
  perform conventions.renew_columns();
end $$;
comment on function conventions.not_kept(regclass, name, boolean) is $$Says that revisions and working copies have no value of a column, as of a status. For DBAs, in a migration.$$;

create or replace function conventions.searchable(relation regclass, column_name name, searched_as text default 'text') returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from conventions.tables t where t.relation = searchable.relation and search_form is not null) then
    raise exception using errcode = '0A000', message = format('No search finds rows of %s', relation);
  end if;
  perform conventions.declare_column(relation, column_name);
  if not exists (select from pg_attribute join pg_type on pg_type.oid = atttypid where attrelid = relation and attname = column_name and typcategory = 'S') then
    raise exception using errcode = '42804', message = format('The column %s of %s is no text', column_name, relation);
  end if;
  update conventions.columns c set searched_as = searchable.searched_as
   where c.relation = searchable.relation and c.name = column_name and c.searched_as is distinct from searchable.searched_as;
  if found then
    -- Another number: maintenance finds the words of all rows anew.
    update conventions.tables t set search_form = search_form + 1 where t.relation = searchable.relation;
    perform conventions.write_searched_texts(relation);
  end if;
end $$;
comment on function conventions.searchable(regclass, name, text) is $$Makes the search find a column of text: as 'text', as 'headline', which counts more, or no more with null. Rows that are written have the words at once; maintenance finds those of all others, in batches. For DBAs, in a migration.$$;

-- A function for each table, written from the declarations: it reads nothing, and PostgreSQL puts its body in the place of a call.
create or replace function conventions.write_searched_texts(relation regclass) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $call$
declare
  v_function regprocedure := to_regprocedure(format('conventions.searched_texts(%s)', relation));
  v_body text := (
    select format(E'-- Written by conventions.renew_columns().\n  select concat_ws(E''\\n'', %s), concat_ws(E''\\n\\n'', %s)',
             coalesce(string_agg(format('version.%I', name), ', ' order by number) filter (where searched_as = 'headline'), 'null'),
             coalesce(string_agg(format('version.%I', name), ', ' order by number) filter (where searched_as = 'text'), 'null'))
      from conventions.columns c where c.relation = write_searched_texts.relation);
begin
  if (select prosrc from pg_proc where oid = v_function) is distinct from v_body then
    execute format('create or replace function conventions.searched_texts(version %s) returns table (headline text, body text)
      language sql stable rows 1 as %L', relation, v_body);
    execute format('comment on function conventions.searched_texts(%s) is %L', relation,
      'The texts of a row that the search finds, by conventions.searchable(): those that count as its headline, and all others.');
    execute format('grant execute on function conventions.searched_texts(%s) to :API_ANONYMOUS, :API_MEMBER', relation);
  end if;
end $call$;
comment on function conventions.write_searched_texts(regclass) is $$Writes the function conventions.searched_texts() of a table.$$;
--! EndIncluded functions/conventions/columns.sql
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
         concat_ws(E'\n', '@fieldName ' || substring(col_description(k.of_table, a.attnum) from '^(?:@[^\n]*\n)*?@name +(\w+)'),
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
  v_name name := (select '_500_' || substring(proname from '__(\w+)$') || '_update' from pg_proc where oid = v_kept.keeper);
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
  values (keep_fields.relation, keep_fields.of_table, keep_fields.input, keep_fields.shows_present, keep_fields.keeper)
  on conflict on constraint kept_fields_pkey do update
    set of_table = excluded.of_table, input = excluded.input, shows_present = excluded.shows_present, keeper = excluded.keeper;
  perform conventions.renew_columns();
end $$;
comment on function conventions.keep_fields(regclass, regclass, regtype, boolean, regproc) is $$Declares that a table with a jsonb column `fields` keeps the fields of the input type of another table. Each is a field of the API. With shows_present, a field that a row lacks is that of the present row. The keeper is a trigger function, called when one of the columns has changed. For DBAs, in a migration.$$;
--! EndIncluded functions/conventions/kept_fields.sql
--! Included functions/conventions/allow_writing.sql
create or replace function conventions.allow_writing(relation regclass, columns text[], on_insert regtype default null, on_update regtype default null) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_wanted record;
begin
  for v_wanted in
    select wanted.name, input.type, input.privilege, attribute.atttypid as accepted_type,
           a.atttypid as column_type, format_type(a.atttypid, a.atttypmod) as definition,
           case when input.privilege = 'insert' and a.attnotnull and not a.atthasdef then '@notNull' end as tag,
           conventions.comment_text(pg_catalog.col_description(relation, a.attnum)) as description
      from unnest(columns) with ordinality as wanted (name, ordinality)
     cross join (values (on_insert, 'insert'), (on_update, 'update')) as input (type, privilege)
      left join pg_catalog.pg_attribute a on a.attrelid = relation and a.attname = wanted.name and a.attnum > 0
      left join pg_catalog.pg_type t on t.oid = input.type
      left join pg_catalog.pg_attribute attribute on attribute.attrelid = t.typrelid and attribute.attname = wanted.name
     where input.type is not null
     order by wanted.ordinality
  loop
    if v_wanted.column_type is null then
      raise exception using errcode = '42703', message = format('%s has no column %s', relation, v_wanted.name);
    end if;
    if v_wanted.accepted_type is null then
      execute format('alter type %s add attribute %I %s', v_wanted.type, v_wanted.name, v_wanted.definition);
    elsif v_wanted.accepted_type <> v_wanted.column_type then
      raise exception using errcode = '42804', message = format('%s of %s is not of the type of its column in %s', v_wanted.name, v_wanted.type, relation);
    end if;
    execute format('comment on column %s.%I is %L', v_wanted.type, v_wanted.name, concat_ws(E'\n', v_wanted.tag, v_wanted.description));
    execute format('grant %s (%I) on %s to :API_MEMBER', v_wanted.privilege, v_wanted.name, relation);
  end loop;
  perform conventions.write_validator(t.relation) from conventions.tables t where t.relation = allow_writing.relation and is_validated;
  perform conventions.renew_columns();
end $$;
comment on function conventions.allow_writing(regclass, text[], regtype, regtype) is $$Lets members write these columns through functions with these input types: adds the columns to the types, with their comments, and grants insert or update. In the type of an insert, a column that is not null and has no default is required. For DBAs, in a migration.$$;
--! EndIncluded functions/conventions/allow_writing.sql
update conventions.tables set is_touched = true, search_form = coalesce(search_form, 2) where relation = 'app_public.posts'::regclass;
insert into conventions.columns (relation, name, is_kept, searched_as) values
  ('app_public.posts', 'title', true, 'headline'), ('app_public.posts', 'content', true, 'text'),
  ('app_public.posts', 'status', false, null), ('app_public.posts', 'publish_at', false, null)
on conflict do nothing;

select conventions.write_searched_texts('app_public.posts');

--! Included functions/posts/tg_posts__prepare.sql
create or replace function app_hidden.tg_posts__prepare() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_is_new boolean := tg_op = 'INSERT';
  v_is_scheduled_now boolean := v_is_new or new.publish_at is distinct from old.publish_at;
begin
  -- trash_post() writes the row of the trash first, and nobody else may.
  if new.status = 'TRASHED' and (v_is_new or old.status <> 'TRASHED') then
    if not exists (select from app_public.trashed_posts where trashed_posts.id = new.id) then
      perform conventions.raise_validation_errors(jsonb_build_array(jsonb_build_object('column', 'status',
        'code', 'USE_DELETE_POST', 'message', 'A post is moved to the trash by deletePost.')));
    end if;
  end if;

  if (new.status = 'PUBLISHED' or new.publish_at is not null) and row_security_active('app_public.posts') then
    if not app_hidden.viewer_may('PUBLISH') then
      perform app_hidden.refuse_unauthorized('MAY_NOT_PUBLISH',
        'Your role may not publish, and changes no published post. Submit the post, with the status SUBMITTED; of a published one, save a working copy.');
    end if;
  end if;

  -- The slug and the excerpt are made of the texts as they will be stored.
  new.title := conventions.normal_text(new.title, 200, true);
  new.excerpt := conventions.normal_text(new.excerpt, 200);
  new.content := conventions.normal_text(new.content, 100000);

  -- A generated excerpt follows the content; until 2026, it was the beginning with its marks. An excerpt that the author wrote stays, until the author writes a blank one.
  if new.excerpt is null or new.excerpt !~ '\S'
     or (not v_is_new and new.excerpt = old.excerpt and old.excerpt in (app_hidden.made_excerpt(old.content), app_hidden.start_of(old.content))) then
    new.excerpt := coalesce(app_hidden.made_excerpt(new.content), '');
  end if;

  if new.publish_at <= now() then
    -- Due since then, also if it is published later. Nobody can publish a post in the past.
    if new.status <> 'PUBLISHED' and not v_is_scheduled_now then
      new.published_at := new.publish_at;
    end if;
    new.status := 'PUBLISHED';
    new.publish_at := null;
  elsif new.status = 'PUBLISHED' and not v_is_scheduled_now then
    new.publish_at := null;
  end if;

  if v_is_new then
    new.slug := coalesce(new.slug, app_hidden.free_slug(new));
  elsif old.status = 'TRASHED' and new.status <> 'TRASHED' and new.slug = old.slug then
    new.slug := app_hidden.slug_after_trash(new);
  -- The slug stays after the first publication, because readers may have a link.
  elsif old.first_published_at is not null and 'TRASHED' not in (old.status, new.status) then
    new.slug := old.slug;
  -- A slug that was written in SQL stays as well. A generated slug of a draft ends in the id.
  elsif new.slug = old.slug and old.slug ~ ('-' || old.id || '$')
        and (new.status = 'PUBLISHED' or new.title <> old.title) then
    new.slug := app_hidden.free_slug(new);
  end if;

  new.queue := case when new.status = 'SUBMITTED' then 1 end;

  -- Only PUBLISHED is named, so that a status added later is as private as a draft.
  if new.status <> 'PUBLISHED' then
    new.published_at := null;
  elsif v_is_new or old.status <> 'PUBLISHED' then
    new.published_at := coalesce(new.published_at, now());
  end if;
  new.first_published_at := case when v_is_new then coalesce(new.first_published_at, new.published_at)
                                 else coalesce(old.first_published_at, new.published_at) end;
  return new;
end $$;
comment on function app_hidden.tg_posts__prepare() is $$Before a post is written: sets slug, excerpt and times, for the API and SQL alike.$$;
--! EndIncluded functions/posts/tg_posts__prepare.sql
--! Included functions/posts/keep_revision.sql
-- Keeps a post as it was before a transaction that changes it. Further changes of the same transaction keep nothing more. A transaction id alone
-- could return after a restore from a dump.
--
-- Without enable_seqscan, a connection that planned this while there were few revisions would read all of them for each post.
create or replace function app_hidden.keep_revision(post app_public.posts) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
begin
  if exists (
    select from (select transaction_id, replaced_at from app_public.post_revisions where post_id = post.id order by id desc limit 1) as newest
     where transaction_id = pg_current_xact_id()::text::bigint and replaced_at = now()
  ) then
    return;
  end if;
  perform app_hidden.insert_row(null::app_public.post_revisions, conventions.pack_fields('app_public.post_revisions', to_jsonb(post)) || jsonb_build_object(
    'post_id', post.id, 'written_at', post.updated_at,
    'tags', array(select tags.name from app_public.post_tags join app_public.tags on tags.id = tag_id where post_id = post.id order by position)));
  -- Beyond 100, the one goes that is the nearest to the one before it, for its age: of the last minutes nearly all stay, of older times fewer
  -- and fewer. The oldest has none before it, and stays.
  delete from app_public.post_revisions where id = (
    select id from (
      select id, count(*) over () as revisions, replaced_at, lag(replaced_at) over (order by id) as former
        from app_public.post_revisions where post_id = post.id) as kept
     where revisions > 100
     order by extract(epoch from replaced_at - former) / extract(epoch from now() - replaced_at + interval '1 s'), id limit 1);
end $$;
comment on function app_hidden.keep_revision(app_public.posts) is $$Keeps the fields and tags of a post as a revision, before they change. 100 revisions of a post stay, of older times fewer than of the last minutes.$$;

-- Security definer: nobody writes revisions but by changing posts.
create or replace function app_hidden.tg_posts__keep_revision() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app_hidden.keep_revision(old);
  return null;
end $$;
comment on function app_hidden.tg_posts__keep_revision() is $$After the fields of a post change: keeps the former ones. Tags change later, by set_post_tags().$$;
--! EndIncluded functions/posts/keep_revision.sql
--! Included functions/posts/restore_revision.sql
create or replace function app_public.restore_revision(id bigint, if_version text default null) returns app_public.posts
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_revision app_public.post_revisions;
  v_fields jsonb;
  v_post app_public.posts;
begin
  select * into v_revision from app_public.post_revisions where post_revisions.id = restore_revision.id;
  if not found then
    perform app_hidden.refuse_missing('revision');
  end if;
  perform app_hidden.require_unchanged('app_public.posts', v_revision.post_id, restore_revision.if_version);
  v_fields := conventions.unpack_fields('app_public.post_revisions', to_jsonb(v_revision));
  v_post := app_hidden.update_row(v_post, v_revision.post_id,
    v_fields || jsonb_build_object('cleared', array(select key from jsonb_each(v_fields) where value = 'null')), 'post');
  perform app_hidden.set_post_tags(v_post.id, v_revision.tags, keeps_revision => true);
  select * into v_post from app_public.posts where posts.id = v_post.id;
  return v_post;
end $$;
comment on function app_public.restore_revision(bigint, text) is $$@describe id The revision to restore.
@describe if_version The version as you have read it. If the post has changed since: CONFLICT.
Gives a post of yours the fields and tags of a revision. What they replace becomes a revision.$$;
grant execute on function app_public.restore_revision(bigint, text) to :API_MEMBER;
--! EndIncluded functions/posts/restore_revision.sql
--! Included functions/working_copies/save_working_copy.sql
-- Writers of a post take turns. A post that the viewer may not change is not locked.
create or replace function app_hidden.lock_own_post(id bigint) returns app_public.posts
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_post app_public.posts;
begin
  select * into v_post from app_public.posts where posts.id = lock_own_post.id for no key update;
  if not found then
    perform app_hidden.require_row('app_public.posts', lock_own_post.id, 'post');
    perform app_hidden.refuse_unauthorized();
  end if;
  return v_post;
end $$;
comment on function app_hidden.lock_own_post(bigint) is $$Locks and returns a post that the viewer may change. Refuses another one with UNAUTHORIZED, and with NOT_FOUND what the viewer does not see.$$;
grant execute on function app_hidden.lock_own_post(bigint) to :API_MEMBER;

create or replace function app_public.save_working_copy(post_id bigint, input app_public.update_post_input, if_version text default null)
returns app_public.working_copies
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_post app_public.posts := app_hidden.lock_own_post(save_working_copy.post_id);
  v_copy app_public.working_copies;
  v_fields jsonb;
  v_errors jsonb;
begin
  select * into v_copy from app_public.working_copies w where w.post_id = v_post.id;
  if app_hidden.version_of(v_copy.updated_at) is distinct from save_working_copy.if_version and save_working_copy.if_version is not null then
    raise exception using errcode = 'CHNGD', message = 'The row has changed', detail = app_hidden.version_of(v_copy.updated_at);
  end if;
  v_fields := coalesce(v_copy.fields, '{}') || conventions.without_nulls(to_jsonb(input) - 'cleared')
    || coalesce((select jsonb_object_agg(key, null) from unnest(input.cleared) as key), '{}');
  select coalesce(jsonb_agg(jsonb_build_object('column', key, 'code', 'NOT_IN_WORKING_COPY',
           'message', 'A working copy does not keep this. Publish it, or change the post.')), '[]')
    into v_errors from jsonb_object_keys(v_fields) as key where key <> all (conventions.kept_names('app_public.working_copies') || 'tags'::text);
  v_errors := v_errors || conventions.validation_errors('app_public.posts',
      to_jsonb(v_post) || conventions.unpack_fields('app_public.working_copies', jsonb_build_object('fields', conventions.without_nulls(v_fields))))
    || app_hidden.tag_errors(array(select jsonb_array_elements_text(nullif(v_fields -> 'tags', 'null'))));
  if v_errors <> '[]' then
    perform conventions.raise_validation_errors(v_errors);
  end if;
  if input.tags is not null then
    v_fields := v_fields || jsonb_build_object('tags', app_hidden.tag_names(input.tags));
  end if;
  insert into app_public.working_copies as w (post_id, fields) values (v_post.id, v_fields)
  on conflict on constraint working_copies_post_id_key do update set fields = excluded.fields
  returning * into v_copy;
  return v_copy;
end $$;
comment on function app_public.save_working_copy(bigint, app_public.update_post_input, text) is $$@errorCode NOT_IN_WORKING_COPY A working copy has no status and no publishAt.
@describe post_id The post.
@describe if_version The version of the working copy as you have read it. If it has changed since: CONFLICT.
Keeps changes of a post of yours that readers do not see yet. A missing field stays as it is in the working copy, or in the post. Published by publishWorkingCopy.$$;
grant execute on function app_public.save_working_copy(bigint, app_public.update_post_input, text) to :API_MEMBER;

create or replace function app_public.publish_working_copy(post_id bigint, if_version text default null) returns app_public.posts
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_post app_public.posts := app_hidden.lock_own_post(publish_working_copy.post_id);
  v_copy app_public.working_copies;
begin
  delete from app_public.working_copies w where w.post_id = v_post.id returning * into v_copy;
  if not found then
    perform app_hidden.refuse_missing('working copy');
  end if;
  v_post := app_public.update_post(v_post.id, jsonb_populate_record(null::app_public.update_post_input,
    v_copy.fields || jsonb_build_object('cleared', array(select key from jsonb_each(v_copy.fields) where value = 'null'))), publish_working_copy.if_version);
  return v_post;
end $$;
comment on function app_public.publish_working_copy(bigint, text) is $$@describe post_id The post.
@describe if_version The version of the post as you have read it. If the post has changed since: CONFLICT.
Gives a post of yours what its working copy has, which is gone then.$$;
grant execute on function app_public.publish_working_copy(bigint, text) to :API_MEMBER;

create or replace function app_public.discard_working_copy(post_id bigint) returns app_public.posts
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_post app_public.posts := app_hidden.lock_own_post(discard_working_copy.post_id);
begin
  delete from app_public.working_copies w where w.post_id = v_post.id;
  return v_post;
end $$;
comment on function app_public.discard_working_copy(bigint) is $$@describe post_id The post.
Forgets the working copy of a post of yours. Idempotent.$$;
grant execute on function app_public.discard_working_copy(bigint) to :API_MEMBER;
--! EndIncluded functions/working_copies/save_working_copy.sql
--! Included functions/working_copies/working_copies_tags.sql
-- Fields that are columns of posts have functions that conventions.renew_columns() writes.
create or replace function app_public.working_copies_tags(working_copies app_public.working_copies) returns text[]
language sql stable as $$
  select case when working_copies.fields ? 'tags'
              then array(select name from jsonb_array_elements_text(nullif(working_copies.fields -> 'tags', 'null')) with ordinality as tag (name, place) order by place)
              else array(select tags.name from app_public.post_tags join app_public.tags on tags.id = tag_id
                          where post_tags.post_id = working_copies.post_id order by position) end
$$;
comment on function app_public.working_copies_tags(app_public.working_copies) is E'@notNull\nThe names of the tags, in their order.';
grant execute on function app_public.working_copies_tags(app_public.working_copies) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.working_copies_version(working_copies app_public.working_copies) returns text
language sql stable as $$
  select app_hidden.version_of(working_copies.updated_at)
$$;
comment on function app_public.working_copies_version(app_public.working_copies) is E'@notNull\nThe version of the working copy, for ifVersion of saveWorkingCopy.';
grant execute on function app_public.working_copies_version(app_public.working_copies) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/working_copies/working_copies_tags.sql
--! Included functions/previews/preview.sql
create or replace function app_hidden.preview_of(preview app_public.previews, post app_public.posts, fields jsonb) returns app_public.preview
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  post := jsonb_populate_record(post, conventions.without_nulls(conventions.unpack_fields('app_public.working_copies', jsonb_build_object('fields', fields))));
  return row(preview.id, post.title, post.content, preview.created_at, preview.expires_at);
end $$;
comment on function app_hidden.preview_of(app_public.previews, app_public.posts, jsonb) is $$A post as it would be published now.$$;
grant execute on function app_hidden.preview_of(app_public.previews, app_public.posts, jsonb) to :API_ANONYMOUS, :API_MEMBER;

-- Security definer: who has the token reads what it shows, and nothing else.
create or replace function app_public.preview(token text) returns app_public.preview
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_preview app_public.preview;
begin
  select (app_hidden.preview_of(v, p, w.fields)).* into v_preview
    from app_public.previews v
    join app_public.posts p on p.id = v.post_id
    left join app_public.working_copies w on w.post_id = p.id
   where token_hash = sha256(convert_to(preview.token, 'UTF8')) and v.expires_at > now() and p.status <> 'TRASHED';
  if not found then
    perform app_hidden.refuse_missing('preview');
  end if;
  return v_preview;
end $$;
comment on function app_public.preview(text) is $$@noStore
@describe token The token of createPreview.
A post as it would be published now, for everyone who has a token of createPreview. NOT_FOUND when it has expired, or was withdrawn.$$;
grant execute on function app_public.preview(text) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.posts_previews(posts app_public.posts) returns setof app_public.preview
language sql stable as $$
  select (app_hidden.preview_of(v, posts, w.fields)).*
    from app_public.previews v
    left join app_public.working_copies w on w.post_id = v.post_id
   where v.post_id = posts.id and expires_at > now()
   order by v.id desc
$$;
comment on function app_public.posts_previews(app_public.posts) is $$@notNull items
@behavior -connection
@listOrder id desc
The preview links that show this post, the newest first. For the author and editors; none for others.$$;
grant execute on function app_public.posts_previews(app_public.posts) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/previews/preview.sql
--! Included functions/comments/create_comment.sql
create or replace function app_public.create_comment(input app_public.create_comment_input, idempotency_key text default null)
returns app_public.comments
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_comment app_public.comments;
begin
  if create_comment.idempotency_key is not null then
    v_comment := app_hidden.earlier_result(v_comment, create_comment.idempotency_key, to_jsonb(input));
    if v_comment.id is not null then
      return v_comment;
    end if;
  end if;
  perform app_hidden.require_row('app_public.posts', input.post_id, 'post');
  v_comment := app_hidden.insert_row(v_comment, to_jsonb(input) || jsonb_build_object('author_id', app_hidden.viewer_id()));
  perform app_hidden.keep_result(create_comment.idempotency_key, v_comment.id);
  return v_comment;
exception when insufficient_privilege or foreign_key_violation then
  -- The post may have been hidden or deleted since.
  perform app_hidden.require_row('app_public.posts', input.post_id, 'post');
  raise;
end $$;
comment on function app_public.create_comment(app_public.create_comment_input, text) is $$@errorCode NESTED_REPLY It is a reply itself, to which nobody replies.
@describe idempotency_key Your choice, 1 to 255 characters, such as a UUID. Repeated within a day, the call returns the same comment and creates nothing.
Adds a comment to a post, or a reply to a comment.$$;
grant execute on function app_public.create_comment(app_public.create_comment_input, text) to :API_MEMBER;
--! EndIncluded functions/comments/create_comment.sql
--! Included functions/search/post_words.sql
create or replace function app_hidden.html_text(given text) returns text
language sql immutable parallel safe
return replace(replace(replace(replace(replace(given, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'), '''', '&#39;');
comment on function app_hidden.html_text(text) is $$The text in HTML: no character of it is markup.$$;
grant execute on function app_hidden.html_text(text) to :API_ANONYMOUS, :API_MEMBER;

-- The number grows with conventions.searchable(), and with the rules of conventions.search_letters(), so that maintenance finds all words anew.
create or replace function app_hidden.word_form() returns text
language sql stable parallel safe as $$
  select app_hidden.search_language()::text || ' ' || search_form from conventions.tables where relation = 'app_public.posts'::regclass
$$;
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
declare
  v_words text[] := '{}';
  v_word text;
begin
  foreach v_word in array string_to_array(form, ' ') loop
    v_words := v_words || app_hidden.similar_words(v_word);
  end loop;
  return array_to_tsvector(array_remove(v_words, ''));
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

-- A headline counts more than the text: A and B are its words, C and D those of the rest.
create or replace function app_hidden.words_in(title text, content text) returns tsvector
language sql stable parallel safe
return app_hidden.weighed_words(title, 'A', 'B') || app_hidden.weighed_words(app_hidden.plain_text(content), 'C', 'D');
comment on function app_hidden.words_in(text, text) is $$The words of a headline and of other text, as the search finds them.$$;

create or replace function app_hidden.words_of(post app_public.posts) returns app_private.post_words
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_texts record;
  v_words app_private.post_words;
begin
  -- Among the rows that a search looks at, a post in the trash would take the place of another one.
  select headline, body into v_texts from conventions.searched_texts(post) where post.status <> 'TRASHED';
  v_words.post_id := post.id;
  v_words.author_id := post.author_id;
  v_words.is_public := post.is_public;
  v_words.listed_at := post.listed_at;
  v_words.title := conventions.search_form(coalesce(v_texts.headline, ''));
  v_words.title_words := app_hidden.title_words(v_words.title);
  v_words.words := app_hidden.words_in(coalesce(v_texts.headline, ''), coalesce(v_texts.body, ''));
  v_words.language := app_hidden.word_form();
  return v_words;
end $$;
comment on function app_hidden.words_of(app_public.posts) is $$The words of a post, as the search finds them: its row of app_private.post_words.$$;

-- Security definer: nobody may write words. A post without words, which index_posts() has not reached, gets none here: index_posts() goes
-- on below the lowest post that has words. Without enable_seqscan, a plan from when one of the parts was small would read all of it for each post.
create or replace function app_hidden.tg_posts__find_words() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
declare
  v_words app_private.post_words;
begin
  if tg_op = 'INSERT' then
    v_words := app_hidden.words_of(new);
    insert into app_private.post_words select v_words.*;
  elsif (new.status = 'TRASHED') <> (old.status = 'TRASHED')
     or (select n is distinct from o from conventions.searched_texts(new) as n, conventions.searched_texts(old) as o) then
    v_words := app_hidden.words_of(new);
    update app_private.post_words
       set author_id = v_words.author_id, is_public = v_words.is_public, listed_at = v_words.listed_at, title = v_words.title,
           title_words = v_words.title_words, words = v_words.words, language = v_words.language
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
  v_words app_private.post_words;
begin
  rows := 0;
  is_complete := false;
  -- A lock on each post, so that nobody changes it meanwhile.
  for v_post in select * from app_public.posts where id < v_lowest order by id desc limit batch for share loop
    v_words := app_hidden.words_of(v_post);
    insert into app_private.post_words select v_words.*;
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
    v_words := app_hidden.words_of(v_post);
    update app_private.post_words set title = v_words.title, title_words = v_words.title_words, words = v_words.words, language = v_words.language
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
--! Included functions/search/search.sql
-- An "and" or a phrase compares each place of a word with each place of every other, also when a headline looks for it: a text written for it
-- takes a second. Of single words, each place is looked at once.
create or replace function app_hidden.any_word(query tsquery) returns tsquery
language sql immutable parallel safe
return (select string_agg(distinct word[1], ' | ')::tsquery from regexp_matches(querytree(query), $re$'(?:[^']|'')*'(?::\*)?$re$, 'g') as word);
comment on function app_hidden.any_word(tsquery) is $$Finds what has any of the words, each of which is named once.$$;
grant execute on function app_hidden.any_word(tsquery) to :API_ANONYMOUS, :API_MEMBER;

-- The index knows no order of words. Without phrases, and what is to be left out beside them, PostgreSQL checks no row again.
create or replace function app_hidden.indexed_query(query tsquery) returns tsquery
language sql immutable parallel safe
return case when query::text ~ '<(?:-|\d+)>' then regexp_replace(querytree(query), '<(?:-|\d+)>', '&', 'g')::tsquery else query end;
comment on function app_hidden.indexed_query(tsquery) is $$What the index of words finds: all that the query finds, and maybe more.$$;

-- In plpgsql, which keeps what it has parsed. Rows are read until enough have the words.
create or replace function app_hidden.newest_with(query tsquery, is_public boolean, author_id bigint, tag_id bigint, examined int, wanted int) returns bigint[]
language plpgsql stable as $$
#variable_conflict use_column
begin
  if newest_with.tag_id is null then
    return array(
      select newest.post_id
        from (select w.post_id, w.words, w.listed_at from app_private.post_words w
               where w.is_public = newest_with.is_public and (newest_with.author_id is null or w.author_id = newest_with.author_id)
               order by w.listed_at desc, w.post_id desc limit examined) as newest
       where newest.words @@ query order by newest.listed_at desc, newest.post_id desc limit wanted);
  end if;
  return array(
    select newest.post_id
      from (select t.post_id, t.listed_at from app_public.post_tags t
             where t.tag_id = newest_with.tag_id and t.is_public = newest_with.is_public
             order by t.listed_at desc, t.post_id desc limit examined) as newest
      join app_private.post_words w on w.post_id = newest.post_id and w.is_public = newest_with.is_public
     where w.words @@ query and (newest_with.author_id is null or w.author_id = newest_with.author_id)
     order by newest.listed_at desc, newest.post_id desc limit wanted);
end $$;
comment on function app_hidden.newest_with(tsquery, boolean, bigint, bigint, int, int) is $$The newest posts of a kind, of an author and with a tag, if they are given, that have the words: up to a number of them, of a number of posts that are examined.$$;

create or replace function app_hidden.has_more(is_public boolean, author_id bigint, tag_id bigint, examined int) returns boolean
language plpgsql stable as $$
#variable_conflict use_column
begin
  if has_more.tag_id is null then
    return exists (select from app_private.post_words w
      where w.is_public = has_more.is_public and (has_more.author_id is null or w.author_id = has_more.author_id) offset examined);
  end if;
  return exists (select from app_public.post_tags t where t.tag_id = has_more.tag_id and t.is_public = has_more.is_public offset examined);
end $$;
comment on function app_hidden.has_more(boolean, bigint, bigint, int) is $$Whether there are more posts of a kind, of an author or with a tag, than newest_with() examines.$$;

-- Security definer: under policies PostgreSQL may not use an index of words, because their operators are not leakproof. So this function
-- names the rows that the viewer may see, and searches each kind of them by its own index: published posts, and the viewer's own others, and
-- with the right EDIT_ANY_POST all others. No other row is looked at, and search() reads the posts that are found under the policies.
--
-- Rows are examined in bounded numbers. Words that five of the newest 100 posts have are looked for in the newest 5,000, and all words in the
-- viewer's own. All others are found by the index of words, 10,000 at most; where there are more, in the newest 5,000 as well. The newest 200
-- that have the words are ranked. Similar titles are found by an index that needs no second look at the title, 5,000 at most.
create or replace function app_hidden.find_posts(text text, tag text default null, author_id bigint default null)
returns table (post_id bigint, rank float8, is_complete boolean)
language plpgsql stable security definer rows 200
set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_custom_plan' set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  v_text text := conventions.normal_text(find_posts.text, 200, true);
  v_form text;
  v_exact tsquery;
  v_is_plain boolean;
  v_is_frequent boolean;
  v_query tsquery;
  v_indexed tsquery;
  v_any tsquery;
  v_written tsquery;
  v_tag bigint;
  v_viewer bigint := app_hidden.viewer_id();
  v_sees_all boolean := app_hidden.viewer_may('EDIT_ANY_POST');
  v_kinds boolean[];
  v_is_public boolean;
  v_whose bigint;
  v_ids bigint[];
  v_found bigint[];
  v_ranks float8[];
  v_similar bigint[] := '{}';
  v_titles text[] := '{}';
  v_is_complete boolean;
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
    v_tag := (select tags.id from app_public.tags where tags.form = app_hidden.tag_form(find_posts.tag));
    if v_tag is null then
      return;
    end if;
  end if;
  v_exact := app_hidden.read_query(v_text);
  v_is_plain := app_hidden.is_plain_search(v_text);
  -- There is nothing to look up: no words, stop words only, or only words to leave out.
  if querytree(v_exact) in ('', 'T') then
    return;
  end if;
  v_kinds := case when v_sees_all or v_viewer is not null and (find_posts.author_id is null or find_posts.author_id = v_viewer)
                  then '{t,f}' else '{t}' end;

  -- An unfinished word only where few posts have it as it is.
  for v_round in 1..2 loop
    v_query := case when v_round = 1 then v_exact else app_hidden.read_query(v_text, is_unfinished => true) end;
    v_found := '{}';
    v_ranks := '{}';
    v_is_complete := true;
    v_indexed := app_hidden.indexed_query(v_query);
    v_any := app_hidden.any_word(v_exact || v_query);
    -- The text has no accents where it is ASCII.
    v_written := regexp_replace(case when octet_length(v_text) = char_length(v_text) then v_query
                                     else app_hidden.read_query(v_text, v_round = 2, keeps_accents => true) end::text,
      '(''(?:[^'']|'''')*'')(?::(\*))?', '\1:\2AC', 'g');
    foreach v_is_public in array v_kinds loop
      v_whose := case when v_is_public or v_sees_all then find_posts.author_id else v_viewer end;
      v_is_frequent := not v_is_public and v_whose is not null or 5 <= cardinality(app_hidden.newest_with(v_query, v_is_public, v_whose, v_tag, 100, 5));
      if not v_is_frequent then
        with indexed as materialized (
          select w.post_id, w.author_id, w.listed_at from app_private.post_words w where w.is_public = v_is_public and w.words @@ v_indexed limit 10001)
        select (select count(*) > 10000 from indexed), array(
            select i.post_id from indexed i
             where (v_whose is null or i.author_id = v_whose)
               and (v_tag is null or exists (select from app_public.post_tags t where t.post_id = i.post_id and t.tag_id = v_tag))
             order by i.listed_at desc, i.post_id desc limit case when v_query::text = v_indexed::text then 200 end)
          into v_is_frequent, v_ids;
      end if;
      if v_is_frequent then
        v_ids := app_hidden.newest_with(v_query, v_is_public, v_whose, v_tag, 5000, 200);
        v_is_complete := v_is_complete and (cardinality(v_ids) = 200 or not app_hidden.has_more(v_is_public, v_whose, v_tag, 5000));
      end if;
      select v_found || coalesce(array_agg(c.post_id), '{}'),
             v_ranks || coalesce(array_agg(round((1 + case when c.words @@ v_written then 0.5 else 0 end
               + ts_rank('{0.1, 0.1, 1, 1}', c.words, v_any, 1 | 32) / 2)::numeric, 4)::float8), '{}')
        into v_found, v_ranks
        from (select w.post_id, w.words from app_private.post_words w
               where w.post_id = any (v_ids) and w.is_public = v_is_public and (v_query::text = v_indexed::text or w.words @@ v_query)
               order by w.listed_at desc, w.post_id desc limit 200) as c;
    end loop;
    exit when cardinality(v_found) >= 10 or not v_is_plain;
  end loop;

  -- Too little: titles with spelling mistakes, or with another form of the words. Not with operators: a title would be similar to a word that
  -- is to be left out.
  if cardinality(v_found) < 10 and v_is_plain then
    v_form := conventions.search_form(v_text);
    -- Each word once, since a repeated one takes as long again.
    v_form := (select string_agg(distinct word, ' ') from string_to_table(v_form, ' ') as word);
    v_query := app_hidden.similar_query(v_form);
    v_kinds := case when v_query is not null then v_kinds else '{}' end;
    foreach v_is_public in array v_kinds loop
      v_whose := case when v_is_public or v_sees_all then find_posts.author_id else v_viewer end;
      with indexed as materialized (
        select w.post_id, w.author_id, w.listed_at, w.title from app_private.post_words w
         where w.is_public = v_is_public and (v_is_public or v_whose is null or w.author_id = v_whose) and w.title_words @@ v_query limit 5001)
      select v_is_complete and (select count(*) <= 5000 from indexed),
             v_similar || coalesce(array_agg(c.post_id), '{}'), v_titles || coalesce(array_agg(c.title), '{}') into v_is_complete, v_similar, v_titles
        from (select i.post_id, i.title from indexed i
               where (v_whose is null or i.author_id = v_whose) and i.post_id <> all (v_found)
                 and (v_tag is null or exists (select from app_public.post_tags t where t.post_id = i.post_id and t.tag_id = v_tag))
               order by i.listed_at desc, i.post_id desc limit 500) as c;
    end loop;
  end if;
  return query select found.*, v_is_complete from unnest(v_found, v_ranks) as found;
  -- A word similarity is from 0 to 1. pg_trgm knows the letters of the database's locale only: titles in others are all as similar.
  return query
  select alike.post_id, round((0.5 + app_hidden.word_similarity(v_form, alike.title) * 0.499)::numeric, 4)::float8 as rank, v_is_complete
    from unnest(v_similar, v_titles) as alike (post_id, title) order by rank desc, alike.post_id desc limit 200;
end $$;
comment on function app_hidden.find_posts(text, text, bigint) is $$The posts that the viewer may see and that have the words, with their ranks, from 1 to 2: from 1.5 on, the words are written as they are asked for. If there are fewer than 10, also those with a word that begins with the last one, and those with a similar title, with ranks below 1. is_complete is false where more posts would have to be examined.$$;
grant execute on function app_hidden.find_posts(text, text, bigint) to :API_ANONYMOUS, :API_MEMBER;

-- The policies are asked for the rows of a page only, in their order.
create or replace function app_public.search(
  text text, tag text default null, author_id bigint default null, page int default null
) returns setof app_public.search_result
language sql stable as $$
  select found.post_id, found.rank, search.text, found.is_complete
    from (select * from app_hidden.find_posts(search.text, search.tag, search.author_id) order by rank desc, post_id desc limit search.page) as found
   where exists (select from app_public.posts where posts.id = found.post_id offset 0)
   order by found.rank desc, found.post_id desc
$$;
comment on function app_public.search(text, text, bigint, int) is $$@behavior -queryField:resource:list
@pageArgument page
@costlyText text
@listOrder rank desc, post_id desc
@describe text At most 200 characters. All words have to be found, in any order; "in quotes" one after the other; with or between them either; with - before it, a word is excluded.
@describe tag Search only posts with this tag, in any case, with or without accents.
@describe author_id Search only posts of this user.
The posts that you may see and that have the words, best first, in any case, with or without accents. Words that are written as in the text come first. Of a frequent word, the newest 200 posts are ranked. If fewer than 10 are found, the last word may be unfinished, and posts with a similar title follow.$$;
grant execute on function app_public.search(text, text, bigint, int) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.asked_words(text text) returns tsquery
language sql stable parallel safe
return app_hidden.any_word(app_hidden.read_query(conventions.normal_text(text, 200, true), is_unfinished => true));
comment on function app_hidden.asked_words(text) is $$Finds what has any word of a search.$$;
grant execute on function app_hidden.asked_words(text) to :API_ANONYMOUS, :API_MEMBER;

-- A word with joints is marked as a whole if it was asked for in one, else its parts are. A character of a script without spaces is a piece.
create or replace function app_hidden.marked_pieces(text text, query tsquery)
returns table (place bigint, piece text, is_marked boolean, html text)
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp set client_min_messages = 'error' as $$
#variable_conflict use_column
declare
  v_language regconfig := app_hidden.search_language();
  v_script text := conventions.unspaced_scripts();
  v_others text := '\s!-#$-/:-@[-^`{-~\u00A0-\u00A9\u00AB-\u00B1\u00B4\u00B6\u00B8\u00BB\u00BF\u2010-\u2027\u2030-\u205E\u3001-\u3004\u3008-\u3020'
    '\uFF01-\uFF0F\uFF1A-\uFF20\u060C\u061B\u061F';
  v_joints text := '[-_.&,''’‐‑]';
  v_word text := '[^' || v_others || v_script || ']+';
  v_terms text[] := array(select term[1] from regexp_matches(query::text, '''([^'']+)''', 'g') as term);
begin
  return query
  with pieces as materialized (
    select pieces.place, pieces.piece[1] as piece, piece[1] ~ ('^[' || v_script || ']$') as is_character, piece[1] !~ ('^[' || v_others || ']+$') as is_word
      from regexp_matches(marked_pieces.text, '[' || v_script || ']|' || v_word || '(?:' || v_joints || v_word || ')*(?:\+\+|#)?|[' || v_others || ']+|.', 'g')
           with ordinality as pieces (piece, place)
  ), compared as (
    select p.*,
           case when is_character then
             conventions.search_letters(p.piece) = any (v_terms)
             or conventions.search_letters(p.piece || coalesce(lead(p.piece) over places, '')) = any (v_terms)
             or conventions.search_letters(coalesce(lag(p.piece) over places, '') || p.piece) = any (v_terms)
           when is_word then
             to_tsvector(v_language, case when p.piece ~ v_joints
               then (regexp_match(conventions.search_compounds(conventions.search_letters(p.piece)), '^\S+'))[1]
               else conventions.search_form(p.piece) end) @@ query
           end is true as is_whole
      from pieces p window places as (order by p.place)
  )
  select c.place, c.piece, c.is_whole or part.is_marked is true,
         case when c.is_whole then '<mark>' || app_hidden.html_text(c.piece) || '</mark>' else coalesce(part.html, app_hidden.html_text(c.piece)) end
    from compared c
    left join lateral (
      select bool_or(words @@ query) as is_marked,
             string_agg(case when words @@ query then '<mark>' || app_hidden.html_text(m[1]) || '</mark>' else app_hidden.html_text(m[1]) end, '' order by n) as html
        from regexp_matches(c.piece, '[-_.&,''’‐‑]|[^-_.&,''’‐‑]+', 'g') with ordinality as parts (m, n),
             lateral to_tsvector(v_language, conventions.search_form(m[1])) as words
       where c.is_word and not c.is_whole and c.piece ~ v_joints) as part on true
   order by c.place;
end $$;
comment on function app_hidden.marked_pieces(text, tsquery) is $$The words of a text, and what is between them, as HTML that is safe to show: those that the query finds are in <mark>.$$;
grant execute on function app_hidden.marked_pieces(text, tsquery) to :API_ANONYMOUS, :API_MEMBER;

-- The cost is such that PostgreSQL marks the words of the rows of a page only.
create or replace function app_public.search_result_title_html(search_result app_public.search_result) returns text
language sql stable cost 1000
return (
  select replace(string_agg(html, '' order by place), '</mark><mark>', '')
    from app_public.posts, lateral app_hidden.marked_pieces(title, app_hidden.asked_words(search_result.text))
   where id = search_result.post_id);
comment on function app_public.search_result_title_html(app_public.search_result) is $$@notNull
@behavior -queryField
The title, as HTML that is safe to show: matches in <mark>, the rest escaped.$$;
grant execute on function app_public.search_result_title_html(app_public.search_result) to :API_ANONYMOUS, :API_MEMBER;

-- Of the first 20,000 characters, the 1,200 with most of the words asked for. A fragment has some words before a match and more behind it. It
-- begins and ends where a word does, or between two characters of a script without spaces.
create or replace function app_hidden.fragments_html(content text, query tsquery) returns text
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  v_text text := app_hidden.plain_text(left(content, 20000));
  v_start int;
  v_pieces text[];
  v_marked boolean[];
  v_begins int[];
  -- Whether a fragment may begin with this piece, or end before it.
  v_breaks boolean[];
  v_count int;
  v_match int;
  v_from int;
  v_until int := 0;
  v_html text := '';
begin
  v_start := (
    select start
      from generate_series(1, greatest(char_length(v_text), 1), 1000) as start,
           lateral app_hidden.weighed_words(substr(v_text, start, 1200), 'D', 'D') as words
     order by (select count(*) from regexp_matches(query::text, '''(?:[^'']|'''')*''(?::\*)?', 'g') as term where words @@ term[1]::tsquery) desc, start
     limit 1);
  select array_agg(pieces.html order by place), array_agg(is_marked order by place), array_agg(pieces.begins order by place),
         array_agg(coalesce(pieces.is_break, v_start = 1) order by place) || (v_start + 1200 > char_length(v_text)), count(*)
    into v_pieces, v_marked, v_begins, v_breaks, v_count
    from (select p.*, sum(char_length(piece)) over places - char_length(piece) as begins,
                 lag(piece) over places ~ '\s$'
                 or place > 1 and piece ~ ('^[' || conventions.unspaced_scripts() || ']')
                    and piece !~ '^[\u0E31-\u0E3A\u0E47-\u0E4E\u0EB1-\u0EBC\u0EC8-\u0ECE\u102B-\u103E\u17B4-\u17D3\u3099\u309A\u30FC]' as is_break
            from app_hidden.marked_pieces(substr(v_text, v_start, 1200), query) p window places as (order by place)) as pieces;
  for v_round in 1..2 loop
    v_match := (select min(n) from generate_series(v_until + 1, v_count) as n where v_marked[n]);
    exit when v_match is null;
    v_from := v_match;
    while v_from > v_until + 1 and (v_begins[v_from - 1] >= v_begins[v_match] - 50 or not v_breaks[v_from]) loop
      v_from := v_from - 1;
    end loop;
    while v_from < v_match and not v_breaks[v_from] and v_from > v_until + 1 loop
      v_from := v_from + 1;
    end loop;
    v_html := v_html || case when v_from > v_until + 1 or v_round = 1 and v_start > 1 then ' … ' else '' end;
    v_until := v_match;
    while v_until < v_count and (v_begins[v_until + 1] < v_begins[v_match] + 140 or not v_breaks[v_until + 1]) loop
      v_until := v_until + 1;
    end loop;
    while v_until > v_match and not v_breaks[v_until + 1] loop
      v_until := v_until - 1;
    end loop;
    v_html := v_html || array_to_string(v_pieces[v_from:v_until], '');
  end loop;
  if v_html = '' then
    return app_hidden.html_text(app_hidden.start_of(v_text));
  end if;
  return replace(btrim(v_html), '</mark><mark>', '')
    || case when v_until < v_count or v_start + 1200 <= char_length(v_text) or char_length(content) > 20000 then ' …' else '' end;
end $$;
comment on function app_hidden.fragments_html(text, tsquery) is $$The parts of a text around what the query finds, as HTML that is safe to show.$$;
grant execute on function app_hidden.fragments_html(text, tsquery) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.search_result_fragments_html(search_result app_public.search_result) returns text
language sql stable cost 1000
return (
  select app_hidden.fragments_html(body, app_hidden.asked_words(search_result.text))
    from app_public.posts, lateral conventions.searched_texts(posts) where id = search_result.post_id);
comment on function app_public.search_result_fragments_html(app_public.search_result) is $$@notNull
@behavior -queryField
The content around matches, as HTML that is safe to show: matches in <mark>, the rest escaped. Without marks of Markdown, and with … where text is left out. Without a match, the beginning.$$;
grant execute on function app_public.search_result_fragments_html(app_public.search_result) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/search/search.sql
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
    from (select id from app_public.posts where status = 'TRASHED') as posts
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
  delete from app_public.trashed_posts t where not exists (select from app_public.posts where posts.id = t.id and status = 'TRASHED');
  -- Of a lost row of the trash, the status is not known: editors can restore a draft.
  insert into app_public.trashed_posts (id, author_id, title, content, status, tags, slug, expires_at)
  select id, author_id, title, content, 'DRAFT', '{}', app_hidden.free_slug(posts), now() + interval '30 days'
    from app_public.posts where status = 'TRASHED' and not exists (select from app_public.trashed_posts t where t.id = posts.id);
  delete from app_private.post_words where post_id in (
    select row_key::bigint from app_private.check_derived_data() where derived = 'app_private.post_words');
  insert into app_private.post_words
  select found.* from app_public.posts, lateral app_hidden.words_of(posts) as found
   where not exists (select from app_private.post_words where post_id = posts.id);
end $$;
comment on function app_private.repair_derived_data() is $$Makes all that check_derived_data() checks agree with the rows that it is derived from, in one transaction. After rows were written without triggers, as by a restore of data alone. For DBAs.$$;
--! EndIncluded functions/upkeep/check_derived_data.sql
--! Included functions/upkeep/problems.sql
-- The rights on the schemas say which roles the database was made for. A role that is renamed keeps them, and a new one of its name has none.
create or replace function app_private.role_problems() returns table (subject text, problem text, repair text, is_renamed boolean)
language sql stable set search_path = pg_catalog, pg_temp as $$
  with expected (role, schema) as (
    values (':API_LOGIN', 'app_private'), (':API_ANONYMOUS', 'app_public'), (':API_MEMBER', 'app_public'), (':ANALYST', 'analytics')
  ), holders (schema, role) as (
    select nspname, rolname
      from pg_namespace, aclexplode(nspacl) as acl
      join pg_roles on pg_roles.oid = acl.grantee
     where acl.privilege_type = 'USAGE' and acl.grantee <> nspowner
  ), lost as (
    select role, schema, exists (select from pg_roles where rolname = role) as is_there,
           (select array_agg(h.role::text order by h.role) from holders h
             where h.schema = expected.schema and h.role not in (select e.role from expected e)) as others
      from expected
     where not exists (select from holders h where (h.schema, h.role) = (expected.schema, expected.role))
  )
  select format('The role %s', role),
         case when others is null then format('it may not use the schema %s of this database', schema)
              else format('its rights in this database belong to %s, which has another name since', array_to_string(others, ' or ')) end,
         case when others is null then 'npm run db:restore -- with a dump that has the rights'
              else concat(case when is_there then format('drop role %I; ', role) end, format('alter role %I rename to %I', others[1], role)) end,
         others is not null
    from lost
$$;
comment on function app_private.role_problems() is $$The roles of the service that lack their rights in this database: another role has them, or nobody.$$;
grant execute on function app_private.role_problems() to :API_LOGIN;

-- Security definer: the login may not read tables and sequences itself. A key without an index is not searched for its highest value.
create or replace function app_private.sequence_problems() returns table (subject text, problem text, repair text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_key record;
  v_is_behind boolean;
begin
  for v_key in
    select seqrelid::regclass as sequence, attrelid::regclass as relation, attname as name, seqincrement
      from pg_sequence
      join pg_depend on classid = 'pg_class'::regclass and objid = seqrelid and refclassid = 'pg_class'::regclass and deptype in ('a', 'i')
      join pg_class on pg_class.oid = refobjid and pg_has_role(relowner, 'usage')
      join pg_attribute on attrelid = refobjid and attnum = refobjsubid
     where seqincrement > 0
       and exists (select from pg_index where indrelid = attrelid and indkey[0] = attnum and indisvalid and indpred is null)
     order by 1
  loop
    begin
      execute format('select (select max(%I) from %s) >= (select last_value + is_called::int * $1 from %s)',
        v_key.name, v_key.relation, v_key.sequence) into v_is_behind using v_key.seqincrement;
      -- Undone, which releases the lock: a migration that locks two of these tables would otherwise meet a deadlock.
      raise exception using errcode = 'UNDO0';
    exception when sqlstate 'UNDO0' then
      null;
    end;
    if v_is_behind then
      subject := v_key.sequence::text;
      problem := format('the sequence is behind %s.%I, so new rows are refused', v_key.relation, v_key.name);
      repair := format('select setval(%L, (select max(%I) from %s))', v_key.sequence, v_key.name, v_key.relation);
      return next;
    end if;
  end loop;
end $$;
comment on function app_private.sequence_problems() is $$The sequences whose next value a row of their table has already, or a later one.$$;
grant execute on function app_private.sequence_problems() to :API_LOGIN;

-- A build that is under way holds a lock on its table. So does autovacuum, a process without a user; and a table of another database may have the
-- same oid. What `reindex … concurrently` leaves has a name that ends so.
create or replace function app_private.index_problems() returns table (subject text, problem text, repair text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select indexrelid::regclass::text, 'the index is invalid: its build was not finished, and no query uses it',
         format('npm run db:index -- "%s index concurrently %s"',
           case when relname ~ '_cc(new|old)\d*$' then 'drop' else 'reindex' end, indexrelid::regclass)
    from pg_index
    join pg_class on pg_class.oid = indexrelid and relkind = 'i'
   where not indisvalid and relnamespace <> 'pg_toast'::regnamespace
     and not exists (select from pg_locks join pg_stat_activity using (pid)
                      where relation = indrelid and mode = 'ShareUpdateExclusiveLock' and granted
                        and datname = current_database() and usesysid is not null and pid <> pg_backend_pid())
   order by 1
$$;
comment on function app_private.index_problems() is $$The indexes that are invalid and that nobody builds at the moment.$$;
grant execute on function app_private.index_problems() to :API_LOGIN;

-- The service gives its connections PostgreSQL's defaults of all settings that it may set and that change results. These are the rest.
create or replace function app_private.setting_problems() returns table (subject text, problem text, repair text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  with relied as (
    select name, boot_val, setting, source from pg_settings
     where name = 'default_transaction_read_only'
        or context = 'superuser' and vartype in ('bool', 'enum') and name !~ '^(allow_in_place|jit|trace)_'
           and category ~ '^(Client Connection Defaults / Statement Behavior|Developer Options|Version and Platform Compatibility)'
  ), stored as (
    select split_part(entry, '=', 1) as name, substr(entry, strpos(entry, '=') + 1) as value, setdatabase, setrole
      from pg_db_role_setting, unnest(setconfig) as entry
     where setdatabase in (0, (select oid from pg_database where datname = current_database()))
       and (setrole = 0 or pg_get_userbyid(setrole) = ':API_LOGIN')
  ), differing as (
    select stored.*
      from stored
      left join relied using (name)
     where name ~ '^(app|plpgsql)\.'
        or boot_val <> case lower(value) when 'true' then 'on' when 'yes' then 'on' when '1' then 'on' else lower(value) end
           and lower(value) not in ('false', 'no', '0')
        or boot_val = 'on' and lower(value) in ('false', 'no', '0')
  )
  select name, format('the setting is %s, on which the service does not work', value),
         concat(case when name = 'default_transaction_read_only' then 'set default_transaction_read_only = off; ' end,
           'alter ', case when setrole = 0 then format('database %I', current_database()) else format('role %I', pg_get_userbyid(setrole)) end,
           case when setrole <> 0 and setdatabase <> 0 then format(' in database %I', current_database()) end, format(' reset %s', name))
    from differing
   union all
  select name, format('the setting is %s, on which the service does not work', setting),
         format('alter system reset %s; select pg_reload_conf()', name)
    from relied
   where setting <> boot_val and source in ('configuration file', 'command line', 'environment variable')
$$;
comment on function app_private.setting_problems() is $$The settings of the server, the database and the service’s login that change what statements do, and that the service cannot set for its connections.$$;
grant execute on function app_private.setting_problems() to :API_LOGIN;

create or replace function app_private.collation_problems() returns table (subject text, problem text, repair text)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  -- PostgreSQL 14 notes no version of a database.
  if current_setting('server_version_num')::int >= 150000 then
    return query
    select format('The database %s', datname),
           format('its collation version was %s and is %s, so indexes on text may be wrong', datcollversion, pg_database_collation_actual_version(oid)),
           format('reindex database %I; alter database %I refresh collation version', datname, datname)
      from pg_database
     where datname = current_database() and datcollversion <> pg_database_collation_actual_version(oid);
  end if;
  return query
  select format('The collation %s', pg_collation.oid::regcollation),
         format('its version was %s and is %s, so indexes on text may be wrong', collversion, pg_collation_actual_version(pg_collation.oid)),
         format('reindex database %I; alter collation %s refresh version', current_database(), pg_collation.oid::regcollation)
    from pg_collation
   where collversion <> pg_collation_actual_version(pg_collation.oid)
     and exists (select from pg_attribute join pg_class on pg_class.oid = attrelid and relkind = 'i' where attcollation = pg_collation.oid);
end $$;
comment on function app_private.collation_problems() is $$The collations whose order has changed since indexes were built by it: that of the database, and those of columns.$$;
grant execute on function app_private.collation_problems() to :API_LOGIN;

create or replace function app_private.right_problems() returns table (subject text, problem text, repair text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select format('The database %s', datname), 'every login of the server may connect, so analysts of other databases read this one too',
         'select app_private.revoke_default_rights()'
    from pg_database
   where datname = current_database()
     and exists (select from aclexplode(coalesce(datacl, acldefault('d', datdba))) where grantee = 0 and privilege_type = 'CONNECT')
$$;
comment on function app_private.right_problems() is $$PostgreSQL’s default right to connect, where the database has it again, as after a restore.$$;
grant execute on function app_private.right_problems() to :API_LOGIN;

create or replace function app_private.derived_problems() returns table (subject text, problem text, repair text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select derived, format('%s rows differ from what they are derived from, such as %s', count(*), min(row_key)),
         'select app_private.repair_derived_data()'
    from app_private.check_derived_data() group by derived order by derived
$$;
comment on function app_private.derived_problems() is $$What check_derived_data() finds, by what is derived. Reads all rows.$$;

-- Security definer: the login may not read the outbox itself.
create or replace function app_private.mail_problems() returns table (subject text, problem text, repair text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select 'Mails', format('the mail server has refused %s for good, the newest with: %s', count(*), (array_agg(refusal order by id desc))[1]),
         'update app_private.mail_outbox set due_at = now() where due_at is null'
    from app_private.mail_outbox where due_at is null having count(*) > 0
   union all
  select 'Mails', format('%s could not be sent for a quarter of an hour, the newest with: %s', count(*), (array_agg(refusal order by id desc))[1]),
         null
    from app_private.mail_outbox where refusal is not null and due_at is not null and created_at < now() - interval '15 minutes' having count(*) > 0
$$;
comment on function app_private.mail_problems() is $$What the mail server has refused, and what it does not take at the moment.$$;
grant execute on function app_private.mail_problems() to :API_LOGIN;

-- Security definer: the login may not read accounts itself.
create or replace function app_private.sample_user_id() returns bigint
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select user_id from app_private.accounts where banned_at is null limit 1
$$;
comment on function app_private.sample_user_id() is $$The id of some user who is not banned, to try a request with; null without one.$$;
grant execute on function app_private.sample_user_id() to :API_LOGIN;

-- Not security definer: such a function cannot become another role. A table that is locked or broken concerns those who read it alone.
create or replace function app_private.request_problem() returns text
language plpgsql stable set search_path = pg_catalog, pg_temp set lock_timeout = '100ms' as $$
declare
  v_role text := current_setting('role');
  v_viewer_id text := coalesce(current_setting('app.viewer_id', true), '');
  v_caller record;
  v_identity record;
  v_table regclass;
begin
  if current_setting('default_transaction_read_only')::boolean or pg_is_in_recovery() then
    return 'the database is read-only';
  elsif current_setting('session_replication_role') <> 'origin' then
    return 'triggers do not run: session_replication_role is ' || current_setting('session_replication_role');
  end if;
  for v_caller in
    select * from (values ('visitors', ':API_ANONYMOUS', null), ('members', ':API_MEMBER', app_private.sample_user_id())) as callers (name, role, user_id)
  loop
    begin
      select * into v_identity from app_hidden.identify(v_caller.user_id);
      perform set_config('role', case when v_caller.user_id is null then v_caller.role else v_identity.role end, true),
              set_config('app.viewer_id', v_identity.viewer_id, true);
      -- Text, because PostgreSQL looks up a name once, as the first role.
      execute 'select app_hidden.viewer_id()';
      select oid into v_table from pg_class
       where relnamespace = 'app_public'::regnamespace and relkind in ('r', 'p') and has_any_column_privilege(oid, 'select')
       order by relrowsecurity desc, oid limit 1;
      if found then
        execute format('select from %s limit 1', v_table);
      end if;
      perform set_config('role', v_role, true), set_config('app.viewer_id', v_viewer_id, true);
    exception
      when insufficient_privilege or invalid_parameter_value or undefined_object then
        -- An owner may be no member of the roles.
        if not pg_has_role(session_user, (select nspowner from pg_namespace where nspname = 'app_private'), 'member') then
          return format('requests of %s fail: %s', v_caller.name, sqlerrm);
        end if;
      when others then
        null;
    end;
  end loop;
  return null;
end $$;
comment on function app_private.request_problem() is $$Tries a request as a visitor and as a member, for the login of the service: its identity, and a read under policies. The reason why such requests cannot work, or null.$$;
grant execute on function app_private.request_problem() to :API_LOGIN;

-- Ours are those of our tables, and those that call our functions. The change feed names the triggers of its streams itself. The foreign keys
-- that `disable trigger all` leaves have one finding each. Security definer: the login may not call conventions.is_covered().
create or replace function app_private.trigger_problems() returns table (subject text, problem text, repair text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select format('%s: %I', tgrelid::regclass, name),
         format('the %s is %s, so rows are written without it', kind,
           case min(tgenabled) when 'D' then 'disabled' else 'enabled for replication only' end),
         string_agg(format('alter table %s enable trigger %I', tgrelid::regclass, tgname), '; ' order by tgname)
    from pg_trigger
    join pg_class on pg_class.oid = tgrelid
    join pg_proc on pg_proc.oid = tgfoid
    left join pg_constraint on pg_constraint.oid = tgconstraint and tgisinternal
   cross join lateral (values (coalesce(conname, tgname), case when conname is null then 'trigger' else 'constraint' end)) as named (name, kind)
   where tgenabled in ('D', 'R') and tgfoid is distinct from to_regproc('change_feed.tg__record_events')
     and (conventions.is_covered(relnamespace::regnamespace::text) or conventions.is_covered(pronamespace::regnamespace::text))
   group by tgrelid, name, kind
   order by 1
$$;
comment on function app_private.trigger_problems() is $$The triggers and foreign keys that are disabled, as `pg_restore --disable-triggers` may leave them.$$;
grant execute on function app_private.trigger_problems() to :API_LOGIN;

-- Gives way to a migration: waits for a lock for less time than PostgreSQL waits before it looks for a deadlock. What is locked is no problem.
create or replace function app_private.problems(reads_rows boolean default false) returns table (subject text, problem text, repair text)
language plpgsql stable set search_path = pg_catalog, pg_temp set lock_timeout = '100ms' as $$
declare
  v_part text;
begin
  foreach v_part in array array_remove(array[
    '(select subject, problem, repair from app_private.role_problems()) as roles', 'app_private.setting_problems()', 'app_private.sequence_problems()', 'app_private.index_problems()',
    'app_private.trigger_problems()',
    'app_private.collation_problems()', 'app_private.right_problems()', 'app_private.mail_problems()', 'change_feed.problems()',
    case when reads_rows then 'app_private.derived_problems()' end], null)
  loop
    begin
      return query execute 'select * from ' || v_part;
    exception
      when lock_not_available or deadlock_detected then
        null;
      when others then
        subject := v_part;
        problem := sqlerrm;
        repair := null;
        return next;
    end;
  end loop;
end $$;
comment on function app_private.problems(boolean) is $$What does not work in this database, and what repairs it: SQL, or a command. With reads_rows also derived data, for which it reads all rows. Without a row, all is well.$$;
grant execute on function app_private.problems(boolean) to :API_LOGIN;
--! EndIncluded functions/upkeep/problems.sql
drop function if exists app_hidden.post_to_search(app_public.posts);

-- Their comments stay, and conventions.renew_columns() writes them from now on.
do $$
declare
  v_function record;
begin
  for v_function in
    select oid::regprocedure as function, prosrc from pg_proc
     where pronamespace = 'app_public'::regnamespace and proname in ('working_copies_title', 'working_copies_content', 'working_copies_excerpt')
       and prosrc not like '-- Written by%'
  loop
    execute format('create or replace function %s(working_copies app_public.working_copies) returns text language sql stable as %L',
      split_part(v_function.function::text, '(', 1), E'-- Written by conventions.renew_columns(): its comment is another’s\n' || v_function.prosrc);
  end loop;
end $$;
select conventions.keep_fields('app_public.post_revisions', 'app_public.posts', 'app_public.update_post_input',
         keeper => 'app_hidden.tg_posts__keep_revision'),
       conventions.keep_fields('app_public.working_copies', 'app_public.posts', 'app_public.update_post_input', shows_present => true),
       conventions.renew_validators();
