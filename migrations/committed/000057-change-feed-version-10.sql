--! Previous: sha1:13af682f11cc7cc0a2e716c27594e04c5b0584e7
--! Hash: sha1:906dcaef38cea3c7a54980d798c6a3de92b38681
--! Message: change feed version 10

--! split: 600-change-feed-version-10.sql

-- allow: change-behaviour:change_feed.read_streams because the highest number of a key is found by its rows where no column has it
-- allow: change-behaviour:change_feed.open_positions because the highest number of a key is found by its rows where no column has it
-- allow: change-behaviour:change_feed.version because it is the next version
-- allow: change-behaviour:streams_number_column_check on change_feed.streams because the highest number of a key is found by its rows where no column has it
-- allow: constraint-missing-not-valid:change_feed.streams because the table has a row for each declaration
-- Version 10 of the feed: a table that numbers its rows by key need not store the highest number elsewhere. A row that each new one updates makes all
-- that read it slower while somebody holds an old snapshot.
alter table change_feed.streams drop constraint if exists streams_number_column_check;
alter table change_feed.streams add constraint streams_number_column_check
  check (number_column is null and last_number_column is null or number_column is not null and kind = 'added');
comment on constraint streams_number_column_check on change_feed.streams is $$Only added rows can have numbers of their own.$$;
comment on column change_feed.streams.last_number_column is $$The column of the key’s table that holds the highest number, where there is one; null where the rows themselves, or stream_heads, tell it.$$;

-- Called by versions before 2 only.
drop function if exists change_feed.open_streams(int[], text[], text[], xid8[]);

create or replace function change_feed.newest_number_query(stream_id int, key text) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
  select case when last_number_column is null
    then format('select coalesce(max(%I), 0)::bigint from %s where %I = %s::%s', number_column, relation, key_column, newest_number_query.key, key_type)
    else format('select %I::bigint from %s where %I = %s::%s', last_number_column, parent, parent_column, newest_number_query.key, key_type) end
    from change_feed.stream_sources where id = newest_number_query.stream_id
$$;
comment on function change_feed.newest_number_query(int, text) is $$The query of the highest number of a key, whose rows have numbers of their own. The key is an expression.$$;

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
        change_feed.newest_number_query(v_source.id, 'o.key'))
      using stream_ids, keys, positions, horizons, v_source.id;
  end loop;
end $$;
comment on function change_feed.open_positions(int[], text[], text[], xid8[]) is $$The start of each new subscription to a key of a stream. After the given position: the number of an event, or 0 for the beginning, or row:id for a row with one event; where rows have numbers of their own, the id of a row; else after the last event committed before the horizon (pg_snapshot_xmin of an earlier snapshot); else after the newest event. start_number is null when there is no such event, or it is no longer kept. last_number is that of the newest event.$$;
grant execute on function change_feed.open_positions(int[], text[], text[], xid8[]) to :API_LOGIN;

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
          else format('(%s)', change_feed.newest_number_query(v_source.id, 'c.key'))
        end, v_events)
      using stream_ids, keys, after_numbers, page_size, v_source.id;
  end loop;
end $$;
comment on function change_feed.read_streams(int[], text[], bigint[], int) is $$Reads from many positions in streams in one snapshot. For each position: the next events (none where after_numbers is null), the versions of their rows, and the number up to which the result is complete. A version is null when there is no such row with that key any more, and empty where nobody needs it.$$;
grant execute on function change_feed.read_streams(int[], text[], bigint[], int) to :API_LOGIN;

create or replace function change_feed.version() returns int
language sql immutable
return 10;
