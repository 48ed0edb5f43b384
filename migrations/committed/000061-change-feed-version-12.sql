--! Previous: sha1:bd3c1aae3dd852e6746debd404bd85bee04f3111
--! Hash: sha1:879f61cf4ab0628e6b7525eabd768f445e096bbd
--! Message: change feed version 12

--! split: 300-change-feed-version-12.sql

-- allow: change-behaviour:change_feed.version because it says that the upgrade has run
-- allow: change-behaviour:change_feed.webhook_problems because it counts stuck keys, given-up events and failing endpoints apart
-- allow: change-behaviour:change_feed.due_webhook_events because senders of the former version get the same, from the queue of keys
-- allow: change-behaviour:change_feed.settle_webhook_event because senders of the former version get the same, from the queue of keys
-- allow: change-behaviour:change_feed.release_webhook because senders of the former version get the same, from the queue of keys
-- allow: change-behaviour:change_feed.claim_webhook because senders of the former version get the same, from the queue of keys
-- allow: change-behaviour:change_feed.webhook_status because it has more columns
-- allow: create-trigger:_500_arrive on change_feed.webhook_events because it notes the keys of new events
-- allow: create-trigger:_100_change on change_feed.webhooks because it keeps a former secret, and enables what was disabled
-- allow: require-concurrent-index-creation:change_feed.webhook_events because the queue is short, and the next statement locks it anyway
-- allow: require-concurrent-index-deletion:change_feed.webhook_events_webhook_key_id_idx because the queue is short
-- Version 12 of the feed: the queue of webhooks costs the same however long it is. A key that has something to send is one row, and a claim is one look-up. An
-- attempt is counted when it begins. Standard Webhooks as a whole: 410, Retry-After, and two signatures while a secret changes. Events are deleted by ranges of
-- their numbers. Senders of version 11 go on: the functions that they call claim the same keys.
alter table change_feed.webhooks
  add column if not exists former_secret text,
  add column if not exists former_secret_until timestamptz,
  add column if not exists secret_overlap interval not null default '1 day',
  add column if not exists disabled_at timestamptz;
comment on column change_feed.webhooks.former_secret is $$The secret before the last change. Signs beside the new one for a while.$$;
comment on column change_feed.webhooks.former_secret_until is $$Until when both secrets sign.$$;
comment on column change_feed.webhooks.secret_overlap is $$For how long the former secret signs, too, after a change of the secret. Yours to set.$$;
comment on column change_feed.webhooks.disabled_at is $$When the endpoint has responded 410 (Gone), which pauses the webhook. Until is_paused becomes false, or the URL another one.$$;
comment on table change_feed.webhooks is $$The endpoints that are told of changes. Made by change_feed.webhook(); yours to update (is_paused, url, secret, secret_overlap, give_up_after) and to delete. change_feed.webhook_status shows how they are.$$;
comment on column change_feed.webhooks.due_at is $$Until when the endpoint is left alone: after failures in a row, or because it has asked for that (Retry-After).$$;
comment on column change_feed.webhooks.failures is $$How many attempts in a row have failed because of the endpoint, and not of one event.$$;
comment on column change_feed.webhooks.last_error is $$Why the last attempt failed; null after a delivery.$$;
comment on column change_feed.webhooks.lease is $$Which sender of version 11 has the endpoint. Later senders share it, and have keys of it.$$;

create table if not exists change_feed.webhook_keys (
  webhook    text not null references change_feed.webhooks on delete cascade on update cascade,
  key        text not null,
  due_at     timestamptz not null default clock_timestamp(),
  attempts   int not null default 0,
  lease      uuid,
  last_error text,
  primary key (webhook, key)
);
comment on table change_feed.webhook_keys is $$The keys that have events to send. The first event of each is the next one.$$;
comment on column change_feed.webhook_keys.webhook is $$The endpoint.$$;
comment on column change_feed.webhook_keys.key is $$The value of the key column.$$;
comment on column change_feed.webhook_keys.due_at is $$When the next event is sent. An attempt moves it on when it begins, so that one which never ends is made again.$$;
comment on column change_feed.webhook_keys.attempts is $$How many attempts to send the next event have begun.$$;
comment on column change_feed.webhook_keys.lease is $$Which sender has an attempt under way; null when its result is known.$$;
comment on column change_feed.webhook_keys.last_error is $$Why the last attempt failed.$$;
create index if not exists webhook_keys_webhook_due_at_idx on change_feed.webhook_keys (webhook, due_at);
-- Finds the events that hold up their keys.
create index if not exists webhook_keys_webhook_attempts_idx on change_feed.webhook_keys (webhook, attempts) where attempts >= 3;
alter table change_feed.webhook_keys enable row level security;

-- A writer neither waits for a sender nor for another writer, which a unique row would cause. So it leaves a note, and senders turn notes into keys.
create table if not exists change_feed.webhook_arrivals (
  number  bigint generated always as identity primary key,
  webhook text not null,
  key     text not null
);
comment on table change_feed.webhook_arrivals is $$The keys of events that were queued, until a sender has put them into webhook_keys.$$;
comment on column change_feed.webhook_arrivals.number is $$The order of arrival.$$;
comment on column change_feed.webhook_arrivals.webhook is $$The endpoint.$$;
comment on column change_feed.webhook_arrivals.key is $$The value of the key column.$$;
alter table change_feed.webhook_arrivals enable row level security;

create or replace function change_feed.tg_webhook_events__arrive() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into change_feed.webhook_arrivals (webhook, key) select distinct webhook, key from added;
  return null;
end $$;
comment on function change_feed.tg_webhook_events__arrive() is $$Notes the keys of new events for the senders.$$;
-- The lock of this statement waits for writers that have queued without a note. What they have queued is put in below.
create or replace trigger _500_arrive after insert on change_feed.webhook_events referencing new table as added
  for each statement execute function change_feed.tg_webhook_events__arrive();
insert into change_feed.webhook_keys (webhook, key)
select distinct webhook, key from change_feed.webhook_events where due_at is not null
on conflict do nothing;
comment on column change_feed.webhook_events.attempts is $$How often it was sent in vain, when it was given up.$$;
comment on column change_feed.webhook_events.due_at is $$Null when the event is given up.$$;
comment on column change_feed.webhook_events.last_error is $$Why it was given up.$$;
-- Counts what was given up.
create index if not exists webhook_events_webhook_created_at_idx on change_feed.webhook_events (webhook, created_at) where due_at is null;
-- Finds the next event of a key. In place of an index on (webhook, key, id): by "order by id", the primary key would be read from its beginning as well.
create index if not exists webhook_events_webhook_key_place_idx on change_feed.webhook_events (webhook, key, (id + 0)) where due_at is not null;
drop index if exists change_feed.webhook_events_webhook_key_id_idx;

create or replace function change_feed.tg_webhooks__change() returns trigger
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  if new.secret <> old.secret and new.secret_overlap > '0' then
    new.former_secret := old.secret;
    new.former_secret_until := now() + new.secret_overlap;
  end if;
  if old.disabled_at is not null and (new.url <> old.url or not new.is_paused) then
    new.disabled_at := null;
    new.is_paused := false;
    new.due_at := now();
    new.failures := 0;
  end if;
  return new;
end $$;
comment on function change_feed.tg_webhooks__change() is $$Lets the former secret sign for a while, and enables an endpoint that has gone when it has another URL or is not paused any more.$$;
create or replace trigger _100_change before update of secret, url, is_paused on change_feed.webhooks
  for each row execute function change_feed.tg_webhooks__change();

-- The functions below take one row after the other, by an index that has the order of the question, so that no plan depends on statistics: senders call them all
-- the time, and the tables grow and shrink within minutes.
create or replace function change_feed.next_webhook_event(webhook text, key text) returns bigint
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off set jit = off as $$
begin
  return (select e.id from change_feed.webhook_events e
           where e.webhook = next_webhook_event.webhook and e.key = next_webhook_event.key and e.due_at is not null order by e.id + 0 limit 1);
end $$;
comment on function change_feed.next_webhook_event(text, text) is $$The next event to send of a key; null without one.$$;

create or replace function change_feed.schedule_webhook_keys() returns int
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
declare
  v_numbers bigint[] := array(select number from change_feed.webhook_arrivals order by number limit 1000 for update skip locked);
  v_webhooks text[];
  v_count int;
begin
  if v_numbers = '{}' then
    return 0;
  end if;
  -- First the webhook, then its keys, as a delete of the webhook does. While it is deleted, its notes stay.
  v_webhooks := array(
    select name from change_feed.webhooks
     where name = any (array(select webhook from change_feed.webhook_arrivals where number = any (v_numbers))) for key share skip locked);
  -- In the order of keys, as settle_webhook_events(), so that two senders do not wait for each other. A key that is there already is locked: its last event
  -- may be settled at the moment, and the key deleted.
  with arrived as (
    delete from change_feed.webhook_arrivals a
     where number = any (v_numbers) and (webhook = any (v_webhooks) or not exists (select from change_feed.webhooks w where w.name = a.webhook))
    returning webhook, key
  ), kept as (
    insert into change_feed.webhook_keys as k (webhook, key, due_at)
    select distinct webhook, key, statement_timestamp() from arrived where webhook = any (v_webhooks) order by webhook, key
    on conflict (webhook, key) do update set key = k.key where false
  )
  select count(*) into v_count from arrived;
  return v_count;
end $$;
comment on function change_feed.schedule_webhook_keys() is $$Turns up to 1,000 notes about queued events into keys to send. Returns how many notes.$$;

-- The caller has locked the key. What has arrived meanwhile is seen by these statements, or noted.
create or replace function change_feed.advance_webhook_key(webhook text, key text) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
begin
  if change_feed.next_webhook_event(webhook, key) is null then
    delete from change_feed.webhook_keys k where k.webhook = advance_webhook_key.webhook and k.key = advance_webhook_key.key;
  else
    update change_feed.webhook_keys k set due_at = clock_timestamp(), attempts = 0, lease = null, last_error = null
     where k.webhook = advance_webhook_key.webhook and k.key = advance_webhook_key.key;
  end if;
end $$;
comment on function change_feed.advance_webhook_key(text, text) is $$Goes on to the next event of a key; without one, the key has nothing to send.$$;

create or replace function change_feed.claim_webhook_keys(webhook text, lease uuid, lease_for interval, count int)
returns table (id bigint, kind text, key text, row_id text, message_id text, created_at timestamptz, attempts int, relation text)
language plpgsql volatile rows 10 set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off as $$
#variable_conflict use_column
declare
  v_key change_feed.webhook_keys;
  v_event change_feed.webhook_events;
  v_give_up_after interval := (select give_up_after from change_feed.webhooks where name = claim_webhook_keys.webhook);
begin
  for v_key in
    select * from change_feed.webhook_keys k
     where k.webhook = claim_webhook_keys.webhook and k.due_at <= statement_timestamp()
     order by k.due_at limit claim_webhook_keys.count for update skip locked
  loop
    select * into v_event from change_feed.webhook_events e
     where e.webhook = v_key.webhook and e.id = change_feed.next_webhook_event(v_key.webhook, v_key.key);
    relation := (select s.relation::text from change_feed.streams s where s.id = v_event.stream_id);
    if v_event.id is null or relation is null then
      -- Without a stream, nothing says whose row it was.
      delete from change_feed.webhook_events e where e.webhook = v_key.webhook and e.id = v_event.id;
      perform change_feed.advance_webhook_key(v_key.webhook, v_key.key);
    elsif v_key.lease is not null and v_event.queued_at < now() - v_give_up_after then
      -- Nobody has said what became of the last attempt. Such an event has its time as well.
      update change_feed.webhook_events e
         set due_at = null, attempts = v_key.attempts, last_error = coalesce(v_key.last_error, 'no sender has said what became of it')
       where e.webhook = v_key.webhook and e.id = v_event.id;
      perform change_feed.advance_webhook_key(v_key.webhook, v_key.key);
    else
      -- Now, and not when the attempt ends: one that ends the sender is counted, and has its pause.
      update change_feed.webhook_keys k
         set attempts = k.attempts + 1, lease = claim_webhook_keys.lease,
             due_at = clock_timestamp() + greatest(lease_for, least(interval '1 second' * 2 ^ least(k.attempts, 20), interval '1 hour'))
       where k.webhook = v_key.webhook and k.key = v_key.key;
      id := v_event.id;
      kind := v_event.kind;
      key := v_event.key;
      row_id := v_event.row_id;
      message_id := format('%s.%s.%s', v_event.stream_id, v_event.key, v_event.number);
      created_at := v_event.created_at;
      attempts := v_key.attempts + 1;
      return next;
    end if;
  end loop;
end $$;
comment on function change_feed.claim_webhook_keys(text, uuid, interval, int) is $$The next events of up to count due keys of an endpoint, for the caller alone until the lease ends. Counts an attempt for each.$$;

-- Security definer: the login may not read secrets and queues otherwise.
create or replace function change_feed.sendable_webhooks()
returns table (name text, url text, secrets text[], role name, failures int, is_disabled boolean, stuck int, due int, next_in double precision)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off as $$
begin
  perform change_feed.schedule_webhook_keys();
  return query
  select w.name, w.url, array_remove(array[w.secret, case when w.former_secret_until > now() then w.former_secret end], null), w.role,
         w.failures, w.disabled_at is not null,
         (select count(*)::int from (select from change_feed.webhook_keys k where k.webhook = w.name and k.attempts >= 3 order by k.attempts limit 1000) as stuck),
         case when w.is_paused or w.due_at > now() then 0
           else (select count(*)::int from (select from change_feed.webhook_keys k
                                             where k.webhook = w.name and k.due_at <= statement_timestamp() order by k.due_at limit 20) as due) end,
         case when not w.is_paused
           then extract(epoch from case when w.due_at > now() then w.due_at
                                     else (select min(k.due_at) from change_feed.webhook_keys k
                                            where k.webhook = w.name and k.due_at > statement_timestamp()) end - clock_timestamp())::float8 end
    from change_feed.webhooks w;
end $$;
comment on function change_feed.sendable_webhooks() is $$All webhooks, as a sender needs them: how many of their keys are due (20 at most), in how many seconds the next one is, and how many are held up by an event that has failed three times (1,000 at most).$$;
grant execute on function change_feed.sendable_webhooks() to :API_LOGIN;

-- Security definer, as sendable_webhooks().
create or replace function change_feed.claim_webhook_events(lease uuid, lease_for interval, webhooks text[], counts int[])
returns table (webhook text, id bigint, kind text, key text, row_id text, message_id text, created_at timestamptz, attempts int, relation text)
language sql volatile security definer rows 100 set search_path = pg_catalog, pg_temp as $$
  select asked.webhook, claimed.*
    from unnest(webhooks, counts) as asked (webhook, count)
   cross join lateral change_feed.claim_webhook_keys(asked.webhook, lease, lease_for, asked.count) as claimed
$$;
comment on function change_feed.claim_webhook_events(uuid, interval, text[], int[]) is $$The next events of due keys of several endpoints, for the caller alone until the lease ends: so many for each.$$;
grant execute on function change_feed.claim_webhook_events(uuid, interval, text[], int[]) to :API_LOGIN;

-- Security definer, as sendable_webhooks(). An attempt that has outlived its lease settles nothing: another sender has the key. In the order of keys, so that two
-- senders do not wait for each other.
create or replace function change_feed.settle_webhook_events(lease uuid, first_retry interval, results jsonb)
returns table (webhook text, event_id bigint)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  v_result record;
  v_attempts int;
  v_is_done boolean;
  v_settled jsonb := '[]';
  -- First the webhook, then its keys, as a delete of the webhook does. What became of events of one that is deleted is of no interest.
  v_webhooks text[] := array(
    select name from change_feed.webhooks
     where name = any (array(select r.webhook from jsonb_to_recordset(results) as r (webhook text))) for key share skip locked);
begin
  for v_result in
    select * from jsonb_to_recordset(results) as r (webhook text, key text, id bigint, verdict text, error text, again_in float8, rest float8, tries int)
     where r.webhook = any (v_webhooks) order by r.webhook, r.key
  loop
    select k.attempts into v_attempts from change_feed.webhook_keys k
     where k.webhook = v_result.webhook and k.key = v_result.key and k.lease = settle_webhook_events.lease for update;
    continue when not found;
    v_settled := v_settled || to_jsonb(v_result);
    v_is_done := v_result.verdict in ('delivered', 'hidden');
    if v_is_done then
      delete from change_feed.webhook_events e where e.webhook = v_result.webhook and e.id = v_result.id;
    elsif v_result.verdict in ('failed', 'refused', 'unread') then
      update change_feed.webhook_events e set due_at = null, attempts = v_attempts, last_error = left(v_result.error, 1000)
       where e.webhook = v_result.webhook and e.id = v_result.id
         and (v_result.verdict = 'refused' and v_attempts >= v_result.tries
              or e.queued_at <= now() - (select give_up_after from change_feed.webhooks where name = v_result.webhook));
      v_is_done := found;
      if v_is_done then
        webhook := v_result.webhook;
        event_id := v_result.id;
        return next;
      end if;
    end if;
    if v_is_done then
      perform change_feed.advance_webhook_key(v_result.webhook, v_result.key);
    else
      update change_feed.webhook_keys k
         set lease = null, last_error = coalesce(left(v_result.error, 1000), k.last_error),
             due_at = clock_timestamp() + v_result.again_in * interval '1 millisecond'
       where k.webhook = v_result.webhook and k.key = v_result.key;
    end if;
  end loop;
  perform change_feed.note_webhook_results(first_retry, v_settled);
end $$;
comment on function change_feed.settle_webhook_events(uuid, interval, jsonb) is $$Says what became of events: webhook, key, id, and a verdict. delivered and hidden end an event; failed (the endpoint), refused (the event, which is given up after so many tries) and unread (the row) send it again in again_in milliseconds, or give it up when it is too old; gone disables the webhook; unknown sends it again. rest leaves the endpoint alone for so many milliseconds. Returns what was given up.$$;
grant execute on function change_feed.settle_webhook_events(uuid, interval, jsonb) to :API_LOGIN;

create or replace function change_feed.note_webhook_results(first_retry interval, results jsonb) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
  with noted as (
    select r.webhook, bool_or(r.verdict = 'delivered') as is_delivered, bool_or(r.verdict in ('delivered', 'refused')) as has_responded,
           bool_or(r.verdict = 'gone') as is_gone, count(*) filter (where r.verdict = 'failed') as failed,
           (array_agg(r.error) filter (where r.error is not null))[1] as error, max(r.rest) * interval '1 millisecond' as rest
      from jsonb_to_recordset(results) as r (webhook text, verdict text, error text, rest float8)
     where r.verdict in ('delivered', 'failed', 'refused', 'gone') group by r.webhook
  ), counted as (
    select noted.*, case when has_responded then 0 else w.failures + failed end::int as failures
      from noted join change_feed.webhooks w on w.name = noted.webhook
     -- An endpoint that is well is one row, which many deliveries would write.
     where not is_delivered or w.failures > 0 or w.last_error is not null or error is not null
        or w.last_delivered_at is null or w.last_delivered_at < now() - interval '1 second'
     order by name for no key update of w
  )
  update change_feed.webhooks w
     set failures = counted.failures, last_error = left(counted.error, 1000),
         last_delivered_at = case when is_delivered then now() else w.last_delivered_at end,
         is_paused = w.is_paused or is_gone, disabled_at = case when is_gone then now() else w.disabled_at end,
         due_at = greatest(w.due_at, now() + rest, case when counted.failures >= 3
           then now() + least(first_retry * 2 ^ least(counted.failures, 30), interval '1 hour') end)
    from counted where w.name = counted.webhook
$$;
comment on function change_feed.note_webhook_results(interval, jsonb) is $$Notes how the endpoints are. After three failures in a row, an endpoint is left alone for longer and longer, up to an hour.$$;

-- Security definer: the login may not read the queue otherwise.
create or replace function change_feed.webhook_queries(webhook text, event_ids bigint[])
returns table (role name, query text, ids bigint[], row_ids text[])
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
  select w.role,
         format('select array_agg(asked.id), array_agg(to_jsonb(r)::text) from unnest($1, $2) as asked (id, row_id)
                 left join lateral (select %s from %s where %I = asked.row_id::%s) as r on true',
           (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
             where attrelid = s.relation and attnum > 0 and not attisdropped and has_column_privilege(w.role, s.relation, attnum, 'select')),
           s.relation, s.id_column, s.id_type),
         e.ids, e.row_ids
    from change_feed.webhooks w
   cross join lateral (
         select stream_id, array_agg(id) as ids, array_agg(row_id) as row_ids from change_feed.webhook_events
          where webhook_events.webhook = webhook_queries.webhook and id = any (event_ids) group by stream_id) as e
    join change_feed.stream_sources s on s.id = e.stream_id
   where w.name = webhook_queries.webhook
$$;
comment on function change_feed.webhook_queries(text, bigint[]) is $$The queries for the rows of events, of the columns that the role of the webhook may read, with their arguments; null when there are no columns.$$;
grant execute on function change_feed.webhook_queries(text, bigint[]) to :API_LOGIN;

-- Not security definer: such a function cannot become another role, and policies apply to roles. One statement for all rows of a stream; for each row where that
-- fails. A locked table is left at once: other webhooks wait for the connection.
create or replace function change_feed.webhook_rows(webhook text, event_ids bigint[]) returns table (id bigint, row_text text, error text)
language plpgsql volatile set search_path = pg_catalog, pg_temp set lock_timeout = '100ms' as $$
declare
  v_role text := current_setting('role');
  v_asked record;
  v_ids bigint[];
  v_rows text[];
  v_state text;
  v_error text;
begin
  for v_asked in select * from change_feed.webhook_queries(webhook, event_ids) loop
    v_state := null;
    v_ids := v_asked.ids;
    v_rows := '{}';
    if v_asked.query is not null then
      begin
        perform set_config('role', v_asked.role, true), set_config('app.viewer_id', '', true);
        execute v_asked.query into v_ids, v_rows using v_asked.ids, v_asked.row_ids;
        perform set_config('role', v_role, true);
      exception when others or query_canceled then
        get stacked diagnostics v_state = returned_sqlstate, v_error = message_text;
      end;
    end if;
    if v_state is null or v_state in ('55P03', '57014') or cardinality(v_asked.ids) = 1 then
      return query select one.id, one.row_text, case when v_state is not null then v_error end
                     from unnest(v_ids, case when v_state is null then v_rows else '{}' end) as one (id, row_text);
    else
      return query select one.* from unnest(v_asked.ids) as each (id) cross join lateral change_feed.webhook_rows(webhook, array[each.id]) as one;
    end if;
  end loop;
end $$;
comment on function change_feed.webhook_rows(text, bigint[]) is $$The rows of events of one webhook as its role may read them now, as JSON; null for a row that it may not see, or that is gone. Or why a row cannot be read.$$;
grant execute on function change_feed.webhook_rows(text, bigint[]) to :API_LOGIN;

create or replace function change_feed.claim_webhook(lease_for interval) returns table (name text, url text, secret text, role name, lease uuid)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform change_feed.schedule_webhook_keys();
  return query
  update change_feed.webhooks w set lease = gen_random_uuid(), leased_until = clock_timestamp() + lease_for
   where w.name = (
     select c.name from change_feed.webhooks c
      where not c.is_paused and c.due_at <= now() and (c.leased_until is null or c.leased_until < clock_timestamp())
        and exists (select from change_feed.webhook_keys k where k.webhook = c.name and k.due_at <= statement_timestamp())
      order by c.due_at limit 1 for update skip locked)
  returning w.name, w.url, w.secret, w.role, w.lease;
end $$;
comment on function change_feed.claim_webhook(interval) is $$For senders of version 11: an endpoint for which something is due, for the caller alone among them until the lease ends.$$;

create or replace function change_feed.due_webhook_events(webhook text, lease uuid, lease_for interval, count int)
returns table (id bigint, kind text, key text, row_id text, message_id text, created_at timestamptz, attempts int, relation text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  update change_feed.webhooks w set leased_until = clock_timestamp() + lease_for
   where w.name = due_webhook_events.webhook and w.lease = due_webhook_events.lease and not w.is_paused;
  if not found then
    return;
  end if;
  perform change_feed.schedule_webhook_keys();
  return query
  select c.id, c.kind, c.key, c.row_id, c.message_id, c.created_at, c.attempts - 1, c.relation
    from change_feed.claim_webhook_keys(webhook, lease, lease_for, count) as c;
end $$;
comment on function change_feed.due_webhook_events(text, uuid, interval, int) is $$For senders of version 11: the next events for an endpoint, one for each key, and a longer lease; none when the lease is another’s by now.$$;

create or replace function change_feed.settle_webhook_event(webhook text, lease uuid, event_id bigint, error text default null, again_in interval default null)
returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  select change_feed.settle_webhook_events(settle_webhook_event.lease, interval '1 second', jsonb_build_array(jsonb_build_object(
           'webhook', e.webhook, 'key', e.key, 'id', e.id, 'verdict', case when error is null then 'delivered' else 'failed' end,
           'error', error, 'again_in', extract(epoch from again_in) * 1000)))
    from change_feed.webhook_events e where e.webhook = settle_webhook_event.webhook and e.id = event_id
$$;
comment on function change_feed.settle_webhook_event(text, uuid, bigint, text, interval) is $$For senders of version 11: says what became of an event.$$;

create or replace function change_feed.release_webhook(webhook text, lease uuid, again_in interval default '0') returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
  update change_feed.webhook_keys k set due_at = clock_timestamp(), lease = null
   where k.webhook = release_webhook.webhook and k.lease = release_webhook.lease
     and k.due_at > statement_timestamp() and k.due_at < statement_timestamp() + interval '2 minutes';
  update change_feed.webhooks w
     set lease = null, leased_until = null, due_at = clock_timestamp() + least(again_in * 2 ^ least(failures, 30), '1 hour')
   where w.name = release_webhook.webhook and w.lease = release_webhook.lease
$$;
comment on function change_feed.release_webhook(text, uuid, interval) is $$For senders of version 11: leaves an endpoint to others. With a pause, which is doubled for each failure in a row, up to an hour.$$;

create or replace view change_feed.webhook_status as
select w.name, w.relation, w.kinds, regexp_replace(w.url, '\?.*', '?…') as url, w.role, w.is_paused,
       e.waiting, e.oldest as waiting_since, e.given_up, w.failures, case when w.failures > 0 then w.due_at end as tried_again_at,
       coalesce(w.last_error, k.last_error, e.last_error) as last_error, w.last_delivered_at,
       k.stuck, k.last_error as stuck_error, w.disabled_at, case when w.former_secret_until > now() then w.former_secret_until end as former_secret_until
  from change_feed.webhooks w
  left join lateral (
       select count(*) filter (where due_at is not null) as waiting, min(created_at) filter (where due_at is not null) as oldest,
              count(*) filter (where due_at is null) as given_up, (array_agg(last_error order by id desc) filter (where due_at is null))[1] as last_error
         from change_feed.webhook_events where webhook = w.name) as e on true
  left join lateral (
       select count(*) as stuck, (array_agg(last_error order by due_at desc) filter (where last_error is not null))[1] as last_error
         from change_feed.webhook_keys where webhook = w.name and attempts >= 3) as k on true;
comment on view change_feed.webhook_status is $$How the webhooks are: what waits and since when, what was given up, how many keys are stuck behind an event that has failed three times or more, how many attempts in a row have failed because of the endpoint, and the last error. Without secrets.$$;

-- Security definer: the login may not read secrets and queues otherwise. Runs on a timer, so it counts to a thousand.
create or replace function change_feed.webhook_problems() returns table (stream text, problem text, repair text)
language sql stable security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off as $$
  with counted as (
    select w.*, coalesce(w.last_error, k.last_error, given_up.last_error, 'delivered') as error, k.stuck, k.last_error as stuck_error, given_up.count as given_up,
           given_up.since, (select count(*) from (select from change_feed.webhook_events e where e.webhook = w.name and e.due_at is not null limit 1000) as few) as waiting
      from change_feed.webhooks w
     cross join lateral (
           select count(*) as stuck, max(last_error) as last_error
             from (select last_error from change_feed.webhook_keys where webhook = w.name and attempts >= 3 order by attempts limit 1000) as few) as k
     cross join lateral (
           select count(*), min(created_at) as since, (array_agg(last_error order by id desc))[1] as last_error
             from (select * from change_feed.webhook_events where webhook = w.name and due_at is null order by created_at limit 1000) as few) as given_up
  )
  select 'webhook ' || name, problem, repair
    from counted
   cross join lateral (
         select format('the endpoint has responded 410 (Gone), and is disabled since %s', to_char(disabled_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI "UTC"')) as problem,
                format('update change_feed.webhooks set is_paused = false where name = %L; or delete it', name) as repair
          where disabled_at is not null
         union all
         select format('%s attempts in a row have failed, and %s events wait; the last attempt: %s', failures, waiting, error), null
          where not is_paused and failures >= 3
         union all
         select format('%s keys are stuck behind an event that has failed three times or more; one of them: %s', stuck, stuck_error), null
          where not is_paused and failures < 3 and stuck > 0
         union all
         select format('%s events were given up; the last attempt: %s', given_up, error), format('select change_feed.replay_webhook(%L, %L)', name, since)
          where not is_paused and given_up > 0) as found
   union all
  select 'webhook ' || w.name, format('nothing records that rows of %s are %s: its stream has ended', w.relation, kind),
         'call change_feed.webhook() again, or delete it from change_feed.webhooks'
    from change_feed.webhooks w cross join unnest(w.kinds) as kind
   where not exists (select from change_feed.streams s where (s.relation, s.key_column, s.kind) = (w.relation, w.key_column, kind))
   order by 1
$$;
comment on function change_feed.webhook_problems() is $$The webhooks whose endpoint does not take what is sent, or not all of it.$$;

-- One stream and one key at a time, by ranges of the primary key: no plan depends on statistics, and a batch reads as much of a large table as of a small one.
alter table change_feed.streams add column if not exists pruned_to timestamptz;
comment on column change_feed.streams.pruned_to is $$How far the deletion of expired events has come, while it is under way.$$;

create or replace function change_feed.prune_events(batch int default 1000, out is_complete boolean, out rows int)
language plpgsql volatile set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = 'force_generic_plan' set jit = off as $$
declare
  v_stream change_feed.streams;
  v_keys text[];
  v_first bigint[];
  v_newest bigint[];
  v_count int;
  v_last timestamptz;
begin
  rows := 0;
  for v_stream in select * from change_feed.streams order by id loop
    continue when rows >= batch;
    -- From where the last batch has ended: what it has deleted is still in the index.
    select array_agg(key), array_agg(first), array_agg(newest), sum(count), max(last) into v_keys, v_first, v_newest, v_count, v_last
      from (select key, min(number) as first, max(number) as newest, count(*), max(created_at) as last
              from (select key, number, created_at from change_feed.stream_events
                     where stream_id = v_stream.id and created_at >= coalesce(v_stream.pruned_to, '-infinity') and created_at < now() - v_stream.keep
                     order by created_at, number limit batch - rows) as oldest
             group by key) as expired;
    rows := rows + coalesce(v_count, 0);
    for v_place in 1 .. coalesce(cardinality(v_keys), 0) loop
      -- The newest expired event of a key stays, out of reach of the next batch: a client that has it can continue from it.
      update change_feed.stream_events set created_at = 'infinity'
       where stream_id = v_stream.id and key = v_keys[v_place] and number = v_newest[v_place];
      -- With the one that the last batch has kept: numbers have no gaps.
      delete from change_feed.stream_events
       where stream_id = v_stream.id and key = v_keys[v_place] and number between v_first[v_place] - 1 and v_newest[v_place] - 1;
    end loop;
    v_last := case when rows >= batch then v_last end;
    if v_last is distinct from v_stream.pruned_to then
      update change_feed.streams set pruned_to = v_last where id = v_stream.id;
    end if;
  end loop;
  is_complete := rows < batch;
end $$;
comment on function change_feed.prune_events(int) is $$Deletes up to batch events that their streams do not keep any more. Says whether none is left, and how many there were. To be called again until it is complete, each time in a transaction of its own.$$;

-- PostgreSQL never analyses tables of a few rows, and plans joins with them for a thousand.
analyze change_feed.streams, change_feed.webhooks, change_feed.notification_channels;

create or replace function change_feed.version() returns int
language sql immutable
return 12;
