--! Previous: sha1:8ade37976116f0a57a9a2a858d791606b73fcba5
--! Hash: sha1:c378b122a47c568367d4cbe8df362a3774be0422
--! Message: change feed version 9

--! split: 100-change-feed-version-9.sql

-- allow: change-behaviour:change_feed.tg_pending_events__number because the numbers are the same
-- allow: change-behaviour:change_feed.tg__record_events because what it records is the same
-- allow: change-behaviour:change_feed.version because it says that the upgrade has run
-- Version 9 of the feed: an update of few rows costs half, and many events get their numbers a tenth sooner. Nothing else changes.
-- A deferred trigger, so that this runs when all statements of the transaction have. It locks the heads of all keys with one statement, in
-- their order: two transactions that write the same keys in opposite orders do not wait for each other. The locks last to the end of the
-- commit, so the next writer of a key waits for that only, and numbers have no gaps and are committed in order.
--
-- Security definer: no role may write events. Without enable_nestloop and enable_seqscan, a session that planned this for one row would
-- compare each of many rows with each key, and read the whole table of pending events.
create or replace function change_feed.tg_pending_events__number() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = 'force_generic_plan' set enable_nestloop = off set enable_seqscan = off set jit = off as $$
declare
  v_streams int[];
  v_keys text[];
  v_row_ids text[];
  v_number bigint;
  v_channel text;
  v_notified int;
begin
  -- The trigger runs for each row. The first run takes the rows of the whole transaction.
  with taken as (
    delete from change_feed.pending_events where transaction_id = new.transaction_id returning *
  )
  select array_agg(stream_id), array_agg(key), array_agg(row_id) into v_streams, v_keys, v_row_ids
    from (select (streams.ids ->> kind)::int as stream_id, key, row_id
            from taken
           cross join lateral (
                 select jsonb_object_agg(s.kind, s.id) as ids from change_feed.streams s
                  where s.relation = taken.relation and s.key_column = taken.key_column) as streams
           cross join unnest(kinds, keys, row_ids) with ordinality as change (kind, key, row_id, place)
           -- Rows without a key are in no stream.
           where key is not null and streams.ids ? kind
           order by stream_id, key, number, length(row_id), row_id, place) as changes;
  if v_keys is null then
    return null;
  end if;
  -- No unique row: the second writer would wait until the first one commits, and might hold what the first one waits for.
  if not exists (select from change_feed.server_runs) then
    insert into change_feed.server_runs default values;
  end if;
  -- A few rows are frequent. Small statements take a third of the time of the one for many.
  if cardinality(v_keys) < 5 then
    select name into v_channel from change_feed.notification_channels where purpose = 'streams';
    for v_place in 1 .. cardinality(v_keys) loop
      insert into change_feed.stream_heads as h (stream_id, key, last_number) values (v_streams[v_place], v_keys[v_place], 1)
      on conflict (stream_id, key) do update set last_number = h.last_number + 1
      returning last_number into v_number;
      insert into change_feed.stream_events (stream_id, key, number, row_id) values (v_streams[v_place], v_keys[v_place], v_number, v_row_ids[v_place]);
      perform pg_notify(v_channel, format('%s:%s:%s', v_streams[v_place], v_keys[v_place], v_number));
    end loop;
    return null;
  end if;
  with heads as (
    insert into change_feed.stream_heads as h (stream_id, key, last_number)
    select stream_id, key, count(*) from unnest(v_streams, v_keys) as c (stream_id, key) group by stream_id, key order by stream_id, key
    on conflict (stream_id, key) do update set last_number = h.last_number + excluded.last_number
    returning stream_id, key, last_number
  ), events as (
    insert into change_feed.stream_events (stream_id, key, number, row_id)
    select stream_id, key, last_number + 1 - row_number() over (partition by stream_id, key order by place desc), row_id
      from unnest(v_streams, v_keys, v_row_ids) with ordinality as c (stream_id, key, row_id, place) join heads using (stream_id, key)
     order by stream_id, key, place
    returning stream_id, key, number
  )
  -- The lowest number is enough: the others are committed with it.
  select count(change_feed.notify_services(format('%s:%s:%s', stream_id, key, number))) into v_notified
    from (select stream_id, key, min(number) as number from events group by stream_id, key) as first;
  return null;
end $$;
comment on function change_feed.tg_pending_events__number() is $$When a transaction commits: gives its events their numbers, in one order for all keys, and notifies the services.$$;

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
  v_former jsonb[];
  v_old_key text;
  v_new_key text;
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
  if tg_op = 'UPDATE' or tg_op = 'INSERT' and tg_argv[2] = '' then
    v_rows := array(select to_jsonb(few) from (select * from new_rows limit 100) as few);
  elsif tg_op = 'DELETE' then
    v_rows := array(select to_jsonb(few) from (select * from old_rows limit 100) as few);
  end if;
  if tg_op = 'UPDATE' then
    v_former := array(select to_jsonb(few) from (select * from old_rows limit 100) as few);
  elsif cardinality(v_rows) = 100 then
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
    -- The two transition tables have the versions of a row at the same place, and few rows change their primary key.
    when cardinality(v_rows) < 100 and not exists (
      select from unnest(v_former, v_rows) as v (before, after) where before ->> tg_argv[1] is distinct from after ->> tg_argv[1]) then
      for v_place in 1 .. cardinality(v_rows) loop
        v_row := v_rows[v_place];
        v_old_key := case when v_since is null or v_former[v_place] ->> v_since is not null then v_former[v_place] ->> tg_argv[0] end;
        v_new_key := case when v_since is null or v_row ->> v_since is not null then v_row ->> tg_argv[0] end;
        continue when v_old_key is null and v_new_key is null;
        v_ignored := coalesce(v_ignored, change_feed.ignored_columns(tg_relid));
        -- A row of which only such columns differ has followed another row's change.
        continue when v_former[v_place] <> v_row and v_former[v_place] - v_ignored = v_row - v_ignored;
        -- A row that gets another key is deleted from the one and added to the other. Outside of the stream, a row has no key.
        if v_old_key = v_new_key then
          v_kinds := v_kinds || 'updated'::text;
          v_keys := v_keys || v_new_key;
          v_row_ids := v_row_ids || (v_row ->> tg_argv[1]);
        else
          v_kinds := v_kinds || array['deleted', 'added'];
          v_keys := v_keys || array[v_old_key, v_new_key];
          v_row_ids := v_row_ids || array[v_row ->> tg_argv[1], v_row ->> tg_argv[1]];
        end if;
      end loop;
      if v_keys is null and (v_rows = '{}' or v_rows[1] ?& array[tg_argv[0], tg_argv[1], coalesce(v_since, tg_argv[0])]) then
        return null;
      end if;
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
return 9;
