-- Accounts, sessions, retention and the audit trail.

--!include functions/account_key.sql
--!include functions/password_faults.sql

create table if not exists app_private.sign_in_networks (
  user_id      bigint not null references app_public.users on delete cascade,
  network      text not null,
  signed_in_at timestamptz not null default now(),
  primary key (user_id, network)
);
comment on table app_private.sign_in_networks is $$The networks from which a user has signed in within 90 days. Failed sign-ins elsewhere do not lock the user out there.$$;
comment on column app_private.sign_in_networks.user_id is $$The user.$$;
comment on column app_private.sign_in_networks.network is $$An IPv4 address, or the /64 of an IPv6 address: see client_network().$$;
comment on column app_private.sign_in_networks.signed_in_at is $$The time of the last sign-in, to the day.$$;
create index if not exists sign_in_networks_signed_in_at_idx on app_private.sign_in_networks (signed_in_at);
alter table app_private.sign_in_networks enable row level security;
create index if not exists failed_sign_ins_failed_at_idx on app_private.failed_sign_ins (failed_at);
comment on table app_private.failed_sign_ins is $$Failed sign-ins of the last day, counted by account and by network. They limit guessing.$$;

drop function if exists app_private.refuse_guessing(text);
--!include functions/refuse_guessing.sql
--!include functions/count_failed_sign_in.sql
--!include functions/check_password.sql
--!include functions/change_password.sql
--!include functions/create_user.sql
-- Sign-in looks for normal form C, so e-mails that were stored in another form are converted.
update app_private.accounts set email = app_hidden.normal_text(email, 254, true)
 where email <> app_hidden.normal_text(email, 254, true)
   and not exists (select from app_private.accounts other
                    where lower(other.email) = lower(app_hidden.normal_text(accounts.email, 254, true)) and other.user_id <> accounts.user_id);

alter table app_private.refresh_tokens add column if not exists successor_salt bytea;
comment on column app_private.refresh_tokens.successor_salt is $$Random, set when the token is used. With the token itself, gives the next token again: see successor_token().$$;
comment on table app_private.refresh_tokens is $$The refresh tokens of sessions. Each works once, and for 30 seconds more for lost answers and concurrent calls. A later use ends the session, because a thief may hold the token.$$;

-- A refresh token may answer several requests, so these have a table of their own.
create table if not exists app_private.session_requests (
  request_id text not null,
  session_id bigint not null references app_private.sessions on delete cascade,
  created_at timestamptz not null default now(),
  primary key (request_id, session_id)
);
comment on table app_private.session_requests is $$The requests of the last hour that signed in or refreshed a session. Their answers may have the user’s e-mail.$$;
comment on column app_private.session_requests.request_id is $$The request: app.request_id.$$;
comment on column app_private.session_requests.session_id is $$The session.$$;
comment on column app_private.session_requests.created_at is $$The time of the request.$$;
create index if not exists session_requests_session_id_idx on app_private.session_requests (session_id);
create index if not exists session_requests_created_at_idx on app_private.session_requests (created_at);
alter table app_private.session_requests enable row level security;
alter table app_private.refresh_tokens drop column if exists issued_to;

drop function if exists app_private.issue_refresh_token(bigint, bigint);
--!include functions/note_session_request.sql
--!include functions/users_email.sql
--!include functions/successor_token.sql
--!include functions/issue_refresh_token.sql
--!include functions/refresh_session.sql
--!include functions/sign_in.sql

create index if not exists refresh_tokens_expires_at_idx on app_private.refresh_tokens (expires_at);
create index if not exists sessions_revoked_at_idx on app_private.sessions (revoked_at) where revoked_at is not null;
create table if not exists app_private.maintenance (
  is_only     boolean primary key default true,
  last_tag_id bigint not null default 0,
  ran_at      timestamptz,
  constraint maintenance_is_only_check check (is_only)
);
comment on table app_private.maintenance is $$The state of maintain(), in one row. Its lock lets one instance of the service work at a time.$$;
comment on column app_private.maintenance.is_only is $$Always true: there is one row.$$;
comment on column app_private.maintenance.last_tag_id is $$The tag up to which unused tags have been deleted in this round; 0 before a new round.$$;
comment on column app_private.maintenance.ran_at is $$The time of the last batch.$$;
comment on constraint maintenance_is_only_check on app_private.maintenance is $$There is one row.$$;
alter table app_private.maintenance enable row level security;
insert into app_private.maintenance default values on conflict do nothing;
drop function if exists app_private.retire_audit_partitions(interval);
--!include functions/tg__record_changes.sql
--!include functions/prepare_audit_partitions.sql
--!include functions/retire_audit_partitions.sql
--!include functions/set_post_tags.sql
drop function if exists app_private.maintain(int, int);
--!include functions/maintain.sql
-- maintain() deletes expired rows.
drop trigger if exists _900_delete_expired on app_private.rate_limited_calls;
drop function if exists app_hidden.tg_rate_limited_calls__delete_expired();

--!include functions/erase_user.sql

revoke all on app_private.rate_limited_calls from :API_LOGIN;
drop policy if exists all_by_login on app_private.rate_limited_calls;
drop function if exists app_private.count_rate_limited_calls(text, int);
--!include functions/count_rate_limited_calls.sql
