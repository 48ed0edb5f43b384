--! Previous: sha1:068ba7a4be32e1ed7820595344e2d2db32e6a284
--! Hash: sha1:20561bb2703a9cce328626477534ef7d984983c3
--! Message: change feed version 11

--! split: 700-change-feed-version-11.sql

-- allow: change-behaviour:change_feed.notify_services because positions are checked, declarations are tried with rows, and writers wait for locks
-- allow: change-behaviour:change_feed.notify_rights because positions are checked, declarations are tried with rows, and writers wait for locks
-- allow: change-behaviour:change_feed.record_events because positions are checked, declarations are tried with rows, and writers wait for locks
-- allow: change-behaviour:change_feed.tg__record_events because positions are checked, declarations are tried with rows, and writers wait for locks
-- allow: change-behaviour:change_feed.sample_keys because positions are checked, declarations are tried with rows, and writers wait for locks
-- allow: change-behaviour:change_feed.try_key because positions are checked, declarations are tried with rows, and writers wait for locks
-- allow: change-behaviour:change_feed.try_stream because positions are checked, declarations are tried with rows, and writers wait for locks
-- allow: change-behaviour:change_feed.attach_triggers because positions are checked, declarations are tried with rows, and writers wait for locks
-- allow: change-behaviour:change_feed.tg_pending_events__number because positions are checked, declarations are tried with rows, and writers wait for locks
-- allow: change-behaviour:change_feed.open_positions because positions are checked, declarations are tried with rows, and writers wait for locks
-- allow: change-behaviour:change_feed.check_declaration because positions are checked, declarations are tried with rows, and writers wait for locks
-- allow: change-behaviour:change_feed.version because positions are checked, declarations are tried with rows, and writers wait for locks
-- allow: change-behaviour:change_feed.queue_for_webhooks because positions are checked, declarations are tried with rows, and writers wait for locks
-- allow: change-behaviour:change_feed.tg_stream_events__queue because positions are checked, declarations are tried with rows, and writers wait for locks
-- allow: change-behaviour:change_feed.due_webhook_events because positions are checked, declarations are tried with rows, and writers wait for locks
-- allow: change-behaviour:change_feed.problems because positions are checked, declarations are tried with rows, and writers wait for locks
-- allow: change-behaviour:change_feed.read_streams because positions are checked, declarations are tried with rows, and writers wait for locks
-- allow: change-behaviour:change_feed.stream_sources because positions are checked, declarations are tried with rows, and writers wait for locks
-- allow: change-behaviour:change_feed.stream_names because positions are checked, declarations are tried with rows, and writers wait for locks
-- allow: create-trigger:_500_note_emptied on change_feed.stream_events because a truncate is refused, and that of events is noted
-- allow: create-trigger:_500_note_emptied on change_feed.stream_heads because a truncate is refused, and that of events is noted
-- allow: create-trigger:_900_stream_truncate on app_public.users because a truncate is refused, and that of events is noted
-- allow: create-trigger:_900_stream_truncate on app_public.posts because a truncate is refused, and that of events is noted
-- allow: create-trigger:_900_stream_truncate on app_public.comments because a truncate is refused, and that of events is noted
-- allow: create-trigger:_900_stream_truncate on app_public.notifications because a truncate is refused, and that of events is noted
-- allow: create-trigger:_900_stream_truncate on app_public.messages because a truncate is refused, and that of events is noted
-- allow: create-trigger:_900_stream_truncate on app_public.inbox_entries because a truncate is refused, and that of events is noted
-- allow: create-trigger:_900_stream_truncate on app_public.reports because a truncate is refused, and that of events is noted
-- Version 11 of the feed: a position is valid in one history only. A number is given again after a restore, a failover that lost commits, or a truncate, so each
-- event has a random mark, and a position is the number and the mark: it is valid as long as the event with both is there. Rows with numbers of their own
-- are marked by a column that never changes. Followers are told when their history is gone, and so is the operator. A streamed table cannot be
-- truncated in silence, and takes its streams along when it is dropped. What a declaration causes is tried with keys that rows have.
create table if not exists change_feed.lost_histories (
  stream_id  int primary key,
  key        text not null,
  number     bigint not null,
  noticed_at timestamptz not null default now()
);
comment on table change_feed.lost_histories is $$The streams whose followers had events that are no longer in the history: after a restore, a failover that lost commits, a truncate. change_feed.problems() shows them for a day. Yours to delete.$$;
comment on column change_feed.lost_histories.stream_id is $$The stream.$$;
comment on column change_feed.lost_histories.key is $$The key whose followers were told last.$$;
comment on column change_feed.lost_histories.number is $$The number of the newest event that they had.$$;
comment on column change_feed.lost_histories.noticed_at is $$When they were told.$$;
alter table change_feed.lost_histories enable row level security;

-- Security definer: the login may write no table of the feed. Once a minute is enough: after a restore, thousands of keys are told.
create or replace function change_feed.note_lost_history(stream_id int, key text, number bigint) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  insert into change_feed.lost_histories as l (stream_id, key, number)
  select s.id, note_lost_history.key, note_lost_history.number from change_feed.streams s where s.id = note_lost_history.stream_id
  on conflict on constraint lost_histories_pkey do update set key = excluded.key, number = excluded.number, noticed_at = now()
   where l.noticed_at < now() - interval '1 minute'
$$;
comment on function change_feed.note_lost_history(int, text, bigint) is $$For the services: notes that the followers of a key had events that are no longer in the history.$$;
grant execute on function change_feed.note_lost_history(int, text, bigint) to :API_LOGIN;

-- The numbers of events that are older than this version have no mark: their positions have none either.
alter table change_feed.stream_events add column if not exists mark int;
alter table change_feed.stream_events alter column mark set default uuid_hash(gen_random_uuid());
comment on column change_feed.stream_events.mark is $$Random: tells the event from one of another history that has its number. Null for events that are older than version 11 of the feed.$$;
alter table change_feed.webhook_events add column if not exists mark int;
comment on column change_feed.webhook_events.mark is $$The mark of the event, a part of its id.$$;
alter table change_feed.streams add column if not exists mark_column name;
alter table change_feed.streams add column if not exists table_name text;
update change_feed.streams set table_name = relation::text where table_name is null;
alter table change_feed.streams add column if not exists emptied_at timestamptz;
comment on column change_feed.streams.emptied_at is $$When somebody has truncated the events of all streams: the id of a row without an event is no position any more. Null: never.$$;
comment on column change_feed.streams.mark_column is $$Where rows have numbers of their own: the column that never changes, and tells a row from one of another history. Null: the id does, if it is a uuid.$$;
comment on column change_feed.streams.table_name is $$The name of the table after the last migration, for when it is gone.$$;

create or replace view change_feed.stream_names as
select id, format('%s %s %s', case when exists (select from pg_catalog.pg_class where oid = relation) then relation::text else coalesce(table_name, 'a dropped table') end, key_column, kind) as name
  from change_feed.streams;
comment on view change_feed.stream_names is $$The declared streams, with their names in logs and metrics: the table, the key column and the kind.$$;

create or replace view change_feed.stream_sources as
with types (type, name) as (
  values ('smallint'::regtype, 'bigint'), ('int', 'bigint'), ('bigint', 'bigint'), ('uuid', 'uuid')
)
select s.id, s.relation, s.key_column, s.kind, s.may_read, s.number_column, s.last_number_column,
       id_column.attname as id_column,
       -- The types in which ids and keys are compared; null for a type that cannot be one.
       (select types.name from types where type = id_column.atttypid) as id_type,
       (select types.name from types where type = key_column.atttypid) as key_type,
       -- A row that is its own key must be visible, as the row that a key refers to.
       case when key_column.attnum = id_column.attnum then s.relation else parent.confrelid::regclass end as parent,
       case when key_column.attnum = id_column.attnum then key_column.attname else parent_column.attname end as parent_column,
       has_any_column_privilege(':API_ANONYMOUS', s.relation, 'select') as is_for_anonymous,
       s.since_column,
       case when s.number_column is not null then coalesce(s.mark_column, case when id_column.atttypid = 'uuid'::regtype then id_column.attname end) end as mark_column
  from change_feed.streams s
  join pg_catalog.pg_attribute key_column on key_column.attrelid = s.relation and key_column.attname = s.key_column
  join pg_catalog.pg_constraint row_key on row_key.conrelid = s.relation and row_key.contype = 'p'
  join pg_catalog.pg_attribute id_column on id_column.attrelid = s.relation and id_column.attnum = any (row_key.conkey)
   -- The primary key is one column, or one besides the key: a chat in the inbox of a user.
   and case cardinality(row_key.conkey) when 1 then true when 2 then key_column.attnum = any (row_key.conkey) and id_column.attnum <> key_column.attnum end
  left join lateral (
       select confrelid, confkey[1] as attnum from pg_catalog.pg_constraint
        where conrelid = s.relation and contype = 'f' and conkey = array[key_column.attnum]
        order by oid limit 1) as parent on true
  left join pg_catalog.pg_attribute parent_column
         on parent_column.attrelid = parent.confrelid and parent_column.attnum = parent.attnum;

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
             kept.first_number - 1)
           -- The number and the mark of an event.
           when o.position like '%.%' then (
             select e.number from change_feed.stream_events e
              where e.stream_id = o.stream_id and e.key = o.key and e.number = split_part(o.position, '.', 1)::bigint
                and coalesce(e.mark, 0) = split_part(o.position, '.', 2)::int)
           -- The id of a row, which a client knows from a list. A row that left the key and came back has several events, and its id is no position.
           when o.position like 'row:%' then (
             select case count(*) when 1 then min(e.number)
                      -- The row is older than the stream; and all events since are there.
                      when 0 then case when s.kind = 'added' and kept.first_number = 1 and s.emptied_at is null
                                       and change_feed.row_version(o.stream_id, o.key, substr(o.position, 5)) is not null then 0 end
                    end
               from change_feed.stream_events e
              where e.stream_id = o.stream_id and e.key = o.key and e.row_id = substr(o.position, 5))
           -- 0 is the beginning. All events since the position must be there. Other numbers are those of services of the release before.
           else (select o.position::bigint where o.position::bigint between kept.first_number - 1 and coalesce(h.last_number, 0))
         end,
         coalesce(h.last_number, 0)
    from unnest(stream_ids, keys, positions, horizons) with ordinality as o (stream_id, key, position, horizon, place)
    join change_feed.streams s on s.id = o.stream_id and s.number_column is null
    left join change_feed.stream_heads h on h.stream_id = o.stream_id and h.key = o.key
    left join lateral (
      -- Without events, nothing before the newest one is there.
      select coalesce(min(e.number), h.last_number + 1, 1) as first_number from change_feed.stream_events e
       where e.stream_id = o.stream_id and e.key = o.key) as kept on true;

  for v_source in select * from change_feed.stream_sources where id = any (stream_ids) and number_column is not null loop
    return query execute format($query$
      select o.place::int,
             case
               when o.position = '0' then 0
               when o.position is not null then
                 (select e.%1$I::bigint from %2$s e
                   where e.%3$I = split_part(o.position, '.', 1)::%4$s and e.%5$I = o.key::%6$s
                     and (o.position not like '%%.%%' or %8$s = split_part(o.position, '.', 2)::int))
               when o.horizon is null then last.number
               else coalesce(
                 (select e.%1$I::bigint from %2$s e
                   where e.%5$I = o.key::%6$s and change_feed.is_before(e.xmin, o.horizon)
                   order by e.%1$I desc limit 1), 0)
             end,
             last.number
        from unnest($1, $2, $3, $4) with ordinality as o (stream_id, key, position, horizon, place)
        left join lateral (%7$s) as last (number) on true
       where o.stream_id = $5 $query$,
        v_source.number_column, v_source.relation, v_source.id_column, v_source.id_type, v_source.key_column, v_source.key_type,
        change_feed.newest_number_query(v_source.id, 'o.key'), change_feed.mark_of(v_source.mark_column))
      using stream_ids, keys, positions, horizons, v_source.id;
  end loop;
end $$;
comment on function change_feed.open_positions(int[], text[], text[], xid8[]) is $$The start of each new subscription to a key of a stream. After the given position: number.mark of an event, or 0 for the beginning, or row:id for a row with one event; where rows have numbers of their own, the id of a row, with its mark behind a dot or without; else after the last event committed before the horizon (pg_snapshot_xmin of an earlier snapshot); else after the newest event. start_number is null when there is no such event, or it is no longer kept. last_number is that of the newest event.$$;

create or replace function change_feed.mark_of(mark_column name) returns text
language sql immutable
return case when mark_column is null then 'null::int' else format('hash_record(row(%I))', mark_column) end;
comment on function change_feed.mark_of(name) is $$The SQL of the mark of a row that has a number of its own.$$;

-- Security definer: the login may read neither the events nor the tables itself.
create or replace function change_feed.read_streams(stream_ids int[], keys text[], after_numbers bigint[], after_marks int[], page_size int)
returns table (
  place int, stream_id int, key text, row_ids text[], numbers bigint[], marks int[], versions text[], reached bigint, reached_mark int, is_lost boolean)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_source change_feed.stream_sources;
  v_events text;
  v_head text := 'coalesce((select last_number from change_feed.stream_heads h where h.stream_id = $6 and h.key = c.key), 0)';
  v_mark text := '(select coalesce(e.mark, 0) from change_feed.stream_events e where e.stream_id = $6 and e.key = c.key and e.number = c.after_number)';
begin
  for v_source in select * from change_feed.stream_sources where id = any (stream_ids) loop
    if v_source.number_column is not null then
      v_head := format('(%s)', change_feed.newest_number_query(v_source.id, 'c.key'));
      v_mark := format('(select %s from %s where %I = c.key::%s and %I = c.after_number)',
        change_feed.mark_of(v_source.mark_column), v_source.relation, v_source.key_column, v_source.key_type, v_source.number_column);
    end if;
    v_events := case
      when v_source.number_column is not null then format(
        $events$ select %1$I::text as row_id, %2$I::bigint as number, %6$s as mark, '' as version
                   from %3$s where %4$I = c.key::%5$s and %2$I > c.after_number order by %2$I limit $5 $events$,
        v_source.id_column, v_source.number_column, v_source.relation, v_source.key_column, v_source.key_type, change_feed.mark_of(v_source.mark_column))
      when v_source.kind = 'deleted' then
        $events$ select row_id, number, coalesce(mark, 0) as mark, '' as version from change_feed.stream_events e
                  where e.stream_id = $6 and e.key = c.key and number > c.after_number order by number limit $5 $events$
      -- A row that has been deleted or has another key now has no version here.
      else format(
        $events$ select e.row_id, e.number, e.mark, t.xmin::text as version
                   from (select row_id, number, coalesce(mark, 0) as mark from change_feed.stream_events e
                          where e.stream_id = $6 and e.key = c.key and number > c.after_number order by number limit $5) as e
                   left join %1$s t on t.%2$I = e.row_id::%3$s and t.%4$I = c.key::%5$s $events$,
        v_source.relation, v_source.id_column, v_source.id_type, v_source.key_column, v_source.key_type)
    end;
    return query execute format($query$
      select c.place::int, $6, c.key, page.row_ids, page.numbers, page.marks, page.versions, upto.number,
             case when page.numbers[cardinality(page.numbers)] = upto.number then page.marks[cardinality(page.numbers)]
                  when upto.number = c.after_number then former.mark end,
             coalesce(upto.number < c.after_number, false) or coalesce(former.mark <> c.after_mark, false)
        from unnest($1, $2, $3, $4) with ordinality as c (stream_id, key, after_number, after_mark, place)
        left join lateral (
          select array_agg(row_id order by number) as row_ids, array_agg(number order by number) as numbers,
                 array_agg(mark order by number) as marks, array_agg(version order by number) as versions
            from (%s) as events) as page on true
       cross join lateral (select case when cardinality(page.row_ids) = $5 then page.numbers[$5] else %s end as number) as upto
       cross join lateral (select %s as mark) as former
       where c.stream_id = $6 $query$, v_events, v_head, v_mark)
      using stream_ids, keys, after_numbers, after_marks, page_size, v_source.id;
  end loop;
end $$;
comment on function change_feed.read_streams(int[], text[], bigint[], int[], int) is $$Reads from many positions in streams in one snapshot. For each position: the next events (none where after_numbers is null) with their marks, the versions of their rows, the number up to which the result is complete, and the mark of that one. A version is null when there is no such row with that key any more, and empty where nobody needs it. is_lost: the position is in another history: the newest event has a lower number, or its event has another mark.$$;
grant execute on function change_feed.read_streams(int[], text[], bigint[], int[], int) to :API_LOGIN;

-- For services of the release before, while they are replaced.
create or replace function change_feed.read_streams(stream_ids int[], keys text[], after_numbers bigint[], page_size int)
returns table (place int, stream_id int, key text, row_ids text[], numbers bigint[], versions text[], reached bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select place, stream_id, key, row_ids, numbers, versions, reached from change_feed.read_streams(stream_ids, keys, after_numbers, null, page_size)
$$;
comment on function change_feed.read_streams(int[], text[], bigint[], int) is $$As the other read_streams(), for services of the release before: without marks.$$;

create or replace function change_feed.queue_for_webhooks(webhook text, events change_feed.stream_events[]) returns bigint
language sql volatile set search_path = pg_catalog, pg_temp as $$
  with queued as (
    insert into change_feed.webhook_events (webhook, stream_id, kind, key, number, row_id, created_at, mark)
    select w.name, s.id, s.kind, e.key, e.number, e.row_id, case when isfinite(e.created_at) then e.created_at else clock_timestamp() end, e.mark
      from unnest(events) as e
      join change_feed.streams s on s.id = e.stream_id
      join change_feed.webhooks w on w.relation = s.relation and w.key_column = s.key_column and s.kind = any (w.kinds)
     where queue_for_webhooks.webhook is null or w.name = queue_for_webhooks.webhook
     order by e.created_at, e.number
    returning 1
  )
  select count(*) from queued
$$;

create or replace function change_feed.tg_stream_events__queue() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  if change_feed.queue_for_webhooks(null, array(select row(stream_id, key, number, row_id, created_at, mark)::change_feed.stream_events from added)) > 0 then
    perform pg_notify(name, '') from change_feed.notification_channels where purpose = 'webhooks';
  end if;
  return null;
end $$;

create or replace function change_feed.due_webhook_events(webhook text, lease uuid, lease_for interval, count int)
returns table (id bigint, kind text, key text, row_id text, message_id text, created_at timestamptz, attempts int, relation text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  update change_feed.webhooks w set leased_until = clock_timestamp() + lease_for
   where w.name = due_webhook_events.webhook and w.lease = due_webhook_events.lease and not w.is_paused;
  if not found then
    return;
  end if;
  return query
  -- With the mark: an endpoint that knows the id would take the event of another history for one that it has.
  select e.id, e.kind, e.key, e.row_id, concat_ws('.', e.stream_id, e.key, e.number, to_hex(e.mark)), e.created_at, e.attempts, s.relation::text
    from change_feed.webhook_events e join change_feed.streams s on s.id = e.stream_id
   where e.webhook = due_webhook_events.webhook and e.due_at <= clock_timestamp()
     and not exists (select from change_feed.webhook_events former
                      where former.webhook = e.webhook and former.key = e.key and former.id < e.id and former.due_at is not null)
   order by e.id limit due_webhook_events.count;
end $$;

-- Not refused: a restore of these tables alone begins so.
create or replace function change_feed.tg__note_emptied() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  update change_feed.streams set emptied_at = now();
  return null;
end $$;
comment on function change_feed.tg__note_emptied() is $$After the events of all streams are truncated: notes it. Followers find out by themselves.$$;
create or replace trigger _500_note_emptied after truncate on change_feed.stream_events for each statement execute function change_feed.tg__note_emptied();
create or replace trigger _500_note_emptied after truncate on change_feed.stream_heads for each statement execute function change_feed.tg__note_emptied();

create or replace function change_feed.tg__refuse_truncate() returns trigger
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  -- An import replaces rows in silence.
  if current_setting('app.is_import', true) = 'on' then
    return null;
  end if;
  raise exception using errcode = '55000', message = format('Subscribers follow %s, and truncate would tell nobody of the deleted rows', tg_relid::regclass),
    hint = format('delete from %s tells them. To empty the table in silence: begin; set local app.is_import = ''on''; truncate …; commit', tg_relid::regclass);
end $$;
comment on function change_feed.tg__refuse_truncate() is $$Before a streamed table is truncated: refuses it, since no row is told.$$;

create or replace function change_feed.guard_truncate(relation regclass) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_name name := format('_900_%s_truncate', regexp_replace('change_feed', '^change.feed$', 'stream'));
  v_target regclass;
  v_is_there boolean;
  v_is_needed boolean;
begin
  for v_target in select guard_truncate.relation union select relid from pg_partition_tree(guard_truncate.relation) loop
    v_is_there := exists (select from pg_trigger where tgrelid = v_target and tgname = v_name);
    v_is_needed := exists (select from change_feed.streams s where s.relation = guard_truncate.relation);
    if v_is_there and not v_is_needed then
      execute format('drop trigger %I on %s', v_name, v_target);
    elsif v_is_needed and not v_is_there then
      execute format('create trigger %I before truncate on %s for each statement execute function change_feed.tg__refuse_truncate()', v_name, v_target);
    end if;
  end loop;
end $$;
comment on function change_feed.guard_truncate(regclass) is $$Refuses to truncate a table, and its partitions, as long as it has streams.$$;

create or replace function change_feed.renew_streams() returns int
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_gone int[] := array(select id from change_feed.streams s where not exists (select from pg_class where oid = s.relation) order by id);
  v_name text;
begin
  foreach v_name in array array(select name from change_feed.stream_names where id = any (v_gone) order by id) loop
    raise notice 'The stream % goes with its table', v_name;
  end loop;
  for v_name in delete from change_feed.webhooks w where not exists (select from pg_class where oid = w.relation) returning w.name loop
    raise notice 'The webhook % goes with its table', v_name;
  end loop;
  delete from change_feed.stream_events where stream_id = any (v_gone);
  delete from change_feed.stream_heads where stream_id = any (v_gone);
  delete from change_feed.lost_histories where stream_id = any (v_gone);
  delete from change_feed.streams where id = any (v_gone);
  update change_feed.streams set table_name = relation::text where table_name is distinct from relation::text;
  return cardinality(v_gone);
end $$;
comment on function change_feed.renew_streams() is $$Ends the streams and webhooks of tables that are gone, says which, and notes the names of the others. Returns how many streams have ended. Runs after each migration; an event trigger would need a superuser.$$;

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
  perform change_feed.guard_truncate(relation);
end $$;
comment on function change_feed.attach_triggers(regclass, name, text[], name, name, name) is $$Replaces the triggers that record the events of a stream, on its table and the partitions, and those that refuse to truncate them. Without kinds, removes them.$$;

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
      hint = 'select change_feed.renew_streams()';
  end if;
  foreach v_column in array array[v_stream.key_column, v_stream.number_column, v_stream.since_column, v_stream.mark_column] loop
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
  -- What a cast would find out with the first row.
  for v_table, v_column in
    select wanted.relation, wanted.name
      from (values (v_stream.relation, v_stream.number_column), (v_source.parent, v_stream.last_number_column)) as wanted (relation, name)
     where wanted.name is not null
       and not exists (select from pg_attribute where attrelid = wanted.relation and attname = wanted.name and atttypid = any ('{int2,int4,int8}'::regtype[]))
  loop
    raise exception using errcode = '42804', message = format('%s has no column %s that is an integer', coalesce(v_table::text, 'The table of the key'), v_column);
  end loop;
  if v_stream.may_read is not null and to_regproc(v_stream.may_read) is null then
    raise exception using errcode = '42883', message = format('There is no function %s, or there are several', v_stream.may_read),
      hint = format('Call change_feed.stream(%L, %L, …) again with the function of today as may_read.', v_stream.relation, v_stream.key_column);
  end if;
  if v_source.mark_column is not null then
    execute format('select hash_record(row(null::%s))',
      (select format_type(atttypid, atttypmod) from pg_attribute where attrelid = v_stream.relation and attname = v_source.mark_column));
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
comment on function change_feed.check_declaration(int) is $$Raises an error unless the table of a stream has the columns, with their types, the primary key and the triggers that its declaration needs, and its function is there.$$;

-- Security definer: the login may not read the tables itself. Few rows are read: of the table, and of the keys that had events.
create or replace function change_feed.sample_keys(stream_id int) returns text[]
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_source change_feed.stream_sources;
  v_keys text[];
begin
  select * into v_source from change_feed.stream_sources where id = sample_keys.stream_id;
  execute format($query$
    select array_agg(key) from (
      select distinct key from (
        (select %1$I::text as key from %2$s limit 100)
        union all
        (select key from (select key from change_feed.stream_heads where stream_id = $1 limit 20) as h
          where exists (select from %2$s t where t.%1$I = h.key::%3$s))) as found
       where key is not null limit 5) as few $query$, v_source.key_column, v_source.relation, v_source.key_type)
    into v_keys using sample_keys.stream_id;
  return coalesce(v_keys, '{}');
end $$;
comment on function change_feed.sample_keys(int) is $$Keys of a stream to try statements with: those of some rows. None where there is no row.$$;

-- Not security definer, as change_feed.refused_subscribers().
create or replace function change_feed.try_key(stream_id int, key text) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_row_ids text[];
begin
  perform * from change_feed.open_positions(
    array[stream_id, stream_id, stream_id, stream_id], array[key, key, key, key], array[null, null, '0', '0.0'],
    array[null, pg_snapshot_xmin(pg_current_snapshot()), null, null]);
  v_row_ids := (select row_ids from change_feed.read_streams(array[stream_id], array[key], array[0::bigint], null, 1));
  perform change_feed.row_version(stream_id, key, row_id) from unnest(v_row_ids) as row_id;
  -- As a visitor, and as a signed-in user whom nobody knows. The ids of users are numbers or uuids.
  begin
    perform change_feed.try_viewer(stream_id, key, v_row_ids, '0');
  exception when invalid_text_representation then
    perform change_feed.try_viewer(stream_id, key, v_row_ids, '00000000-0000-0000-0000-000000000000');
  end;
end $$;

create or replace function change_feed.tried_with_rows(stream_id int) returns boolean
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_keys text[];
begin
  perform change_feed.check_declaration(stream_id);
  v_keys := change_feed.sample_keys(stream_id);
  if v_keys = '{}' then
    -- The statements are right, as far as PostgreSQL checks them without a row.
    perform change_feed.try_key(stream_id, (select case key_type when 'uuid' then '00000000-0000-0000-0000-000000000000' else '0' end
                                              from change_feed.stream_sources s where s.id = stream_id));
    return false;
  end if;
  -- A function may fail for one key, and the stream is well for all others. What is wrong with the stream fails for each key.
  for v_place in 1 .. cardinality(v_keys) - 1 loop
    begin
      perform change_feed.try_key(stream_id, v_keys[v_place]);
      return true;
    exception when others then
      null;
    end;
  end loop;
  perform change_feed.try_key(stream_id, v_keys[cardinality(v_keys)]);
  return true;
end $$;
comment on function change_feed.tried_with_rows(int) is $$Runs, once, each statement that the services run for a stream, as a visitor and as a member, for keys that rows have. Raises the error of one that fails for each key that is tried. False where no row has a key: then only the statements were checked.$$;
grant execute on function change_feed.tried_with_rows(int) to :API_LOGIN;

create or replace function change_feed.try_stream(stream_id int) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  perform change_feed.tried_with_rows(stream_id);
end $$;
comment on function change_feed.try_stream(int) is $$Raises the error of change_feed.tried_with_rows().$$;

-- Security definer: the login may not read the table itself.
create or replace function change_feed.history_problems() returns table (stream text, problem text, repair text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select 'all', format('the events of all streams were truncated (%s), so whoever has a position begins again', to_char(max(emptied_at) at time zone 'UTC', 'YYYY-MM-DD HH24:MI "UTC"')),
         'None is needed. Restore the whole database rather than the tables of the feed'
    from change_feed.streams having max(emptied_at) > now() - interval '1 day'
   union all
  (select name, format('followers had events up to number %s of key %s that are no longer in the history (%s): a restore, a failover that lost commits, a truncate. They were told to begin again',
           number, key, to_char(noticed_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI "UTC"')),
         format('Find out why. Then: delete from change_feed.lost_histories where stream_id = %s', stream_id)
    from change_feed.lost_histories join change_feed.stream_names on id = stream_id
   where noticed_at > now() - interval '1 day'
   order by stream_id)
$$;
comment on function change_feed.history_problems() is $$The streams whose history was replaced in the last day, as their followers have noticed.$$;
grant execute on function change_feed.history_problems() to :API_LOGIN;

create or replace function change_feed.problems() returns table (stream text, problem text, repair text)
language plpgsql stable set search_path = pg_catalog, pg_temp set lock_timeout = '100ms' as $$
declare
  v_stream change_feed.stream_names;
begin
  for v_stream in select * from change_feed.stream_names order by id loop
    begin
      perform change_feed.try_stream(v_stream.id);
    exception
      when lock_not_available or deadlock_detected then
        null;
      when others then
        stream := v_stream.name;
        get stacked diagnostics problem = message_text, repair = pg_exception_hint;
        return next;
    end;
  end loop;
  return query select * from change_feed.history_problems();
  return query select * from change_feed.webhook_problems();
end $$;
comment on function change_feed.problems() is $$The streams that cannot be followed: a declaration names what is not there any more, or a statement fails. The streams whose history was replaced, and the webhooks that fail. Without a row, all is well that could be tried: change_feed.untried() has the rest.$$;

create or replace function change_feed.untried() returns table (stream text, reason text)
language plpgsql stable set search_path = pg_catalog, pg_temp set lock_timeout = '100ms' as $$
declare
  v_stream change_feed.stream_names;
begin
  for v_stream in select * from change_feed.stream_names order by id loop
    begin
      stream := v_stream.name;
      if not change_feed.tried_with_rows(v_stream.id) then
        reason := 'no row has a key';
        return next;
      end if;
    exception
      when lock_not_available or deadlock_detected then
        reason := 'its table is locked';
        return next;
      when others then
        null;
    end;
  end loop;
end $$;
comment on function change_feed.untried() is $$The streams of which problems() cannot say whether they can be followed: no row has a key, or the table is locked.$$;
grant execute on function change_feed.untried() to :API_LOGIN;

-- Subscriptions may wait for a table of the feed, which each upgrade locks for a moment; so may whoever writes.
alter function change_feed.tg__record_events() set lock_timeout = '8s';
alter function change_feed.tg_pending_events__number() set lock_timeout = '8s';
alter function change_feed.record_events(regclass, name, text[], text[], text[]) set lock_timeout = '8s';
alter function change_feed.notify_services(text) set lock_timeout = '8s';
alter function change_feed.notify_rights(regclass, name, text) set lock_timeout = '8s';

drop function if exists change_feed.stream(regclass, name, text[], regproc, name, name, interval, name, boolean);
create function change_feed.stream(
  relation regclass, key_column name, kinds text[] default '{added,updated,deleted}', may_read regproc default null,
  number_column name default null, last_number_column name default null, keep interval default '7 days', since_column name default null,
  has_triggers boolean default true, mark_column name default null
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
  insert into change_feed.streams (relation, key_column, kind, may_read, number_column, last_number_column, keep, since_column, has_triggers, mark_column, table_name)
  select stream.relation, stream.key_column, kind, stream.may_read::text, case kind when 'added' then stream.number_column end,
         case kind when 'added' then stream.last_number_column end, stream.keep, stream.since_column, stream.has_triggers,
         case kind when 'added' then stream.mark_column end, stream.relation::text
    from unnest(kinds) as kind
  on conflict on constraint streams_relation_key_column_kind_key do update
    set may_read = excluded.may_read, number_column = excluded.number_column,
        last_number_column = excluded.last_number_column, keep = excluded.keep, since_column = excluded.since_column,
        has_triggers = excluded.has_triggers, mark_column = excluded.mark_column, table_name = excluded.table_name;

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

  if number_column is not null and mark_column is null and v_source.id_type <> 'uuid' then
    raise warning 'After a restore, a position in % may be that of another row', relation
      using hint = 'Name a column that never changes and that no row of another history shares as mark_column, such as the time of the insert.';
  end if;
  if has_triggers then
    perform change_feed.attach_triggers(relation, key_column, kinds, v_source.id_column, number_column, since_column);
  end if;
  -- A wrong column or function fails here, and not for the first subscriber.
  perform change_feed.try_stream(s.id) from change_feed.streams s
    where s.relation = stream.relation and s.key_column = stream.key_column;
end $$;
comment on function change_feed.stream(regclass, name, text[], regproc, name, name, interval, name, boolean, name) is $$Lets subscriptions follow the rows of a table by the value of a column, together with the smart tag @subscription. Records the given kinds of changes (added, updated, deleted) and keeps them for that long. since_column names a column that is null until a row belongs to the stream: the row is added when it gets a value. may_read names a function of a key and a viewer’s id that returns a column may_read: who may follow the key and read each of its rows. Without it the policies decide. Without has_triggers, functions record the events with change_feed.record_events(), and the primary key can be the key and one more column. Where rows have numbers of their own (number_column), mark_column names a column that never changes, and tells a row from one of another history. Runs, once, the statements that the streams cause, so a wrong column or function fails the call. For DBAs, in a migration; a later call replaces the settings, and no kinds end the stream.$$;

select change_feed.guard_truncate(relation)
  from (select distinct relation from change_feed.streams) as streamed
 where exists (select from pg_catalog.pg_class where oid = relation);

create or replace function change_feed.version() returns int
language sql immutable
return 11;
