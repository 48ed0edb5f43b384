-- Accounts can be verified. Until then, the requests of a user count against the rate limit of the IP address as well: new accounts
-- from one IP address must not multiply its limit. The accounts that exist now are verified.
alter table app_private.accounts drop column if exists verified_at;
alter table app_private.accounts add column verified_at timestamptz default now();
alter table app_private.accounts alter column verified_at drop default;
comment on column app_private.accounts.verified_at is $$Since when the account is known to belong to a person, for example by a confirmed e-mail; null until then. Requests of an unverified user count against the rate limit of the IP address, too.$$;
--!include functions/is_verified.sql
