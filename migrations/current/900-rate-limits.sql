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

--!include functions/count_requests.sql
