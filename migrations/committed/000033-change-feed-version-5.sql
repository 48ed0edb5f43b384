--! Previous: sha1:eebddc5706683efe11eb2294c7e8aa6b40918dce
--! Hash: sha1:8355ffd01fd924531eaeb7690d28f10b20a43160
--! Message: change feed version 5

--! split: 100-change-feed-version-5.sql

-- allow: change-behaviour:change_feed.version because it says that the upgrade has run
-- allow: change-behaviour:change_feed.problems because it finds webhooks too
-- Version 5 of the feed: webhooks. The events of streams are queued for endpoints outside, which receive those of each key in the order of commits. The
-- queue is filled with the numbers of the events, so under the same locks. Without a webhook, nothing is queued.
create table change_feed.webhooks (
  name              text primary key,
  relation          regclass not null,
  key_column        name not null,
  kinds             text[] not null,
  url               text not null,
  role              name not null,
  secret            text not null default 'whsec_' || encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'base64'),
  is_paused         boolean not null default false,
  give_up_after     interval not null default '3 days',
  due_at            timestamptz not null default now(),
  failures          int not null default 0,
  last_error        text,
  last_delivered_at timestamptz,
  lease             uuid,
  leased_until      timestamptz,
  constraint webhooks_kinds_check check (kinds <@ '{added,updated,deleted}' and cardinality(kinds) > 0),
  constraint webhooks_url_check check (url ~ '^https?://[^[:space:]@/?#]+([/?][^[:space:]#]*)?$'),
  constraint webhooks_secret_check check (secret ~ '^whsec_[A-Za-z0-9+/]{32,86}={0,2}$')
);
comment on table change_feed.webhooks is $$The endpoints that are told of changes. Made by change_feed.webhook(); yours to update (is_paused, url, secret, give_up_after) and to delete. change_feed.webhook_status shows how they are.$$;
comment on column change_feed.webhooks.name is $$The name, in logs.$$;
comment on column change_feed.webhooks.relation is $$The table.$$;
comment on column change_feed.webhooks.key_column is $$The changes of rows with one value of this column arrive in order.$$;
comment on column change_feed.webhooks.kinds is $$Which changes: added, updated, deleted.$$;
comment on column change_feed.webhooks.url is $$The endpoint: https://, or http:// to an address that the sender’s settings list.$$;
comment on column change_feed.webhooks.role is $$The role that reads the rows: what it may not see is not sent.$$;
comment on column change_feed.webhooks.secret is $$The secret that signs (Standard Webhooks): whsec_ and Base64.$$;
comment on column change_feed.webhooks.is_paused is $$Nothing is sent, and everything keeps its place.$$;
comment on column change_feed.webhooks.give_up_after is $$After this time an event that the endpoint refuses is given up, and the next ones of its key are sent.$$;
comment on column change_feed.webhooks.due_at is $$When the endpoint is tried again.$$;
comment on column change_feed.webhooks.failures is $$How many attempts in a row have failed.$$;
comment on column change_feed.webhooks.last_error is $$Why the last attempt failed; null after a delivery.$$;
comment on column change_feed.webhooks.last_delivered_at is $$When the endpoint has taken the last event.$$;
comment on column change_feed.webhooks.lease is $$Which sender has the endpoint: one at a time.$$;
comment on column change_feed.webhooks.leased_until is $$Until when.$$;
comment on constraint webhooks_kinds_check on change_feed.webhooks is $$A kind is added, updated or deleted.$$;
comment on constraint webhooks_url_check on change_feed.webhooks is $$The endpoint is a URL that begins with https:// or http://, without a user and a fragment.$$;
comment on constraint webhooks_secret_check on change_feed.webhooks is $$The secret is whsec_ and 24 to 64 bytes in Base64.$$;
alter table change_feed.webhooks enable row level security;

create table change_feed.webhook_events (
  webhook    text not null references change_feed.webhooks on delete cascade on update cascade,
  id         bigint generated always as identity,
  stream_id  int not null,
  kind       text not null,
  key        text not null,
  number     bigint not null,
  row_id     text not null,
  created_at timestamptz not null,
  queued_at  timestamptz not null default clock_timestamp(),
  attempts   int not null default 0,
  due_at     timestamptz default '-infinity',
  last_error text,
  primary key (webhook, id)
);
comment on table change_feed.webhook_events is $$What endpoints have not taken yet.$$;
comment on column change_feed.webhook_events.webhook is $$The endpoint.$$;
comment on column change_feed.webhook_events.id is $$The place among the events of a key.$$;
comment on column change_feed.webhook_events.stream_id is $$The stream of the event.$$;
comment on column change_feed.webhook_events.kind is $$What happened: added, updated or deleted.$$;
comment on column change_feed.webhook_events.key is $$The value of the key column.$$;
comment on column change_feed.webhook_events.number is $$The number of the event.$$;
comment on column change_feed.webhook_events.row_id is $$The primary key of the row.$$;
comment on column change_feed.webhook_events.created_at is $$When the row changed.$$;
comment on column change_feed.webhook_events.queued_at is $$Since when it is to be sent.$$;
comment on column change_feed.webhook_events.attempts is $$How often it was sent in vain.$$;
comment on column change_feed.webhook_events.due_at is $$When it is sent again; null when it is given up.$$;
comment on column change_feed.webhook_events.last_error is $$Why the last attempt failed.$$;
create index webhook_events_webhook_key_id_idx on change_feed.webhook_events (webhook, key, id) where due_at is not null;
alter table change_feed.webhook_events enable row level security;

-- Of a row that nobody may follow as a subscriber.
create function change_feed.nobody_reads(key bigint, viewer_id text, out may_read boolean) language sql immutable return false;
comment on function change_feed.nobody_reads(bigint, text) is $$Nobody follows the stream of a webhook as a subscriber.$$;
create function change_feed.nobody_reads_uuid(key uuid, viewer_id text, out may_read boolean) language sql immutable return false;
comment on function change_feed.nobody_reads_uuid(uuid, text) is $$Nobody follows the stream of a webhook as a subscriber.$$;

create function change_feed.queue_for_webhooks(webhook text, events change_feed.stream_events[]) returns bigint
language sql volatile set search_path = pg_catalog, pg_temp as $$
  with queued as (
    insert into change_feed.webhook_events (webhook, stream_id, kind, key, number, row_id, created_at)
    select w.name, s.id, s.kind, e.key, e.number, e.row_id, case when isfinite(e.created_at) then e.created_at else clock_timestamp() end
      from unnest(events) as e
      join change_feed.streams s on s.id = e.stream_id
      join change_feed.webhooks w on w.relation = s.relation and w.key_column = s.key_column and s.kind = any (w.kinds)
     where queue_for_webhooks.webhook is null or w.name = queue_for_webhooks.webhook
     order by e.created_at, e.number
    returning 1
  )
  select count(*) from queued
$$;
comment on function change_feed.queue_for_webhooks(text, change_feed.stream_events[]) is $$Queues events for one webhook, or for all that follow their streams. Returns how many.$$;

create function change_feed.tg_stream_events__queue() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  if change_feed.queue_for_webhooks(null, array(select row(stream_id, key, number, row_id, created_at)::change_feed.stream_events from added)) > 0 then
    perform pg_notify(name, '') from change_feed.notification_channels where purpose = 'webhooks';
  end if;
  return null;
end $$;
comment on function change_feed.tg_stream_events__queue() is $$Queues new events for the webhooks that follow their streams, and wakes the senders.$$;
insert into change_feed.notification_channels (purpose) values ('webhooks');

create function change_feed.webhook(
  name text, relation regclass, kinds text[], url text, role name, key_column name default null, secret text default null
) returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_key_column name := key_column;
  v_streams change_feed.streams[];
  v_stream change_feed.streams;
  v_source change_feed.stream_sources;
begin
  if to_regrole(quote_ident(role)) is null or not pg_has_role(':API_LOGIN', role, 'member') then
    raise exception using errcode = '42501', message = format('The role %s does not exist, or the login of the senders cannot become it', role),
      hint = format('create role %1$I; grant %1$I to %2$I', role, ':API_LOGIN');
  end if;
  if v_key_column is null then
    select attname into v_key_column from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
     where conrelid = webhook.relation and contype = 'p' and cardinality(conkey) = 1;
  end if;
  if not has_schema_privilege(role, (select relnamespace from pg_class where oid = relation), 'usage') or not has_any_column_privilege(role, relation, 'select') then
    raise exception using errcode = '42501', message = format('The role %s may not read %s', role, relation),
      hint = format('grant select on %s to %I', relation, role);
  end if;
  v_streams := array(select s from change_feed.streams s where s.relation = webhook.relation and s.key_column = v_key_column);
  if exists (select from unnest(v_streams) as s where s.number_column is not null) then
    raise exception using errcode = '42P16',
      message = format('The rows of %s have numbers of their own by %s, and no events', relation, v_key_column),
      hint = 'Name another column as key_column, such as the primary key.';
  end if;
  if not kinds <@ array(select kind from unnest(v_streams) as s) then
    select * into v_stream from unnest(v_streams) as s order by kind limit 1;
    -- Subscribers may follow none of the streams that are only here for webhooks.
    insert into change_feed.streams (relation, key_column, kind, may_read, keep, since_column, has_triggers)
    select webhook.relation, v_key_column, missing,
           case when missing = 'deleted' or v_stream.id is null
             then (select case format_type(atttypid, null) when 'uuid' then 'change_feed.nobody_reads_uuid' else 'change_feed.nobody_reads' end
                     from pg_attribute where attrelid = webhook.relation and attname = v_key_column)
             else v_stream.may_read end,
           coalesce(v_stream.keep, '7 days'), v_stream.since_column, coalesce(v_stream.has_triggers, true)
      from unnest(kinds) as missing
     where not exists (select from unnest(v_streams) as s where s.kind = missing);
    select * into v_source from change_feed.stream_sources s where s.relation = webhook.relation and s.key_column = v_key_column limit 1;
    if coalesce(v_stream.has_triggers, true) then
      perform change_feed.attach_triggers(relation, v_key_column,
        array(select kind from change_feed.streams s where s.relation = webhook.relation and s.key_column = v_key_column),
        v_source.id_column, null, v_stream.since_column);
    end if;
    perform change_feed.check_declaration(id) from change_feed.streams s where s.relation = webhook.relation and s.key_column = v_key_column;
  end if;
  insert into change_feed.webhooks as w (name, relation, key_column, kinds, url, role)
  values (name, relation, v_key_column, kinds, url, role)
  on conflict on constraint webhooks_pkey do update
    set relation = excluded.relation, key_column = excluded.key_column, kinds = excluded.kinds, url = excluded.url, role = excluded.role,
        due_at = now(), failures = 0;
  if webhook.secret is not null then
    update change_feed.webhooks w set secret = webhook.secret where w.name = webhook.name;
  end if;
  -- A trigger costs each event a little, so there is none without a webhook.
  if not exists (select from pg_trigger where tgrelid = 'change_feed.stream_events'::regclass and tgname = '_500_queue') then
    create trigger _500_queue after insert on change_feed.stream_events referencing new table as added
      for each statement execute function change_feed.tg_stream_events__queue();
  end if;
  return (select w.secret from change_feed.webhooks w where w.name = webhook.name);
end $$;
comment on function change_feed.webhook(text, regclass, text[], text, name, name, text) is $$Tells an endpoint of the given kinds of changes of a table (added, updated, deleted), at least once, those of each key in the order of commits. The key is the primary key, or key_column. A body has the row as the role may read it; of a row that it may not see nothing is sent. Returns the secret with which the endpoint verifies the signatures. For DBAs and operators; a later call replaces the settings. delete from change_feed.webhooks ends it.$$;

create function change_feed.replay_webhook(name text, since timestamptz) returns bigint
language sql volatile set search_path = pg_catalog, pg_temp as $$
  delete from change_feed.webhook_events q where q.webhook = name and q.due_at is null and q.created_at >= since;
  select change_feed.queue_for_webhooks(name, array(
    select e from change_feed.stream_events e
     where created_at >= since
       and not exists (select from change_feed.webhook_events q
                        where q.webhook = name and q.stream_id = e.stream_id and q.key = e.key and q.number = e.number and q.due_at is not null)))
$$;
comment on function change_feed.replay_webhook(text, timestamptz) is $$Sends all events from a time on once more, as far as they are kept, with the ids that they had; also those that were given up. Returns how many.$$;

create view change_feed.webhook_status as
select w.name, w.relation, w.kinds, regexp_replace(w.url, '\?.*', '?…') as url, w.role, w.is_paused,
       e.waiting, e.oldest as waiting_since, e.given_up, w.failures, case when w.failures > 0 then w.due_at end as tried_again_at,
       coalesce(w.last_error, e.last_error) as last_error, w.last_delivered_at
  from change_feed.webhooks w
  left join lateral (
       select count(*) filter (where due_at is not null) as waiting, min(created_at) filter (where due_at is not null) as oldest,
              count(*) filter (where due_at is null) as given_up, (array_agg(last_error order by id desc) filter (where last_error is not null))[1] as last_error
         from change_feed.webhook_events where webhook = w.name) as e on true;
comment on view change_feed.webhook_status is $$How the webhooks are: what waits and since when, what was given up, and the last error. Without secrets.$$;

-- Security definer: the login may not read secrets and queues otherwise.
create function change_feed.webhook_problems() returns table (stream text, problem text, repair text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select 'webhook ' || name, format('%s events wait since %s, and %s were given up; the last attempt: %s',
           waiting, to_char(waiting_since at time zone 'UTC', 'YYYY-MM-DD HH24:MI "UTC"'), given_up, coalesce(last_error, 'delivered')),
         case when given_up > 0 then format('select change_feed.replay_webhook(%L, %L)', name,
           (select min(created_at) from change_feed.webhook_events where webhook = name and due_at is null)) end
    from change_feed.webhook_status where not is_paused and (failures >= 3 or given_up > 0)
   union all
  select 'webhook ' || w.name, format('nothing records that rows of %s are %s: its stream has ended', w.relation, kind),
         'call change_feed.webhook() again, or delete it from change_feed.webhooks'
    from change_feed.webhooks w cross join unnest(w.kinds) as kind
   where not exists (select from change_feed.streams s where (s.relation, s.key_column, s.kind) = (w.relation, w.key_column, kind))
   order by 1
$$;
comment on function change_feed.webhook_problems() is $$The webhooks whose endpoint does not take what is sent.$$;
grant execute on function change_feed.webhook_problems() to :API_LOGIN;

-- Security definer: the login may not read secrets and queues otherwise.
create function change_feed.claim_webhook(lease_for interval) returns table (name text, url text, secret text, lease uuid)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  update change_feed.webhooks w set lease = gen_random_uuid(), leased_until = clock_timestamp() + lease_for
   where w.name = (
     select name from change_feed.webhooks c
      where not is_paused and due_at <= now() and (leased_until is null or leased_until < clock_timestamp())
        and exists (select from change_feed.webhook_events e
                     where e.webhook = c.name and e.due_at <= clock_timestamp()
                       and not exists (select from change_feed.webhook_events former
                                        where former.webhook = e.webhook and former.key = e.key and former.id < e.id and former.due_at is not null))
      order by due_at limit 1 for update skip locked)
  returning w.name, w.url, w.secret, w.lease
$$;
comment on function change_feed.claim_webhook(interval) is $$An endpoint for which something is due, for the caller alone until the lease ends.$$;
grant execute on function change_feed.claim_webhook(interval) to :API_LOGIN;

create function change_feed.due_webhook_events(webhook text, lease uuid, lease_for interval, count int)
returns table (id bigint, kind text, key text, row_id text, message_id text, created_at timestamptz, attempts int, relation text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  update change_feed.webhooks w set leased_until = clock_timestamp() + lease_for
   where w.name = due_webhook_events.webhook and w.lease = due_webhook_events.lease and not w.is_paused;
  if not found then
    return;
  end if;
  return query
  select e.id, e.kind, e.key, e.row_id, format('%s.%s.%s', e.stream_id, e.key, e.number), e.created_at, e.attempts, s.relation::text
    from change_feed.webhook_events e join change_feed.streams s on s.id = e.stream_id
   where e.webhook = due_webhook_events.webhook and e.due_at <= clock_timestamp()
     and not exists (select from change_feed.webhook_events former
                      where former.webhook = e.webhook and former.key = e.key and former.id < e.id and former.due_at is not null)
   order by e.id limit due_webhook_events.count;
end $$;
comment on function change_feed.due_webhook_events(text, uuid, interval, int) is $$The next events for an endpoint, one for each key, and a longer lease; none when the lease is another’s by now.$$;
grant execute on function change_feed.due_webhook_events(text, uuid, interval, int) to :API_LOGIN;

create function change_feed.webhook_query(webhook text, event_id bigint, out role name, out query text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select w.role, format('select to_jsonb(r) from (select %s from %s where %I = %L) as r',
           (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
             where attrelid = s.relation and attnum > 0 and not attisdropped and has_column_privilege(w.role, s.relation, attnum, 'select')),
           s.relation, s.id_column, e.row_id)
    from change_feed.webhook_events e
    join change_feed.webhooks w on w.name = e.webhook
    join change_feed.stream_sources s on s.id = e.stream_id
   where e.webhook = webhook_query.webhook and e.id = event_id
$$;
comment on function change_feed.webhook_query(text, bigint) is $$The query for the row of an event, of the columns that the role of the webhook may read; null when there are none.$$;
grant execute on function change_feed.webhook_query(text, bigint) to :API_LOGIN;

-- Not security definer: such a function cannot become another role, and policies apply to roles.
create function change_feed.webhook_row(webhook text, event_id bigint) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_role text := current_setting('role');
  v_asked record;
  v_row jsonb;
begin
  select * into v_asked from change_feed.webhook_query(webhook, event_id);
  if v_asked.query is null then
    return null;
  end if;
  perform set_config('role', v_asked.role, true), set_config('app.viewer_id', '', true);
  execute v_asked.query into v_row;
  perform set_config('role', v_role, true);
  return v_row;
end $$;
comment on function change_feed.webhook_row(text, bigint) is $$The row of an event as the role of the webhook may read it now; null for a row that it may not see, or that is gone.$$;
grant execute on function change_feed.webhook_row(text, bigint) to :API_LOGIN;

-- An attempt that has outlived its lease settles nothing: another sender has the endpoint.
create function change_feed.settle_webhook_event(webhook text, lease uuid, event_id bigint, error text default null, again_in interval default null)
returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_give_up_after interval;
begin
  update change_feed.webhooks w
     set last_error = settle_webhook_event.error,
         last_delivered_at = case when settle_webhook_event.error is null then now() else last_delivered_at end,
         failures = case when settle_webhook_event.error is null then 0 else failures + 1 end
   where w.name = settle_webhook_event.webhook and w.lease = settle_webhook_event.lease
  returning give_up_after into v_give_up_after;
  if not found then
    return;
  end if;
  if settle_webhook_event.error is null then
    delete from change_feed.webhook_events e where e.webhook = settle_webhook_event.webhook and e.id = event_id;
  else
    update change_feed.webhook_events e
       set attempts = attempts + 1, last_error = settle_webhook_event.error,
           due_at = case when e.queued_at > now() - v_give_up_after then clock_timestamp() + again_in end
     where e.webhook = settle_webhook_event.webhook and e.id = event_id;
  end if;
end $$;
comment on function change_feed.settle_webhook_event(text, uuid, bigint, text, interval) is $$Says what became of an event: taken, or without an error to say; otherwise to be sent again after a while, or given up when it is too old.$$;
grant execute on function change_feed.settle_webhook_event(text, uuid, bigint, text, interval) to :API_LOGIN;

create function change_feed.release_webhook(webhook text, lease uuid, again_in interval default '0') returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  update change_feed.webhooks w
     set lease = null, leased_until = null, due_at = clock_timestamp() + least(again_in * 2 ^ least(failures, 30), '1 hour')
   where w.name = release_webhook.webhook and w.lease = release_webhook.lease
$$;
comment on function change_feed.release_webhook(text, uuid, interval) is $$Leaves an endpoint to others. With a pause, which is doubled for each failure in a row, up to an hour.$$;
grant execute on function change_feed.release_webhook(text, uuid, interval) to :API_LOGIN;

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
  return query select * from change_feed.webhook_problems();
end $$;
comment on function change_feed.problems() is $$The streams that cannot be followed: a declaration names what is not there any more, or a statement fails. And the webhooks that fail. Without a row, all is well.$$;

create or replace function change_feed.version() returns int
language sql immutable
return 5;
