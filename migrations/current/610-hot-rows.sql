-- A message updates no row: numbers and times of a chat are those of its newest message, and what a member has sent counts as read.

-- Carries the foreign key to users, and finds the last message of a sender in a chat.
create index if not exists messages_sender_id_chat_id_number_idx on app_public.messages (sender_id, chat_id, number);
drop index if exists app_public.messages_sender_id_idx;

alter table app_public.messages add column if not exists relist_at timestamptz not null default '-infinity';
comment on column app_public.messages.relist_at is $$@behavior -*
From this time on, by the clock of the server, the next message moves the chat up in the inboxes of its members at once.$$;
comment on column app_public.chats.last_number is $$@behavior -*
No later message has this number or a lower one: that of the newest message that was deleted, in SQL. 0 before the first.$$;
comment on column app_public.chats.last_activity_at is $$@behavior -*
Not used. A later release drops it.$$;
alter table app_public.chats drop column if exists relist_at;
comment on column app_public.inbox_entries.listed_at is $$@behavior -*
Orders the inbox: the time of the last message. At most a second late, and later in chats with more than a hundred members.$$;
comment on column app_public.inbox_entries.last_read_number is $$@behavior -*
The number of the last message that the member has marked as read, or of the newest when the user became a member. What the member has sent since is read, too.$$;
comment on table app_public.chats is $$@behavior -query:resource:list
@listOrder id
@firstRows app_hidden.first_chats
A private room whose members read and write messages.$$;

-- Finds what is due, in its order.
create index if not exists inbox_changes_due_at_id_idx on app_private.inbox_changes (due_at, id);

--!include functions/chat/newest_message.sql
--!include functions/chat/last_sent_number.sql
--!include functions/chat/chats_unread_count.sql
--!include functions/chat/users_unread_chats_count.sql
--!include functions/chat/tg_messages__prepare.sql
--!include functions/chat/tg_messages__deliver.sql
--!include functions/chat/tg_messages__mark_read.sql
--!include functions/chat/tg_messages__tell_inboxes.sql
--!include functions/chat/tg_chat_members__open_inbox.sql
--!include functions/chat/mark_chat_read.sql
--!include functions/chat/record_inbox_changes.sql

-- Its result has one column less.
drop function if exists app_private.chat_reading(bigint, bigint);
--!include functions/chat/chat_reading.sql
select change_feed.stream('app_public.messages', 'chat_id', kinds => '{added,updated}', may_read => 'app_private.chat_reading', number_column => 'number');
