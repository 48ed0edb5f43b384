--! Previous: sha1:906dcaef38cea3c7a54980d798c6a3de92b38681
--! Hash: sha1:068ba7a4be32e1ed7820595344e2d2db32e6a284
--! Message: messages update no row

--! split: 610-hot-rows.sql

-- allow: drop-column:app_public.chats.relist_at because only triggers read relist_at, and they are replaced here
-- allow: change-behaviour:change_feed.read_streams because numbers and times of a chat are now those of its newest message
-- allow: change-behaviour:app_hidden.tg_chat_members__open_inbox because numbers and times of a chat are now those of its newest message
-- allow: change-behaviour:app_hidden.tg_messages__mark_read because numbers and times of a chat are now those of its newest message
-- allow: change-behaviour:app_hidden.tg_messages__tell_inboxes because numbers and times of a chat are now those of its newest message
-- allow: change-behaviour:app_private.chat_reading because numbers and times of a chat are now those of its newest message
-- allow: change-behaviour:app_hidden.record_inbox_changes because numbers and times of a chat are now those of its newest message
-- allow: change-behaviour:app_public.users_unread_chats_count because numbers and times of a chat are now those of its newest message
-- allow: change-behaviour:app_public.mark_chat_read because numbers and times of a chat are now those of its newest message
-- allow: change-behaviour:change_feed.open_positions because numbers and times of a chat are now those of its newest message
-- allow: change-behaviour:app_hidden.tg_messages__prepare because numbers and times of a chat are now those of its newest message
-- allow: change-behaviour:app_hidden.tg_messages__deliver because numbers and times of a chat are now those of its newest message
-- allow: change-behaviour:app_public.chats_unread_count because numbers and times of a chat are now those of its newest message
-- allow: change-behaviour:change_feed.version because numbers and times of a chat are now those of its newest message
-- allow: change-behaviour:app_public.chats because numbers and times of a chat are now those of its newest message
-- allow: change-behaviour:streams_number_column_check on change_feed.streams because numbers and times of a chat are now those of its newest message
-- allow: definer-function:app_hidden.newest_message because numbers and times of a chat are for those who see the chat, and they tell no text
-- allow: definer-function:app_public.chats_last_activity_at because numbers and times of a chat are for those who see the chat, and they tell no text
-- allow: definer-function:app_public.chats_unread_count because numbers and times of a chat are for those who see the chat, and they tell no text
-- allow: definer-function:app_public.mark_chat_read because numbers and times of a chat are for those who see the chat, and they tell no text
-- allow: definer-function:app_public.users_unread_chats_count because numbers and times of a chat are for those who see the chat, and they tell no text
-- allow: require-concurrent-index-creation:app_public.messages because db:index builds it before
-- allow: require-concurrent-index-deletion:app_public.messages_sender_id_idx because the drop takes no time
-- allow: require-concurrent-index-creation:app_private.inbox_changes because db:index builds it before
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

--! Included functions/chat/newest_message.sql
-- Security definer: who sees a chat need not see its messages. Without enable_seqscan, as tg_messages__prepare().
create or replace function app_hidden.newest_message(chat_id bigint, out number bigint, out created_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
begin
  select messages.number, messages.created_at into newest_message.number, newest_message.created_at
    from app_public.messages where messages.chat_id = newest_message.chat_id order by messages.number desc limit 1;
end $$;
comment on function app_hidden.newest_message(bigint) is $$The number and the time of the newest message of a chat; null before the first one.$$;
grant execute on function app_hidden.newest_message(bigint) to :API_MEMBER;

create or replace function app_public.chats_last_activity_at(chats app_public.chats) returns timestamptz
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
begin
  return coalesce((select created_at from app_public.messages where chat_id = chats.id order by number desc limit 1), chats.created_at);
end $$;
comment on function app_public.chats_last_activity_at(app_public.chats) is $$@notNull
The time of the last message, or of the chat’s creation before the first one.$$;
grant execute on function app_public.chats_last_activity_at(app_public.chats) to :API_MEMBER;

-- By its number, since an admin’s policies would otherwise be asked about all messages of a chat.
create or replace function app_public.chats_last_message(chats app_public.chats) returns setof app_public.messages
language sql stable rows 1 as $$
  select messages.* from app_public.messages
   where messages.chat_id = chats.id and messages.number = (select number from app_hidden.newest_message(chats.id))
$$;
comment on function app_public.chats_last_message(app_public.chats) is $$The last message; null before the first one.$$;
grant execute on function app_public.chats_last_message(app_public.chats) to :API_MEMBER;
--! EndIncluded functions/chat/newest_message.sql
--! Included functions/chat/last_sent_number.sql
-- The comparison of rows lets no other index serve than the one that begins with the sender: an index of the chat would read all messages of others.
create or replace function app_private.last_sent_number(chat_id bigint, user_id bigint) returns bigint
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
declare
  v_sent record;
begin
  select m.sender_id, m.chat_id, m.number into v_sent from app_public.messages m
   where (m.sender_id, m.chat_id) <= (last_sent_number.user_id, last_sent_number.chat_id)
   order by m.sender_id desc, m.chat_id desc, m.number desc limit 1;
  return case when (v_sent.sender_id, v_sent.chat_id) = (last_sent_number.user_id, last_sent_number.chat_id) then v_sent.number else 0 end;
end $$;
comment on function app_private.last_sent_number(bigint, bigint) is $$The number of the last message of a chat that the user has sent; 0 before the first one.$$;
--! EndIncluded functions/chat/last_sent_number.sql
--! Included functions/chat/chats_unread_count.sql
-- Security definer: counts by numbers, so the policies of messages need not be asked. A viewer who is no member has no inbox entry.
create or replace function app_public.chats_unread_count(chats app_public.chats) returns int
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
declare
  v_newest bigint := (select max(number) from app_public.messages where chat_id = chats.id);
  v_read bigint := (select last_read_number from app_public.inbox_entries where chat_id = chats.id and user_id = app_hidden.viewer_id());
begin
  if v_newest > v_read then
    return v_newest - greatest(v_read, app_private.last_sent_number(chats.id, app_hidden.viewer_id()));
  end if;
  return 0;
end $$;
comment on function app_public.chats_unread_count(app_public.chats) is $$@notNull
The number of messages by others since the last one that you marked as read, or sent, or since you became a member. 0 where you are not one.$$;
grant execute on function app_public.chats_unread_count(app_public.chats) to :API_MEMBER;
--! EndIncluded functions/chat/chats_unread_count.sql
--! Included functions/chat/users_unread_chats_count.sql
-- plpgsql, as users_unread_notifications_count(). Security definer: the newest message of a chat that one is a member of is looked up without policies.
create or replace function app_public.users_unread_chats_count(users app_public.users) returns int
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
begin
  if users.id = app_hidden.viewer_id() then
    -- Sending marks all before it as read: a chat whose newest message is the user’s own has nothing unread.
    return (select count(*) from (
      select from app_public.inbox_entries i
       cross join lateral (
             select number, sender_id from app_public.messages where chat_id = i.chat_id order by number desc limit 1) as newest
       where user_id = users.id and number > last_read_number and sender_id is distinct from user_id limit 100) as unread);
  end if;
  return null;
end $$;
comment on function app_public.users_unread_chats_count(app_public.users) is $$The number of chats with unread messages, at most 100: 100 stands for 100 or more. Null for other users than the signed-in one.$$;
grant execute on function app_public.users_unread_chats_count(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/chat/users_unread_chats_count.sql
--! Included functions/chat/tg_messages__prepare.sql
-- Security definer: members may not write chats. Without enable_seqscan, a session that planned this for an empty table would read all messages for each
-- row of a statement that fills it.
create or replace function app_hidden.tg_messages__prepare() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
declare
  v_lowest bigint;
  v_members int;
begin
  -- The lock on the chat's row lasts to the end of the transaction: the next message waits until this one commits or rolls
  -- back. So numbers have no gaps and are committed in order. The row is not updated: while somebody holds an old snapshot, each further version
  -- of it would make the next message slower. A statement of its own reads the newest message, since it must see what was committed meanwhile.
  select last_number into v_lowest from app_public.chats where id = new.chat_id for no key update;
  select number, relist_at into new.number, new.relist_at
    from app_public.messages where chat_id = new.chat_id order by number desc limit 1;
  -- A missing chat is for the foreign key to report.
  new.number := greatest(new.number, v_lowest, 0) + 1;
  new.relist_at := coalesce(new.relist_at, '-infinity');
  if new.relist_at <= clock_timestamp() then
    -- A chat moves once a second, and at most a hundred inbox entries do. So many moves that 20 entries make may follow each other at once.
    select greatest(count(*), 1) into v_members from app_public.chat_members where chat_id = new.chat_id;
    new.relist_at := greatest(new.relist_at, clock_timestamp() - greatest(20 / v_members - 1, 0) * interval '1 second')
      + greatest(v_members, 100) * interval '10 milliseconds';
  end if;
  return new;
end $$;
comment on function app_hidden.tg_messages__prepare() is $$Before a message is written: sets its number in the chat, and when the next one may move the chat in the inboxes.$$;
--! EndIncluded functions/chat/tg_messages__prepare.sql
--! Included functions/chat/tg_messages__deliver.sql
-- Security definer: members may not write inbox entries.
create or replace function app_hidden.tg_messages__deliver() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
declare
  v_chat record;
begin
  -- tg_messages__prepare() has locked the chats. It has given each message the relist_at of the one before, unless the chat is to move.
  for v_chat in
    select added.*, messages.relist_at is distinct from added.relist_at as moves
      from (select distinct on (chat_id) chat_id, created_at, relist_at, min(number) over (partition by chat_id) as first_number
              from new_rows order by chat_id, number desc) as added
      left join app_public.messages on messages.chat_id = added.chat_id and number = first_number - 1
     order by added.chat_id
  loop
    if v_chat.moves then
      update app_public.inbox_entries set listed_at = v_chat.created_at
       where chat_id = v_chat.chat_id and (listed_at < v_chat.created_at or v_chat.first_number = 1);
    end if;
    insert into app_private.inbox_changes (chat_id, due_at)
    values (v_chat.chat_id, case when v_chat.moves then clock_timestamp() else greatest(v_chat.relist_at, clock_timestamp()) end);
  end loop;
  return null;
end $$;
comment on function app_hidden.tg_messages__deliver() is $$After messages are written: moves their chats up in the inboxes of the members, unless they have just been moved, and has the members told.$$;
--! EndIncluded functions/chat/tg_messages__deliver.sql
--! Included functions/chat/tg_messages__mark_read.sql
-- Security definer: members may write neither chats nor inbox entries. The lock on the chats is that of a message that is being sent.
create or replace function app_hidden.tg_messages__mark_read() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform from app_public.chats where id in (select chat_id from old_rows) order by id for no key update;
  -- No later message gets the number of one that is gone, and its sender has read all before it.
  update app_public.chats set last_number = gone.number
    from (select chat_id, max(number) as number from old_rows group by chat_id) as gone
   where id = gone.chat_id and last_number < gone.number
     and not exists (select from app_public.messages m where m.chat_id = id and m.number > gone.number);
  update app_public.inbox_entries i set last_read_number = gone.number
    from (select chat_id, sender_id, max(number) as number from old_rows group by chat_id, sender_id) as gone
   where i.chat_id = gone.chat_id and i.user_id = gone.sender_id and i.last_read_number < gone.number;
  update app_public.inbox_entries i set last_read_number = chats.last_number
    from app_public.chats
   where chats.id = i.chat_id and chats.id in (select chat_id from old_rows) and i.last_read_number < chats.last_number
     and not exists (select from app_public.messages m where m.chat_id = i.chat_id and m.number > i.last_read_number);
  insert into app_private.inbox_changes (chat_id) select chat_id from old_rows group by chat_id;
  return null;
end $$;
comment on function app_hidden.tg_messages__mark_read() is $$After messages are deleted, in SQL: no member has unread messages where none of them is left, and all are told.$$;
--! EndIncluded functions/chat/tg_messages__mark_read.sql
--! Included functions/chat/tg_messages__tell_inboxes.sql
-- Security definer: members may not write changes of inboxes.
create or replace function app_hidden.tg_messages__tell_inboxes() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into app_private.inbox_changes (chat_id)
  select chat_id from (select chat_id, max(number) as number from new_rows group by chat_id) as changed
   where not exists (select from app_public.messages m where m.chat_id = changed.chat_id and m.number > changed.number);
  return null;
end $$;
comment on function app_hidden.tg_messages__tell_inboxes() is $$After messages are edited or deleted: the members of chats whose last message it is are told.$$;
--! EndIncluded functions/chat/tg_messages__tell_inboxes.sql
--! Included functions/chat/tg_chat_members__open_inbox.sql
-- Security definer: members may not write inbox entries.
create or replace function app_hidden.tg_chat_members__open_inbox() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  -- With the lock, this waits for a message that is being sent and moves only the entries that it sees. The statement after it sees the message.
  perform from app_public.chats where id in (select chat_id from added) order by id for share;
  insert into app_public.inbox_entries (chat_id, user_id, listed_at, last_read_number)
  select chats.id, added.user_id, coalesce(newest.created_at, chats.created_at), greatest(newest.number, chats.last_number)
    from (select chat_id, array_agg(user_id) as user_ids from added group by chat_id) as joined
    join app_public.chats on chats.id = joined.chat_id
   cross join lateral app_hidden.newest_message(chats.id) as newest
   cross join unnest(user_ids) as added (user_id);
  insert into app_private.inbox_changes (chat_id) select chat_id from added group by chat_id;
  return null;
end $$;
comment on function app_hidden.tg_chat_members__open_inbox() is $$After members are added to a chat: puts it into their inboxes, with all messages so far as read, and tells all members.$$;
--! EndIncluded functions/chat/tg_chat_members__open_inbox.sql
--! Included functions/chat/mark_chat_read.sql
-- Security definer: members may not write inbox entries.
create or replace function app_public.mark_chat_read(chat_id bigint, message_id bigint) returns app_public.chats
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_chat app_public.chats;
  v_number bigint;
begin
  select chats.* into v_chat
    from app_public.inbox_entries join app_public.chats on chats.id = inbox_entries.chat_id
   where inbox_entries.chat_id = mark_chat_read.chat_id and inbox_entries.user_id = app_hidden.viewer_id();
  if not found then
    perform app_hidden.refuse_missing('chat');
  end if;
  select number into v_number from app_public.messages
   where messages.id = mark_chat_read.message_id and messages.chat_id = mark_chat_read.chat_id;
  if not found then
    perform app_hidden.refuse_missing('message');
  end if;
  -- Later messages may have been deleted, in SQL.
  if not exists (select from app_public.messages where messages.chat_id = mark_chat_read.chat_id and number > v_number) then
    v_number := greatest(v_number, v_chat.last_number);
  end if;
  update app_public.inbox_entries set last_read_number = v_number
   where inbox_entries.chat_id = mark_chat_read.chat_id and inbox_entries.user_id = app_hidden.viewer_id()
     and greatest(last_read_number, app_private.last_sent_number(inbox_entries.chat_id, user_id)) < v_number;
  if found then
    insert into app_private.inbox_changes (chat_id, user_id) values (mark_chat_read.chat_id, app_hidden.viewer_id());
  end if;
  return v_chat;
end $$;
comment on function app_public.mark_chat_read(bigint, bigint) is $$@describe chat_id One of your chats.
@describe message_id The newest message of this chat that you have read.
Marks the messages of a chat as read, up to this one. Never marks one as unread. No other member sees it.$$;
grant execute on function app_public.mark_chat_read(bigint, bigint) to :API_MEMBER;
--! EndIncluded functions/chat/mark_chat_read.sql
--! Included functions/chat/record_inbox_changes.sql
-- Security definer: the service's login can choose neither the changes nor the time.
--
-- The heads of these streams are locked by this function alone: no other transaction holds it up, or waits for it. An entry that a
-- message moves at the same time is left to that one.
create or replace function app_hidden.record_inbox_changes(out are_more_due boolean)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
declare
  v_due_chats bigint[];
  v_due_users bigint[];
  v_kinds text[];
  v_user_ids text[];
  v_chat_ids text[];
begin
  with taken as (
    delete from app_private.inbox_changes where id in (
      select id from app_private.inbox_changes where due_at <= clock_timestamp() order by due_at, id limit 100 for update skip locked)
    returning chat_id, user_id
  )
  select array_agg(chat_id), array_agg(user_id), (select count(*) = 100 from taken) into v_due_chats, v_due_users, are_more_due
    from (select distinct chat_id, user_id from taken) as due;
  -- What messages have not moved, because their chats had just been moved.
  with late as (
    select i.chat_id, i.user_id, newest.created_at
      from (select distinct chat_id from unnest(v_due_chats, v_due_users) as due (chat_id, user_id) where user_id is null) as chats
     cross join lateral (
           select created_at from app_public.messages m where m.chat_id = chats.chat_id order by number desc limit 1) as newest
      join app_public.inbox_entries i on i.chat_id = chats.chat_id and i.listed_at < newest.created_at
       for no key update of i skip locked
  )
  update app_public.inbox_entries i set listed_at = late.created_at
    from late where i.chat_id = late.chat_id and i.user_id = late.user_id;
  select array_agg(kind), array_agg(user_id::text), array_agg(chat_id::text) into v_kinds, v_user_ids, v_chat_ids
    from (select 'updated' as kind, i.user_id, i.chat_id
            from unnest(v_due_chats, v_due_users) as due (chat_id, user_id)
            join app_public.inbox_entries i on i.chat_id = due.chat_id and i.user_id = coalesce(due.user_id, i.user_id)
           union
          select 'deleted', due.user_id, due.chat_id
            from unnest(v_due_chats, v_due_users) as due (chat_id, user_id)
            left join app_public.inbox_entries i on i.chat_id = due.chat_id and i.user_id = due.user_id
           where due.user_id is not null and i.user_id is null) as changes;
  perform change_feed.record_events('app_public.inbox_entries', 'user_id', v_kinds, v_user_ids, v_chat_ids);
end $$;
comment on function app_hidden.record_inbox_changes() is $$Moves chats up in the inboxes where messages have not, and records changes of inboxes that are due in the change feed, each entry once. Returns whether there may be more.$$;
grant execute on function app_hidden.record_inbox_changes() to :API_LOGIN;
--! EndIncluded functions/chat/record_inbox_changes.sql

-- Its result has one column less.
drop function if exists app_private.chat_reading(bigint, bigint);
--! Included functions/chat/chat_reading.sql
-- The rule of a member’s policy of messages, for any viewer. Change both together: test/messages/rights.test.ts
-- compares them. Without security definer and search_path, so that PostgreSQL inlines it into a query over many viewers.
create or replace function app_private.chat_reading(chat_id bigint, viewer_id bigint, out may_read boolean)
returns setof boolean language sql stable rows 1 as $$
  select m.user_id is not null
    from app_public.chats c
    left join app_private.accounts a on a.user_id = chat_reading.viewer_id and a.banned_at is null
    left join app_public.chat_members m on m.chat_id = c.id and m.user_id = a.user_id
   where c.id = chat_reading.chat_id
$$;
comment on function app_private.chat_reading(bigint, bigint) is $$Whether the viewer may follow the chat. Returns no row when the chat does not exist.$$;
--! EndIncluded functions/chat/chat_reading.sql
select change_feed.stream('app_public.messages', 'chat_id', kinds => '{added,updated}', may_read => 'app_private.chat_reading', number_column => 'number');
