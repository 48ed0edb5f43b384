--! Previous: sha1:0f5052ff9d5b8e59734c1afb78c26aaf0fabcfee
--! Hash: sha1:8a2a286e05628d78412e7fdf3b2c6fd5a781b92a
--! Message: messages in bulk update their chat once

--! split: 200-messages.sql

-- allow: change-behaviour:app_hidden.tg_messages__prepare because numbers are as before, and the chat is updated once a statement: test/messages/inbox
-- allow: create-trigger:_500_deliver_insert on app_public.messages because it replaces the row trigger, so a statement with many messages updates the chat once
-- A statement that writes many messages updates each chat, and each inbox, once.
--! Included functions/chat/tg_messages__prepare.sql
-- Security definer: members may not write chats. Without enable_seqscan, a session that planned this for an empty table would read all messages for each
-- row of a statement that fills it.
create or replace function app_hidden.tg_messages__prepare() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
begin
  -- The lock on the chat's row lasts to the end of the transaction: the next message waits until this one commits or rolls
  -- back. So numbers have no gaps and are committed in order. Rows that the same statement has written before are counted among the
  -- messages, since the chat is updated once for all of them: many versions of one row would make each further one slower.
  select greatest(chats.last_number, (select max(number) from app_public.messages where chat_id = chats.id)) + 1 into new.number
    from app_public.chats where id = new.chat_id
     for no key update;
  if not found then
    -- Let the foreign key report the missing chat.
    new.number := 1;
  end if;
  return new;
end $$;
comment on function app_hidden.tg_messages__prepare() is $$Before a message is written: sets its number in the chat.$$;
--! EndIncluded functions/chat/tg_messages__prepare.sql
--! Included functions/chat/tg_messages__deliver.sql
-- Security definer: members may write neither chats nor inbox entries.
create or replace function app_hidden.tg_messages__deliver() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_chat record;
  v_wait interval;
  v_count int;
  v_has_senders boolean := false;
begin
  -- tg_messages__prepare() has locked the chats.
  for v_chat in
    select id, added.last_number, first_sender_id, last_sender_id, sent_number, relist_at,
           case chats.last_number when 0 then last_time else greatest(last_activity_at, last_time) end as time
      from (select chat_id, max(number) as last_number, max(created_at) as last_time, min(sender_id) as first_sender_id,
                   max(sender_id) as last_sender_id, max(number) filter (where sender_id is not null) as sent_number
              from new_rows group by chat_id) as added
      join app_public.chats on chats.id = added.chat_id
     order by id
  loop
    v_wait := case when v_chat.time < v_chat.relist_at then v_chat.relist_at - v_chat.time else '0' end;
    if v_wait = '0' then
      update app_public.inbox_entries
         set listed_at = v_chat.time,
             last_read_number = case user_id when v_chat.last_sender_id then v_chat.sent_number else last_read_number end
       where chat_id = v_chat.id;
      get diagnostics v_count = row_count;
      -- A chat with many messages and members moves less often: it costs at most a hundred rows a second.
      v_chat.relist_at := v_chat.time + v_count * interval '10 milliseconds';
    else
      update app_public.inbox_entries set last_read_number = v_chat.sent_number
       where chat_id = v_chat.id and user_id = v_chat.last_sender_id;
    end if;
    v_has_senders := v_has_senders or v_chat.first_sender_id <> v_chat.last_sender_id;
    -- No index has a column that this changes, so the row's new version needs no index entries.
    update app_public.chats set last_number = v_chat.last_number, last_activity_at = v_chat.time, relist_at = v_chat.relist_at where id = v_chat.id;
    -- By the clock, because a message can have any created_at.
    insert into app_private.inbox_changes (chat_id, due_at) values (v_chat.id, clock_timestamp() + v_wait);
  end loop;
  if v_has_senders then
    update app_public.inbox_entries set last_read_number = sent.number
      from (select chat_id, sender_id, max(number) as number from new_rows group by chat_id, sender_id) as sent
     where inbox_entries.chat_id = sent.chat_id and user_id = sender_id and last_read_number <> sent.number;
  end if;
  return null;
end $$;
comment on function app_hidden.tg_messages__deliver() is $$After messages are written: notes the last one in each chat, moves the chat up in the inboxes of its members, and marks them as read for their senders.$$;
--! EndIncluded functions/chat/tg_messages__deliver.sql
create trigger _500_deliver_insert after insert on app_public.messages referencing new table as new_rows
  for each statement execute function app_hidden.tg_messages__deliver();
