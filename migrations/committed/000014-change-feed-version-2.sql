--! Previous: sha1:736c721e12c8518dbb67ff1b89385e1f5b28894b
--! Hash: sha1:0f5052ff9d5b8e59734c1afb78c26aaf0fabcfee
--! Message: change feed version 2

-- allow: change-behaviour:change_feed.record_events because events are numbered when the transaction commits, which test/feed/log covers
-- allow: change-behaviour:change_feed.tg__record_events because rows of partitions are recorded, and a renamed column is an error
-- allow: change-behaviour:change_feed.stream because it tries the statements that the streams cause
-- Version 2 of the feed. A stream that fails does so alone, and its declaration is tried when it is made: services read each stream by a statement of
-- its own. A subscription continues after the position of an event. Events get their numbers at the commit, under locks that all transactions
-- take in one order: two transactions that change rows of two keys in opposite orders do not end in a deadlock, and one that stays open
-- holds up no other writer of its keys.
alter table change_feed.streams add column if not exists has_triggers boolean not null default true;
update change_feed.streams s set has_triggers = false
 where not exists (select from pg_catalog.pg_trigger where tgrelid = s.relation and tgfoid = 'change_feed.tg__record_events'::regproc);
comment on column change_feed.streams.has_triggers is $$Whether triggers of the table record the events; if not, functions do.$$;

-- Unlogged: no row outlives its transaction.
create unlogged table if not exists change_feed.pending_events (
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
drop trigger if exists _500_number on change_feed.pending_events;
create constraint trigger _500_number after insert on change_feed.pending_events deferrable initially deferred
  for each row execute function change_feed.tg_pending_events__number();

create or replace function change_feed.record_events(relation regclass, key_column name, kinds text[], keys text[], row_ids text[]) returns void
language plpgsql volatile strict set search_path = pg_catalog, pg_temp as $$
begin
  insert into change_feed.pending_events (relation, key_column, kinds, keys, row_ids) values (relation, key_column, kinds, keys, row_ids);
end $$;
comment on function change_feed.record_events(regclass, name, text[], text[], text[]) is $$Records changes of rows (kinds, values of the key column and ids, in equal order) in the streams of a table, and notifies the services. For triggers, and for the functions of a stream without triggers. The events get their numbers when the transaction commits.$$;

-- Security definer: no role may write events, and only the owner and the service may know the channel.
--
-- Statement-level, so that a statement with many rows costs as many statements as one. The arguments are the key column, the
-- primary key, the number column of rows that have numbers of their own, and the column that is null until a row belongs to the stream.
--
-- Without enable_nestloop, as in change_feed.tg_pending_events__number().
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

-- Statement-level triggers of a partitioned table do not fire for rows that are written to a partition by its own name, so each
-- partition has them, too. A new partition has them after the next call of stream().
create or replace function change_feed.attach_triggers(
  relation regclass, key_column name, kinds text[] default '{}', id_column name default null, number_column name default null,
  since_column name default null
) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  -- Two feeds on one table have triggers of their own.
  v_prefix text := format('_900_%s_%s', regexp_replace('change_feed', '^change.feed$', 'stream'), left(key_column, 40));
  v_target regclass;
  v_trigger name;
  v_arguments text;
begin
  for v_target in select relation union select relid from pg_partition_tree(relation) loop
    for v_trigger in select name from change_feed.triggers_of(v_target, key_column) loop
      execute format('drop trigger %I on %s', v_trigger, v_target);
    end loop;
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

create or replace function change_feed.triggers_of(relation regclass, key_column name) returns table (name name, event text, is_enabled boolean)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select tgname, case when tgtype & 4 > 0 then 'insert' when tgtype & 8 > 0 then 'delete' else 'update' end, tgenabled in ('O', 'A')
    from pg_catalog.pg_trigger
   where tgrelid = relation and tgfoid = 'change_feed.tg__record_events'::regproc
     and split_part(encode(tgargs, 'escape'), '\000', 1) = key_column
$$;
comment on function change_feed.triggers_of(regclass, name) is $$The triggers of a table that record the events of a stream.$$;

-- Security definer: the login asks for many viewers at once, and may read neither the events nor the tables itself.
create or replace function change_feed.open_positions(stream_ids int[], keys text[], positions text[], horizons xid8[])
returns table (place int, start_number bigint, last_number bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_source change_feed.stream_sources;
begin
  return query
  select o.place::int,
         case
           when o.position is null and o.horizon is null then coalesce(h.last_number, 0)
           -- The newest event that was committed before the horizon. Numbers are committed in order, so all lower ones were
           -- committed as well. An xmin below the horizon belongs to a transaction that had ended by then. The xmin of
           -- a subtransaction is above its parent's.
           when o.position is null then coalesce(
             (select e.number from change_feed.stream_events e
               where e.stream_id = o.stream_id and e.key = o.key
                 -- A job has given those at infinity a new xmin.
                 and (change_feed.is_before(e.xmin, o.horizon) or e.created_at = 'infinity')
               order by e.number desc limit 1),
             kept.first_number - 1, 0)
           -- The id of a row, which a client knows from a list. A row that left the key and came back has several events, and its id is no position.
           when o.position like 'row:%' then (
             select case count(*) when 1 then min(e.number)
                      -- The row is older than the stream; and all events since are there.
                      when 0 then case when s.kind = 'added' and coalesce(kept.first_number, 1) = 1
                                       and change_feed.row_version(o.stream_id, o.key, substr(o.position, 5)) is not null then 0 end
                    end
               from change_feed.stream_events e
              where e.stream_id = o.stream_id and e.key = o.key and e.row_id = substr(o.position, 5))
           -- 0 is the beginning. All events since the position must be there.
           else (select o.position::bigint where o.position::bigint between coalesce(kept.first_number, 1) - 1 and coalesce(h.last_number, 0))
         end,
         coalesce(h.last_number, 0)
    from unnest(stream_ids, keys, positions, horizons) with ordinality as o (stream_id, key, position, horizon, place)
    join change_feed.streams s on s.id = o.stream_id and s.number_column is null
    left join change_feed.stream_heads h on h.stream_id = o.stream_id and h.key = o.key
    left join lateral (
      select min(e.number) as first_number from change_feed.stream_events e
       where e.stream_id = o.stream_id and e.key = o.key) as kept on true;

  for v_source in select * from change_feed.stream_sources where id = any (stream_ids) and number_column is not null loop
    return query execute format($query$
      select o.place::int,
             case
               when o.position = '0' then 0
               when o.position is not null then
                 (select e.%1$I::bigint from %2$s e where e.%3$I = o.position::%4$s and e.%5$I = o.key::%6$s)
               when o.horizon is null then h.%7$I::bigint
               else coalesce(
                 (select e.%1$I::bigint from %2$s e
                   where e.%5$I = o.key::%6$s and change_feed.is_before(e.xmin, o.horizon)
                   order by e.%1$I desc limit 1), 0)
             end,
             h.%7$I::bigint
        from unnest($1, $2, $3, $4) with ordinality as o (stream_id, key, position, horizon, place)
        left join %8$s h on h.%9$I = o.key::%6$s
       where o.stream_id = $5 $query$,
        v_source.number_column, v_source.relation, v_source.id_column, v_source.id_type, v_source.key_column, v_source.key_type,
        v_source.last_number_column, v_source.parent, v_source.parent_column)
      using stream_ids, keys, positions, horizons, v_source.id;
  end loop;
end $$;
comment on function change_feed.open_positions(int[], text[], text[], xid8[]) is $$The start of each new subscription to a key of a stream. After the given position: the number of an event, or 0 for the beginning, or row:id for a row with one event; where rows have numbers of their own, the id of a row; else after the last event committed before the horizon (pg_snapshot_xmin of an earlier snapshot); else after the newest event. start_number is null when there is no such event, or it is no longer kept. last_number is that of the newest event.$$;
grant execute on function change_feed.open_positions(int[], text[], text[], xid8[]) to :API_LOGIN;

create or replace function change_feed.is_viewer(viewer_id text) returns boolean
language sql stable
return case when viewer_id ~ '^[0-9]{1,18}$' then change_feed.may_subscribe(viewer_id::bigint) else true end;
comment on function change_feed.is_viewer(text) is $$Whether a signed-in user may read streams at all. A later migration may replace this function.$$;

-- Security definer: the login may not read the tables that the functions read.
create or replace function change_feed.refused_subscribers_by_function(stream_ids int[], keys text[], viewer_ids text[]) returns setof int
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_source change_feed.stream_sources;
begin
  return query
  select asked.place::int
    from unnest(stream_ids, viewer_ids) with ordinality as asked (stream_id, viewer_id, place)
    left join change_feed.stream_sources s on s.id = asked.stream_id
   where case
           -- Refuses a stream that is gone, and raises an error for one whose table has changed.
           when s.id is null then (select count(change_feed.check_declaration(d.id)) = 0 from change_feed.streams d where d.id = asked.stream_id)
           else false end
      or case when asked.viewer_id is null then not s.is_for_anonymous else not change_feed.is_viewer(asked.viewer_id) end;

  for v_source in select * from change_feed.stream_sources where id = any (stream_ids) and may_read is not null loop
    return query execute format($query$
      select asked.place::int
        from unnest($1, $2, $3) with ordinality as asked (stream_id, key, viewer_id, place)
        left join lateral %s(asked.key::%s, asked.viewer_id::%s) as r on true
       where asked.stream_id = $4 and r.may_read is not true $query$, v_source.may_read, v_source.key_type,
        (select proargtypes[1]::regtype from pg_proc where oid = v_source.may_read::regproc))
      using stream_ids, keys, viewer_ids, v_source.id;
  end loop;
end $$;
comment on function change_feed.refused_subscribers_by_function(int[], text[], text[]) is $$The 1-based positions of those who may not read a key: unknown streams, users that is_viewer() refuses, and those that the stream’s own function refuses.$$;
grant execute on function change_feed.refused_subscribers_by_function(int[], text[], text[]) to :API_LOGIN;

-- Not security definer: such a function cannot become another role, and policies apply to roles.
create or replace function change_feed.refused_subscribers(
  stream_ids int[], keys text[], viewer_ids text[], row_streams int[], row_keys text[], row_ids text[]
) returns table (place int, row_id text)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_asked record;
  v_role text := current_setting('role');
  v_viewer_id text := coalesce(current_setting('app.viewer_id', true), '');
begin
  return query select refused, null::text from change_feed.refused_subscribers_by_function(stream_ids, keys, viewer_ids) as refused;
  -- Each viewer once for each stream.
  for v_asked in
    select s.*, asked.*, case when asked.viewer_id is null then ':API_ANONYMOUS' else ':API_MEMBER' end as role
      from (select one.stream_id, one.viewer_id, array_agg(one.key) as keys, array_agg(one.place::int) as places
              from unnest(stream_ids, keys, viewer_ids) with ordinality as one (stream_id, key, viewer_id, place)
             group by one.stream_id, one.viewer_id) as asked
      join change_feed.stream_sources s on s.id = asked.stream_id and s.may_read is null
  loop
    begin
      perform set_config('role', v_asked.role, true), set_config('app.viewer_id', coalesce(v_asked.viewer_id, ''), true);
      -- A cast may fail, so policies are checked before a condition that has one: the index of the condition would not be used.
      return query execute format($query$
        with asked as materialized (select key::%6$s, place from unnest($1, $2) as asked (key, place)),
        page as materialized (
          select key::%6$s, row_id::%4$s as id, row_id from unnest($3, $4, $5) as page (stream_id, key, row_id) where stream_id = $6)
        select asked.place, null::text from asked where not %1$s
        union all
        select asked.place, page.row_id from asked join page using (key)
         where not exists (select from %2$s where %3$I = page.id and %5$I = page.key) $query$,
          case when v_asked.parent is null then 'true' else format('exists (select from %s where %I = asked.key)',
            v_asked.parent, v_asked.parent_column) end,
          v_asked.relation, v_asked.id_column, v_asked.id_type, v_asked.key_column, v_asked.key_type)
        using v_asked.keys, v_asked.places, row_streams, row_keys, row_ids, v_asked.id;
      perform set_config('role', v_role, true), set_config('app.viewer_id', v_viewer_id, true);
    exception when insufficient_privilege then
      -- No right to read the table. Any other error is the policy's or the table's: the caller finds out whom it concerns.
      return query select unnest(v_asked.places), null::text;
    end;
  end loop;
end $$;
comment on function change_feed.refused_subscribers(int[], text[], text[], int[], text[], text[]) is $$The 1-based positions of those who may not read a key of a stream, without a row_id; of those who may read it and not the row, with the row_id. A stream without a function of its own asks the policies, as each viewer: those of the table that the key refers to, and those of the given rows.$$;
grant execute on function change_feed.refused_subscribers(int[], text[], text[], int[], text[], text[]) to :API_LOGIN;

create or replace view change_feed.stream_names as
select id, format('%s %s %s', relation, key_column, kind) as name from change_feed.streams;
comment on view change_feed.stream_names is $$The declared streams, with their names in logs and metrics: the table, the key column and the kind.$$;
grant select on change_feed.stream_names to :API_LOGIN;

-- Security definer: the login may read neither the declarations nor the tables itself.
create or replace function change_feed.check_declaration(stream_id int) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_stream change_feed.streams;
  v_source change_feed.stream_sources;
  v_column name;
  v_table regclass;
  v_event text;
begin
  select * into strict v_stream from change_feed.streams where id = check_declaration.stream_id;
  if not exists (select from pg_class where oid = v_stream.relation) then
    raise exception using errcode = '42P01', message = 'The table of the stream is gone',
      hint = format('Remove it: delete from change_feed.streams where id = %s', v_stream.id);
  end if;
  foreach v_column in array array[v_stream.key_column, v_stream.number_column, v_stream.since_column] loop
    if v_column is not null
       and not exists (select from pg_attribute where attrelid = v_stream.relation and attname = v_column and not attisdropped) then
      raise exception using errcode = '42703', message = format('The table %s has no column %s', v_stream.relation, v_column),
        hint = format('Call change_feed.stream(%L, …) again with the column’s name of today.', v_stream.relation);
    end if;
  end loop;
  select * into v_source from change_feed.stream_sources where id = v_stream.id;
  if v_source.id is null or v_source.id_type is null or v_source.key_type is null then
    raise exception using errcode = '42P16', message = format(
      'A stream of %s needs a column %s and a primary key that are integers or uuids', v_stream.relation, v_stream.key_column);
  end if;
  for v_table, v_event in
    select target, events.event
      from (select v_stream.relation::regclass union select relid from pg_partition_tree(v_stream.relation)) as targets (target)
      cross join unnest('{insert,update,delete}'::text[]) as events (event)
     where v_stream.has_triggers
       and case events.event when 'insert' then v_stream.kind = 'added' when 'delete' then v_stream.kind = 'deleted'
             else v_stream.kind <> 'added' or v_stream.since_column is not null end
       and not exists (select from change_feed.triggers_of(target, v_stream.key_column) as t where t.event = events.event and t.is_enabled)
  loop
    raise exception using errcode = '42704',
      message = format('%s has no enabled trigger after %s that records the events by %s', v_table, v_event, v_stream.key_column),
      hint = format('Call change_feed.stream(%L, %L, …) again.', v_stream.relation, v_stream.key_column);
  end loop;
end $$;
comment on function change_feed.check_declaration(int) is $$Raises an error unless the table of a stream has the columns, the primary key and the triggers that its declaration needs.$$;
grant execute on function change_feed.check_declaration(int) to :API_LOGIN;

-- Security definer: the login may not read the tables itself.
create or replace function change_feed.sample_keys(stream_id int) returns text[]
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_source change_feed.stream_sources;
  v_key text;
begin
  select * into v_source from change_feed.stream_sources where id = stream_id;
  execute format('select %I::text from %s limit 1', v_source.key_column, v_source.relation) into v_key;
  return array_remove(array[v_key, case v_source.key_type when 'uuid' then '00000000-0000-0000-0000-000000000000' else '0' end], null);
end $$;
comment on function change_feed.sample_keys(int) is $$Keys of a stream to try statements with: that of some row, and one that no row has.$$;
grant execute on function change_feed.sample_keys(int) to :API_LOGIN;

-- Not security definer, as change_feed.refused_subscribers().
create or replace function change_feed.try_viewer(stream_id int, key text, row_ids text[], viewer_id text) returns void
language sql stable set search_path = pg_catalog, pg_temp as $$
  select count(*)
    from change_feed.refused_subscribers(
           array[stream_id, stream_id], array[key, key], array[null, viewer_id],
           array(select stream_id from unnest(row_ids)), array(select key from unnest(row_ids)), coalesce(row_ids, '{}'))
$$;
comment on function change_feed.try_viewer(int, text, text[], text) is $$Asks whether a visitor and a user may follow a key and read rows of it. Raises the error of what is asked.$$;
grant execute on function change_feed.try_viewer(int, text, text[], text) to :API_LOGIN;

create or replace function change_feed.try_key(stream_id int, key text) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_row_ids text[];
begin
  perform * from change_feed.open_positions(
    array[stream_id, stream_id, stream_id], array[key, key, key], array[null, null, '0'],
    array[null, pg_snapshot_xmin(pg_current_snapshot()), null]);
  v_row_ids := (select row_ids from change_feed.read_streams(array[stream_id], array[key], array[0::bigint], 1));
  perform change_feed.row_version(stream_id, key, row_id) from unnest(v_row_ids) as row_id;
  -- As a visitor, and as a signed-in user whom nobody knows. The ids of users are numbers or uuids.
  begin
    perform change_feed.try_viewer(stream_id, key, v_row_ids, '0');
  exception when invalid_text_representation then
    perform change_feed.try_viewer(stream_id, key, v_row_ids, '00000000-0000-0000-0000-000000000000');
  end;
end $$;
comment on function change_feed.try_key(int, text) is $$Runs, once, each statement that the services run for a stream, for one key.$$;
grant execute on function change_feed.try_key(int, text) to :API_LOGIN;

create or replace function change_feed.try_stream(stream_id int) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_keys text[];
begin
  perform change_feed.check_declaration(stream_id);
  v_keys := change_feed.sample_keys(stream_id);
  begin
    perform change_feed.try_key(stream_id, v_keys[1]);
  exception when others then
    -- A function may fail for one key, and the stream is well for all others. What is wrong with the stream fails for each key.
    perform change_feed.try_key(stream_id, v_keys[array_upper(v_keys, 1)]);
  end;
end $$;
comment on function change_feed.try_stream(int) is $$Runs, once, each statement that the services run for a stream, as a visitor and as a member. Raises the error of one that fails for each key that is tried.$$;
grant execute on function change_feed.try_stream(int) to :API_LOGIN;

create or replace function change_feed.problems() returns table (stream text, problem text, repair text)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_stream change_feed.stream_names;
begin
  for v_stream in select * from change_feed.stream_names order by id loop
    begin
      perform change_feed.try_stream(v_stream.id);
    exception when others then
      stream := v_stream.name;
      get stacked diagnostics problem = message_text, repair = pg_exception_hint;
      return next;
    end;
  end loop;
end $$;
comment on function change_feed.problems() is $$The streams that cannot be followed: a declaration names what is not there any more, or a statement fails. Without a row, all can.$$;
grant execute on function change_feed.problems() to :API_LOGIN;

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
  insert into change_feed.streams (relation, key_column, kind, may_read, number_column, last_number_column, keep, since_column, has_triggers)
  select stream.relation, stream.key_column, kind, stream.may_read::text, case kind when 'added' then stream.number_column end,
         case kind when 'added' then stream.last_number_column end, stream.keep, stream.since_column, stream.has_triggers
    from unnest(kinds) as kind
  on conflict on constraint streams_relation_key_column_kind_key do update
    set may_read = excluded.may_read, number_column = excluded.number_column,
        last_number_column = excluded.last_number_column, keep = excluded.keep, since_column = excluded.since_column,
        has_triggers = excluded.has_triggers;

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
    when may_read is null and 'deleted' = any (kinds) and (v_source.parent is null or key_column = v_source.id_column) then
      raise exception using errcode = '42P16',
        message = format('Nothing says who may learn of deleted rows of %s: %s refers to no other table', relation, key_column),
        hint = format('Give a function as may_read, or call: select change_feed.stream(%L, %L, kinds => %L)',
          relation, key_column, array_remove(kinds, 'deleted'));
    else
  end case;

  if has_triggers then
    perform change_feed.attach_triggers(relation, key_column, kinds, v_source.id_column, number_column, since_column);
  end if;
  -- A wrong column or function fails here, and not for the first subscriber.
  perform change_feed.try_stream(s.id) from change_feed.streams s
    where s.relation = stream.relation and s.key_column = stream.key_column;
end $$;
comment on function change_feed.stream(regclass, name, text[], regproc, name, name, interval, name, boolean) is $$Lets subscriptions follow the rows of a table by the value of a column, together with the smart tag @subscription. Records the given kinds of changes (added, updated, deleted) and keeps them for that long. since_column names a column that is null until a row belongs to the stream: the row is added when it gets a value. may_read names a function of a key and a viewer’s id that returns a column may_read: who may follow the key and read each of its rows. Without it the policies decide. Without has_triggers, functions record the events with change_feed.record_events(), and the primary key can be the key and one more column. Runs, once, the statements that the streams cause, so a wrong column or function fails the call. For DBAs, in a migration; a later call replaces the settings, and no kinds end the stream.$$;

create or replace function change_feed.version() returns int
language sql immutable
return 2;
comment on function change_feed.version() is $$The version of the feed's SQL.$$;
