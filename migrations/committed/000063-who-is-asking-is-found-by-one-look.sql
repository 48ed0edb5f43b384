--! Previous: sha1:bcd3f1e099bb22175211dd4bb8d84355710d1bcd
--! Hash: sha1:1a6082b4aaa041750c1540b6e512724c04cf83ae
--! Message: who is asking is found by one look

--! split: 110-identify.sql

-- allow: change-behaviour:app_hidden.identify because it returns and raises the same
-- Who is asking is found by one look at one row, as before tokens could end.
--! Included functions/users/identify.sql
-- Security definer: the login may look up a token’s user, but may not read accounts or posts itself. Its connections begin as anonymous callers.
create or replace function app_hidden.identify(user_id bigint, issued_at timestamptz, link text[], out role text, out viewer_id text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_since timestamptz;
begin
  if identify.user_id is null then
    role := ':API_ANONYMOUS';
    viewer_id := '';
    return;
  end if;
  -- One look at one row, which needs no plan of its own for each call: this runs for each request.
  select coalesce(credentials_since, '-infinity') into v_since from app_private.accounts a where a.user_id = identify.user_id and banned_at is null;
  if identify.link is null then
    v_since := case when v_since = '-infinity' or v_since <= identify.issued_at then v_since end;
  elsif v_since is not null then
    if identify.link <> '{}' and not exists (select from app_private.identities i
         where i.issuer = identify.link[1] and i.subject = identify.link[2] and i.user_id = identify.user_id) then
      v_since := null;
    end if;
    perform set_config('app.provider_token_at', coalesce(identify.issued_at::text, ''), true);
  end if;
  if v_since is null then
    raise exception using errcode = 'TOKEN', message = 'This user is deleted or banned, or the token has ended';
  end if;
  role := ':API_MEMBER';
  viewer_id := identify.user_id;
end $$;
comment on function app_hidden.identify(bigint, timestamptz, text[]) is $$The database role and viewer id for a request. Called for each request, with the user of its token and when the token was issued. A token of the service is good from accounts.credentials_since on, one of an identity provider while its link, {issuer, subject}, is in app_private.identities; a link without elements always is. Raises TOKEN when the user is deleted or banned, or the token has ended.$$;
grant execute on function app_hidden.identify(bigint, timestamptz, text[]) to :API_LOGIN, :API_ANONYMOUS;

create or replace function app_hidden.identify(user_id bigint, out role text, out viewer_id text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select * from app_hidden.identify(user_id, 'infinity', null)
$$;
comment on function app_hidden.identify(bigint) is $$The database role and viewer id for a request of a release that does not say when tokens were issued.$$;
grant execute on function app_hidden.identify(bigint) to :API_LOGIN, :API_ANONYMOUS;

-- Security definer: the login may call identify(), and learns here for whom it would raise TOKEN.
create or replace function app_private.ended_credentials(credentials jsonb) returns int[]
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_ended int[] := '{}';
  v_one record;
begin
  for v_one in
    select place, value ->> 'userId' as user_id, to_timestamp((value ->> 'issuedAt')::float8) as issued_at,
           (value ->> 'link')::text[] as link
      from jsonb_array_elements(ended_credentials.credentials) with ordinality as given (value, place)
  loop
    begin
      perform app_hidden.identify(v_one.user_id::bigint, v_one.issued_at, v_one.link);
    exception when sqlstate 'TOKEN' then
      v_ended := v_ended || v_one.place::int;
    end;
  end loop;
  return v_ended;
end $$;
comment on function app_private.ended_credentials(jsonb) is $$Which of the credentials of open connections app_hidden.identify() refuses, as places in the list of {userId, issuedAt, link}, from 1 on.$$;
grant execute on function app_private.ended_credentials(jsonb) to :API_LOGIN;
--! EndIncluded functions/users/identify.sql
