-- Requests are now counted in the memory of each instance. Only calls of mutations with the smart tag @rateLimited are
-- counted here, for all instances together. An instance of the previous version that still runs calls count_requests(),
-- which is gone: it logs a warning and goes on with its own counts.
drop function if exists app_private.count_requests(text[], bigint[], int);
drop table if exists app_private.request_counts;

drop table if exists app_private.rate_limited_calls;
-- The columns are those that rate-limiter-flexible's RateLimiterPostgres expects. Unlogged: no call waits for the disk, and
-- after a crash the counts start again at 0.
create unlogged table app_private.rate_limited_calls (
  key    text not null primary key,
  points int not null,
  expire bigint not null
);
comment on table app_private.rate_limited_calls is $$Calls of mutations with the smart tag @rateLimited in the current minute, counted by IP address for all instances together.$$;
comment on column app_private.rate_limited_calls.key is $$The IP address that the calls come from: IPv4, or the /64 of an IPv6 address.$$;
comment on column app_private.rate_limited_calls.points is $$The number of calls.$$;
comment on column app_private.rate_limited_calls.expire is $$When the count ends, in milliseconds since 1970.$$;
-- Carries the deletion of expired rows.
create index rate_limited_calls_expire_idx on app_private.rate_limited_calls (expire);

alter table app_private.rate_limited_calls enable row level security;
create policy all_by_login on app_private.rate_limited_calls for all to :API_LOGIN using (true);
-- No delete: expired rows are deleted by the trigger.
grant select, insert, update (points, expire) on app_private.rate_limited_calls to :API_LOGIN;

--!include functions/tg_rate_limited_calls__delete_expired.sql
create or replace trigger _900_delete_expired after insert on app_private.rate_limited_calls
  for each row execute function app_hidden.tg_rate_limited_calls__delete_expired();

--!include functions/sign_in.sql
--!include functions/create_user.sql
