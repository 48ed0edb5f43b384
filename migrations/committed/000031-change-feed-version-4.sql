--! Previous: sha1:a71e700a0f3a717c0f118bca4f36cc561d139761
--! Hash: sha1:9f26c3c63cf96862912b8e17e09f0d355fbd1a82
--! Message: change feed version 4

--! split: 100-change-feed-version-4.sql

-- allow: change-behaviour because what looks for problems gives way to a migration: test/maintenance/selfCheck
-- Version 4 of the feed. Whoever looks for problems gives way to a migration: it waits for a lock for less time than PostgreSQL waits before it
-- looks for a deadlock, and what is locked is no problem.
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
end $$;

create or replace function change_feed.version() returns int
language sql immutable
return 4;
