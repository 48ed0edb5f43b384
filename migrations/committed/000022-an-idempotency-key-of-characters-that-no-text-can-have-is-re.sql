--! Previous: sha1:32cbacea0684331fe560c55d020d3f8352e20d9e
--! Hash: sha1:ab785663f9afb3f0c26071475e42237c2f32c0b1
--! Message: An idempotency key of characters that no text can have is refused

--! split: 100-idempotency-keys.sql

-- allow: change-behaviour:app_hidden.claim_key because two keys with lone surrogates were one key
-- An idempotency key of characters that no text can have is refused: two of them were one key.
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
  -- Texts that cannot be stored look alike here.
  v_error jsonb := conventions.text_error(idempotency_key, false);
begin
  if v_error is not null then
    perform conventions.raise_validation_errors(jsonb_build_array(v_error || '{"column": "idempotency_key"}'));
  end if;
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
