--! Previous: sha1:0db3787900540076f11c556b8a990a4c2d734c2d
--! Hash: sha1:4f0dac08c4932bba47ab12b61e18d87dcbcfbcb7
--! Message: idempotency

-- Readers of counts, and calls that a client repeats.

create policy select_as_admin on conventions.counter_shards for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));

-- A client that does not know whether its call has arrived repeats it with the same idempotency key. The second call returns
-- the row of the first one and writes nothing.
create table app_private.idempotency_keys (
  user_id        bigint not null references app_public.users on delete cascade,
  key            text not null,
  arguments_hash bytea not null,
  result_id      bigint,
  created_at     timestamptz not null default now(),
  primary key (user_id, key)
);
comment on table app_private.idempotency_keys is $$The idempotency keys of the last day, with which users repeat a call without creating twice. A job deletes older ones.$$;
comment on column app_private.idempotency_keys.user_id is $$The user who sent the key.$$;
comment on column app_private.idempotency_keys.key is $$The key, which the client has chosen.$$;
comment on column app_private.idempotency_keys.arguments_hash is $$The SHA-256 of what is created, and of the arguments.$$;
comment on column app_private.idempotency_keys.result_id is $$The id of the row that the call has made. Null within the transaction that makes it.$$;
comment on column app_private.idempotency_keys.created_at is $$When the key was sent first.$$;
-- For the job that deletes old rows.
create index idempotency_keys_created_at_idx on app_private.idempotency_keys (created_at);

alter table app_private.idempotency_keys enable row level security;
-- Without apply_to(): a key is compared as it was sent.

--! Included functions/rows/idempotency.sql
-- Security definer: nobody reads or writes the keys but by these functions, and each user only their own.
--
-- A key is claimed before the row is made, in the same transaction. So another call with the key waits for the first one to end,
-- and then finds its row, or claims the key itself if the first one has failed.
create or replace function app_hidden.claim_key(idempotency_key text, arguments jsonb) returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_hash bytea := sha256(convert_to(arguments::text, 'UTF8'));
  v_entry app_private.idempotency_keys;
begin
  if char_length(idempotency_key) not between 1 and 255 then
    perform conventions.raise_validation_errors(jsonb_build_array(jsonb_build_object('column', 'idempotency_key',
      'message', 'An idempotency key needs between 1 and 255 characters.')
      || case idempotency_key when '' then '{"code": "TOO_SHORT", "params": {"min": 1}}'::jsonb
                                      else '{"code": "TOO_LONG", "params": {"max": 255}}' end));
  end if;
  loop
    insert into app_private.idempotency_keys as former (user_id, key, arguments_hash)
    values (app_hidden.viewer_id(), idempotency_key, v_hash)
    on conflict on constraint idempotency_keys_pkey do update
      set arguments_hash = excluded.arguments_hash, result_id = null, created_at = excluded.created_at
      where former.created_at < now() - interval '1 day';
    if found then
      return null;
    end if;
    select * into v_entry from app_private.idempotency_keys
     where user_id = app_hidden.viewer_id() and key = idempotency_key;
    -- A job may have just deleted it.
    exit when found;
  end loop;
  if v_entry.arguments_hash <> v_hash then
    perform conventions.raise_validation_errors(jsonb_build_array(jsonb_build_object('column', 'idempotency_key', 'code', 'REUSED',
      'message', 'This key was sent with other arguments. A key belongs to one call and its repetitions.')));
  end if;
  return v_entry.result_id;
end $$;
comment on function app_hidden.claim_key(text, jsonb) is $$The id of the row that the viewer's first call with this key has made within the last day; null for the first call. Waits for a first call that is under way. Refuses a key that was sent with other arguments.$$;
grant execute on function app_hidden.claim_key(text, jsonb) to :API_MEMBER;

-- Security invoker: a result that the viewer may not see any more is as missing as a deleted one.
create or replace function app_hidden.earlier_result(target anyelement, idempotency_key text, arguments jsonb) returns anyelement
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_id bigint := app_hidden.claim_key(idempotency_key, jsonb_build_array(pg_typeof(target)::text, jsonb_strip_nulls(arguments)));
begin
  if v_id is null then
    return null;
  end if;
  execute format('select * from %s where id = $1', pg_typeof(target)) into target using v_id;
  if target is null then
    perform app_hidden.refuse_missing('result');
  end if;
  return target;
end $$;
comment on function app_hidden.earlier_result(anyelement, text, jsonb) is $$The row that the viewer's first call with this idempotency key has made in the table of whose type the target is; null for the first call, which gives its own row to keep_result(). Refuses with NOT_FOUND when the row is deleted, and with VALIDATION_ERROR when the arguments are others.$$;
grant execute on function app_hidden.earlier_result(anyelement, text, jsonb) to :API_MEMBER;

create or replace function app_hidden.keep_result(idempotency_key text, id bigint) returns void
language sql volatile strict security definer set search_path = pg_catalog, pg_temp as $$
  update app_private.idempotency_keys set result_id = keep_result.id
   where user_id = app_hidden.viewer_id() and key = keep_result.idempotency_key
$$;
comment on function app_hidden.keep_result(text, bigint) is $$Keeps the id of the row that the first call with an idempotency key has made, for calls that repeat it. Does nothing without a key.$$;
grant execute on function app_hidden.keep_result(text, bigint) to :API_MEMBER;
--! EndIncluded functions/rows/idempotency.sql

-- Subscriptions ignore columns that follow another row, too.
create or replace function change_feed.ignored_columns(relation oid) returns text[]
language sql stable set search_path = pg_catalog, pg_temp as $$ select conventions.derived_columns(relation) $$;
-- Banned and deleted users read no stream. Without a setting, so that PostgreSQL inlines it into a query over many viewers.
create or replace function change_feed.may_subscribe(viewer_id bigint) returns boolean
language sql stable
return exists (select from app_private.accounts where user_id = may_subscribe.viewer_id and banned_at is null);
