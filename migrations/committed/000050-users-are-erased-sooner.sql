--! Previous: sha1:dae3f3215e962584cc939bc2c2c97e6927b76923
--! Hash: sha1:8ade37976116f0a57a9a2a858d791606b73fcba5
--! Message: users are erased sooner

--! split: 100-changes-of-few-rows.sql

-- allow: change-behaviour:conventions.tg__record_changes because it records the same, sooner, and no values while a user is erased
-- allow: change-behaviour:app_private.erase_user because it erases the same, and the values of others' comments in entries of their deletion
-- An update of few rows is recorded sooner. A user with many comments is erased sooner: what goes is recorded without values, and not emptied afterwards.
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
      when not v_is_many and (select bool_and(conventions.row_key(before, v_key) = conventions.row_key(after, v_key)) from unnest(v_old, v_new) as v (before, after)) then
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
--! Included functions/users/erase_user.sql
create or replace function app_private.erase_user(user_id bigint) returns boolean
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_email text := (select email from app_private.accounts where accounts.user_id = erase_user.user_id);
  v_existed boolean := exists (select from app_public.users where id = erase_user.user_id);
  v_tags bigint[] := array(
    select tag_id from app_public.post_tags join app_public.posts on posts.id = post_id where author_id = erase_user.user_id);
  v_relations regclass[] := '{}';
  v_columns name[] := '{}';
  v_streams int[] := '{}';
  v_reference record;
begin
  -- Entries of the audit trail about a row of the user: the user's own, and those of each table that references users. A
  -- table that a DBA adds is found as well. Entries that the rest of this function adds are about the same rows.
  create temporary table erased_rows (table_name text, row_key text) on commit drop;
  insert into pg_temp.erased_rows values ('users', erase_user.user_id::text);
  for v_reference in
    select conrelid::regclass as relation, attname as referrer,
           case nspname when 'app_public' then '' else nspname || '.' end || relname as audit_name,
           (select array_agg(key.attname::text order by array_position(k.conkey, key.attnum))
              from pg_catalog.pg_constraint k
              join pg_catalog.pg_attribute key on key.attrelid = k.conrelid and key.attnum = any (k.conkey)
             where k.conrelid = c.conrelid and k.contype = 'p') as key_columns
      from pg_catalog.pg_constraint c
      join pg_catalog.pg_class r on r.oid = conrelid
      join pg_catalog.pg_namespace n on n.oid = relnamespace
      join pg_catalog.pg_attribute a on a.attrelid = conrelid and a.attnum = c.conkey[1]
     where contype = 'f' and confrelid = 'app_public.users'::regclass and conparentid = 0
  loop
    v_relations := v_relations || v_reference.relation;
    v_columns := v_columns || v_reference.referrer;
    v_streams := v_streams || array(
      select id from change_feed.streams where relation = v_reference.relation and key_column = v_reference.referrer);
    execute format(
      'insert into pg_temp.erased_rows
       select $1, conventions.row_key(jsonb_build_object(%3$s), $2) from %1$s as t where t.%2$I = $3 and $2 is not null
       union all
       select table_name, row_key from app_public.audit_trail
        where table_name = $1 and $3::text in (changes #>> array[$4, ''old''], changes #>> array[$4, ''new''])',
      v_reference.relation, v_reference.referrer,
      (select string_agg(format('%L, t.%I', name, name), ', ') from unnest(v_reference.key_columns) as name))
      using v_reference.audit_name, v_reference.key_columns, erase_user.user_id, v_reference.referrer;
  end loop;

  delete from app_private.failed_sign_ins where account = app_private.account_key(v_email);
  delete from app_private.account_tokens where account = app_private.account_key(v_email);
  -- Counts of the current minute stay: others share the network, and a deletion must not renew its limit. A job deletes them.
  delete from app_private.rate_limited_calls
   where expires_at <= now()
     and key in (select network from app_private.sign_in_networks n where n.user_id = erase_user.user_id);
  -- The numbers of a chat's messages have no gaps, so the messages stay.
  update app_public.messages set text = '[erased]', deleted_at = coalesce(deleted_at, now()), sender_id = null where sender_id = erase_user.user_id;
  update app_public.chats set title = null where creator_id = erase_user.user_id;
  -- Foreign keys delete the rest: account, sessions, networks, posts, comments, follows and memberships.
  perform set_config('app.is_erasure', 'on', true);
  delete from app_public.users where id = erase_user.user_id;
  perform set_config('app.is_erasure', '', true);
  -- Events are numbered at the commit, else. Those of the user's own keys must be there to be deleted.
  set constraints change_feed._500_number immediate;
  delete from change_feed.stream_events where stream_id = any (v_streams) and key = erase_user.user_id::text;
  delete from change_feed.stream_heads where stream_id = any (v_streams) and key = erase_user.user_id::text;
  delete from conventions.counter_shards s
   using conventions.counters c
    join unnest(v_relations, v_columns) as r (relation, referrer) on c.relation = r.relation and c.columns[1] = r.referrer
   where s.counter = c.name and split_part(s.key, ',', 1) = erase_user.user_id::text;
  delete from app_public.tags where id = any (v_tags)
     and not exists (select from app_public.post_tags where tag_id = tags.id);

  update app_public.audit_trail
     set changes = (select coalesce(jsonb_object_agg(name, '{}'::jsonb), '{}') from jsonb_object_keys(changes) as name)
   where (table_name, row_key) in (select table_name, row_key from pg_temp.erased_rows)
     and jsonb_path_exists(changes, '$.*.*');
  update app_public.audit_trail set actor_id = null where actor_id = erase_user.user_id;
  drop table pg_temp.erased_rows;
  return v_existed;
end $$;
comment on function app_private.erase_user(bigint) is $$Erases the data of a user everywhere: account, sessions, posts, comments, follows, memberships, notifications, the text of messages, and titles of chats that the user created. In the audit trail, entries about these rows keep the names of columns only, and the user’s own changes lose their actor. Returns whether the user still existed; what an earlier deletion has left is erased as well. For operators.$$;
--! EndIncluded functions/users/erase_user.sql
