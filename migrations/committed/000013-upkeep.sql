--! Previous: sha1:2231fe9df6a63ab9799978a98ffb993fd9fe2d0b
--! Hash: sha1:0c11cedd280f90b3ed0bcb130d561d3ee15ba54e
--! Message: upkeep

-- Upkeep: maintain() deletes what has expired and finishes what statements leave for later. The service calls it.
create table app_private.maintenance (
  is_only     boolean primary key default true,
  last_tag_id bigint not null default 0,
  ran_at      timestamptz,
  constraint maintenance_is_only_check check (is_only)
);
comment on table app_private.maintenance is $$The state of maintain(), in one row. Its lock lets one instance of the service work at a time.$$;
comment on column app_private.maintenance.is_only is $$Always true: there is one row.$$;
comment on column app_private.maintenance.last_tag_id is $$The tag up to which unused tags have been deleted in this round; 0 before a new round.$$;
comment on column app_private.maintenance.ran_at is $$The time of the last batch.$$;
comment on constraint maintenance_is_only_check on app_private.maintenance is $$There is one row.$$;

alter table app_private.maintenance enable row level security;
insert into app_private.maintenance default values;

--! Included functions/upkeep/maintain.sql
-- Security definer: the service's login may have all this done, and can choose nothing that is kept: what is deleted is over, or
-- older than a retention that has a minimum.
--
-- Each call is a batch. Rows that others have locked are left for the next call, so nothing here waits.
create or replace function app_private.maintain(
  batch int default 1000, audit_retention_days int default 365, out is_complete boolean, out done jsonb
)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
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

  delete from app_private.account_tokens where token_hash in (
    select token_hash from app_private.account_tokens where expires_at < now()
     order by expires_at limit v_batch for update skip locked);
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('account_tokens', v_count);

  delete from app_private.mail_outbox where id in (
    select id from app_private.mail_outbox where expires_at < now()
     order by expires_at limit v_batch for update skip locked);
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('mail_outbox', v_count);

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

  -- The oldest have the lowest ids.
  delete from app_public.notifications where id in (
    select id from (select id, created_at from app_public.notifications order by id limit v_batch for update skip locked) as oldest
     where not app_hidden.is_recent(created_at));
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('notifications', v_count);
  delete from app_private.idempotency_keys where ctid = any (array(
    select ctid from app_private.idempotency_keys where created_at < now() - interval '1 day'
     order by created_at limit v_batch for update skip locked));
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('idempotency_keys', v_count);

  -- The newest expired event of a key stays, out of reach of the next call: a client that has it can continue from it.
  with expired as (
    select event.*
      from change_feed.streams s
     cross join lateral (
           select stream_id, key, number from change_feed.stream_events
            where stream_id = s.id and created_at < now() - s.keep
            order by created_at, number limit v_batch for update skip locked) as event
  ), newest as (
    select stream_id, key, max(number) as number from expired group by stream_id, key
  ), kept as (
    update change_feed.stream_events e set created_at = 'infinity'
      from newest where e.stream_id = newest.stream_id and e.key = newest.key and e.number = newest.number
  ), deleted as (
    delete from change_feed.stream_events e
     using newest where e.stream_id = newest.stream_id and e.key = newest.key and e.number < newest.number
  )
  select count(*) into v_count from expired;
  done := done || jsonb_build_object('stream_events', v_count);

  -- No index finds the tags without posts, so each call looks at the next tags by id. The delete asks again,
  -- because a post may have received a tag just before it was locked.
  select array_agg(id) into v_tags from (
    select id from app_public.tags where id > v_position order by id limit v_batch) as next;
  v_position := case when cardinality(v_tags) = v_batch then v_tags[v_batch] else 0 end;
  update app_public.tags set is_public = true where id in (
    select id from app_public.tags where id = any (v_tags) and not is_public
       and exists (select from app_public.post_tags where tag_id = tags.id and post_tags.is_public) for no key update skip locked);
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
  v_count := app_private.index_posts(least(v_batch, 500));
  done := done || jsonb_build_object('indexed_posts', v_count);
  is_complete := is_complete and v_count < least(v_batch, 500);
  if is_complete then
    perform conventions.merge_shards();
  end if;
  -- The last step, because others wait for the locks.
  v_count := app_private.settle_rows(v_batch);
  done := done || jsonb_build_object('settled_rows', v_count);
  is_complete := is_complete and v_count < v_batch and not exists (select from app_hidden.unsettled where key = '');
  select coalesce(jsonb_object_agg(key, value), '{}') into done from jsonb_each(done) where value <> '0';
end $$;
comment on function app_private.maintain(int, int) is $$Deletes what is over, up to batch rows of each kind: refresh tokens, sessions, failed sign-ins, expired tokens and mails, networks, rate-limited calls, idempotency keys, notifications, events of streams and unused tags. Corrects rows whose visibility changed. Finds the words of posts for the search. Creates the next partitions of the audit trail and drops those beyond its retention. Returns what it did, and whether nothing is left to do now. The service calls it at its start and regularly.$$;
grant execute on function app_private.maintain(int, int) to :API_LOGIN;
--! EndIncluded functions/upkeep/maintain.sql

-- The validators of tables (migrations/fixtures/functions/conventions/validators.sql).
select conventions.renew_validators();
