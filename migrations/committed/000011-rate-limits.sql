--! Previous: sha1:0f8d9c25e66aea162a29189d5ce289f9ae606657
--! Hash: sha1:fcf9571fcfb82478ab42ae78966c918f03744f66
--! Message: rate-limits

--! split: 900-rate-limits.sql
-- How often each address and user has asked of late, over all instances of the service.
drop table if exists app_private.request_counts cascade;
-- Unlogged: nothing waits for it to reach the disk, and after a crash everybody simply starts anew.
create unlogged table app_private.request_counts (
  key        text not null primary key,
  requests   bigint not null,
  expires_at timestamptz not null
);
comment on table app_private.request_counts is $$How often somebody has asked since their current span of time began. Kept by count_requests().$$;
comment on column app_private.request_counts.key is $$Who, and what is counted: `address 192.0.2.1`, `user 1`, `signing in 192.0.2.1`.$$;
comment on column app_private.request_counts.requests is $$How often, by all instances together.$$;
comment on column app_private.request_counts.expires_at is $$When the span of time is over, and with it the count.$$;
-- Carries the removal of what is over.
create index request_counts_expires_at_idx on app_private.request_counts (expires_at);
-- With no policy: nobody but its owner reads or writes it, and the function below as that owner.
alter table app_private.request_counts enable row level security;

--! Included functions/count_requests.sql
-- Security definer: the login counts, and can neither read nor reset what is counted.
create or replace function app_private.count_requests(
  keys text[], requests bigint[], seconds int, out key text, out total bigint, out ms_left int
) returns setof record
language plpgsql volatile security definer set search_path = '' as $$
begin
  -- A few at a time, whoever comes by; what another instance is removing is left to it.
  delete from app_private.request_counts as old where old.key in (
    select stale.key from app_private.request_counts as stale
     where stale.expires_at < clock_timestamp() - interval '1 minute' and stale.key <> all (count_requests.keys)
     limit 100 for update skip locked);
  return query
    insert into app_private.request_counts as counted (key, requests, expires_at)
    select given.key, given.requests, clock_timestamp() + make_interval(secs => count_requests.seconds)
      from unnest(count_requests.keys, count_requests.requests) as given (key, requests)
     -- In one order, so that two instances never wait for each other.
     order by given.key
    on conflict on constraint request_counts_pkey do update
       set requests = excluded.requests + case when counted.expires_at > clock_timestamp() then counted.requests else 0 end,
           expires_at = case when counted.expires_at > clock_timestamp() then counted.expires_at else excluded.expires_at end
    returning counted.key, counted.requests,
              ceil(extract(epoch from counted.expires_at - clock_timestamp()) * 1000)::int;
end $$;
comment on function app_private.count_requests(text[], bigint[], int) is $$Adds to the counts of these keys, which begin anew when their span of so many seconds is over. Answers with each count as it is now, and how long it has left.$$;
grant execute on function app_private.count_requests(text[], bigint[], int) to :API_LOGIN;
--! EndIncluded functions/count_requests.sql
