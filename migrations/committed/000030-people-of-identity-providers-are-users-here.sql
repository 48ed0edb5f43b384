--! Previous: sha1:56a2b9a52909659b34ff729cdd41baeb7b4b20b3
--! Hash: sha1:a71e700a0f3a717c0f118bca4f36cc561d139761
--! Message: People of identity providers are users here

--! split: 100-identities.sql

-- allow: value-added-to-enum:ErrorReason.NO_ACCOUNT because only services with JWT_ISSUERS give it
-- People of identity providers are users here: an identity says whose a provider's subject is.
create table if not exists app_private.identities (
  issuer     text not null,
  subject    text not null,
  user_id    bigint not null references app_public.users on delete cascade,
  created_at timestamptz not null default now(),
  primary key (issuer, subject)
);
comment on table app_private.identities is $$Whose a person of an identity provider is here. user_of_token() makes and reads them. Delete a row to part the two: the next token is judged anew.$$;
comment on column app_private.identities.issuer is $$The provider: the claim iss of its tokens.$$;
comment on column app_private.identities.subject is $$The person, to the provider: the claim sub.$$;
comment on column app_private.identities.user_id is $$The person, here.$$;
comment on column app_private.identities.created_at is $$When the person came with a token for the first time.$$;
create index if not exists identities_user_id_idx on app_private.identities (user_id);

alter table app_private.identities enable row level security;
-- No policies: only the owner reads it.

--! Included functions/accounts/user_of_token.sql
-- Security definer: the service's login may ask whose a token is, but may not read or write accounts. Yours to change: the claims are those of a token
-- whose issuer, audience, signature and time the service has checked.
create or replace function app_private.user_of_token(claims jsonb) returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_issuer text := claims ->> 'iss';
  v_subject text := claims ->> 'sub';
  v_email text := conventions.normal_text(claims ->> 'email', 254, true);
  v_name text;
  v_user_id bigint;
begin
  for v_attempt in 1..3 loop
    v_user_id := (select user_id from app_private.identities where issuer = v_issuer and subject = v_subject);
    -- A person who is new is known by an email that the provider has verified.
    if v_user_id is not null or (claims ->> 'email_verified') is distinct from 'true' or v_email is null
       or conventions.validation_errors('app_private.accounts', jsonb_build_object('email', v_email)) <> '[]' then
      return v_user_id;
    end if;
    begin
      select user_id into v_user_id from app_private.accounts where lower(email) = lower(v_email) for update;
      if found then
        -- Whoever has not confirmed the email may not be the person: their password no longer works.
        update app_private.accounts set verified_at = now(), password_hash = null where user_id = v_user_id and verified_at is null;
      else
        select name into v_name
          from unnest(array[claims ->> 'name', claims ->> 'preferred_username', split_part(v_email, '@', 1), 'Somebody']) with ordinality as names (name, place)
         where name is not null and conventions.validation_errors('app_public.users', jsonb_build_object('name', name)) = '[]'
         order by place limit 1;
        insert into app_public.users (name) values (v_name) returning id into v_user_id;
        insert into app_private.accounts (user_id, email, verified_at) values (v_user_id, v_email, now());
      end if;
      insert into app_private.identities (issuer, subject, user_id) values (v_issuer, v_subject, v_user_id);
      return v_user_id;
    exception when unique_violation then
      -- The same person has come, or signed up, at the same moment: look again.
      if v_attempt = 3 then
        raise;
      end if;
    end;
  end loop;
end $$;
comment on function app_private.user_of_token(jsonb) is $$The user whom a token of an identity provider stands for; null for nobody. The rule: who is known by issuer and subject; else who has the email that the provider has verified; else a new user. Called once for each token, with its claims, not for each request.$$;
grant execute on function app_private.user_of_token(jsonb) to :API_LOGIN;
--! EndIncluded functions/accounts/user_of_token.sql
