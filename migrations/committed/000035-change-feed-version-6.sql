--! Previous: sha1:812321133366801f2c735b061f81b2b35343726e
--! Hash: sha1:e6f8640feaf36c1161ba72e1a56ec21cea2bd5e2
--! Message: change feed version 6

--! split: 100-change-feed-version-6.sql

-- allow: change-behaviour:change_feed.webhook because a role may be null
-- allow: change-behaviour:change_feed.claim_webhook because it returns the role
-- allow: change-behaviour:change_feed.version because it says that the upgrade has run
-- Version 6 of the feed: webhooks without a role, whose endpoints are told of each change, and receive no rows. A cache has to know of a row that
-- nobody may see any more.
alter table change_feed.webhooks alter column role drop not null;
comment on column change_feed.webhooks.role is $$The role that reads the rows: what it may not see is not sent. Null: each change is sent, without the row.$$;

create or replace function change_feed.webhook(
  name text, relation regclass, kinds text[], url text, role name, key_column name default null, secret text default null
) returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_key_column name := key_column;
  v_streams change_feed.streams[];
  v_stream change_feed.streams;
  v_source change_feed.stream_sources;
begin
  if role is not null and (to_regrole(quote_ident(role)) is null or not pg_has_role(':API_LOGIN', role, 'member')) then
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
comment on function change_feed.webhook(text, regclass, text[], text, name, name, text) is $$Tells an endpoint of the given kinds of changes of a table (added, updated, deleted), at least once, those of each key in the order of commits. The key is the primary key, or key_column. A body has the row as the role may read it; of a row that it may not see nothing is sent. Without a role, null, each change is sent, and no row: for a cache, say. Returns the secret with which the endpoint verifies the signatures. For DBAs and operators; a later call replaces the settings. delete from change_feed.webhooks ends it.$$;

drop function change_feed.claim_webhook(interval);
-- Security definer: the login may not read secrets and queues otherwise.
create function change_feed.claim_webhook(lease_for interval) returns table (name text, url text, secret text, role name, lease uuid)
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
  returning w.name, w.url, w.secret, w.role, w.lease
$$;
comment on function change_feed.claim_webhook(interval) is $$An endpoint for which something is due, for the caller alone until the lease ends.$$;
grant execute on function change_feed.claim_webhook(interval) to :API_LOGIN;

create or replace function change_feed.version() returns int
language sql immutable
return 6;
