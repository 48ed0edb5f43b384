-- Live messages: whoever adds one, through the API or by plain SQL, wakes every service that has readers of the chat. The
-- one channel is a bell and carries ids only; the services read the rows from the table (src/messages).

--!include functions/tg_messages__notify_added.sql
create or replace trigger _900_notify_added after insert on app_public.messages
  referencing new table as added
  for each statement execute function app_hidden.tg_messages__notify_added();

-- Who may read no longer is told at once. What no trigger tells (a chat deleted before an admin's eyes, a member's row
-- rewritten) the services find within seconds: each heartbeat asks for all.
--!include functions/tg_chat_members__notify_removed.sql
create or replace trigger _900_notify_removed after delete on app_public.chat_members
  referencing old table as removed
  for each statement execute function app_hidden.tg_chat_members__notify_removed();

--!include functions/tg_accounts__notify_barred.sql
create or replace trigger _900_notify_banned after update of banned_at on app_private.accounts
  for each row when (old.banned_at is null and new.banned_at is not null)
  execute function app_hidden.tg_accounts__notify_barred();
create or replace trigger _900_notify_gone after delete on app_private.accounts
  for each row execute function app_hidden.tg_accounts__notify_barred();

--!include functions/tg_users__notify_demoted.sql
create or replace trigger _900_notify_demoted after update of role on app_public.users
  for each row when (old.role = 'ADMIN' and new.role <> 'ADMIN')
  execute function app_hidden.tg_users__notify_demoted();

--!include functions/chat_reading.sql
--!include functions/open_message_streams.sql
--!include functions/read_message_streams.sql
