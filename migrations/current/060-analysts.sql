-- Analysts learn nothing that they may not see, and can stop nobody's work.

--!include functions/published_posts.sql
--!include analytics/posts.sql
--!include analytics/authors.sql
--!include analytics/tags.sql

-- Advisory locks are out of reach for analysts.
--!include functions/close_database.sql
select app_private.close_database();
--!include functions/admit_analyst.sql
--!include functions/analysts.sql

-- PostgreSQL cannot revoke LISTEN and NOTIFY: a login that knows a channel's name learns when something happens in which
-- chat, and can make the service read again and again. So the name is random, and only the service may read it. An instance
-- of the previous version listens to the old channel: until it is replaced it finds messages by its heartbeat, within five
-- seconds.
create table if not exists app_private.notification_channels (
  purpose text primary key,
  name    text not null default 'messages_' || replace(gen_random_uuid()::text, '-', '')
);
comment on table app_private.notification_channels is $$The channels that triggers notify and the service listens to. Their names are random, so that other logins can neither listen nor notify.$$;
comment on column app_private.notification_channels.purpose is $$What the notifications are about.$$;
comment on column app_private.notification_channels.name is $$The name of the channel in LISTEN and NOTIFY. A running service reads it when it connects.$$;
alter table app_private.notification_channels enable row level security;
drop policy if exists select_by_login on app_private.notification_channels;
create policy select_by_login on app_private.notification_channels for select to :API_LOGIN using (true);
grant select on app_private.notification_channels to :API_LOGIN;
insert into app_private.notification_channels (purpose) values ('messages') on conflict do nothing;
--!include functions/notify_message_streams.sql
--!include functions/tg_messages__notify_added.sql
--!include functions/tg_chat_members__notify_removed.sql
--!include functions/tg_accounts__notify_barred.sql
--!include functions/tg_users__notify_demoted.sql
