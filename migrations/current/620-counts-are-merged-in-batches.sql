-- The job that merges the shards of counters reads so many of them at a time, and not all.
drop function if exists conventions.merge_shards();
--!include functions/conventions/counters.sql
--!include functions/upkeep/merge_counts.sql
update app_private.jobs set statement = 'select * from app_private.merge_counts($1)' where name = 'counts';
