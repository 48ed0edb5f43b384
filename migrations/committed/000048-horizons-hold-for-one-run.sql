--! Previous: sha1:7bf4bbca6d9d5ba303d0fdc2ee580448b5d05445
--! Hash: sha1:267fa77aef34824980c3d7ad94ead10344141716
--! Message: Horizons hold for one run

--! split: 100-horizons-hold-for-one-run.sql
-- After a promotion or a crash, PostgreSQL gives transaction ids again that the former primary gave to transactions which were lost.
-- So a horizon of a subscription holds for one run of the server only. Recovery empties an unlogged table: the rows tell runs apart.
create unlogged table if not exists app_private.server_runs (
  run_id    uuid primary key default gen_random_uuid(),
  first_xid xid8 not null default pg_snapshot_xmin(pg_current_snapshot())
);
comment on table app_private.server_runs is $$Identifies what the server has run since its last recovery. PostgreSQL empties it in each recovery: after a crash, and when a standby is promoted. Whoever writes the first event of a stream adds a row; at the same time, several do.$$;
comment on column app_private.server_runs.run_id is $$Random. As long as this row exists, the server has not recovered.$$;
comment on column app_private.server_runs.first_xid is $$The oldest transaction that was under way when the row was added. Every event of this run has a transaction id that is not below the lowest first_xid, and every event of an earlier run one that is.$$;
alter table app_private.server_runs enable row level security;
drop policy if exists select_by_login on app_private.server_runs;
create policy select_by_login on app_private.server_runs for select to :API_LOGIN using (true);
grant select on app_private.server_runs to :API_LOGIN;

--! Included functions/begin_run.sql
-- No unique row: the second writer would wait until the first one commits, and might hold what the first one waits for.
create or replace function app_private.begin_run() returns void
language plpgsql volatile set search_path = '' as $$
begin
  if not exists (select from app_private.server_runs) then
    insert into app_private.server_runs default values;
  end if;
end $$;
comment on function app_private.begin_run() is $$Adds a row to server_runs, if the caller sees none. Called in the transaction of each event, so whoever sees an event sees a row.$$;
--! EndIncluded functions/begin_run.sql
--! Included functions/tg__stream.sql
-- Security definer: no role may write events, and only the owner and the service may know the channel.
--
-- Statement-level, so that a statement with many rows costs as many statements as one. The arguments are the key column, the
-- primary key, the number column of rows that have numbers of their own, and the column that is null until a row belongs to the stream.
create or replace function app_hidden.tg__stream() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_computed text[] := app_hidden.computed_columns(tg_relid);
  v_since text := nullif(tg_argv[3], '');
begin
  perform app_private.begin_run();
  case
    when app_hidden.is_import() then
      return null;
    when tg_argv[2] <> '' then
      perform app_private.notify_streams(format('%s:%s:%s', s.id, added.row ->> tg_argv[0], min((added.row ->> tg_argv[2])::bigint)))
         from (select to_jsonb(new_rows) as row from new_rows) as added
         join app_private.streams s on s.relation = tg_relid and s.key_column = tg_argv[0]
        group by s.id, added.row ->> tg_argv[0];
    when tg_op = 'INSERT' then
      perform app_private.record_stream_events(tg_relid, tg_argv[0],
                array_agg('added'::text), array_agg(row ->> tg_argv[0]), array_agg(row ->> tg_argv[1]))
         from (select to_jsonb(new_rows) as row from new_rows) as added
        where v_since is null or row ->> v_since is not null;
    when tg_op = 'DELETE' then
      perform app_private.record_stream_events(tg_relid, tg_argv[0],
                array_agg('deleted'::text), array_agg(row ->> tg_argv[0]), array_agg(row ->> tg_argv[1]))
         from (select to_jsonb(old_rows) as row from old_rows) as removed
        where v_since is null or row ->> v_since is not null;
    else
      -- A row that gets another key is deleted from the one and added to the other. Outside of the stream, a row has no key.
      perform app_private.record_stream_events(tg_relid, tg_argv[0], array_agg(kind), array_agg(key), array_agg(row_id))
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
        where before = after or before - v_computed is distinct from after - v_computed;
  end case;
  return null;
end $$;
comment on function app_hidden.tg__stream() is $$After a statement: records its changes in the streams of the table, and notifies the services. stream() attaches it to a table.$$;
--! EndIncluded functions/tg__stream.sql
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
                   where e.%5$I = o.key::%6$s
                     -- A negative age is one beyond the two billion that age() can count.
                     and (age(e.xmin) > age(o.horizon::xid) or age(e.xmin) < 0)
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
