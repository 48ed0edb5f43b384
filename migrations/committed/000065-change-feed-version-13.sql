--! Previous: sha1:83d3a274646ea9fecfa8eb6212f617e308503874
--! Hash: sha1:b07d0e90047e803e620e04ec6f38b6855474cb7e
--! Message: change feed version 13

--! split: 700-change-feed-version-13.sql

-- allow: change-behaviour:change_feed.version because the id of a webhook message has the mark of its event
-- allow: change-behaviour:change_feed.claim_webhook_keys because the id of a webhook message has the mark of its event
-- Version 13 of the feed: the id of a webhook message has the mark of its event again.
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
      -- With the mark: an endpoint that knows the id would take the event of another history, which has the number again, for one that it has.
      message_id := concat_ws('.', v_event.stream_id, v_event.key, v_event.number, to_hex(v_event.mark));
      created_at := v_event.created_at;
      attempts := v_key.attempts + 1;
      return next;
    end if;
  end loop;
end $$;

create or replace function change_feed.version() returns int
language sql immutable
return 13;
