--! Previous: sha1:6b768ad98929e2b5bff016d37bde045c4a10ce98
--! Hash: sha1:a4f261d236380fd427324d54572306108307c059
--! Message: accounts are verified

--! split: 070-fairness.sql
-- Accounts can be verified. Until then, the requests of a user count against the rate limit of the IP address as well: new accounts
-- from one IP address must not multiply its limit. The accounts that exist now are verified.
alter table app_private.accounts drop column if exists verified_at;
alter table app_private.accounts add column verified_at timestamptz default now();
alter table app_private.accounts alter column verified_at drop default;
comment on column app_private.accounts.verified_at is $$Since when the account is known to belong to a person, for example by a confirmed e-mail; null until then. Requests of an unverified user count against the rate limit of the IP address, too.$$;
--! Included functions/is_verified.sql
-- Security definer: the login role may ask about one user, and read nothing of accounts itself.
create or replace function app_private.is_verified(user_id bigint) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from app_private.accounts where accounts.user_id = is_verified.user_id and verified_at is not null)
$$;
comment on function app_private.is_verified(bigint) is $$Whether the account of a user is verified. The service asks at most once a minute for each user.$$;
grant execute on function app_private.is_verified(bigint) to :API_LOGIN;
--! EndIncluded functions/is_verified.sql
