-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- Mails to send.
create table app_private.mail_outbox (
  id         bigint not null generated always as identity, -- Identifies the mail.
  kind       text not null, -- What the mail is about: VERIFY_EMAIL, CHANGE_EMAIL and RESET_PASSWORD have a token; EMAIL_CHANGED tells the former email of the change.
  user_id    bigint, -- The user who requested it; null for an email without an account.
  email      text, -- Where to send the mail; null when no mail is to be sent.
  token      text, -- The token.
  created_at timestamptz not null default now(), -- When the mail was requested.
  expires_at timestamptz not null, -- When the mail is useless.
  attempts   integer not null default 0, -- How often the service has begun to send the mail.
  due_at     timestamptz default now(), -- When the mail is to be sent; while it is being sent, when it counts as not sent.
  refusal    text, -- Why the last attempt failed, without the email; null before a failure.
  constraint mail_outbox_pkey primary key (id),
  constraint mail_outbox_user_id_fkey foreign key (user_id) references app_public.users(id) on delete cascade,
  constraint mail_outbox_kind_check check ((kind = any (array['VERIFY_EMAIL'::text, 'CHANGE_EMAIL'::text, 'RESET_PASSWORD'::text, 'EMAIL_CHANGED'::text]))) -- This kind of mail does not exist.
);

-- Indexes
create index mail_outbox_due_at_id_idx on app_private.mail_outbox (due_at, id);
create index mail_outbox_expires_at_idx on app_private.mail_outbox (expires_at);
create index mail_outbox_user_id_idx on app_private.mail_outbox (user_id);

-- Row-level security
alter table app_private.mail_outbox enable row level security;
