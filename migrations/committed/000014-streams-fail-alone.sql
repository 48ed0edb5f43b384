--! Previous: sha1:736c721e12c8518dbb67ff1b89385e1f5b28894b
--! Hash: sha1:eb6f29922e8dfe134dd5f9cb07fcd833b8fd2a67
--! Message: streams fail alone

--! split: 100-streams-fail-alone.sql

-- allow: change-behaviour:change_feed.stream because it tries the statements that the streams cause
-- allow: change-behaviour:change_feed.refused_by_function because a stream whose table has changed is an error, not a refusal
-- allow: change-behaviour:change_feed.refused_viewers because an error of a policy is told apart from a refusal
-- A stream that fails does so alone, and its declaration is tried when it is made: the service reads each stream by a statement of its own,
-- and continues each subscription after the position of an event.
alter table change_feed.streams add column if not exists has_triggers boolean not null default true;
update change_feed.streams s set has_triggers = false
 where not exists (select from pg_catalog.pg_trigger where tgrelid = s.relation and tgfoid = 'change_feed.tg__record_events'::regproc);
comment on column change_feed.streams.has_triggers is $$Whether triggers of the table record the events; if not, functions do.$$;

--! Included functions/change_feed/refused_viewers.sql
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
   where case
           -- Refuses a stream that is gone, and raises an error for one whose table has changed.
           when s.id is null then (select count(change_feed.check_declaration(d.id)) = 0 from change_feed.streams d where d.id = asked.stream_id)
           else false end
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
  v_role text := current_setting('role');
  v_viewer_id text := coalesce(current_setting('app.viewer_id', true), '');
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
      perform set_config('role', v_role, true), set_config('app.viewer_id', v_viewer_id, true);
    exception when insufficient_privilege then
      -- No right to read the table. Any other error is the policy's or the table's: the caller finds out whom it concerns.
      return query select unnest(v_asked.places), null::text;
    end;
  end loop;
end $$;
comment on function change_feed.refused_viewers(int[], text[], bigint[], int[], text[], text[]) is $$The 1-based positions of those who may not read a key of a stream, without a row_id; of those who may read it and not the row, with the row_id. A stream without a function of its own asks the policies, as each viewer: those of the table that the key refers to, and those of the given rows.$$;
grant execute on function change_feed.refused_viewers(int[], text[], bigint[], int[], text[], text[]) to :API_LOGIN;
--! EndIncluded functions/change_feed/refused_viewers.sql
--! Included functions/change_feed/open_positions.sql
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
--! EndIncluded functions/change_feed/open_positions.sql
--! Included functions/change_feed/try_stream.sql
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
  v_trigger text;
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
  for v_trigger in
    select suffix from unnest('{insert,update,delete}'::text[]) as suffix
     where v_stream.has_triggers
       and case suffix when 'insert' then v_stream.kind = 'added' when 'delete' then v_stream.kind = 'deleted'
             else v_stream.kind <> 'added' or v_stream.since_column is not null end
       and not exists (
             select from pg_trigger where tgrelid = v_stream.relation and tgenabled in ('O', 'A')
                and tgname = format('_900_stream_%s_%s', left(v_stream.key_column, 40), suffix))
  loop
    raise exception using errcode = '42704',
      message = format('The table %s has no enabled trigger _900_stream_%s_%s: its events are not recorded',
        v_stream.relation, left(v_stream.key_column, 40), v_trigger),
      hint = format('Call change_feed.stream(%L, …) again.', v_stream.relation);
  end loop;
end $$;
comment on function change_feed.check_declaration(int) is $$Raises an error unless the table of a stream has the columns, the primary key and the triggers that its declaration needs.$$;
grant execute on function change_feed.check_declaration(int) to :API_LOGIN;

-- Security definer: the login may not read the tables itself.
create or replace function change_feed.sample_key(stream_id int) returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_source change_feed.stream_sources;
  v_key text;
begin
  select * into v_source from change_feed.stream_sources where id = stream_id;
  execute format('select %I::text from %s limit 1', v_source.key_column, v_source.relation) into v_key;
  return coalesce(v_key, case v_source.key_type when 'uuid' then '00000000-0000-0000-0000-000000000000' else '0' end);
end $$;
comment on function change_feed.sample_key(int) is $$A key of a stream to try statements with: that of some row, or one that no row has.$$;
grant execute on function change_feed.sample_key(int) to :API_LOGIN;

-- Not security definer, as change_feed.refused_viewers().
create or replace function change_feed.try_stream(stream_id int) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_key text;
  v_page record;
  v_row_id text;
begin
  perform change_feed.check_declaration(stream_id);
  v_key := change_feed.sample_key(stream_id);
  perform * from change_feed.open_positions(
    array[stream_id, stream_id, stream_id], array[v_key, v_key, v_key], array[null, null, '0'],
    array[null, pg_snapshot_xmin(pg_current_snapshot()), null]);
  select * into v_page from change_feed.read_streams(array[stream_id], array[v_key], array[0::bigint], 1);
  v_row_id := coalesce(v_page.row_ids[1], v_key);
  -- Without a row, its id has the key’s type, which may be another one.
  if v_page.row_ids[1] is not null then
    perform change_feed.row_version(stream_id, v_key, v_row_id);
  end if;
  -- As a visitor and as a signed-in user whom nobody knows.
  perform * from change_feed.refused_viewers(
    array[stream_id, stream_id], array[v_key, v_key], array[null, 0::bigint],
    array_remove(array[case when v_page.row_ids[1] is not null then stream_id end], null),
    array_remove(array[case when v_page.row_ids[1] is not null then v_key end], null), coalesce(v_page.row_ids, '{}'));
end $$;
comment on function change_feed.try_stream(int) is $$Runs, once, each statement that the services run for a stream, with the key of some row, as a visitor and as a member. Raises the error of the first that fails.$$;
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
--! EndIncluded functions/change_feed/try_stream.sql
--! Included functions/change_feed/stream.sql
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
  insert into change_feed.streams (relation, key_column, kind, may_read, number_column, last_number_column, keep, since_column, has_triggers)
  select stream.relation, stream.key_column, kind, stream.may_read::text, case kind when 'added' then stream.number_column end,
         case kind when 'added' then stream.last_number_column end, stream.keep, stream.since_column, stream.has_triggers
    from unnest(kinds) as kind
  on conflict on constraint streams_relation_key_column_kind_key do update
    set may_read = excluded.may_read, number_column = excluded.number_column,
        last_number_column = excluded.last_number_column, keep = excluded.keep, since_column = excluded.since_column,
        has_triggers = excluded.has_triggers;

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
    when may_read is null and 'deleted' = any (kinds) and (v_source.parent is null or key_column = v_source.id_column) then
      raise exception using errcode = '42P16',
        message = format('Nothing says who may learn of deleted rows of %s: %s refers to no other table', relation, key_column),
        hint = format('Give a function as may_read, or call: select change_feed.stream(%L, %L, kinds => %L)',
          relation, key_column, array_remove(kinds, 'deleted'));
    else
  end case;

  v_arguments := format('%L, %L, %L, %L', key_column, v_source.id_column, coalesce(number_column, ''), coalesce(since_column, ''));
  if has_triggers and kinds && '{added}' then
    execute format('create trigger %I after insert on %s referencing new table as new_rows
      for each statement execute function change_feed.tg__record_events(%s)', v_prefix || '_insert', relation, v_arguments);
  end if;
  -- Rows are added by an update, too, when they have waited for since_column.
  if has_triggers and (since_column is not null or kinds <> '{added}') then
    execute format('create trigger %I after update on %s referencing old table as old_rows new table as new_rows
      for each statement execute function change_feed.tg__record_events(%s)', v_prefix || '_update', relation, v_arguments);
  end if;
  if has_triggers and kinds && '{deleted}' then
    execute format('create trigger %I after delete on %s referencing old table as old_rows
      for each statement execute function change_feed.tg__record_events(%s)', v_prefix || '_delete', relation, v_arguments);
  end if;

  -- A wrong column or function fails here, and not for the first subscriber.
  perform change_feed.try_stream(s.id) from change_feed.streams s
    where s.relation = stream.relation and s.key_column = stream.key_column;
end $$;
comment on function change_feed.stream(regclass, name, text[], regproc, name, name, interval, name, boolean) is $$Lets subscriptions follow the rows of a table by the value of a column, together with the smart tag @subscription. Records the given kinds of changes (added, updated, deleted) and keeps them for that long. since_column names a column that is null until a row belongs to the stream: the row is added when it gets a value. may_read names a function of a key and a viewer’s id that returns a column may_read: who may follow the key and read each of its rows. Without it the policies decide. Without has_triggers, functions record the events with change_feed.record_events(), and the primary key can be the key and one more column. Runs, once, the statements that the streams cause, so a wrong column or function fails the call. For DBAs, in a migration; a later call replaces the settings, and no kinds end the stream.$$;
--! EndIncluded functions/change_feed/stream.sql
