-- The change feed (docs/change-feed.md): change_feed.stream() records each added, updated and deleted row of a table under a key, and numbers them in the
-- order of commits. The API's subscriptions read from there (src/streams). A table whose rows have numbers of
-- their own is read itself. Nothing here refers to a table of the publication: two small functions say who may be a viewer and which columns
-- triggers keep, and a later migration replaces them.
create schema change_feed;
comment on schema change_feed is $$The change feed: which rows were added, updated and deleted, in the order of commits. The service’s login reads it for subscriptions.$$;
grant usage on schema change_feed to :API_LOGIN;

create table change_feed.streams (
  id                 int generated always as identity primary key,
  relation           regclass not null,
  key_column         name not null,
  kind               text not null,
  -- The name, because pg_upgrade does not accept columns of type regproc.
  may_read           text,
  number_column      name,
  last_number_column name,
  keep               interval not null,
  since_column       name,
  constraint streams_relation_key_column_kind_key unique (relation, key_column, kind),
  constraint streams_kind_check check (kind in ('added', 'updated', 'deleted')),
  constraint streams_number_column_check check (number_column is null and last_number_column is null or last_number_column is not null and kind = 'added')
);
comment on table change_feed.streams is $$The streams that subscriptions can follow: the rows of a table that are added, updated or deleted, by a key. Written by change_feed.stream().$$;
comment on column change_feed.streams.id is $$Identifies the stream, in notifications too.$$;
comment on column change_feed.streams.relation is $$The table.$$;
comment on column change_feed.streams.key_column is $$The column whose value a subscription names.$$;
comment on column change_feed.streams.kind is $$Which changes: added, updated or deleted.$$;
comment on column change_feed.streams.may_read is $$The function that decides who may follow a key; null where the policies decide.$$;
comment on column change_feed.streams.number_column is $$The column of the table that numbers the rows of a key in the order of commits; null where stream_events does.$$;
comment on column change_feed.streams.last_number_column is $$The column of the key’s table that holds the highest number; null where stream_heads does.$$;
comment on column change_feed.streams.keep is $$How long stream_events keeps an event.$$;
comment on column change_feed.streams.since_column is $$The column of the table that is null until a row belongs to the stream; null where each row does.$$;
comment on constraint streams_relation_key_column_kind_key on change_feed.streams is $$Each table, key and kind has one stream.$$;
comment on constraint streams_kind_check on change_feed.streams is $$A kind is added, updated or deleted.$$;
comment on constraint streams_number_column_check on change_feed.streams is $$Only added rows can have numbers of their own, and the highest number must be stored.$$;

alter table change_feed.streams enable row level security;

-- A hot row for each key: the free space keeps its updates on the page.
create table change_feed.stream_heads (
  stream_id   int not null,
  key         text not null,
  last_number bigint not null,
  primary key (stream_id, key)
) with (fillfactor = 50);
comment on table change_feed.stream_heads is $$The newest event of each key. Its row is locked until the writer commits, so the numbers of a key have no gaps and are committed in order.$$;
comment on column change_feed.stream_heads.stream_id is $$The stream.$$;
comment on column change_feed.stream_heads.key is $$The value of the key column.$$;
comment on column change_feed.stream_heads.last_number is $$The number of the newest event.$$;

alter table change_feed.stream_heads enable row level security;

create table change_feed.stream_events (
  stream_id  int not null,
  key        text not null,
  number     bigint not null,
  row_id     text not null,
  -- Not now(): a transaction that began earlier can commit later, and the job must delete in the order of the numbers.
  created_at timestamptz not null default clock_timestamp(),
  primary key (stream_id, key, number)
);
comment on table change_feed.stream_events is $$The recent changes of tables that have a stream. A job deletes what a stream does not keep any more.$$;
comment on column change_feed.stream_events.stream_id is $$The stream.$$;
comment on column change_feed.stream_events.key is $$The value of the key column.$$;
comment on column change_feed.stream_events.number is $$The place among the events of this stream and key, from 1 and without gaps.$$;
comment on column change_feed.stream_events.row_id is $$The primary key of the row.$$;
comment on column change_feed.stream_events.created_at is $$When the row changed; infinity for the newest event that is too old, which is kept so that a client can continue from it.$$;
-- Finds the event that a client continues from.
create index stream_events_stream_id_row_id_idx on change_feed.stream_events (stream_id, row_id);
-- Finds what is no longer kept.
create index stream_events_stream_id_created_at_number_idx on change_feed.stream_events (stream_id, created_at, number);

alter table change_feed.stream_events enable row level security;

-- PostgreSQL cannot revoke LISTEN and NOTIFY: a login that knows a channel's name learns when something happens in which
-- chat, and can make the service read again and again. So the name is random, and only the service may read it.
create table change_feed.notification_channels (
  purpose text primary key,
  name    text not null default 'changes_' || replace(gen_random_uuid()::text, '-', '')
);
comment on table change_feed.notification_channels is $$The channels that triggers notify and the service listens to. Their names are random, so that other logins can neither listen nor notify.$$;
comment on column change_feed.notification_channels.purpose is $$What the notifications are about.$$;
comment on column change_feed.notification_channels.name is $$The name of the channel in LISTEN and NOTIFY. A running service reads it when it connects.$$;

alter table change_feed.notification_channels enable row level security;
create policy select_by_login on change_feed.notification_channels for select to :API_LOGIN using (true);
grant select on change_feed.notification_channels to :API_LOGIN;
insert into change_feed.notification_channels (purpose) values ('streams');

-- After a promotion or a crash, PostgreSQL gives transaction ids again that the former primary gave to transactions which were lost.
-- So the horizon of a subscription holds for one run of the server only. Recovery empties an unlogged table: the rows tell runs apart.
create unlogged table change_feed.server_runs (
  run_id    uuid primary key default gen_random_uuid(),
  first_xid xid8 not null default pg_snapshot_xmin(pg_current_snapshot())
);
comment on table change_feed.server_runs is $$Identifies what the server has run since its last recovery. PostgreSQL empties it in each recovery: after a crash, and when a standby is promoted. Whoever writes the first event of a stream adds a row; at the same time, several do.$$;
comment on column change_feed.server_runs.run_id is $$Random. As long as this row exists, the server has not recovered.$$;
comment on column change_feed.server_runs.first_xid is $$The oldest transaction that was under way when the row was added. Every event of this run has a transaction id that is not below the lowest first_xid, and every event of an earlier run one that is.$$;

alter table change_feed.server_runs enable row level security;
create policy select_by_login on change_feed.server_runs for select to :API_LOGIN using (true);
grant select on change_feed.server_runs to :API_LOGIN;

create or replace function change_feed.ignored_columns(relation oid) returns text[]
language sql stable set search_path = pg_catalog, pg_temp as $$
  select array(select attname::text from pg_catalog.pg_attribute where attrelid = relation and attgenerated <> '')
$$;
comment on function change_feed.ignored_columns(oid) is $$The columns that nobody writes. An update that changes only these is no event. A later migration may replace this function, to add columns that triggers keep.$$;

create or replace function change_feed.may_subscribe(viewer_id bigint) returns boolean
language sql stable
return true;
comment on function change_feed.may_subscribe(bigint) is $$Whether a signed-in user may read streams at all. A later migration may replace this function.$$;

-- The xmin of a row has 32 bits, and transaction ids need more: an old row gets into the range again after four billion transactions, and
-- age() counts to two billion only. So this compares with the range of ids from the horizon on.
create or replace function change_feed.is_before(xmin xid, horizon xid8) returns boolean
language sql stable
return ((xmin::text::bigint - horizon::text::bigint) & 4294967295)
    >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint - horizon::text::bigint;
comment on function change_feed.is_before(xid, xid8) is $$Whether the transaction that wrote a row has an id below the horizon.$$;
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
       s.since_column
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
comment on view change_feed.stream_sources is $$The streams with what the catalogue says of their tables now: the primary key, the table that the key refers to, and whether requests without a token may read the table.$$;
grant select on change_feed.stream_sources to :API_LOGIN;
create or replace function change_feed.notify_services(payload text) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
  select pg_notify(name, payload) from change_feed.notification_channels where purpose = 'streams'
$$;
comment on function change_feed.notify_services(text) is $$Notifies the services: “stream:key:number” for new events from that number on, “stream:key:” when the right to read a key has changed, “user:id” when a user’s rights have.$$;

create or replace function change_feed.notify_rights(relation regclass, key_column name, key text) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
  select change_feed.notify_services(format('%s:%s:', id, notify_rights.key))
    from change_feed.streams s
   where s.relation = notify_rights.relation and s.key_column = notify_rights.key_column
$$;
comment on function change_feed.notify_rights(regclass, name, text) is $$Notifies the services to check at once who may read a key of a table’s streams. Without it, they find out with the next event, or within seconds.$$;
-- Without enable_nestloop, a session that planned this for one row would compare each of many rows with each key.
create or replace function change_feed.record_events(relation regclass, key_column name, kinds text[], keys text[], row_ids text[]) returns void
language plpgsql volatile strict set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_generic_plan' set enable_nestloop = off set jit = off as $$
declare
  v_head change_feed.stream_heads;
  v_notified int;
begin
  -- No unique row: the second writer would wait until the first one commits, and might hold what the first one waits for.
  if not exists (select from change_feed.server_runs) then
    insert into change_feed.server_runs default values;
  end if;
  -- One row is frequent, and three small statements take a third of the time of the one for many.
  if cardinality(kinds) = 1 then
    insert into change_feed.stream_heads as h (stream_id, key, last_number)
    select s.id, keys[1], 1 from change_feed.streams s
     where s.relation = record_events.relation and s.key_column = record_events.key_column and s.kind = kinds[1] and keys[1] is not null
    on conflict (stream_id, key) do update set last_number = h.last_number + 1
    returning * into v_head;
    if found then
      insert into change_feed.stream_events (stream_id, key, number, row_id) values (v_head.stream_id, v_head.key, v_head.last_number, row_ids[1]);
      -- As notify_services(), without the time of its call.
      perform pg_notify(name, format('%s:%s:%s', v_head.stream_id, v_head.key, v_head.last_number))
         from change_feed.notification_channels where purpose = 'streams';
    end if;
    return;
  end if;
  -- One statement locks the heads of all keys, in their order, so that two writers of the same keys do not wait for each other.
  -- The locks last to the end of the transaction: the next writer of a key waits until this one commits or rolls back.
  with changes as (
    select s.id as stream_id, c.key, c.row_id,
           row_number() over (partition by s.id, c.key order by length(c.row_id), c.row_id) as place,
           count(*) over (partition by s.id, c.key) as total
      from unnest(kinds, keys, row_ids) as c (kind, key, row_id)
      join change_feed.streams s on s.relation = record_events.relation and s.key_column = record_events.key_column and s.kind = c.kind
     -- Rows without a key are in no stream.
     where c.key is not null
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
end $$;
comment on function change_feed.record_events(regclass, name, text[], text[], text[]) is $$Records changes of rows (kinds, values of the key column and ids, in equal order) in the streams of a table, and notifies the services. For triggers, and for the functions of a stream without triggers.$$;
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
begin
  -- npm run import sets it: imported rows are no news.
  if current_setting('app.is_import', true) = 'on' then
    return null;
  end if;
  case
    when tg_op = 'INSERT' and tg_argv[2] <> '' then
      if not exists (select from change_feed.server_runs) then
        insert into change_feed.server_runs default values;
      end if;
      -- As change_feed.notify_services(), without the time of its call: this runs for each message.
      perform pg_notify(c.name, format('%s:%s:%s', s.id, added.row ->> tg_argv[0], min((added.row ->> tg_argv[2])::bigint)))
         from (select to_jsonb(new_rows) as row from new_rows) as added
         join change_feed.streams s on s.relation = tg_relid and s.key_column = tg_argv[0] and s.kind = 'added'
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
  perform change_feed.record_events(tg_relid, tg_argv[0], v_kinds, v_keys, v_row_ids);
  return null;
end $$;
comment on function change_feed.tg__record_events() is $$After a statement: records its changes in the streams of the table, and notifies the services. change_feed.stream() attaches it to a table.$$;
create or replace function change_feed.stream(
  relation regclass, key_column name, kinds text[] default '{added,updated,deleted}', may_read regproc default null,
  number_column name default null, last_number_column name default null, keep interval default '7 days', since_column name default null,
  has_triggers boolean default true
) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_source change_feed.stream_sources;
  v_prefix text := '_900_stream_' || left(key_column, 40);
  v_arguments text;
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

  execute format('drop trigger if exists %I on %s', v_prefix || '_insert', relation);
  execute format('drop trigger if exists %I on %s', v_prefix || '_update', relation);
  execute format('drop trigger if exists %I on %s', v_prefix || '_delete', relation);
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
  v_arguments := format('%L, %L, %L, %L', key_column, v_source.id_column, coalesce(number_column, ''), coalesce(since_column, ''));
  if kinds && '{added}' then
    execute format('create trigger %I after insert on %s referencing new table as new_rows
      for each statement execute function change_feed.tg__record_events(%s)', v_prefix || '_insert', relation, v_arguments);
  end if;
  -- Rows are added by an update, too, when they have waited for since_column.
  if since_column is not null or kinds <> '{added}' then
    execute format('create trigger %I after update on %s referencing old table as old_rows new table as new_rows
      for each statement execute function change_feed.tg__record_events(%s)', v_prefix || '_update', relation, v_arguments);
  end if;
  if kinds && '{deleted}' then
    execute format('create trigger %I after delete on %s referencing old table as old_rows
      for each statement execute function change_feed.tg__record_events(%s)', v_prefix || '_delete', relation, v_arguments);
  end if;
end $$;
comment on function change_feed.stream(regclass, name, text[], regproc, name, name, interval, name, boolean) is $$Lets subscriptions follow the rows of a table by the value of a column, together with the smart tag @subscription. Records the given kinds of changes (added, updated, deleted) and keeps them for that long. since_column names a column that is null until a row belongs to the stream: the row is added when it gets a value. may_read names a function of a key and a viewer’s id that returns a column may_read: who may follow the key and read each of its rows. Without it the policies decide. Without has_triggers, functions record the events with change_feed.record_events(), and the primary key can be the key and one more column. For DBAs, in a migration; a later call replaces the settings, and no kinds end the stream.$$;
-- Security definer: the login may not read the tables itself.
create or replace function change_feed.row_version(stream_id int, key text, row_id text) returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_source change_feed.stream_sources;
  v_version text;
begin
  select * into v_source from change_feed.stream_sources where id = stream_id;
  execute format('select xmin::text from %s where %I = $1::%s and %I = $2::%s and %I is not null', v_source.relation,
      v_source.id_column, v_source.id_type, v_source.key_column, v_source.key_type, coalesce(v_source.since_column, v_source.id_column))
    into v_version using row_id, key;
  return v_version;
end $$;
comment on function change_feed.row_version(int, text, text) is $$Changes with each update of the row; null when the stream has no row with that id and that key.$$;
grant execute on function change_feed.row_version(int, text, text) to :API_LOGIN;
-- Security definer: the login asks for many viewers at once, and may read neither the events nor the tables itself.
create or replace function change_feed.open_streams(stream_ids int[], keys text[], after_ids text[], horizons xid8[])
returns table (place int, start_number bigint, last_number bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_source change_feed.stream_sources;
begin
  return query
  select o.place::int,
         case
           when o.after_id is null and o.horizon is null then coalesce(h.last_number, 0)
           -- The newest event that was committed before the horizon. Numbers are committed in order, so all lower ones were
           -- committed as well. An xmin below the horizon belongs to a transaction that had ended by then. The xmin of
           -- a subtransaction is above its parent's.
           when o.after_id is null then coalesce(
             (select e.number from change_feed.stream_events e
               where e.stream_id = o.stream_id and e.key = o.key
                 -- A job has given those at infinity a new xmin.
                 and (change_feed.is_before(e.xmin, o.horizon) or e.created_at = 'infinity')
               order by e.number desc limit 1),
             kept.first_number - 1, 0)
           -- A row can be updated often, so a client names the event.
           when s.kind = 'updated' then
             (select o.after_id::bigint where o.after_id::bigint between coalesce(kept.first_number, 1) - 1 and coalesce(h.last_number, 0))
           else coalesce(
             -- A row that left the key and came back has several. The first leaves nothing out.
             (select min(e.number) from change_feed.stream_events e
               where e.stream_id = o.stream_id and e.key = o.key and e.row_id = o.after_id),
             -- 0 is the beginning, or the row is older than the stream; and all events since are there.
             case when coalesce(kept.first_number, 1) = 1
                   and (o.after_id = '0' or s.kind = 'added' and change_feed.row_version(o.stream_id, o.key, o.after_id) is not null) then 0 end)
         end,
         coalesce(h.last_number, 0)
    from unnest(stream_ids, keys, after_ids, horizons) with ordinality as o (stream_id, key, after_id, horizon, place)
    join change_feed.streams s on s.id = o.stream_id and s.number_column is null
    left join change_feed.stream_heads h on h.stream_id = o.stream_id and h.key = o.key
    left join lateral (
      select min(e.number) as first_number from change_feed.stream_events e
       where e.stream_id = o.stream_id and e.key = o.key) as kept on true;

  for v_source in select * from change_feed.stream_sources where id = any (stream_ids) and number_column is not null loop
    return query execute format($query$
      select o.place::int,
             case
               when o.after_id = '0' then 0
               when o.after_id is not null then
                 (select e.%1$I::bigint from %2$s e where e.%3$I = o.after_id::%4$s and e.%5$I = o.key::%6$s)
               when o.horizon is null then h.%7$I::bigint
               else coalesce(
                 (select e.%1$I::bigint from %2$s e
                   where e.%5$I = o.key::%6$s and change_feed.is_before(e.xmin, o.horizon)
                   order by e.%1$I desc limit 1), 0)
             end,
             h.%7$I::bigint
        from unnest($1, $2, $3, $4) with ordinality as o (stream_id, key, after_id, horizon, place)
        left join %8$s h on h.%9$I = o.key::%6$s
       where o.stream_id = $5 $query$,
        v_source.number_column, v_source.relation, v_source.id_column, v_source.id_type, v_source.key_column, v_source.key_type,
        v_source.last_number_column, v_source.parent, v_source.parent_column)
      using stream_ids, keys, after_ids, horizons, v_source.id;
  end loop;
end $$;
comment on function change_feed.open_streams(int[], text[], text[], xid8[]) is $$The start of each new subscription to a key of a stream. After the given row (of updated rows: after the event of the given number); else after the last event committed before the horizon (pg_snapshot_xmin of an earlier snapshot); else after the newest event. start_number is null when there is no such row, or its event is no longer kept. last_number is that of the newest event.$$;
grant execute on function change_feed.open_streams(int[], text[], text[], xid8[]) to :API_LOGIN;
-- Security definer: the login may read neither the events nor the tables itself.
create or replace function change_feed.read_streams(stream_ids int[], keys text[], after_numbers bigint[], page_size int)
returns table (place int, stream_id int, key text, row_ids text[], numbers bigint[], versions text[], reached bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_source change_feed.stream_sources;
  v_events text;
begin
  for v_source in select * from change_feed.stream_sources where id = any (stream_ids) loop
    v_events := case
      when v_source.number_column is not null then format(
        $events$ select %1$I::text as row_id, %2$I::bigint as number, '' as version
                   from %3$s where %4$I = c.key::%5$s and %2$I > c.after_number order by %2$I limit $4 $events$,
        v_source.id_column, v_source.number_column, v_source.relation, v_source.key_column, v_source.key_type)
      when v_source.kind = 'deleted' then
        $events$ select row_id, number, '' as version from change_feed.stream_events e
                  where e.stream_id = $5 and e.key = c.key and number > c.after_number order by number limit $4 $events$
      -- A row that has been deleted or has another key now has no version here.
      else format(
        $events$ select e.row_id, e.number, t.xmin::text as version
                   from (select row_id, number from change_feed.stream_events e
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
          then 'coalesce((select last_number from change_feed.stream_heads h where h.stream_id = $5 and h.key = c.key), 0)'
          else format('(select %I::bigint from %s where %I = c.key::%s)',
            v_source.last_number_column, v_source.parent, v_source.parent_column, v_source.key_type)
        end, v_events)
      using stream_ids, keys, after_numbers, page_size, v_source.id;
  end loop;
end $$;
comment on function change_feed.read_streams(int[], text[], bigint[], int) is $$Reads from many positions in streams in one snapshot. For each position: the next events (none where after_numbers is null), the versions of their rows, and the number up to which the result is complete. A version is null when there is no such row with that key any more, and empty where nobody needs it.$$;
grant execute on function change_feed.read_streams(int[], text[], bigint[], int) to :API_LOGIN;
-- Security definer: the login may not read the tables that the functions read.
create or replace function change_feed.refused_by_function(stream_ids int[], keys text[], viewer_ids bigint[]) returns setof int
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_source change_feed.stream_sources;
begin
  return query
  select asked.place::int
    from unnest(stream_ids, viewer_ids) with ordinality as asked (stream_id, viewer_id, place)
    left join change_feed.stream_sources s on s.id = asked.stream_id
   where s.id is null
      or case when asked.viewer_id is null then not s.is_for_anonymous else not change_feed.may_subscribe(asked.viewer_id) end;

  for v_source in select * from change_feed.stream_sources where id = any (stream_ids) and may_read is not null loop
    return query execute format($query$
      select asked.place::int
        from unnest($1, $2, $3) with ordinality as asked (stream_id, key, viewer_id, place)
        left join lateral %s(asked.key::%s, asked.viewer_id) as r on true
       where asked.stream_id = $4 and r.may_read is not true $query$, v_source.may_read, v_source.key_type)
      using stream_ids, keys, viewer_ids, v_source.id;
  end loop;
end $$;
comment on function change_feed.refused_by_function(int[], text[], bigint[]) is $$The 1-based positions of those who may not read a key: unknown streams, users that may_subscribe() refuses, and those that the stream’s own function refuses.$$;
grant execute on function change_feed.refused_by_function(int[], text[], bigint[]) to :API_LOGIN;

-- Not security definer: such a function cannot become another role, and policies apply to roles.
create or replace function change_feed.refused_viewers(
  stream_ids int[], keys text[], viewer_ids bigint[], row_streams int[], row_keys text[], row_ids text[]
) returns table (place int, row_id text)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_asked record;
begin
  return query select refused, null::text from change_feed.refused_by_function(stream_ids, keys, viewer_ids) as refused;
  -- Each viewer once for each stream.
  for v_asked in
    select s.*, asked.*, case when asked.viewer_id is null then ':API_ANONYMOUS' else ':API_MEMBER' end as role
      from (select one.stream_id, one.viewer_id, array_agg(one.key) as keys, array_agg(one.place::int) as places
              from unnest(stream_ids, keys, viewer_ids) with ordinality as one (stream_id, key, viewer_id, place)
             group by one.stream_id, one.viewer_id) as asked
      join change_feed.stream_sources s on s.id = asked.stream_id and s.may_read is null
  loop
    begin
      perform set_config('role', v_asked.role, true), set_config('app.viewer_id', coalesce(v_asked.viewer_id::text, ''), true);
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
      perform set_config('role', 'none', true), set_config('app.viewer_id', '', true);
    exception when others then
      -- No right to read a table, or a policy that fails. The others must not wait for this one.
      return query select unnest(v_asked.places), null::text;
    end;
  end loop;
end $$;
comment on function change_feed.refused_viewers(int[], text[], bigint[], int[], text[], text[]) is $$The 1-based positions of those who may not read a key of a stream, without a row_id; of those who may read it and not the row, with the row_id. A stream without a function of its own asks the policies, as each viewer: those of the table that the key refers to, and those of the given rows.$$;
grant execute on function change_feed.refused_viewers(int[], text[], bigint[], int[], text[], text[]) to :API_LOGIN;
