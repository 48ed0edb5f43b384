--! Previous: sha1:a2621d042d91f2e728262a37311947542b0c801e
--! Hash: sha1:722377a76c4f7e8be8d1df0ee1ea8b6461f65c6d
--! Message: chat-in-the-api

--! split: 650-chat.sql
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

--! Included functions/require_chat.sql
create or replace function app_hidden.require_chat(chat_id bigint) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  if app_hidden.viewer_id() is null then
    perform app_hidden.refuse_unauthorized();
  end if;
  if not exists (select from app_public.chats where chats.id = require_chat.chat_id) then
    perform app_hidden.refuse_missing('chat');
  end if;
  return true;
end $$;
comment on function app_hidden.require_chat(bigint) is $$True for a chat that the viewer may see; raises NTFND for any other, whether it is there or not.$$;
grant execute on function app_hidden.require_chat(bigint) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/require_chat.sql
--! Included functions/messages.sql
create or replace function app_public.messages(chat_id bigint, before bigint default null) returns setof app_public.messages
language sql stable
begin atomic
  select m.*
    from app_public.messages m
   -- Asked once, before any row is read.
   where (select app_hidden.require_chat(messages.chat_id))
     and m.chat_id = messages.chat_id
     and (messages.before is null
       or m.number < (select b.number from app_public.messages b where b.id = messages.before and b.chat_id = messages.chat_id));
end;
comment on function app_public.messages(bigint, bigint) is $$@describe chat_id The chat that they were said in.
@describe before Only what was said before this message, to read back from it.
The messages of a chat of yours, newest first.$$;
grant execute on function app_public.messages(bigint, bigint) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/messages.sql
--! Included functions/send_message.sql
create or replace function app_public.send_message(chat_id bigint, text text) returns app_public.messages
language plpgsql volatile set search_path = '' as $$
declare
  v_message app_public.messages;
begin
  perform app_hidden.require_chat(send_message.chat_id);
  insert into app_public.messages (chat_id, sender_id, text)
  values (send_message.chat_id, app_hidden.viewer_id(), send_message.text)
  returning * into v_message;
  return v_message;
end $$;
comment on function app_public.send_message(bigint, text) is $$@describe chat_id The chat to say it in: one of yours.
@describe text What to say: 1 to 5,000 characters.
Says something in a chat. Everyone who listens to messageAdded hears of it.$$;
grant execute on function app_public.send_message(bigint, text) to :API_MEMBER;
--! EndIncluded functions/send_message.sql
--! Included functions/member_faults.sql
create or replace function app_hidden.member_faults(member_ids bigint[]) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('column', 'member_ids', 'index', place - 1,
           'code', 'INVALID_REFERENCE', 'message', 'There is no such user.') order by place), '[]')
      || case when cardinality(member_ids) > 100
           then jsonb_build_array(jsonb_build_object('column', 'member_ids', 'code', 'TOO_LONG',
                  'message', 'A chat is opened with at most 100 others.', 'params', '{"max": 100}'::jsonb))
           else '[]' end
    from unnest(member_ids) with ordinality as given (id, place)
   where not exists (select from app_public.users where users.id = given.id)
$$;
comment on function app_hidden.member_faults(bigint[]) is $$What is wrong with the members of a new chat: faults as app_hidden.faults() gives them.$$;
--! EndIncluded functions/member_faults.sql
--! Included functions/create_chat.sql
-- Security definer: a chat and its members come to be together, and through here alone.
create or replace function app_public.create_chat(member_ids bigint[], title text default null) returns app_public.chats
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_chat app_public.chats;
begin
  perform app_hidden.refuse_faults(
    app_hidden.faults('app_public.chats', jsonb_build_object('title', create_chat.title))
    || app_hidden.member_faults(create_chat.member_ids));
  insert into app_public.chats (title) values (create_chat.title) returning * into v_chat;
  insert into app_public.chat_members (chat_id, user_id)
  select v_chat.id, id from unnest(create_chat.member_ids || app_hidden.viewer_id()) as id group by id;
  return v_chat;
end $$;
comment on function app_public.create_chat(bigint[], text) is $$@describe member_ids The others who are in it from the start, at most 100.
@describe title What to call it: 1 to 100 characters, or nothing.
Opens a chat between you and others.$$;
grant execute on function app_public.create_chat(bigint[], text) to :API_MEMBER;
--! EndIncluded functions/create_chat.sql
--! Included functions/add_chat_member.sql
-- Security definer: nobody may write memberships but through here.
create or replace function app_public.add_chat_member(chat_id bigint, user_id bigint) returns app_public.chats
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_chat app_public.chats;
begin
  -- The owner of this function sees every chat; the viewer does not.
  select * into v_chat from app_public.chats
   where chats.id = add_chat_member.chat_id
     and (chats.id in (select app_hidden.viewer_chat_ids()) or app_hidden.viewer_is_admin());
  if not found then
    perform app_hidden.refuse_missing('chat');
  end if;
  if not exists (select from app_public.users where users.id = add_chat_member.user_id) then
    perform app_hidden.refuse_missing('user');
  end if;
  insert into app_public.chat_members (chat_id, user_id) values (v_chat.id, add_chat_member.user_id)
  on conflict do nothing;
  return v_chat;
end $$;
comment on function app_public.add_chat_member(bigint, bigint) is $$@describe chat_id One of your chats.
@describe user_id Who comes in.
Lets somebody into a chat of yours: they can read all of it from then on. Twice is once.$$;
grant execute on function app_public.add_chat_member(bigint, bigint) to :API_MEMBER;
--! EndIncluded functions/add_chat_member.sql
--! Included functions/leave_chat.sql
-- Security definer: nobody may write memberships but through here.
create or replace function app_public.leave_chat(chat_id bigint) returns app_public.delete_result
language plpgsql volatile security definer set search_path = '' as $$
begin
  delete from app_public.chat_members
   where chat_members.chat_id = leave_chat.chat_id and user_id = app_hidden.viewer_id();
  if not found then
    perform app_hidden.refuse_missing('chat');
  end if;
  return (true, format('You have left chat %s.', leave_chat.chat_id));
end $$;
comment on function app_public.leave_chat(bigint) is $$@describe chat_id The chat to leave.
Leaves a chat. What you said stays; you can no longer read it.$$;
grant execute on function app_public.leave_chat(bigint) to :API_MEMBER;
--! EndIncluded functions/leave_chat.sql
