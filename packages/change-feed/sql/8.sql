-- Version 8 of the feed: of an insert or a delete of many rows, only the columns of the stream are read, and an update of many rows that only follow another
-- row's change is found out at once. Few rows cost a fourth less. Nothing else changes.
-- Security definer: no role may write events, and only the owner and the service may know the channel.
--
-- Statement-level, so that a statement with many rows costs as many statements as one. The arguments are the key column, the
-- primary key, the number column of rows that have numbers of their own, and the column that is null until a row belongs to the stream.
--
-- Without enable_nestloop, as in change_feed.tg_pending_events__number().
create or replace function change_feed.tg__record_events() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_generic_plan' set enable_nestloop = off set jit = off as $$
declare
  v_rows jsonb[];
  v_row jsonb;
  v_ignored text[];
  v_is_told boolean;
  v_kinds text[];
  v_keys text[];
  v_row_ids text[];
  v_since text := nullif(tg_argv[3], '');
  v_relation regclass := tg_relid;
  v_missing text;
begin
  -- npm run import sets it: imported rows are no news.
  if current_setting('app.is_import', true) = 'on' then
    return null;
  end if;
  -- Few rows are frequent. Of many, only the columns that the arguments name are read.
  if tg_op = 'INSERT' and tg_argv[2] = '' then
    v_rows := array(select to_jsonb(few) from (select * from new_rows limit 100) as few);
  elsif tg_op = 'DELETE' then
    v_rows := array(select to_jsonb(few) from (select * from old_rows limit 100) as few);
  end if;
  if cardinality(v_rows) = 100 then
    execute (select format('select array_agg(jsonb_build_object(%s)) from %I', coalesce(string_agg(format('%1$L, %1$I', attname), ', '), ''),
                           case tg_op when 'INSERT' then 'new_rows' else 'old_rows' end)
               from pg_catalog.pg_attribute where attrelid = tg_relid and attname = any (tg_argv) and not attisdropped)
       into v_rows;
  end if;
  case
    when tg_op = 'INSERT' and tg_argv[2] <> '' then
      null;
    when tg_op in ('INSERT', 'DELETE') then
      foreach v_row in array v_rows loop
        if v_since is null or v_row ->> v_since is not null then
          v_keys := array_append(v_keys, v_row ->> tg_argv[0]);
          v_row_ids := array_append(v_row_ids, v_row ->> tg_argv[1]);
        end if;
      end loop;
      -- None of the rows is in the stream, and none of its columns is missing.
      if v_keys is null and (v_rows = '{}' or v_rows[1] ?& array[tg_argv[0], tg_argv[1], coalesce(v_since, tg_argv[0])]) then
        return null;
      end if;
      v_kinds := array_fill(case tg_op when 'INSERT' then 'added' else 'deleted' end, array[coalesce(cardinality(v_keys), 0)]);
    else
      v_ignored := change_feed.ignored_columns(tg_relid);
      -- A foreign key that keeps copies of another row's columns may update many rows, and nothing that is told.
      if exists (select from new_rows offset 99) then
        execute (select format('select exists (select row(%1$s)::text from new_rows except all select row(%1$s)::text from old_rows)
                                    or exists (select new_rows::text from new_rows intersect select old_rows::text from old_rows)', string_agg(quote_ident(attname), ', '))
                   from pg_catalog.pg_attribute where attrelid = tg_relid and attnum > 0 and not attisdropped and attname <> all (v_ignored))
           into v_is_told;
        if not v_is_told then
          return null;
        end if;
      end if;
      -- A row that gets another key is deleted from the one and added to the other. Outside of the stream, a row has no key.
      select array_agg(kind), array_agg(key), array_agg(row_id) into v_kinds, v_keys, v_row_ids
        from (select before ->> tg_argv[1] as row_id, before,
                      case when v_since is null or before ->> v_since is not null then before ->> tg_argv[0] end as old_key
                 from (select to_jsonb(old_rows) as before from old_rows) as old_rows) as old_versions
         full join (select after ->> tg_argv[1] as row_id, after,
                           case when v_since is null or after ->> v_since is not null then after ->> tg_argv[0] end as new_key
                      from (select to_jsonb(new_rows) as after from new_rows) as new_rows) as new_versions using (row_id)
        cross join lateral (
              select 'updated' as kind, new_key as key where new_key = old_key
              union all select 'deleted', old_key where new_key is distinct from old_key
              union all select 'added', new_key where new_key is distinct from old_key) as change
        -- A row of which only such columns differ has followed another row's change.
        where before = after or before - v_ignored is distinct from after - v_ignored;
  end case;
  -- The rows of a partition are in the stream of its table.
  if not exists (select from change_feed.streams s where s.relation = tg_relid and s.key_column = tg_argv[0]) then
    v_relation := (select relid from pg_partition_ancestors(tg_relid) join change_feed.streams s on s.relation = relid and s.key_column = tg_argv[0] limit 1);
  end if;
  if tg_op = 'INSERT' and tg_argv[2] <> '' then
    if not exists (select from change_feed.server_runs) then
      insert into change_feed.server_runs default values;
    end if;
    -- As change_feed.notify_services(), without the time of its call: this runs for each message.
    perform pg_notify(c.name, format('%s:%s:%s', s.id, added.row ->> tg_argv[0], min((added.row ->> tg_argv[2])::bigint)))
       from (select to_jsonb(new_rows) as row from new_rows) as added
       join change_feed.streams s on s.relation = v_relation and s.key_column = tg_argv[0] and s.kind = 'added'
       join change_feed.notification_channels c on c.purpose = 'streams'
      group by c.name, s.id, added.row ->> tg_argv[0];
  end if;
  -- The arguments are names. A column that has been renamed has no value under the former one.
  if v_keys is null or array_remove(v_keys, null) = '{}' or array_remove(v_row_ids, null) = '{}' then
    select string_agg(name, ', ') into v_missing
      from unnest(tg_argv) as name
     where name <> '' and not exists (select from pg_catalog.pg_attribute where attrelid = tg_relid and attname = name and not attisdropped);
    if v_missing is not null then
      raise exception using errcode = '55000', message = format('The stream of %s has lost its column %s', v_relation, v_missing),
        hint = 'Call change_feed.stream() again after the column is renamed; with no kinds and the former name, to end that stream.';
    end if;
  end if;
  perform change_feed.record_events(v_relation, tg_argv[0], v_kinds, v_keys, v_row_ids);
  return null;
end $$;
comment on function change_feed.tg__record_events() is $$After a statement: records its changes in the streams of the table, and notifies the services. change_feed.stream() attaches it to a table.$$;

create or replace function change_feed.version() returns int
language sql immutable
return 8;
