--! Previous: sha1:b07d0e90047e803e620e04ec6f38b6855474cb7e
--! Hash: sha1:908e7e5f18aabd5fe824da111114d0894144e9c9
--! Message: counts are merged in batches

--! split: 620-counts-are-merged-in-batches.sql

-- allow: rows-changed:app_private.jobs because the job counts has another statement
-- The job that merges the shards of counters reads so many of them at a time, and not all.
drop function if exists conventions.merge_shards();
--! Included functions/conventions/counters.sql
-- The lock waits for transactions that write to the table, and lets nobody but readers in.
create or replace function conventions.repair_counter(counter text) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_counter conventions.counters := (select c from conventions.counters c where c.name = repair_counter.counter);
  v_columns text := (select string_agg(quote_ident(name), ', ' order by ordinality) from unnest(v_counter.columns) with ordinality as c (name, ordinality));
begin
  execute format('lock table %s in share row exclusive mode', v_counter.relation);
  delete from conventions.counter_shards s where s.counter = repair_counter.counter;
  execute format('insert into conventions.counter_shards (counter, key, value)
    select $1, key, count(*)
      from (select conventions.counter_key(to_jsonb(counted), $2, $3) as key from (select %s from %s) as counted) as keys
     where key is not null group by key', v_columns, v_counter.relation) using counter, v_counter.columns[1]::text, v_counter.columns[2]::text;
end $$;
comment on function conventions.repair_counter(text) is $$Counts the rows of a counter again. Writers of the table wait meanwhile. For DBAs, after rows were written without triggers.$$;

create or replace function conventions.check_counters() returns table (counter text, key text, value bigint, right_value bigint)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  v_counter conventions.counters;
begin
  for v_counter in select * from conventions.counters order by name loop
    return query execute format($check$
      select $1, key, coalesce(stored.value, 0), coalesce(counted.value, 0)
        from (select key, sum(value)::bigint as value from conventions.counter_shards where counter = $1 group by key) as stored
        full join (
             select key, count(*) as value
               from (select conventions.counter_key(to_jsonb(counted), $2, $3) collate "C" as key from (select %s from %s) as counted) as keys
              where key is not null group by key) as counted using (key)
       where coalesce(stored.value, 0) <> coalesce(counted.value, 0) $check$,
      (select string_agg(quote_ident(name), ', ') from unnest(v_counter.columns) as c (name)), v_counter.relation)
      using v_counter.name, v_counter.columns[1]::text, v_counter.columns[2]::text;
  end loop;
end $$;
comment on function conventions.check_counters() is $$The counters that are wrong, with the value they should have: none. Reads all rows. For DBAs and tests.$$;

create or replace function conventions.repair_counters() returns setof text
language sql volatile set search_path = pg_catalog, pg_temp as $$
  select wrong.counter from (select distinct counter from conventions.check_counters()) as wrong
   cross join lateral conventions.repair_counter(wrong.counter)
$$;
comment on function conventions.repair_counters() is $$Counts the rows of each wrong counter again, and returns the names of those counters. For DBAs.$$;

-- A key holds the name of an enum's value.
create or replace function conventions.follow_renamed_values() returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
  select conventions.repair_counter(name)
    from conventions.counters
   where exists (
     select from unnest(columns) with ordinality as c (column_name, ordinality)
       join pg_catalog.pg_attribute on attrelid = relation and attname = column_name
       join pg_catalog.pg_type on pg_type.oid = atttypid and typtype = 'e'
       join conventions.counter_shards s on s.counter = counters.name
      where not exists (
        select from pg_catalog.pg_enum
         where enumtypid = pg_type.oid
           and case when cardinality(columns) = 1 then s.key = enumlabel
                    when ordinality = 1 then starts_with(s.key, conventions.escape_key(enumlabel::text) || ',')
                    else right(s.key, char_length(conventions.escape_key(enumlabel::text)) + 1) = ',' || conventions.escape_key(enumlabel::text) end))
$$;
comment on function conventions.follow_renamed_values() is $$Counts again where a counter has a key that is no value of its enum any more, because it has been renamed. Runs after each migration.$$;

-- Without enable_seqscan, a session that planned this for a small table would read all of a large one.
create or replace function conventions.merge_shards(batch int default null, after text[] default null) returns text[]
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
declare
  v_last text[];
begin
  with page as materialized (
    select * from conventions.counter_shards
     where (counter, key) > (coalesce(merge_shards.after[1], ''), coalesce(merge_shards.after[2], '')) order by counter, key limit batch
  ), split as (
    select counter, key from page group by counter, key having count(*) > 1 or sum(value) = 0
  ), locked as (
    select counter, key, shard from conventions.counter_shards
     where (counter, key, shard) in (select counter, key, shard from page join split using (counter, key)) for update skip locked
  ), taken as (
    delete from conventions.counter_shards s using locked l where (s.counter, s.key, s.shard) = (l.counter, l.key, l.shard)
    returning s.counter, s.key, s.value
  ), merged as (
    insert into conventions.counter_shards (counter, key, value)
    select counter, key, sum(value) from taken group by counter, key having sum(value) <> 0
  )
  select array[counter, key] into v_last from page order by counter desc, key desc limit 1;
  return case when exists (select from conventions.counter_shards where (counter, key) > (v_last[1], v_last[2])) then v_last end;
end $$;
comment on function conventions.merge_shards(int, text[]) is $$Merges the shards of each counter that no transaction is writing: of so many shards, or of all, after a counter and its key. Returns the last counter and its key; null when none comes after. A job calls it.$$;
--! EndIncluded functions/conventions/counters.sql
--! Included functions/upkeep/merge_counts.sql
create or replace function app_private.merge_counts(batch int, out is_complete boolean, out rows int)
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  -- Null before a new round.
  v_last text[] := conventions.merge_shards(batch, (select state::text[] from app_private.jobs where name = 'counts'));
begin
  rows := 0;
  is_complete := v_last is null;
  update app_private.jobs set state = v_last::text where name = 'counts';
end $$;
comment on function app_private.merge_counts(int) is $$A job: merges the shards of the next counters.$$;
--! EndIncluded functions/upkeep/merge_counts.sql
update app_private.jobs set statement = 'select * from app_private.merge_counts($1)' where name = 'counts';
