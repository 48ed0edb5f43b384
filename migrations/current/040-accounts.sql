-- Accounts, sessions, retention and the audit trail.

--!include functions/has_long_mark_run.sql
--!include functions/email_text.sql
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
--!include functions/sign_in.sql
--!include functions/create_user.sql
-- Sign-in looks for normal form C, so e-mails that were stored in another form are converted.
update app_private.accounts set email = app_private.email_text(email)
 where email <> app_private.email_text(email)
   and not exists (select from app_private.accounts other
                    where lower(other.email) = lower(app_private.email_text(accounts.email)) and other.user_id <> accounts.user_id);
