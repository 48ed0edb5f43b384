-- Chat in the API: who is in a chat reads and writes in it, opens it to others, and leaves it.
comment on table app_public.chats is E'@listOrder id\nA room whose members read and write messages.';
comment on table app_public.chat_members is E'@manyToMany\nWho is in which chat.';
comment on constraint chat_members_chat_id_fkey on app_public.chat_members is null;
comment on constraint chat_members_user_id_fkey on app_public.chat_members is null;
comment on constraint messages_chat_id_fkey on app_public.messages is null;

-- What is read once for all who are in a chat: the message and who sent it.
comment on table app_public.users is E'@listLimit 100\n@sameForAll\nA person who writes, comments and follows.';

create policy insert_as_admin on app_public.messages for insert to :API_MEMBER
  with check (sender_id = (select app_hidden.viewer_id()) and (select app_hidden.viewer_is_admin()));

--!include functions/require_chat.sql
--!include functions/messages.sql
--!include functions/send_message.sql
--!include functions/member_faults.sql
--!include functions/create_chat.sql
--!include functions/add_chat_member.sql
--!include functions/leave_chat.sql
