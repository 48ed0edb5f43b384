--! Previous: sha1:49617a177311b44a274c0af0cd4123a2cb246d80
--! Hash: sha1:616edf7d594eee6f34a319dc7ca761221ee46ef7
--! Message: Standbys answer queries

--! split: 100-standbys.sql
-- A standby of the primary can answer queries.
--! Included functions/identify_on_standby.sql
-- Security definer: the login may look up a token's user, but may not read accounts or posts itself.
--
-- The role and viewer id of a query that a standby answers, as app_private.identify() gives them on the primary. Whatever is refused
-- here, the primary answers:
-- * STNDB: the server has been promoted. It may have lost transactions, or may be one of two primaries.
-- * BHIND: the server has not replayed what the caller has written. The server has 50 ms to catch up, so volatile: the statements
--   after the wait have to see what was replayed meanwhile. Positions of another timeline cannot be compared. A standby that
--   follows a promoted server tells its timeline after the next restart point; at once where the owner is in pg_read_all_stats.
-- * ISDUE: a post is due that is not published yet, which only the primary can do.
create or replace function app_private.identify_on_standby(
  user_id bigint, after_timeline int, after_lsn pg_lsn, refuses_due boolean, out role text, out viewer_id text)
language plpgsql volatile security definer set search_path = '' set enable_seqscan = off as $$
declare
  v_until timestamptz := clock_timestamp() + interval '50 ms';
  v_is_other_timeline boolean;
begin
  if not pg_is_in_recovery() then
    raise exception using errcode = 'STNDB', message = 'This server is no standby';
  end if;
  if identify_on_standby.after_lsn is not null then
    v_is_other_timeline := greatest((select min_recovery_end_timeline from pg_control_recovery()),
                                    (select received_tli from pg_stat_wal_receiver)) < identify_on_standby.after_timeline;
    while v_is_other_timeline or (pg_last_wal_replay_lsn() >= identify_on_standby.after_lsn) is not true loop
      if v_is_other_timeline or clock_timestamp() > v_until then
        raise exception using errcode = 'BHIND', message = 'This server has not replayed what the caller has written';
      end if;
      perform pg_sleep(0.002);
    end loop;
  end if;
  select identified.role, identified.viewer_id into role, viewer_id
    from app_private.identify(identify_on_standby.user_id, false) as identified;
  if identify_on_standby.refuses_due and exists (select from app_private.scheduled_posts where publish_at <= now()) then
    raise exception using errcode = 'ISDUE', message = 'A post is due';
  end if;
end $$;
comment on function app_private.identify_on_standby(bigint, int, pg_lsn, boolean) is $$The database role and viewer id for a query on a standby. Raises what app_private.identify() raises, STNDB on a server that is no standby, and BHIND when the server has not replayed the given position within 50 ms.$$;
grant execute on function app_private.identify_on_standby(bigint, int, pg_lsn, boolean) to :API_LOGIN;
--! EndIncluded functions/identify_on_standby.sql
