--! Previous: sha1:26d2c5b2f07d1d7d5ca4cff11a0263f15f2ececb
--! Hash: sha1:3af2e71b3f425e588cd8cd9859f431b9c2b1dac9
--! Message: change feed version 3

--! split: 100-change-feed-version-3.sql

-- allow: change-behaviour:change_feed.version because it says that the upgrade has run
-- allow: change-default:change_feed.pending_events.number because it numbers the same rows, from a sequence that a promotion keeps
-- Version 3 of the feed. A standby can take the primary's place at any time. The sequence of an identity column of an unlogged table is unlogged
-- too, from PostgreSQL 15 on. A standby that has received it since its last restart point is promoted with an empty file in its place
-- ("bad magic number in sequence"), and no event could be recorded any more.
alter table change_feed.pending_events alter column number drop identity if exists;
create sequence if not exists change_feed.pending_event_numbers;
alter table change_feed.pending_events alter column number set default nextval('change_feed.pending_event_numbers');
comment on sequence change_feed.pending_event_numbers is $$The numbers of change_feed.pending_events.$$;

create or replace function change_feed.version() returns int
language sql immutable
return 3;
