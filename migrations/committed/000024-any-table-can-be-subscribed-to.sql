--! Previous: sha1:c1907d215de25b33de2be67730fc0b9a0435e4cc
--! Hash: sha1:8886e5d3d6be6cad6d310c58c9759ac4ee6d1542
--! Message: any table can be subscribed to

--! split: 300-streams.sql
-- Subscriptions to any table by SQL alone: app_hidden.stream() records each added, updated and deleted row of a table under a
-- key, and numbers them in the order of commits. The API's subscriptions read from there (src/streams). Messages have
-- numbers of their own, so their stream reads the table itself.
create table if not exists app_private.streams (
  id                 int generated always as identity primary key,
  relation           regclass not null,
  key_column         name not null,
  kind               text not null,
  -- The name, because pg_upgrade does not accept columns of type regproc.
  may_read           text,
  number_column      name,
  last_number_column name,
  keep               interval not null,
  constraint streams_relation_key_column_kind_key unique (relation, key_column, kind),
  constraint streams_kind_check check (kind in ('added', 'updated', 'deleted')),
  constraint streams_number_column_check
    check (number_column is null and last_number_column is null or last_number_column is not null and kind = 'added')
);
comment on table app_private.streams is $$What subscriptions can follow: the rows of a table that are added, updated or deleted, by a key. Written by app_hidden.stream().$$;
comment on column app_private.streams.id is $$Identifies the stream, in notifications too.$$;
comment on column app_private.streams.relation is $$The table.$$;
comment on column app_private.streams.key_column is $$The column whose value a subscription names.$$;
comment on column app_private.streams.kind is $$Which changes: added, updated or deleted.$$;
comment on column app_private.streams.may_read is $$The function that decides who may follow a key; null where the policies decide.$$;
comment on column app_private.streams.number_column is $$The column of the table that numbers the rows of a key in the order of commits; null where stream_events does.$$;
comment on column app_private.streams.last_number_column is $$The column of the key’s table that holds the highest number; null where stream_heads does.$$;
comment on column app_private.streams.keep is $$How long stream_events keeps an event.$$;
comment on constraint streams_relation_key_column_kind_key on app_private.streams is $$Each table, key and kind has one stream.$$;
comment on constraint streams_kind_check on app_private.streams is $$A kind is added, updated or deleted.$$;
comment on constraint streams_number_column_check on app_private.streams is $$Only added rows can have numbers of their own, and the highest number must be stored.$$;
alter table app_private.streams enable row level security;

-- A hot row for each key: the free space keeps its updates on the page.
create table if not exists app_private.stream_heads (
  stream_id   int not null,
  key         text not null,
  last_number bigint not null,
  primary key (stream_id, key)
) with (fillfactor = 50);
comment on table app_private.stream_heads is $$The newest event of each key. Its row is locked until the writer commits, so the numbers of a key have no gaps and are committed in order.$$;
comment on column app_private.stream_heads.stream_id is $$The stream.$$;
comment on column app_private.stream_heads.key is $$The value of the key column.$$;
comment on column app_private.stream_heads.last_number is $$The number of the newest event.$$;
alter table app_private.stream_heads enable row level security;

create table if not exists app_private.stream_events (
  stream_id  int not null,
  key        text not null,
  number     bigint not null,
  row_id     text not null,
  -- Not now(): a transaction that began earlier can commit later, and maintain() must delete in the order of the numbers.
  created_at timestamptz not null default clock_timestamp(),
  primary key (stream_id, key, number)
);
comment on table app_private.stream_events is $$The recent changes of tables that have a stream. maintain() deletes what a stream does not keep any more.$$;
comment on column app_private.stream_events.stream_id is $$The stream.$$;
comment on column app_private.stream_events.key is $$The value of the key column.$$;
comment on column app_private.stream_events.number is $$The place among the events of this stream and key, from 1 and without gaps.$$;
comment on column app_private.stream_events.row_id is $$The primary key of the row.$$;
comment on column app_private.stream_events.created_at is $$When the row changed; infinity for the newest event that is too old, which is kept so that a client can continue from it.$$;
-- Finds the event that a client continues from.
create index if not exists stream_events_stream_id_row_id_idx on app_private.stream_events (stream_id, row_id);
-- Finds what is no longer kept.
create index if not exists stream_events_stream_id_created_at_number_idx on app_private.stream_events (stream_id, created_at, number);
alter table app_private.stream_events enable row level security;

--! Included functions/stream_sources.sql
create or replace view app_private.stream_sources as
with types (type, name) as (
  values ('smallint'::regtype, 'bigint'), ('int', 'bigint'), ('bigint', 'bigint'), ('uuid', 'uuid')
)
select s.id, s.relation, s.key_column, s.kind, s.may_read, s.number_column, s.last_number_column,
       id_column.attname as id_column,
       -- The types in which ids and keys are compared; null for a type that cannot be one.
       (select types.name from types where type = id_column.atttypid) as id_type,
       (select types.name from types where type = key_column.atttypid) as key_type,
       parent.confrelid::regclass as parent,
       parent_column.attname as parent_column,
       has_any_column_privilege(':API_ANONYMOUS', s.relation, 'select') as is_for_anonymous
  from app_private.streams s
  join pg_catalog.pg_attribute key_column on key_column.attrelid = s.relation and key_column.attname = s.key_column
  join pg_catalog.pg_constraint row_key on row_key.conrelid = s.relation and row_key.contype = 'p'
  join pg_catalog.pg_attribute id_column on id_column.attrelid = s.relation and row_key.conkey = array[id_column.attnum]
  left join lateral (
       select confrelid, confkey[1] as attnum from pg_catalog.pg_constraint
        where conrelid = s.relation and contype = 'f' and conkey = array[key_column.attnum]
        order by oid limit 1) as parent on true
  left join pg_catalog.pg_attribute parent_column
         on parent_column.attrelid = parent.confrelid and parent_column.attnum = parent.attnum;
comment on view app_private.stream_sources is $$The streams with what the catalogue says of their tables now: the primary key, the table that the key refers to, and whether requests without a token may read the table.$$;
grant select on app_private.stream_sources to :API_LOGIN;
--! EndIncluded functions/stream_sources.sql
-- A channel of its own: an instance of the previous version would misread the payloads. Until it is replaced, it finds
-- messages by its heartbeat, within five seconds, through open_message_streams() and read_message_streams().
insert into app_private.notification_channels (purpose) values ('streams') on conflict do nothing;
--! Included functions/notify_streams.sql
create or replace function app_private.notify_streams(payload text) returns void
language sql volatile set search_path = '' as $$
  select pg_notify(name, payload) from app_private.notification_channels where purpose = 'streams'
$$;
comment on function app_private.notify_streams(text) is $$Notifies the services: “stream:key:number” for new events from that number on, “stream:key:” when the right to read a key has changed, “user:id” when a user’s rights have.$$;

create or replace function app_private.notify_stream_rights(relation regclass, key_column name, key text) returns void
language sql volatile set search_path = '' as $$
  select app_private.notify_streams(format('%s:%s:', id, notify_stream_rights.key))
    from app_private.streams s
   where s.relation = notify_stream_rights.relation and s.key_column = notify_stream_rights.key_column
$$;
comment on function app_private.notify_stream_rights(regclass, name, text) is $$Notifies the services to check at once who may read a key of a table’s streams. Without it, they find out with the next event, or within seconds.$$;
--! EndIncluded functions/notify_streams.sql
--! Included functions/record_stream_events.sql
-- One statement locks the heads of all keys, in their order, so that two writers of the same keys do not wait for each other.
-- The locks last to the end of the transaction: the next writer of a key waits until this one commits or rolls back.
create or replace function app_private.record_stream_events(relation regclass, key_column name, kinds text[], keys text[], row_ids text[])
returns void language sql volatile set search_path = '' as $$
  with changes as (
    select s.id as stream_id, c.key, c.row_id,
           row_number() over (partition by s.id, c.key order by length(c.row_id), c.row_id) as place,
           count(*) over (partition by s.id, c.key) as total
      from unnest(kinds, keys, row_ids) as c (kind, key, row_id)
      join app_private.streams s
        on s.relation = record_stream_events.relation and s.key_column = record_stream_events.key_column and s.kind = c.kind
     -- Rows without a key are in no stream.
     where c.key is not null
  ), heads as (
    insert into app_private.stream_heads as h (stream_id, key, last_number)
    select stream_id, key, total from changes where place = 1 order by stream_id, key
    on conflict (stream_id, key) do update set last_number = h.last_number + excluded.last_number
    returning stream_id, key, last_number
  ), events as (
    insert into app_private.stream_events (stream_id, key, number, row_id)
    select stream_id, key, last_number - total + place, row_id from changes join heads using (stream_id, key)
     order by stream_id, key, place
    returning stream_id, key, number
  )
  -- The lowest number is enough: the others are committed with it.
  select app_private.notify_streams(format('%s:%s:%s', stream_id, key, min(number))) from events group by stream_id, key
$$;
comment on function app_private.record_stream_events(regclass, name, text[], text[], text[]) is $$Records changes of rows in the streams of a table: one head for each key, one event for each row. Kinds that the table does not stream are left out.$$;
--! EndIncluded functions/record_stream_events.sql
--! Included functions/tg__stream.sql
-- Security definer: no role may write events, and only the owner and the service may know the channel.
--
-- Statement-level, so that a statement with many rows costs as many statements as one. The arguments are the key column, the
-- primary key and, for rows that have numbers of their own, the number column.
create or replace function app_hidden.tg__stream() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  case
    when tg_argv[2] is not null then
      perform app_private.notify_streams(format('%s:%s:%s', s.id, added.row ->> tg_argv[0], min((added.row ->> tg_argv[2])::bigint)))
         from (select to_jsonb(new_rows) as row from new_rows) as added
         join app_private.streams s on s.relation = tg_relid and s.key_column = tg_argv[0]
        group by s.id, added.row ->> tg_argv[0];
    when tg_op = 'INSERT' then
      perform app_private.record_stream_events(tg_relid, tg_argv[0],
                array_agg('added'::text), array_agg(row ->> tg_argv[0]), array_agg(row ->> tg_argv[1]))
         from (select to_jsonb(new_rows) as row from new_rows) as added;
    when tg_op = 'DELETE' then
      perform app_private.record_stream_events(tg_relid, tg_argv[0],
                array_agg('deleted'::text), array_agg(row ->> tg_argv[0]), array_agg(row ->> tg_argv[1]))
         from (select to_jsonb(old_rows) as row from old_rows) as removed;
    else
      -- A row that gets another key is deleted from the one and added to the other.
      perform app_private.record_stream_events(tg_relid, tg_argv[0], array_agg(kind), array_agg(key), array_agg(row_id))
         from (select to_jsonb(old_rows) ->> tg_argv[1] as row_id, to_jsonb(old_rows) ->> tg_argv[0] as old_key from old_rows) as old_versions
         full join (select to_jsonb(new_rows) ->> tg_argv[1] as row_id, to_jsonb(new_rows) ->> tg_argv[0] as new_key from new_rows) as new_versions
           using (row_id)
        cross join lateral (
              select 'updated' as kind, new_key as key where new_key = old_key
              union all select 'deleted', old_key where new_key is distinct from old_key
              union all select 'added', new_key where new_key is distinct from old_key) as change;
  end case;
  return null;
end $$;
comment on function app_hidden.tg__stream() is $$After a statement: records its changes in the streams of the table, and notifies the services. stream() attaches it to a table.$$;
--! EndIncluded functions/tg__stream.sql
--! Included functions/stream.sql
create or replace function app_hidden.stream(
  relation regclass, key_column name, kinds text[] default '{added,updated,deleted}', may_read regproc default null,
  number_column name default null, last_number_column name default null, keep interval default '7 days'
) returns void
language plpgsql volatile set search_path = '' as $$
declare
  v_source app_private.stream_sources;
  v_prefix text := '_900_stream_' || left(key_column, 40);
begin
  with gone as (
    delete from app_private.streams s
     where s.relation = stream.relation and s.key_column = stream.key_column and s.kind <> all (kinds) returning id
  ), gone_heads as (
    delete from app_private.stream_heads where stream_id in (select id from gone)
  )
  delete from app_private.stream_events where stream_id in (select id from gone);
  insert into app_private.streams (relation, key_column, kind, may_read, number_column, last_number_column, keep)
  select stream.relation, stream.key_column, kind, stream.may_read::text, stream.number_column, stream.last_number_column, stream.keep
    from unnest(kinds) as kind
  on conflict on constraint streams_relation_key_column_kind_key do update
    set may_read = excluded.may_read, number_column = excluded.number_column,
        last_number_column = excluded.last_number_column, keep = excluded.keep;

  execute format('drop trigger if exists %I on %s', v_prefix || '_inserts', relation);
  execute format('drop trigger if exists %I on %s', v_prefix || '_updates', relation);
  execute format('drop trigger if exists %I on %s', v_prefix || '_deletes', relation);
  if cardinality(kinds) = 0 then
    return;
  end if;

  select * into v_source from app_private.stream_sources s
   where s.relation = stream.relation and s.key_column = stream.key_column limit 1;
  case
    when v_source.id is null then
      raise exception using errcode = '42P16',
        message = format('A stream of %s needs a column %s and a primary key of one column', relation, key_column);
    when v_source.id_type is null or v_source.key_type is null then
      raise exception using errcode = '42P16',
        message = format('A stream of %s needs a primary key and a column %s that are integers or uuids', relation, key_column);
    when may_read is not null then
      -- Fails unless the function takes a key and a viewer’s id, and returns a column may_read.
      execute format('select r.may_read from %s(null::%s, null::bigint) as r', may_read, v_source.key_type);
    when 'deleted' = any (kinds) and v_source.parent is null then
      raise exception using errcode = '42P16',
        message = format('Nothing says who may learn of deleted rows of %s: %s refers to no table', relation, key_column),
        hint = format('Give a function as may_read, or call: select app_hidden.stream(%L, %L, kinds => %L)',
          relation, key_column, array_remove(kinds, 'deleted'));
    else
  end case;

  execute format('create trigger %I after insert on %s referencing new table as new_rows
    for each statement execute function app_hidden.tg__stream(%s)', v_prefix || '_inserts', relation,
    concat_ws(', ', quote_literal(key_column), quote_literal(v_source.id_column), quote_literal(number_column)));
  if number_column is null then
    execute format('create trigger %I after update on %s referencing old table as old_rows new table as new_rows
      for each statement execute function app_hidden.tg__stream(%L, %L)', v_prefix || '_updates', relation, key_column, v_source.id_column);
    execute format('create trigger %I after delete on %s referencing old table as old_rows
      for each statement execute function app_hidden.tg__stream(%L, %L)', v_prefix || '_deletes', relation, key_column, v_source.id_column);
  end if;
end $$;
comment on function app_hidden.stream(regclass, name, text[], regproc, name, name, interval) is $$Lets subscriptions follow the rows of a table by the value of a column, together with the smart tag @subscription. Records the given kinds of changes (added, updated, deleted) and keeps them for that long. may_read names a function of a key and a viewer’s id that returns a column may_read: who may follow the key and read each of its rows. Without it the policies decide. For DBAs, in a migration; a later call replaces the settings, and no kinds end the stream.$$;
--! EndIncluded functions/stream.sql
--! Included functions/stream_row_version.sql
-- Security definer: the login may not read the tables itself.
create or replace function app_private.stream_row_version(stream_id int, key text, row_id text) returns text
language plpgsql stable security definer set search_path = '' as $$
declare
  v_source app_private.stream_sources;
  v_version text;
begin
  select * into v_source from app_private.stream_sources where id = stream_id;
  execute format('select xmin::text from %s where %I = $1::%s and %I = $2::%s',
      v_source.relation, v_source.id_column, v_source.id_type, v_source.key_column, v_source.key_type)
    into v_version using row_id, key;
  return v_version;
end $$;
comment on function app_private.stream_row_version(int, text, text) is $$Changes with each update of the row; null when the stream’s table has no row with that id and that key.$$;
grant execute on function app_private.stream_row_version(int, text, text) to :API_LOGIN;
--! EndIncluded functions/stream_row_version.sql
--! Included functions/open_streams.sql
-- Security definer: the login asks for many viewers at once, and may read neither the events nor the tables itself.
create or replace function app_private.open_streams(stream_ids int[], keys text[], after_ids text[], horizons xid8[])
returns table (place int, start_number bigint)
language plpgsql stable security definer set search_path = '' as $$
declare
  v_source app_private.stream_sources;
begin
  return query
  select o.place::int,
         case
           when o.after_id is null and o.horizon is null then coalesce(h.last_number, 0)
           -- The newest event that was committed before the horizon. Numbers are committed in order, so all lower ones were
           -- committed as well. An xmin older than the horizon belongs to a transaction that had ended by then. The xmin of
           -- a subtransaction is younger than its parent's.
           when o.after_id is null then coalesce(
             (select e.number from app_private.stream_events e
               where e.stream_id = o.stream_id and e.key = o.key
                 -- maintain() has given those at infinity a new xmin.
                 and (age(e.xmin) > age(o.horizon::xid) or e.created_at = 'infinity')
               order by e.number desc limit 1),
             kept.first_number - 1, 0)
           -- A row can be updated often, so a client names the event.
           when s.kind = 'updated' then
             (select o.after_id::bigint where o.after_id::bigint between kept.first_number - 1 and h.last_number)
           else coalesce(
             -- A row that left the key and came back has several. The first leaves nothing out.
             (select min(e.number) from app_private.stream_events e
               where e.stream_id = o.stream_id and e.key = o.key and e.row_id = o.after_id),
             -- The row is older than the stream, and all events since are there.
             case when s.kind = 'added' and coalesce(kept.first_number, 1) = 1
                   and app_private.stream_row_version(o.stream_id, o.key, o.after_id) is not null then 0 end)
         end
    from unnest(stream_ids, keys, after_ids, horizons) with ordinality as o (stream_id, key, after_id, horizon, place)
    join app_private.streams s on s.id = o.stream_id and s.number_column is null
    left join app_private.stream_heads h on h.stream_id = o.stream_id and h.key = o.key
    left join lateral (
      select min(e.number) as first_number from app_private.stream_events e
       where e.stream_id = o.stream_id and e.key = o.key) as kept on true;

  for v_source in select * from app_private.stream_sources where id = any (stream_ids) and number_column is not null loop
    return query execute format($query$
      select o.place::int,
             case
               when o.after_id is not null then
                 (select e.%1$I::bigint from %2$s e where e.%3$I = o.after_id::%4$s and e.%5$I = o.key::%6$s)
               when o.horizon is null then h.%7$I::bigint
               else coalesce(
                 (select e.%1$I::bigint from %2$s e
                   where e.%5$I = o.key::%6$s and age(e.xmin) > age(o.horizon::xid)
                   order by e.%1$I desc limit 1), 0)
             end
        from unnest($1, $2, $3, $4) with ordinality as o (stream_id, key, after_id, horizon, place)
        left join %8$s h on h.%9$I = o.key::%6$s
       where o.stream_id = $5 $query$,
        v_source.number_column, v_source.relation, v_source.id_column, v_source.id_type, v_source.key_column, v_source.key_type,
        v_source.last_number_column, v_source.parent, v_source.parent_column)
      using stream_ids, keys, after_ids, horizons, v_source.id;
  end loop;
end $$;
comment on function app_private.open_streams(int[], text[], text[], xid8[]) is $$The start of each new subscription to a key of a stream. After the given row (of updated rows: after the event of the given number); else after the last event committed before the horizon (pg_snapshot_xmin of an earlier snapshot); else after the newest event. start_number is null when there is no such row, or its event is no longer kept.$$;
grant execute on function app_private.open_streams(int[], text[], text[], xid8[]) to :API_LOGIN;
--! EndIncluded functions/open_streams.sql
--! Included functions/read_streams.sql
-- Security definer: the login may read neither the events nor the tables itself.
create or replace function app_private.read_streams(stream_ids int[], keys text[], after_numbers bigint[], page_size int)
returns table (place int, stream_id int, key text, row_ids text[], numbers bigint[], versions text[], reached bigint)
language plpgsql stable security definer set search_path = '' as $$
declare
  v_source app_private.stream_sources;
  v_events text;
begin
  for v_source in select * from app_private.stream_sources where id = any (stream_ids) loop
    v_events := case
      when v_source.number_column is not null then format(
        $events$ select %1$I::text as row_id, %2$I::bigint as number, '' as version
                   from %3$s where %4$I = c.key::%5$s and %2$I > c.after_number order by %2$I limit $4 $events$,
        v_source.id_column, v_source.number_column, v_source.relation, v_source.key_column, v_source.key_type)
      when v_source.kind = 'deleted' then
        $events$ select row_id, number, '' as version from app_private.stream_events e
                  where e.stream_id = $5 and e.key = c.key and number > c.after_number order by number limit $4 $events$
      -- A row that has been deleted or has another key now has no version here.
      else format(
        $events$ select e.row_id, e.number, t.xmin::text as version
                   from (select row_id, number from app_private.stream_events e
                          where e.stream_id = $5 and e.key = c.key and number > c.after_number order by number limit $4) as e
                   left join %1$s t on t.%2$I = e.row_id::%3$s and t.%4$I = c.key::%5$s $events$,
        v_source.relation, v_source.id_column, v_source.id_type, v_source.key_column, v_source.key_type)
    end;
    return query execute format($query$
      select c.place::int, $5, c.key, page.row_ids, page.numbers, page.versions,
             case when cardinality(page.row_ids) = $4 then page.numbers[$4] else %s end
        from unnest($1, $2, $3) with ordinality as c (stream_id, key, after_number, place)
        left join lateral (
          select array_agg(row_id order by number) as row_ids, array_agg(number order by number) as numbers,
                 array_agg(version order by number) as versions
            from (%s) as events) as page on true
       where c.stream_id = $5 $query$,
        case when v_source.number_column is null
          then 'coalesce((select last_number from app_private.stream_heads h where h.stream_id = $5 and h.key = c.key), 0)'
          else format('(select %I::bigint from %s where %I = c.key::%s)',
            v_source.last_number_column, v_source.parent, v_source.parent_column, v_source.key_type)
        end, v_events)
      using stream_ids, keys, after_numbers, page_size, v_source.id;
  end loop;
end $$;
comment on function app_private.read_streams(int[], text[], bigint[], int) is $$Reads from many positions in streams in one snapshot. For each position: the next events (none where after_numbers is null), the versions of their rows, and the number up to which the result is complete. A version is null when there is no such row with that key any more, and empty where nobody needs it.$$;
grant execute on function app_private.read_streams(int[], text[], bigint[], int) to :API_LOGIN;
--! EndIncluded functions/read_streams.sql
--! Included functions/refused_viewers.sql
-- Security definer: the login may read neither accounts nor the tables that the functions read.
create or replace function app_private.refused_by_rule(stream_ids int[], keys text[], viewer_ids bigint[]) returns setof int
language plpgsql stable security definer set search_path = '' as $$
declare
  v_source app_private.stream_sources;
begin
  return query
  select asked.place::int
    from unnest(stream_ids, viewer_ids) with ordinality as asked (stream_id, viewer_id, place)
    left join app_private.stream_sources s on s.id = asked.stream_id
    left join app_private.accounts a on a.user_id = asked.viewer_id and a.banned_at is null
   where s.id is null or a.user_id is null and not (asked.viewer_id is null and s.is_for_anonymous);

  for v_source in select * from app_private.stream_sources where id = any (stream_ids) and may_read is not null loop
    return query execute format($query$
      select asked.place::int
        from unnest($1, $2, $3) with ordinality as asked (stream_id, key, viewer_id, place)
        left join lateral %s(asked.key::%s, asked.viewer_id) as r on true
       where asked.stream_id = $4 and r.may_read is not true $query$, v_source.may_read, v_source.key_type)
      using stream_ids, keys, viewer_ids, v_source.id;
  end loop;
end $$;
comment on function app_private.refused_by_rule(int[], text[], bigint[]) is $$The 1-based positions of those who may not read a key: unknown streams, deleted and banned users, and those that the stream’s own function refuses.$$;
grant execute on function app_private.refused_by_rule(int[], text[], bigint[]) to :API_LOGIN;

-- Not security definer: such a function cannot become another role, and policies apply to roles.
create or replace function app_private.refused_viewers(
  stream_ids int[], keys text[], viewer_ids bigint[], row_streams int[], row_keys text[], row_ids text[]
) returns table (place int, row_id text)
language plpgsql stable set search_path = '' as $$
declare
  v_asked record;
begin
  return query select refused, null::text from app_private.refused_by_rule(stream_ids, keys, viewer_ids) as refused;
  -- Each viewer once for each stream.
  for v_asked in
    select s.*, asked.*, case when asked.viewer_id is null then ':API_ANONYMOUS' else ':API_MEMBER' end as role
      from (select one.stream_id, one.viewer_id, array_agg(one.key) as keys, array_agg(one.place::int) as places
              from unnest(stream_ids, keys, viewer_ids) with ordinality as one (stream_id, key, viewer_id, place)
             group by one.stream_id, one.viewer_id) as asked
      join app_private.stream_sources s on s.id = asked.stream_id and s.may_read is null
  loop
    begin
      perform set_config('role', v_asked.role, true), set_config('app.viewer_id', coalesce(v_asked.viewer_id::text, ''), true);
      return query execute format($query$
        select asked.place, null::text from unnest($1, $2) as asked (key, place) where not %1$s
        union all
        select asked.place, page.row_id
          from unnest($1, $2) as asked (key, place)
          join unnest($3, $4, $5) as page (stream_id, key, row_id) on page.stream_id = $6 and page.key = asked.key
         where not exists (select from %2$s where %3$I = page.row_id::%4$s) $query$,
          case when v_asked.parent is null then 'true' else format('exists (select from %s where %I = asked.key::%s)',
            v_asked.parent, v_asked.parent_column, v_asked.key_type) end,
          v_asked.relation, v_asked.id_column, v_asked.id_type)
        using v_asked.keys, v_asked.places, row_streams, row_keys, row_ids, v_asked.id;
      perform set_config('role', 'none', true), set_config('app.viewer_id', '', true);
    exception when others then
      -- No right to read a table, or a policy that fails. The others must not wait for this one.
      return query select unnest(v_asked.places), null::text;
    end;
  end loop;
end $$;
comment on function app_private.refused_viewers(int[], text[], bigint[], int[], text[], text[]) is $$The 1-based positions of those who may not read a key of a stream, without a row_id; of those who may read it and not the row, with the row_id. A stream without a function of its own asks the policies, as each viewer: those of the table that the key refers to, and those of the given rows.$$;
grant execute on function app_private.refused_viewers(int[], text[], bigint[], int[], text[], text[]) to :API_LOGIN;
--! EndIncluded functions/refused_viewers.sql
--! Included functions/maintain.sql
-- Security definer: the service's login may have all this done, and can choose nothing that is kept: what is deleted is over, or
-- older than a retention that has a minimum.
--
-- Each call is a batch. Rows that others have locked are left for the next call, so nothing here waits.
create or replace function app_private.maintain(
  batch int default 1000, audit_retention_days int default 365, out is_complete boolean, out done jsonb
)
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_batch int := least(greatest(batch, 1), 10000);
  v_position bigint;
  v_tags bigint[];
  v_count int;
begin
  if audit_retention_days < 90 then
    raise exception using errcode = '22023', message = 'The audit trail must keep at least 90 days';
  end if;
  -- The lock on the row lets one instance work at a time. The others have nothing to do.
  select last_tag_id into v_position from app_private.maintenance for update skip locked;
  is_complete := true;
  done := '{}';
  if not found then
    return;
  end if;

  -- The last token of a session ends it. The margin keeps clear of refreshes that are under way.
  with expired as (
    delete from app_private.refresh_tokens where token_hash in (
      select token_hash from app_private.refresh_tokens where expires_at < now() - interval '1 day'
       order by expires_at limit v_batch for update skip locked)
    returning session_id
  ), ended as (
    delete from app_private.sessions where id in (select session_id from expired)
       and not exists (select from app_private.refresh_tokens where session_id = sessions.id and expires_at >= now() - interval '1 day')
  )
  select count(*) into v_count from expired;
  done := done || jsonb_build_object('refresh_tokens', v_count);

  -- First the tokens, then the session: a cascade would have no bound.
  delete from app_private.refresh_tokens where token_hash in (
    select token_hash
      from (select id from app_private.sessions where revoked_at < now() - interval '1 day' order by revoked_at limit v_batch) as ended
      join app_private.refresh_tokens on session_id = id
     limit v_batch for update of refresh_tokens skip locked);
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('revoked_tokens', v_count);
  delete from app_private.sessions where id in (
    select id from (select id from app_private.sessions where revoked_at < now() - interval '1 day' order by revoked_at limit v_batch) as ended
     where not exists (select from app_private.refresh_tokens where session_id = id));
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('sessions', v_count);

  delete from app_private.session_requests where ctid = any (array(
    select ctid from app_private.session_requests where created_at < now() - interval '1 hour'
     order by created_at limit v_batch for update skip locked));
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('session_requests', v_count);

  delete from app_private.failed_sign_ins where id in (
    select id from app_private.failed_sign_ins where failed_at < now() - interval '1 day'
     order by failed_at limit v_batch for update skip locked);
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('failed_sign_ins', v_count);

  delete from app_private.sign_in_networks where ctid = any (array(
    select ctid from app_private.sign_in_networks where signed_in_at < now() - interval '90 days'
     order by signed_in_at limit v_batch for update skip locked));
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('sign_in_networks', v_count);

  delete from app_private.rate_limited_calls where key in (
    select key from app_private.rate_limited_calls
     where expire < extract(epoch from now()) * 1000
     order by expire limit v_batch for update skip locked);
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('rate_limited_calls', v_count);

  -- The newest expired event of a key stays, out of reach of the next call: a client that has it can continue from it.
  with expired as (
    select event.*
      from app_private.streams s
     cross join lateral (
           select stream_id, key, number from app_private.stream_events
            where stream_id = s.id and created_at < now() - s.keep
            order by created_at, number limit v_batch for update skip locked) as event
  ), newest as (
    select stream_id, key, max(number) as number from expired group by stream_id, key
  ), kept as (
    update app_private.stream_events e set created_at = 'infinity'
      from newest where e.stream_id = newest.stream_id and e.key = newest.key and e.number = newest.number
  ), deleted as (
    delete from app_private.stream_events e
     using newest where e.stream_id = newest.stream_id and e.key = newest.key and e.number < newest.number
  )
  select count(*) into v_count from expired;
  done := done || jsonb_build_object('stream_events', v_count);

  -- No index finds the tags without posts, so each call looks at the next tags by id. The delete asks again,
  -- because a post may have received a tag just before it was locked.
  select array_agg(id) into v_tags from (
    select id from app_public.tags where id > v_position order by id limit v_batch) as next;
  v_position := case when cardinality(v_tags) = v_batch then v_tags[v_batch] else 0 end;
  v_tags := array(
    select id from app_public.tags where id = any (v_tags)
       and not exists (select from app_public.post_tags where tag_id = tags.id) for update skip locked);
  delete from app_public.tags where id = any (v_tags)
     and not exists (select from app_public.post_tags where tag_id = tags.id);
  get diagnostics v_count = row_count;
  update app_private.maintenance set last_tag_id = v_position, ran_at = now();

  is_complete := v_position = 0
    and not exists (select from jsonb_each_text(done) where value::int >= v_batch);
  done := done || jsonb_build_object('tags', v_count);

  begin
    done := done || jsonb_build_object('created_partitions', app_private.prepare_audit_partitions(),
      'dropped_partitions', app_private.retire_audit_partitions(make_interval(days => audit_retention_days), v_batch));
  exception when lock_not_available then
    -- Somebody reads the audit trail.
    done := done || '{"postponed_partitions": 1}';
  end;
  select coalesce(jsonb_object_agg(key, value), '{}') into done from jsonb_each(done) where value <> '0';
end $$;
comment on function app_private.maintain(int, int) is $$Deletes what is over, up to batch rows of each kind: refresh tokens, sessions, failed sign-ins, networks, rate-limited calls, events of streams and unused tags. Creates the next partitions of the audit trail and drops those beyond its retention. Returns what it did, and whether nothing is left to do now. The service calls it at its start and regularly.$$;
grant execute on function app_private.maintain(int, int) to :API_LOGIN;
--! EndIncluded functions/maintain.sql

select app_hidden.stream('app_public.messages', 'chat_id', kinds => '{added}', may_read => 'app_private.chat_reading',
  number_column => 'number', last_number_column => 'last_number');
drop trigger if exists _900_notify_added on app_public.messages;
drop function if exists app_hidden.tg_messages__notify_added();
--! Included functions/tg_chat_members__notify_removed.sql
-- Security definer: only the owner and the service may know the channel.
create or replace function app_hidden.tg_chat_members__notify_removed() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform app_private.notify_stream_rights('app_public.messages', 'chat_id', chat_id::text) from removed group by chat_id;
  return null;
end $$;
comment on function app_hidden.tg_chat_members__notify_removed() is $$After members leave or are removed: notifies the services to check again who may read the chat.$$;
--! EndIncluded functions/tg_chat_members__notify_removed.sql
--! Included functions/tg_accounts__notify_barred.sql
-- Security definer: only the owner and the service may know the channel.
create or replace function app_hidden.tg_accounts__notify_barred() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform app_private.notify_streams(format('user:%s', old.user_id));
  return null;
end $$;
comment on function app_hidden.tg_accounts__notify_barred() is $$After a user is banned or deleted: notifies the services to check again what the user may read.$$;
--! EndIncluded functions/tg_accounts__notify_barred.sql
--! Included functions/tg_users__notify_demoted.sql
-- Security definer: only the owner and the service may know the channel.
create or replace function app_hidden.tg_users__notify_demoted() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform app_private.notify_streams(format('user:%s', old.id));
  return null;
end $$;
comment on function app_hidden.tg_users__notify_demoted() is $$After a user loses the role ADMIN: notifies the services to check again what the user may read.$$;
--! EndIncluded functions/tg_users__notify_demoted.sql
drop function if exists app_private.notify_message_streams(text);
