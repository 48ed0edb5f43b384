--! Previous: sha1:736c721e12c8518dbb67ff1b89385e1f5b28894b
--! Hash: sha1:04dcf0f060b53b2a480d1f01a5edc8595fa903fc
--! Message: events are numbered at the commit

--! split: 100-feed.sql

-- allow: change-behaviour:change_feed.record_events because the tests of the change feed and of chat cover the new behaviour
-- allow: change-behaviour:change_feed.tg__record_events because the tests of the change feed and of chat cover the new behaviour
-- allow: change-behaviour:change_feed.stream because the tests of the change feed and of chat cover the new behaviour
-- Events get their numbers at the commit, under locks that all transactions take in one order. Two transactions that change rows of two keys
-- in opposite orders do not end in a deadlock, and a transaction that stays open holds up no other writer of its keys.

-- Unlogged: no row outlives its transaction.
create unlogged table change_feed.pending_events (
  transaction_id xid8 not null default pg_current_xact_id(),
  number         bigint generated always as identity,
  relation       regclass not null,
  key_column     name not null,
  kinds          text[] not null,
  keys           text[] not null,
  row_ids        text[] not null,
  primary key (transaction_id, number)
);
comment on table change_feed.pending_events is $$The changes of transactions that have not been committed yet, one row for each call of record_events(). Always empty for others.$$;
comment on column change_feed.pending_events.transaction_id is $$The transaction.$$;
comment on column change_feed.pending_events.number is $$The place among the calls of the transaction.$$;
comment on column change_feed.pending_events.relation is $$The table.$$;
comment on column change_feed.pending_events.key_column is $$The column whose value a subscription names.$$;
comment on column change_feed.pending_events.kinds is $$What happened to each row: added, updated or deleted.$$;
comment on column change_feed.pending_events.keys is $$The value of the key column of each row.$$;
comment on column change_feed.pending_events.row_ids is $$The primary key of each row.$$;
alter table change_feed.pending_events enable row level security;
comment on table change_feed.stream_heads is $$The newest event of each key. Its row is locked during the writer’s commit, so the numbers of a key have no gaps and are committed in order.$$;

--! Included functions/change_feed/tg_pending_events__number.sql
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
  v_relations regclass[];
  v_key_columns name[];
  v_kinds text[];
  v_keys text[];
  v_row_ids text[];
  v_change record;
  v_number bigint;
  v_channel text;
  v_notified int;
begin
  -- The trigger runs for each row. The first run takes the rows of the whole transaction.
  with taken as (
    delete from change_feed.pending_events where transaction_id = new.transaction_id returning *
  )
  select array_agg(relation), array_agg(key_column), array_agg(kind), array_agg(key), array_agg(row_id)
    into v_relations, v_key_columns, v_kinds, v_keys, v_row_ids
    from (select relation, key_column, kind, key, row_id
            from taken cross join unnest(kinds, keys, row_ids) with ordinality as change (kind, key, row_id, place)
           -- Rows without a key are in no stream.
           where key is not null
           order by number, length(row_id), row_id, place) as changes;
  if v_kinds is null then
    return null;
  end if;
  -- No unique row: the second writer would wait until the first one commits, and might hold what the first one waits for.
  if not exists (select from change_feed.server_runs) then
    insert into change_feed.server_runs default values;
  end if;
  -- A few rows are frequent. Small statements take a third of the time of the one for many.
  if cardinality(v_kinds) < 5 then
    select name into v_channel from change_feed.notification_channels where purpose = 'streams';
    for v_change in
      select s.id, c.key, c.row_id
        from unnest(v_relations, v_key_columns, v_kinds, v_keys, v_row_ids) with ordinality as c (relation, key_column, kind, key, row_id, place)
        join change_feed.streams s on s.relation = c.relation and s.key_column = c.key_column and s.kind = c.kind
       order by s.id, c.key, c.place
    loop
      insert into change_feed.stream_heads as h (stream_id, key, last_number) values (v_change.id, v_change.key, 1)
      on conflict (stream_id, key) do update set last_number = h.last_number + 1
      returning last_number into v_number;
      insert into change_feed.stream_events (stream_id, key, number, row_id) values (v_change.id, v_change.key, v_number, v_change.row_id);
      perform pg_notify(v_channel, format('%s:%s:%s', v_change.id, v_change.key, v_number));
    end loop;
    return null;
  end if;
  with changes as (
    select s.id as stream_id, c.key, c.row_id,
           row_number() over (partition by s.id, c.key order by c.place) as place,
           count(*) over (partition by s.id, c.key) as total
      from unnest(v_relations, v_key_columns, v_kinds, v_keys, v_row_ids) with ordinality as c (relation, key_column, kind, key, row_id, place)
      join change_feed.streams s on s.relation = c.relation and s.key_column = c.key_column and s.kind = c.kind
  ), heads as (
    insert into change_feed.stream_heads as h (stream_id, key, last_number)
    select stream_id, key, total from changes where place = 1 order by stream_id, key
    on conflict (stream_id, key) do update set last_number = h.last_number + excluded.last_number
    returning stream_id, key, last_number
  ), events as (
    insert into change_feed.stream_events (stream_id, key, number, row_id)
    select stream_id, key, last_number - total + place, row_id from changes join heads using (stream_id, key)
     order by stream_id, key, place
    returning stream_id, key, number
  )
  -- The lowest number is enough: the others are committed with it.
  select count(change_feed.notify_services(format('%s:%s:%s', stream_id, key, number))) into v_notified
    from (select stream_id, key, min(number) as number from events group by stream_id, key) as first;
  return null;
end $$;
comment on function change_feed.tg_pending_events__number() is $$When a transaction commits: gives its events their numbers, in one order for all keys, and notifies the services.$$;
--! EndIncluded functions/change_feed/tg_pending_events__number.sql
create constraint trigger _500_number after insert on change_feed.pending_events deferrable initially deferred
  for each row execute function change_feed.tg_pending_events__number();
--! Included functions/change_feed/record_events.sql
create or replace function change_feed.record_events(relation regclass, key_column name, kinds text[], keys text[], row_ids text[]) returns void
language plpgsql volatile strict set search_path = pg_catalog, pg_temp as $$
begin
  insert into change_feed.pending_events (relation, key_column, kinds, keys, row_ids) values (relation, key_column, kinds, keys, row_ids);
end $$;
comment on function change_feed.record_events(regclass, name, text[], text[], text[]) is $$Records changes of rows (kinds, values of the key column and ids, in equal order) in the streams of a table, and notifies the services. For triggers, and for the functions of a stream without triggers. The events get their numbers when the transaction commits.$$;
--! EndIncluded functions/change_feed/record_events.sql

-- Rows that are written to a partition by its own name are recorded, and the stream of a column that has been renamed says so.
--! Included functions/change_feed/tg__record_events.sql
-- Security definer: no role may write events, and only the owner and the service may know the channel.
--
-- Statement-level, so that a statement with many rows costs as many statements as one. The arguments are the key column, the
-- primary key, the number column of rows that have numbers of their own, and the column that is null until a row belongs to the stream.
--
-- Without enable_nestloop, as in change_feed.record_events().
create or replace function change_feed.tg__record_events() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_generic_plan' set enable_nestloop = off set jit = off as $$
declare
  v_ignored text[];
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
  -- The rows of a partition are in the stream of its table.
  if not exists (select from change_feed.streams s where s.relation = tg_relid and s.key_column = tg_argv[0]) then
    v_relation := (select relid from pg_partition_ancestors(tg_relid) join change_feed.streams s on s.relation = relid and s.key_column = tg_argv[0] limit 1);
  end if;
  case
    when tg_op = 'INSERT' and tg_argv[2] <> '' then
      if not exists (select from change_feed.server_runs) then
        insert into change_feed.server_runs default values;
      end if;
      -- As change_feed.notify_services(), without the time of its call: this runs for each message.
      perform pg_notify(c.name, format('%s:%s:%s', s.id, added.row ->> tg_argv[0], min((added.row ->> tg_argv[2])::bigint)))
         from (select to_jsonb(new_rows) as row from new_rows) as added
         join change_feed.streams s on s.relation = v_relation and s.key_column = tg_argv[0] and s.kind = 'added'
         join change_feed.notification_channels c on c.purpose = 'streams'
        group by c.name, s.id, added.row ->> tg_argv[0];
    when tg_op = 'INSERT' then
      select array_agg('added'::text), array_agg(row ->> tg_argv[0]), array_agg(row ->> tg_argv[1]) into v_kinds, v_keys, v_row_ids
        from (select to_jsonb(new_rows) as row from new_rows) as added
       where v_since is null or row ->> v_since is not null;
    when tg_op = 'DELETE' then
      select array_agg('deleted'::text), array_agg(row ->> tg_argv[0]), array_agg(row ->> tg_argv[1]) into v_kinds, v_keys, v_row_ids
        from (select to_jsonb(old_rows) as row from old_rows) as removed
       where v_since is null or row ->> v_since is not null;
    else
      v_ignored := change_feed.ignored_columns(tg_relid);
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
  -- The arguments are names. A column that has been renamed has no value under the former one.
  if v_kinds is null or array_remove(v_keys, null) = '{}' or array_remove(v_row_ids, null) = '{}' then
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
--! EndIncluded functions/change_feed/tg__record_events.sql
--! Included functions/change_feed/attach_triggers.sql
-- Statement-level triggers of a partitioned table do not fire for rows that are written to a partition by its own name, so each
-- partition has them, too. A new partition has them after the next call of stream().
create or replace function change_feed.attach_triggers(
  relation regclass, key_column name, kinds text[] default '{}', id_column name default null, number_column name default null,
  since_column name default null
) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_prefix text := '_900_stream_' || left(key_column, 40);
  v_target regclass;
  v_arguments text;
begin
  for v_target in select relation union select relid from pg_partition_tree(relation) loop
    execute format('drop trigger if exists %I on %s', v_prefix || '_insert', v_target);
    execute format('drop trigger if exists %I on %s', v_prefix || '_update', v_target);
    execute format('drop trigger if exists %I on %s', v_prefix || '_delete', v_target);
    v_arguments := format('%L, %L, %L, %L', key_column, id_column, coalesce(number_column, ''), coalesce(since_column, ''));
    if kinds && '{added}' then
      execute format('create trigger %I after insert on %s referencing new table as new_rows
        for each statement execute function change_feed.tg__record_events(%s)', v_prefix || '_insert', v_target, v_arguments);
    end if;
    -- Rows are added by an update, too, when they have waited for since_column.
    if since_column is not null or kinds && '{updated,deleted}' then
      execute format('create trigger %I after update on %s referencing old table as old_rows new table as new_rows
        for each statement execute function change_feed.tg__record_events(%s)', v_prefix || '_update', v_target, v_arguments);
    end if;
    if kinds && '{deleted}' then
      execute format('create trigger %I after delete on %s referencing old table as old_rows
        for each statement execute function change_feed.tg__record_events(%s)', v_prefix || '_delete', v_target, v_arguments);
    end if;
  end loop;
end $$;
comment on function change_feed.attach_triggers(regclass, name, text[], name, name, name) is $$Replaces the triggers that record the events of a stream, on its table and the partitions. Without kinds, removes them.$$;
--! EndIncluded functions/change_feed/attach_triggers.sql
--! Included functions/change_feed/stream.sql
create or replace function change_feed.stream(
  relation regclass, key_column name, kinds text[] default '{added,updated,deleted}', may_read regproc default null,
  number_column name default null, last_number_column name default null, keep interval default '7 days', since_column name default null,
  has_triggers boolean default true
) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_source change_feed.stream_sources;
begin
  with gone as (
    delete from change_feed.streams s
     where s.relation = stream.relation and s.key_column = stream.key_column and s.kind <> all (kinds) returning id
  ), gone_heads as (
    delete from change_feed.stream_heads where stream_id in (select id from gone)
  )
  delete from change_feed.stream_events where stream_id in (select id from gone);
  insert into change_feed.streams (relation, key_column, kind, may_read, number_column, last_number_column, keep, since_column)
  select stream.relation, stream.key_column, kind, stream.may_read::text, case kind when 'added' then stream.number_column end,
         case kind when 'added' then stream.last_number_column end, stream.keep, stream.since_column
    from unnest(kinds) as kind
  on conflict on constraint streams_relation_key_column_kind_key do update
    set may_read = excluded.may_read, number_column = excluded.number_column,
        last_number_column = excluded.last_number_column, keep = excluded.keep, since_column = excluded.since_column;

  perform change_feed.attach_triggers(relation, key_column);
  if cardinality(kinds) = 0 then
    return;
  end if;

  select * into v_source from change_feed.stream_sources s
   where s.relation = stream.relation and s.key_column = stream.key_column limit 1;
  case
    -- With two, an update would not say which row has become which.
    when v_source.id is null or has_triggers and exists (
        select from pg_catalog.pg_constraint where conrelid = stream.relation and contype = 'p' and cardinality(conkey) > 1) then
      raise exception using errcode = '42P16',
        message = format('A stream of %s needs a column %s and a primary key of one column', relation, key_column);
    when v_source.id_type is null or v_source.key_type is null then
      raise exception using errcode = '42P16',
        message = format('A stream of %s needs a primary key and a column %s that are integers or uuids', relation, key_column);
    when may_read is not null then
      -- Fails unless the function takes a key and a viewer’s id, and returns a column may_read.
      execute format('select r.may_read from %s(null::%s, null::bigint) as r', may_read, v_source.key_type);
    when 'deleted' = any (kinds) and (v_source.parent is null or key_column = v_source.id_column) then
      raise exception using errcode = '42P16',
        message = format('Nothing says who may learn of deleted rows of %s: %s refers to no other table', relation, key_column),
        hint = format('Give a function as may_read, or call: select change_feed.stream(%L, %L, kinds => %L)',
          relation, key_column, array_remove(kinds, 'deleted'));
    else
  end case;

  if not has_triggers then
    return;
  end if;
  perform change_feed.attach_triggers(relation, key_column, kinds, v_source.id_column, number_column, since_column);
end $$;
comment on function change_feed.stream(regclass, name, text[], regproc, name, name, interval, name, boolean) is $$Lets subscriptions follow the rows of a table by the value of a column, together with the smart tag @subscription. Records the given kinds of changes (added, updated, deleted) and keeps them for that long. since_column names a column that is null until a row belongs to the stream: the row is added when it gets a value. may_read names a function of a key and a viewer’s id that returns a column may_read: who may follow the key and read each of its rows. Without it the policies decide. Without has_triggers, functions record the events with change_feed.record_events(), and the primary key can be the key and one more column. For DBAs, in a migration; a later call replaces the settings, and no kinds end the stream.$$;
--! EndIncluded functions/change_feed/stream.sql
