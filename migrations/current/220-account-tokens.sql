-- E-mails are confirmed and changed, and forgotten passwords are reset, by tokens that work once. The service sends no mail: it
-- puts a row into an outbox, which the operator's mailer takes.
create table if not exists app_private.account_tokens (
  token_hash bytea primary key,
  kind       text not null,
  account    text not null,
  user_id    bigint references app_public.users on delete cascade,
  email      text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint account_tokens_kind_check check (kind in ('VERIFY_EMAIL', 'CHANGE_EMAIL', 'RESET_PASSWORD'))
);
comment on table app_private.account_tokens is $$Tokens that were sent by mail and not used yet.$$;
comment on column app_private.account_tokens.token_hash is $$The SHA-256 of the token. Only the mail has the token itself.$$;
comment on column app_private.account_tokens.kind is $$What the token is for: VERIFY_EMAIL, CHANGE_EMAIL or RESET_PASSWORD.$$;
comment on column app_private.account_tokens.account is $$The key of the e-mail that the token was requested for, as account_key() makes it. Counts the requests.$$;
comment on column app_private.account_tokens.user_id is $$The user; null when no mail was to be sent. Such a token is never valid, and is stored so that both cases take the same time.$$;
comment on column app_private.account_tokens.email is $$The e-mail that the token confirms; null for RESET_PASSWORD.$$;
comment on column app_private.account_tokens.created_at is $$When the token was requested.$$;
comment on column app_private.account_tokens.expires_at is $$When the token stops working.$$;
comment on constraint account_tokens_kind_check on app_private.account_tokens is $$This kind of token does not exist.$$;
create index if not exists account_tokens_account_kind_created_at_idx on app_private.account_tokens (account, kind, created_at);
create index if not exists account_tokens_user_id_idx on app_private.account_tokens (user_id);
create index if not exists account_tokens_expires_at_idx on app_private.account_tokens (expires_at);
alter table app_private.account_tokens enable row level security;

create table if not exists app_private.mail_outbox (
  id         bigint generated always as identity primary key,
  kind       text not null,
  user_id    bigint references app_public.users on delete cascade,
  email      text,
  token      text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint mail_outbox_kind_check check (kind in ('VERIFY_EMAIL', 'CHANGE_EMAIL', 'RESET_PASSWORD', 'EMAIL_CHANGED'))
);
comment on table app_private.mail_outbox is $$Mails to send. The operator’s mailer takes them with take_mail().$$;
comment on column app_private.mail_outbox.id is $$Identifies the mail.$$;
comment on column app_private.mail_outbox.kind is $$What the mail is about: VERIFY_EMAIL, CHANGE_EMAIL and RESET_PASSWORD have a token; EMAIL_CHANGED tells the former e-mail of the change.$$;
comment on column app_private.mail_outbox.user_id is $$The user; null when no mail is to be sent.$$;
comment on column app_private.mail_outbox.email is $$Where to send the mail; null when no mail is to be sent.$$;
comment on column app_private.mail_outbox.token is $$The token. Nothing else in the database has it.$$;
comment on column app_private.mail_outbox.created_at is $$When the mail was requested.$$;
comment on column app_private.mail_outbox.expires_at is $$When the mail is useless. Maintenance then deletes it.$$;
comment on constraint mail_outbox_kind_check on app_private.mail_outbox is $$This kind of mail does not exist.$$;
create index if not exists mail_outbox_user_id_idx on app_private.mail_outbox (user_id);
create index if not exists mail_outbox_expires_at_idx on app_private.mail_outbox (expires_at);
alter table app_private.mail_outbox enable row level security;

--!include functions/tg_mail_outbox__notify_added.sql
create or replace trigger _900_notify_added after insert on app_private.mail_outbox
  for each statement execute function app_hidden.tg_mail_outbox__notify_added();
--!include functions/take_mail.sql
--!include functions/admit_mailer.sql
--!include functions/send_token.sql
--!include functions/refuse_token.sql

--!include functions/tg_accounts__void_tokens.sql
create or replace trigger _500_void_tokens after update on app_private.accounts
  for each row when (old.password_hash is distinct from new.password_hash or old.banned_at is distinct from new.banned_at
                  or old.email is distinct from new.email)
  execute function app_hidden.tg_accounts__void_tokens();

--!include functions/create_user.sql
--!include functions/request_email_verification.sql
--!include functions/request_email_change.sql
--!include functions/confirm_email.sql
--!include functions/request_password_reset.sql
--!include functions/reset_password.sql
--!include functions/maintain.sql
